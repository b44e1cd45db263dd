//! What sessions have done: each counts for itself, and the store adds up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// Keys inserted minus keys deleted. This and the next two wrap: a session may delete what
    /// another has inserted.
    LiveObjects,
    LiveValueBytes,
    /// What live records take of the bound.
    PaidBytes,
    /// Overwrites in the mutable region.
    InPlaceUpdates,
    /// Overwrites that went to the tail.
    AppendedUpdates,
    /// Bytes of records that sessions have appended.
    AppendedBytes,
    /// Deletes that removed the chain's entry.
    ElidedDeletes,
    /// Deletes that left a tombstone.
    Tombstones,
    /// Operations that began anew because another thread changed the key or its chain.
    Restarts,
    /// PUTs refused because of the bound on live data.
    RefusedNoBound,
    /// PUTs refused because compaction gained no room.
    RefusedNoRoom,
    /// PUTs refused because no overflow bucket was left.
    RefusedNoBucket,
}

const COUNTERS: usize = Counter::RefusedNoBucket as usize + 1;

impl Counter {
    /// Those that are statistics, with their names.
    pub(crate) const NAMED: [(Self, &'static str); 9] = [
        (Self::InPlaceUpdates, "in_place_updates"),
        (Self::AppendedUpdates, "appended_updates"),
        (Self::AppendedBytes, "appended_bytes"),
        (Self::ElidedDeletes, "elided_deletes"),
        (Self::Tombstones, "tombstones"),
        (Self::Restarts, "restarts"),
        (Self::RefusedNoBound, "refused_no_bound"),
        (Self::RefusedNoRoom, "refused_no_room"),
        (Self::RefusedNoBucket, "refused_no_bucket"),
    ];
}

/// The counters of one session, which alone writes them. Two cache lines, because the processor
/// prefetches neighbours in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counters([AtomicU64; COUNTERS]);

impl Counters {
    #[inline]
    pub(crate) fn add(&self, counter: Counter, amount: u64) {
        let count = &self.0[counter as usize];
        // Relaxed, and in two steps: there is one writer, and readers only need a recent count.
        count.store(count.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn subtract(&self, counter: Counter, amount: u64) {
        self.add(counter, amount.wrapping_neg());
    }

    #[inline]
    pub(crate) fn count(&self, counter: Counter) {
        self.add(counter, 1);
    }
}

/// Sums over sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums([u64; COUNTERS]);

impl Sums {
    pub(crate) fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }

    /// A difference, or 0 while sessions have counted what they took and not yet what they brought.
    pub(crate) fn difference(&self, counter: Counter) -> u64 {
        u64::try_from(self.get(counter).cast_signed()).unwrap_or(0)
    }

    fn add(&mut self, counters: &Counters) {
        for (sum, count) in self.0.iter_mut().zip(&counters.0) {
            // Relaxed: a count orders nothing.
            *sum = sum.wrapping_add(count.load(Ordering::Relaxed));
        }
    }
}

/// The counters of all sessions, past and present.
#[derive(Debug, Default)]
pub(crate) struct Registry(Mutex<Registered>);

#[derive(Debug, Default)]
struct Registered {
    open: Vec<Arc<Counters>>,
    /// Sums over sessions that were dropped.
    past: Sums,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Registered> {
        // It changes only by steps that do not panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counters for a new session.
    pub(crate) fn begin(&self) -> Arc<Counters> {
        let counters = Arc::<Counters>::default();
        self.lock().open.push(Arc::clone(&counters));
        counters
    }

    /// Keeps the counts of a session that ends.
    pub(crate) fn end(&self, counters: &Arc<Counters>) {
        let mut registered = self.lock();
        registered.past.add(counters);
        registered.open.retain(|open| !Arc::ptr_eq(open, counters));
    }

    /// Number of sessions.
    pub(crate) fn open(&self) -> usize {
        self.lock().open.len()
    }

    pub(crate) fn sums(&self) -> Sums {
        let registered = self.lock();
        let mut sums = registered.past;
        registered.open.iter().for_each(|counters| sums.add(counters));
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_outlive_their_sessions_and_differences_wrap() {
        let registry = Registry::default();
        let (first, second) = (registry.begin(), registry.begin());
        first.add(Counter::LiveObjects, 3);
        second.subtract(Counter::LiveObjects, 2);
        second.count(Counter::RefusedNoBucket);
        assert_eq!(registry.sums().get(Counter::LiveObjects), 1);
        registry.end(&second);
        assert_eq!((registry.sums().get(Counter::LiveObjects), registry.open()), (1, 1));
        first.subtract(Counter::LiveObjects, 1);
        registry.end(&first);
        let sums = registry.sums();
        assert_eq!((sums.get(Counter::LiveObjects), registry.open()), (0, 0));
        assert_eq!(sums.get(Counter::RefusedNoBucket), 1);
    }
}
