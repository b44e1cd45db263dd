//! Waiting for a change: who looks, remembers when that was, so that no change is missed.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long to wait before looking again in any case.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts changes.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    changes: Mutex<u64>,
    condition: Condvar,
}

impl Signal {
    /// Changes so far; ask before looking.
    pub(crate) fn now(&self) -> u64 {
        *self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something has changed.
    pub(crate) fn changed(&self) {
        *self.changes.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.condition.notify_all();
    }

    /// Waits until there are more changes than `seen`.
    pub(crate) fn wait(&self, seen: u64) {
        let changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let waited =
            self.condition.wait_timeout_while(changes, PATIENCE, |changes| *changes == seen);
        drop(waited);
    }
}
