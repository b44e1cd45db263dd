//! The cleaners' threads.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use engine::OpenError;

use super::pass::Pass;
use crate::manager::ObjectManager;

/// Threads that clean instances; dropping this ends and joins them.
#[derive(Debug)]
pub(crate) struct Cleaners {
    managers: Vec<Arc<ObjectManager>>,
    threads: Vec<JoinHandle<()>>,
}

impl Cleaners {
    /// Starts the configured number of threads for each manager.
    pub(crate) fn start(managers: &[Arc<ObjectManager>]) -> Result<Self, OpenError> {
        let mut cleaners = Self { managers: managers.to_vec(), threads: Vec::new() };
        for manager in managers {
            for _ in 0..manager.geometry.cleaner_threads {
                let manager = Arc::clone(manager);
                let thread = thread::Builder::new().name("ramcloud-clean".to_owned());
                let thread = thread.spawn(move || clean(&manager));
                cleaners.threads.push(thread.map_err(|error| OpenError::Missing {
                    what: format!("a thread that cleans ({error})"),
                    remedy: "raise the limit of threads, or configure fewer".to_owned(),
                })?);
            }
        }
        Ok(cleaners)
    }

    pub(crate) fn count(&self) -> usize {
        self.threads.len()
    }
}

impl Drop for Cleaners {
    fn drop(&mut self) {
        for manager in &self.managers {
            manager.pressure.close();
        }
        for thread in self.threads.drain(..) {
            let ended = thread.join();
            debug_assert!(ended.is_ok() || thread::panicking(), "a cleaner panicked");
        }
    }
}

fn clean(manager: &ObjectManager) {
    let mut pass = Pass::new();
    while let Some(round) = manager.pressure.begin() {
        let slots = manager.selection.select(manager, round.need);
        if !slots.is_empty() {
            pass.run(manager, &slots);
        }
        manager.pressure.end(round, !slots.is_empty(), manager.log.seglets.free());
    }
}
