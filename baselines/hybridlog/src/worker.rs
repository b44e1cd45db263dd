//! A thread that compacts ahead of need, so that sessions seldom have to.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::OpenError;

use crate::store::Shared;

/// How sessions call the worker, and how it is told to end.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Someone has found room scarce since the worker last looked.
    wanted: bool,
    busy: bool,
    ended: bool,
}

impl Signal {
    fn lock(&self) -> MutexGuard<'_, State> {
        // It changes only by steps that do not panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Calls the worker.
    pub(crate) fn want(&self) {
        self.change(|state| state.wanted = true);
    }

    /// Waits, up to a time, until the worker has nothing to do.
    pub(crate) fn wait_until_idle(&self, most: Duration) {
        let is_active = |state: &mut State| !state.ended && (state.wanted || state.busy);
        let waited = self.changed.wait_timeout_while(self.lock(), most, is_active);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until there is work; `false` if there is none any more.
    fn begin(&self) -> bool {
        let is_idle = |state: &mut State| !state.ended && !state.wanted;
        let waited = self.changed.wait_while(self.lock(), is_idle);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.wanted = false;
        state.busy = !state.ended;
        state.busy
    }

    fn has_ended(&self) -> bool {
        self.lock().ended
    }
}

/// The thread, until dropped.
#[derive(Debug)]
pub(crate) struct Worker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(crate) fn start(shared: &Arc<Shared>) -> Result<Self, OpenError> {
        let own = Arc::clone(shared);
        let thread = thread::Builder::new()
            .name("hybridlog".to_owned())
            .spawn(move || work(&own))
            .map_err(|error| OpenError::Missing {
                what: format!("a thread that compacts ({error})"),
                remedy: "raise the limit of threads, or set compaction-workers to 0".to_owned(),
            })?;
        Ok(Self { shared: Arc::clone(shared), thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.signal.change(|state| state.ended = true);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            debug_assert!(ended.is_ok() || thread::panicking(), "the worker panicked");
        }
    }
}

fn work(shared: &Shared) {
    while shared.signal.begin() {
        // It ends: when every page has had its turn, there is twice as much room as that.
        while shared.is_scarce() && !shared.signal.has_ended() {
            if !shared.compaction().turn(shared) {
                break;
            }
        }
        shared.signal.change(|state| state.busy = false);
    }
}
