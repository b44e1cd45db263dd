//! The store on byte strings, and what it tells of itself.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::config::{Config, SESSIONS_MAX};
use crate::error::Error;
use crate::files::Files;
use crate::parts::Parts;
use crate::recover;
use crate::schemes::Sync;
use crate::session::Session;
use crate::sync::lock;
use crate::threads::Threads;

/// A log-structured merge tree on byte strings.
#[derive(Debug)]
pub struct Store {
    pub(crate) parts: Arc<Parts>,
    /// Sessions that are not in use.
    pub(crate) free_slots: Mutex<Vec<usize>>,
    pub(crate) threads: Threads,
}

impl Store {
    /// Opens the store in a folder, or begins an empty one there.
    ///
    /// # Errors
    /// [`Error::Storage`] if a file cannot be read or written, or no thread started;
    /// [`Error::Corrupt`] if a file is damaged that was durable.
    pub fn open(files: Arc<dyn Files>, config: Config) -> Result<Self, Error> {
        let parts = Arc::new(recover::open(files, config)?);
        let threads = Threads::start(&parts);
        let threads = threads.map_err(|error| Error::storage("start", "a thread", &error))?;
        let free_slots = Mutex::new((0..SESSIONS_MAX).rev().collect());
        Ok(Self { parts, free_slots, threads })
    }

    /// A session for one thread; `None` if [`SESSIONS_MAX`] are open.
    pub fn session(&self) -> Option<Session<'_>> {
        let slot = lock(&self.free_slots).pop()?;
        if let Sync::Clsm(clsm) = &self.parts.sync {
            clsm.use_slot(slot);
        }
        Some(Session::new(self, slot))
    }

    /// Makes all writes durable that are complete.
    ///
    /// # Errors
    /// [`Error::Storage`] if the log cannot be written.
    pub fn flush(&self) -> Result<(), Error> {
        self.parts.flush_log()
    }

    /// Starts merging the present memory component, whatever it holds.
    ///
    /// # Errors
    /// [`Error::Storage`] if no log can be created, or the merge before fails.
    pub fn rotate(&self) -> Result<(), Error> {
        let memory = Arc::clone(&self.parts.view.load().memory);
        if memory.memtable.is_empty() {
            return Ok(());
        }
        self.parts.rotate(&memory, 0)
    }

    /// Has all tables merged, as deep as there are any. Answers when it is done.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Corrupt`] if a merge fails.
    pub fn merge_all(&self) -> Result<(), Error> {
        self.rotate()?;
        self.parts.work.change(|state| (state.merges_all, state.is_due) = (true, true));
        loop {
            let state = self.parts.work.state();
            if let Some(failure) = &state.failure {
                return Err(failure.clone());
            }
            if !state.merges_all {
                return Ok(());
            }
            self.parts.work.wait(state, Duration::from_millis(20));
        }
    }

    /// Waits until no merge is due, for `at_most`.
    pub fn settle(&self, at_most: Duration) {
        let deadline = Instant::now() + at_most;
        while Instant::now() < deadline {
            let state = self.parts.work.state();
            if state.is_idle && !state.is_due && !self.parts.is_merge_due() {
                return;
            }
            self.parts.work.wait(state, Duration::from_millis(5));
        }
    }
}
