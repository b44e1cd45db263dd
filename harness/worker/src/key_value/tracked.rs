//! Versions watched within the clock: of one record in 64 every thread notes which of its writes the
//! store has acknowledged last, so that a GET which began afterwards can tell an older value.

use std::sync::atomic::{AtomicU32, Ordering};

use workloads::value::Condition;

use super::super::mapped::MappedSlice;

/// One record in so many is watched.
const EVERY: u64 = 64;
/// Which of them: not the first, which skewed workloads that are not scrambled ask for most.
const WHICH: u64 = 21;

/// Writes acknowledged, by watched record and thread: 0 none yet, else one more than the write's
/// place among its thread's operations.
#[derive(Debug)]
pub(super) struct Tracked {
    acknowledged: MappedSlice<AtomicU32>,
    records: u64,
    threads: usize,
}

impl Tracked {
    pub(super) fn new(records: u64, threads: usize) -> std::io::Result<Self> {
        let watched = records.div_ceil(EVERY) as usize;
        Ok(Self { acknowledged: MappedSlice::resident(watched * threads)?, records, threads })
    }

    /// Whether `record` is watched.
    #[inline]
    pub(super) fn watches(&self, record: u64) -> bool {
        (record % EVERY == WHICH) & (record < self.records)
    }

    /// Forgets every write; nothing may be under way.
    pub(super) fn reset(&self) {
        for acknowledged in self.acknowledged.iter() {
            // Relaxed: threads that use it start later.
            acknowledged.store(0, Ordering::Relaxed);
        }
    }

    fn of(&self, record: u64) -> &[AtomicU32] {
        let at = (record / EVERY) as usize * self.threads;
        &self.acknowledged[at..at + self.threads]
    }

    /// The store has acknowledged `thread`'s write `index` of a watched record.
    pub(super) fn acknowledge(&self, record: u64, thread: usize, index: u64) {
        // TRACKED-WRITE, from: the store's acknowledgement.
        self.of(record)[thread].store(index as u32 + 1, Ordering::Release);
    }

    /// What a GET that begins now must not fall behind, into `bounds` (one a thread).
    pub(super) fn bounds(&self, record: u64, bounds: &mut [u32]) {
        for (bound, acknowledged) in bounds.iter_mut().zip(self.of(record)) {
            // TRACKED-WRITE, to: a GET after this finds that write or a later one.
            *bound = acknowledged.load(Ordering::Acquire);
        }
    }
}

/// Whether a whole value is older than what was acknowledged when its GET began. Values written
/// before the clock are older than any write within it; values too short to carry a stamp say
/// nothing.
pub(super) fn is_old(condition: Condition, bounds: &[u32]) -> bool {
    let Condition::Good { writer, sequence } = condition else { return false };
    match bounds.get(usize::from(writer)) {
        Some(&bound) => sequence + 1 < u64::from(bound),
        None => bounds.iter().any(|&bound| bound > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_acknowledged_before_the_get_bounds_what_it_may_see() {
        let tracked = Tracked::new(1000, 2).unwrap();
        assert!(tracked.watches(WHICH) && !tracked.watches(WHICH + 1));
        assert!(!tracked.watches(EVERY * 100 + WHICH), "beyond the loaded records");
        let mut bounds = [0; 2];
        let good = |writer, sequence| Condition::Good { writer, sequence };
        tracked.bounds(WHICH, &mut bounds);
        assert!(!is_old(good(0xFFFF, 5), &bounds), "as loaded");
        tracked.acknowledge(WHICH, 1, 6);
        tracked.bounds(WHICH, &mut bounds);
        assert_eq!(bounds, [0, 7]);
        assert!(is_old(good(0xFFFF, 5), &bounds), "the loaded value, after an update");
        assert!(is_old(good(1, 5), &bounds));
        assert!(!is_old(good(1, 6), &bounds) && !is_old(good(1, 7), &bounds));
        assert!(!is_old(good(0, 0), &bounds), "another thread's: no order is known");
        assert!(!is_old(Condition::GoodUnstamped, &bounds));
    }
}
