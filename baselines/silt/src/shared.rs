//! What a store's operations and its threads share: instances, files, counters, and whether work in
//! the background has failed.

use std::sync::{Arc, Mutex, PoisonError};

use crate::counters::Counters;
use crate::error::Error;
use crate::files::Files;
use crate::instance::Instance;
use crate::key::{Key, instance_of};
use crate::params::Params;
use crate::signal::Signal;
use crate::step::Steps;

/// What threads share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) params: Params,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) counters: Counters,
    pub(crate) steps: Steps,
    pub(crate) instances: Vec<Instance>,
    pub(crate) signal: Signal,
    /// Held while an instance is merged: one at a time, so that only one needs space twice.
    pub(crate) merging: Mutex<()>,
    failed: Mutex<Option<String>>,
}

impl Shared {
    pub(crate) fn new(
        params: Params,
        files: Arc<dyn Files>,
        counters: Counters,
        steps: Steps,
        instances: Vec<Instance>,
    ) -> Self {
        let (signal, merging, failed) = (Signal::default(), Mutex::new(()), Mutex::new(None));
        Self { params, files, counters, steps, instances, signal, merging, failed }
    }

    pub(crate) fn instance(&self, key: &Key) -> &Instance {
        &self.instances[instance_of(key, self.instances.len())]
    }

    /// Remembers that work in the background failed.
    pub(crate) fn fail(&self, error: &Error) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get_or_insert_with(|| error.to_string());
        drop(failed);
        self.signal.changed();
    }

    /// # Errors
    /// [`Error::Background`] if work in the background failed.
    pub(crate) fn still_works(&self) -> Result<(), Error> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match &*failed {
            Some(reason) => Err(Error::Background { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}
