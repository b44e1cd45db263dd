//! The shared-exclusive lock of cLSM: writes share it, who swaps components excludes them.
//!
//! Who shares it writes a flag of its own only, so sessions do not slow each other down. Who wants
//! it exclusively goes first: new sharers wait as soon as it has announced itself, so merges do not
//! starve (paper, section 3.1). Reads do not take it.

use std::sync::Mutex;

use kit::padded::Padded;

use crate::mutant::{Mutant, mutated};
use crate::sync::{AtomicBool, AtomicU64, Ordering, Wait, between_store_and_load, lock};

/// The lock, with a flag for each session.
#[derive(Debug)]
pub(crate) struct Exclusion {
    wanted: Padded<AtomicBool>,
    inside: Box<[Padded<AtomicBool>]>,
    /// Flags that were ever used: no other need be looked at.
    used: Padded<AtomicU64>,
    /// One excludes at a time.
    turn: Mutex<()>,
}

impl Exclusion {
    pub(crate) fn new(sessions: usize) -> Self {
        Self {
            wanted: Padded(AtomicBool::new(false)),
            inside: (0..sessions).map(|_| Padded(AtomicBool::new(false))).collect(),
            used: Padded(AtomicU64::new(0)),
            turn: Mutex::new(()),
        }
    }

    /// Says that `slot` will be used. Before its first [`share`](Self::share).
    pub(crate) fn use_slot(&self, slot: usize) {
        self.used.fetch_max(slot as u64 + 1, Ordering::SeqCst);
    }

    /// Shares the lock until the guard is dropped. One guard per slot at a time: a second would
    /// wait for whoever waits for the first.
    #[inline]
    pub(crate) fn share(&self, slot: usize) -> Shared<'_> {
        let inside = &self.inside[slot];
        debug_assert!(!inside.load(Ordering::Relaxed), "a session shares the lock once at a time");
        let mut wait = Wait::default();
        loop {
            // Store, then load; who excludes stores `wanted` and then loads the flag. In the one
            // order of all four, at least one sees the other.
            inside.store(true, Ordering::SeqCst);
            between_store_and_load();
            // EXCLUDE, to: what was swapped is seen.
            if !self.wanted.load(Ordering::SeqCst) {
                return Shared { inside };
            }
            inside.store(false, Ordering::Release);
            while self.wanted.load(Ordering::SeqCst) {
                wait.turn();
            }
        }
    }

    /// Runs `work` while nobody shares the lock. It must be short.
    pub(crate) fn exclude<R>(&self, work: impl FnOnce() -> R) -> R {
        let _turn = lock(&self.turn);
        self.wanted.store(true, Ordering::SeqCst);
        between_store_and_load();
        let used = self.used.load(Ordering::SeqCst) as usize;
        for inside in &self.inside[..used] {
            let mut wait = Wait::default();
            // SHARE, to: what sharers have written is seen.
            while !mutated(Mutant::SharersIgnored) && inside.load(Ordering::SeqCst) {
                wait.turn();
            }
        }
        let done = work();
        // EXCLUDE, from: see `share`.
        self.wanted.store(false, Ordering::SeqCst);
        done
    }

    /// Whether somebody excludes, or waits for sharers in order to.
    #[cfg(test)]
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::SeqCst)
    }
}

/// A share of the lock.
#[derive(Debug)]
pub(crate) struct Shared<'lock> {
    inside: &'lock AtomicBool,
}

impl Drop for Shared<'_> {
    #[inline]
    fn drop(&mut self) {
        // SHARE, from: see `exclude`.
        self.inside.store(false, Ordering::Release);
    }
}
