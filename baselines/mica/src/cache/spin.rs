//! Waiting for another thread that is about to be done.

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Turns of waiting before the processor is given away: who is waited for may not have one.
const TURNS_MAX: u32 = 128;

/// A wait of some turns.
#[derive(Debug, Default)]
pub(crate) struct Wait {
    turns: u32,
}

impl Wait {
    /// One turn.
    #[cold]
    pub(crate) fn turn(&mut self) {
        if self.turns < TURNS_MAX {
            self.turns += 1;
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}

/// A lock of one byte, held for the time of a copy.
#[derive(Debug, Default)]
pub(crate) struct SpinLock {
    held: AtomicBool,
}

impl SpinLock {
    /// Takes the lock.
    #[inline]
    pub(crate) fn lock(&self) {
        let mut wait = Wait::default();
        // LOG LOCK, to: acquire pairs with the release of `unlock`.
        while self.held.swap(true, Ordering::Acquire) {
            // Relaxed: only to wait without taking the line from its owner.
            while self.held.load(Ordering::Relaxed) {
                wait.turn();
            }
        }
    }

    /// Gives it back; the caller has taken it.
    #[inline]
    pub(crate) fn unlock(&self) {
        // LOG LOCK, from: the next owner sees all that this one wrote.
        self.held.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn no_two_threads_hold_it() {
        let (lock, count) = (SpinLock::default(), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        lock.lock();
                        // Two steps on purpose: an increment is lost where two are inside.
                        let before = count.load(Ordering::Relaxed);
                        count.store(before + 1, Ordering::Relaxed);
                        lock.unlock();
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), 40_000);
    }
}
