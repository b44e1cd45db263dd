//! What a store counts: live pairs, which bound it, and what its threads have done.

use std::sync::atomic::{AtomicU64, Ordering};

use kit::padded::Padded;

/// Live pairs. Only changes are written, so puts that replace a value by one of its length share
/// nothing.
#[derive(Debug, Default)]
pub(crate) struct Live {
    objects: Padded<AtomicU64>,
    value_bytes: Padded<AtomicU64>,
    used_bytes: Padded<AtomicU64>,
}

/// A value that comes, goes, or takes the place of another: its length, and its block's, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) value_bytes: u64,
    pub(crate) block_bytes: u64,
}

impl Live {
    pub(crate) fn objects(&self) -> u64 {
        // Relaxed: a figure.
        self.objects.load(Ordering::Relaxed)
    }

    pub(crate) fn value_bytes(&self) -> u64 {
        // Relaxed: a figure.
        self.value_bytes.load(Ordering::Relaxed)
    }

    /// Counts one value in the place of another; `false`, and no change, if that leaves less memory
    /// than `limit_bytes`.
    pub(crate) fn admit(&self, old: Option<Size>, new: Size, limit_bytes: u64) -> bool {
        let old_block = old.map_or(0, |old| old.block_bytes);
        if new.block_bytes > old_block {
            let more = new.block_bytes - old_block;
            // Relaxed: a bound on a sum, which orders nothing.
            let before = self.used_bytes.fetch_add(more, Ordering::Relaxed);
            if before + more > limit_bytes {
                self.used_bytes.fetch_sub(more, Ordering::Relaxed);
                return false;
            }
        } else {
            change(&self.used_bytes, old_block, new.block_bytes);
        }
        change(&self.value_bytes, old.map_or(0, |old| old.value_bytes), new.value_bytes);
        change(&self.objects, u64::from(old.is_some()), 1);
        true
    }

    /// Undoes what was admitted, or counts a value that goes.
    pub(crate) fn replace(&self, old: Option<Size>, new: Option<Size>) {
        let block = |size: Option<Size>| size.map_or(0, |size| size.block_bytes);
        let value = |size: Option<Size>| size.map_or(0, |size| size.value_bytes);
        change(&self.used_bytes, block(old), block(new));
        change(&self.value_bytes, value(old), value(new));
        change(&self.objects, u64::from(old.is_some()), u64::from(new.is_some()));
    }
}

fn change(sum: &AtomicU64, from: u64, to: u64) {
    if from != to {
        // Relaxed: as above. It wraps where the difference is negative.
        sum.fetch_add(to.wrapping_sub(from), Ordering::Relaxed);
    }
}

/// What threads have done.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Records whose effect went to the back table.
    pub(crate) applied: AtomicU64,
    /// Records that a newer one of their key made void.
    pub(crate) collapsed: AtomicU64,
    /// Puts and deletes that found their log full.
    pub(crate) full_logs: AtomicU64,
    /// Writers that took another log.
    pub(crate) log_switches: AtomicU64,
    /// Times that a gleaner was woken or sent to sleep.
    pub(crate) role_switches: AtomicU64,
    /// Pairs copied to the front after a miss.
    pub(crate) promoted: AtomicU64,
    /// What recovery took, in nanoseconds: redo areas and logs; then the walk that counts pairs.
    pub(crate) recovery_log_ns: AtomicU64,
    pub(crate) recovery_walk_ns: AtomicU64,
    /// Records found by recovery, and transactions it replayed.
    pub(crate) recovered_records: AtomicU64,
    pub(crate) replayed_transactions: AtomicU64,
}

/// Adds to a counter.
pub(crate) fn add(counter: &AtomicU64, count: u64) {
    // Relaxed: a figure.
    counter.fetch_add(count, Ordering::Relaxed);
}
