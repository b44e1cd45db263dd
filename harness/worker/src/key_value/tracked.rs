//! Tracks versions while the clock runs. For one record in 64, every thread notes which of its writes the
//! store acknowledged last, so that a later GET can recognise an older value.
//!
//! Writes are noted after the span that they belong to, off the clock. A branch mispredicted once in 64
//! writes would discard the operations that the processor has already started.

use std::sync::atomic::{AtomicU32, Ordering};

use workloads::value::Condition;

use super::super::mapped::MappedSlice;

/// One record in this many is watched.
const EVERY: u64 = 64;
/// Residue of the watched records. Not 0: unscrambled skewed workloads request record 0 most.
const WHICH: u64 = 21;
/// Slots between two threads' parts, which keeps their cache lines apart.
const APART: usize = 32;

/// Acknowledged writes by thread and watched record: 0 for none, else the write's index among its
/// thread's operations plus one.
#[derive(Debug)]
pub(super) struct Tracked {
    acknowledged: MappedSlice<AtomicU32>,
    /// Distance between the slots of consecutive threads.
    stride: usize,
    records: u64,
}

impl Tracked {
    pub(super) fn new(records: u64, threads: usize) -> std::io::Result<Self> {
        let stride = records.div_ceil(EVERY) as usize + APART;
        Ok(Self { acknowledged: MappedSlice::resident(stride * threads)?, stride, records })
    }

    /// Whether `record` is watched.
    #[inline]
    pub(super) fn watches(&self, record: u64) -> bool {
        (record % EVERY == WHICH) & (record < self.records)
    }

    /// Clears all versions; no write may be in flight.
    pub(super) fn reset(&self) {
        for acknowledged in self.acknowledged.iter() {
            // Relaxed: threads that use it start later.
            acknowledged.store(0, Ordering::Relaxed);
        }
    }

    /// Notes that the store acknowledged `thread`'s write `index` of `record`, if that is watched.
    #[inline]
    pub(super) fn acknowledge(&self, record: u64, thread: usize, index: u64) {
        if !self.watches(record) {
            return;
        }
        let at = thread * self.stride + (record / EVERY) as usize;
        // TRACKED-WRITE, from: the store's acknowledgement.
        self.acknowledged[at].store(index as u32 + 1, Ordering::Release);
    }

    /// The index of `thread`'s last acknowledged write of a watched record.
    pub(super) fn last_of(&self, record: u64, thread: usize) -> Option<u64> {
        let at = thread * self.stride + (record / EVERY) as usize;
        // Relaxed: the thread itself has noted it.
        let acknowledged = self.acknowledged[at].load(Ordering::Relaxed);
        u64::from(acknowledged).checked_sub(1)
    }

    /// Stores into `bounds` (one per thread) the versions that a GET of a watched record, beginning now,
    /// must reach.
    pub(super) fn bounds(&self, record: u64, bounds: &mut [u32]) {
        bounds.fill(0);
        self.raise(record, bounds);
    }

    /// Raises `bounds` (one per thread) to the versions noted here.
    pub(super) fn raise(&self, record: u64, bounds: &mut [u32]) {
        let slots = self.acknowledged[(record / EVERY) as usize..].iter().step_by(self.stride);
        for (bound, acknowledged) in bounds.iter_mut().zip(slots) {
            // TRACKED-WRITE, to: a GET after this finds that write or a later one.
            *bound = (*bound).max(acknowledged.load(Ordering::Acquire));
        }
    }
}

/// Whether an intact value is older than the writes acknowledged when its GET began. Values written
/// before the clock started are older than any timed write. Values too short for a stamp cannot be
/// judged.
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
        tracked.acknowledge(WHICH + 1, 0, 40);
        tracked.acknowledge(WHICH + EVERY, 0, 41);
        tracked.bounds(WHICH, &mut bounds);
        assert_eq!(bounds, [0, 0], "others' writes");
        assert!(!is_old(good(0xFFFF, 5), &bounds), "as loaded");
        tracked.acknowledge(WHICH, 1, 6);
        tracked.bounds(WHICH, &mut bounds);
        assert_eq!(bounds, [0, 7]);
        assert_eq!([0, 1].map(|thread| tracked.last_of(WHICH, thread)), [None, Some(6)]);
        assert!(is_old(good(0xFFFF, 5), &bounds), "the loaded value, after an update");
        assert!(is_old(good(1, 5), &bounds));
        assert!(!is_old(good(1, 6), &bounds) && !is_old(good(1, 7), &bounds));
        assert!(!is_old(good(0, 0), &bounds), "another thread's: no order is known");
        assert!(!is_old(Condition::GoodUnstamped, &bounds));
        bounds = [9, 5];
        tracked.raise(WHICH, &mut bounds);
        assert_eq!(bounds, [9, 7], "never lowered");
    }
}
