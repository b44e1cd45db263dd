//! How clients and workers wake each other.

use std::sync::PoisonError;
use std::time::Duration;

use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, lock};

/// Two bells: *work* for the workers, *space* for waiting PUTs.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// Counts rings of the *work* bell, so that none is missed between checking and sleeping.
    rings: Mutex<u64>,
    work: Condvar,
    /// Guards only the *space* bell; waits on it are short and bounded.
    waiting: Mutex<()>,
    space: Condvar,
    waiters: AtomicUsize,
    stop: AtomicBool,
}

impl Signals {
    /// Wakes all workers.
    pub(crate) fn kick(&self) {
        *lock(&self.rings) += 1;
        self.work.notify_all();
    }

    pub(crate) fn rings(&self) -> u64 {
        *lock(&self.rings)
    }

    /// Sleeps until somebody rings after the count was `seen`, or until `limit` has passed;
    /// sometimes it ends early.
    pub(crate) fn sleep(&self, seen: u64, limit: Option<Duration>) {
        let rings = lock(&self.rings);
        if *rings != seen || self.stopped() {
            return;
        }
        match limit {
            None => drop(self.work.wait(rings).unwrap_or_else(PoisonError::into_inner)),
            Some(limit) => {
                let woken = self.work.wait_timeout(rings, limit);
                drop(woken.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    /// Tells waiting PUTs to try again.
    pub(crate) fn space(&self) {
        if self.waiters() > 0 {
            drop(lock(&self.waiting));
            self.space.notify_all();
        }
    }

    /// Waits for space, briefly: a missed bell costs at most `limit`.
    pub(crate) fn wait_for_space(&self, limit: Duration) {
        let woken = self.space.wait_timeout(lock(&self.waiting), limit);
        drop(woken.unwrap_or_else(PoisonError::into_inner));
    }

    /// Number of waiting PUTs.
    pub(crate) fn waiters(&self) -> usize {
        // Relaxed: the bell's mutex orders a ring after the increment before it.
        self.waiters.load(Ordering::Relaxed)
    }

    /// Counts the caller as waiting until the value is dropped.
    pub(crate) fn begin_waiting(&self) -> Waiting<'_> {
        // Relaxed: as above.
        self.waiters.fetch_add(1, Ordering::Relaxed);
        Waiting(self)
    }

    /// Tells the workers to end.
    pub(crate) fn stop(&self) {
        // Release: pairs with `stopped`.
        self.stop.store(true, Ordering::Release);
        self.kick();
    }

    pub(crate) fn stopped(&self) -> bool {
        // Acquire: pairs with `stop`.
        self.stop.load(Ordering::Acquire)
    }
}

/// See [`Signals::begin_waiting`].
#[derive(Debug)]
pub(crate) struct Waiting<'signals>(&'signals Signals);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // Relaxed: as in `begin_waiting`.
        self.0.waiters.fetch_sub(1, Ordering::Relaxed);
    }
}
