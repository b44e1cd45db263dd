//! Spin locks that are words: of buckets in DRAM, and of buckets in persistent memory, where a crash
//! may leave them locked.
//!
//! A word holds a generation and a count: readers, or [`WRITER`]. A lock of another generation than
//! the store's is free, whatever its count: every recovery begins a new generation, so no lock is
//! written to be released (§2.2).
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | BULLET-LOCK | release, Release | acquisition, Acquire | the next holder sees what the last has done |

use std::sync::atomic::{AtomicU64, Ordering};

use kit::spin::Spin;

const WRITER: u64 = 0xffff_ffff;
const GENERATION_SHIFT: u32 = 32;

/// How locks of one table are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Locks {
    generation: u64,
}

impl Locks {
    pub(crate) fn new(generation: u32) -> Self {
        Self { generation: u64::from(generation) << GENERATION_SHIFT }
    }

    /// The count of a lock as found.
    fn count(self, found: u64) -> u64 {
        if (found ^ self.generation) >> GENERATION_SHIFT == 0 { found & WRITER } else { 0 }
    }

    fn exchange(self, lock: &AtomicU64, found: u64, count: u64) -> bool {
        let locked = self.generation | count;
        // BULLET-LOCK, to: what the last holder did. Relaxed on failure: nothing follows.
        lock.compare_exchange(found, locked, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Takes a lock for writing, if it is free.
    #[inline]
    pub(crate) fn try_exclusive(self, lock: &AtomicU64) -> bool {
        // Relaxed: the exchange decides.
        let found = lock.load(Ordering::Relaxed);
        self.count(found) == 0 && self.exchange(lock, found, WRITER)
    }

    /// Takes a lock for writing.
    #[inline]
    pub(crate) fn exclusive(self, lock: &AtomicU64) {
        let mut spin = Spin::default();
        while !self.try_exclusive(lock) {
            spin.wait();
        }
    }

    /// Gives back a lock taken for writing.
    #[inline]
    pub(crate) fn release(self, lock: &AtomicU64) {
        // BULLET-LOCK, from: what the holder did.
        lock.store(self.generation, Ordering::Release);
    }

    /// Takes a lock for reading.
    #[inline]
    pub(crate) fn shared(self, lock: &AtomicU64) {
        let mut spin = Spin::default();
        loop {
            // Relaxed: the exchange decides.
            let found = lock.load(Ordering::Relaxed);
            let count = self.count(found);
            if count != WRITER && self.exchange(lock, found, count + 1) {
                return;
            }
            spin.wait();
        }
    }

    /// Gives back a lock taken for reading.
    #[inline]
    pub(crate) fn release_shared(self, lock: &AtomicU64) {
        // BULLET-LOCK, from: what the reader read.
        lock.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_of_another_generation_is_free() {
        let (old, new) = (Locks::new(1), Locks::new(2));
        let lock = AtomicU64::new(0);
        assert!(old.try_exclusive(&lock) && !old.try_exclusive(&lock));
        assert!(new.try_exclusive(&lock), "left locked by the generation before");
        new.release(&lock);
        new.shared(&lock);
        new.shared(&lock);
        assert!(!new.try_exclusive(&lock));
        new.release_shared(&lock);
        assert!(!new.try_exclusive(&lock));
        new.release_shared(&lock);
        assert!(new.try_exclusive(&lock));
    }
}
