//! What the store's thread is told, and what it tells those who wait for it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::Error;
use crate::sync::lock;

/// Shared by the store's threads and everybody else.
#[derive(Debug, Default)]
pub(crate) struct Work {
    state: Mutex<State>,
    changed: Condvar,
}

/// What is known.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) stops: bool,
    /// Somebody has made work.
    pub(crate) is_due: bool,
    pub(crate) is_idle: bool,
    /// Everything is to be merged into one level.
    pub(crate) merges_all: bool,
    /// Why the last attempt failed. It is made again.
    pub(crate) failure: Option<Error>,
}

impl Work {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Changes what is known, and wakes all who wait.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut lock(&self.state));
        self.changed.notify_all();
    }

    /// Waits for a change, for `at_most`.
    pub(crate) fn wait(&self, state: MutexGuard<'_, State>, at_most: Duration) {
        drop(self.changed.wait_timeout(state, at_most).unwrap_or_else(PoisonError::into_inner));
    }
}
