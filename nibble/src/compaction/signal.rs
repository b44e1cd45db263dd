//! How clients and workers wake each other: a bell for *work* on each node, and a bell for *space*
//! for the whole store.

use std::sync::PoisonError;
use std::time::Duration;

use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, lock};

/// The bell that wakes the workers of a node.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// Counts rings, so that none is missed between checking and sleeping.
    rings: Mutex<u64>,
    work: Condvar,
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

/// The bell that wakes waiting PUTs. A PUT waits for room on any node, so there is one bell.
#[derive(Debug, Default)]
pub(crate) struct SpaceBell {
    /// Guards only the bell; waits on it are short and bounded.
    waiting: Mutex<()>,
    bell: Condvar,
    waiters: AtomicUsize,
}

impl SpaceBell {
    /// Tells waiting PUTs to try again.
    pub(crate) fn ring(&self) {
        if self.waiters() > 0 {
            drop(lock(&self.waiting));
            self.bell.notify_all();
        }
    }

    /// Waits for a ring, briefly: a missed one costs at most `limit`.
    pub(crate) fn wait(&self, limit: Duration) {
        let woken = self.bell.wait_timeout(lock(&self.waiting), limit);
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
}

/// See [`SpaceBell::begin_waiting`].
#[derive(Debug)]
pub(crate) struct Waiting<'store>(&'store SpaceBell);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // Relaxed: as in `begin_waiting`.
        self.0.waiters.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_wakes_everyone_who_waits() {
        let bell = SpaceBell::default();
        let wait = || {
            let _waiting = bell.begin_waiting();
            bell.wait(Duration::from_secs(3600));
        };
        std::thread::scope(|scope| {
            let waiters = [scope.spawn(wait), scope.spawn(wait)];
            while !waiters.iter().all(|waiter| waiter.is_finished()) {
                bell.ring();
                std::thread::yield_now();
            }
        });
        assert_eq!(bell.waiters(), 0);
    }
}
