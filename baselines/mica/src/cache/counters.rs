//! Counters of sessions, each on its own cache lines; added up on request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Counter {
    /// GETs that found their key.
    GetHits,
    /// GETs that did not.
    GetMisses,
    /// GETs that restarted because a writer interfered.
    ReaderRestarts,
    /// Bytes of items appended to logs, including reinserted items.
    AppendedBytes,
    /// PUTs whose value fitted the space of the item as first inserted.
    InPlaceUpdates,
    /// Items that a head has passed, including deleted and replaced ones: a log does not know which
    /// they are.
    EvictedFromLog,
    /// Entries of items still in the log that were given up because their bucket was full.
    EvictedFromIndex,
    /// Entries of overwritten items, found by a lookup or given up in a full bucket.
    DanglingFound,
    /// Items appended again because they were requested.
    Reinserted,
    /// How often a tail returned to the front of its log.
    LogWraps,
    /// Buckets searched for dangling entries.
    ScrubbedBuckets,
    /// Dangling entries removed by that search.
    ScrubbedEntries,
}

impl Counter {
    /// All counters with their names, in the order of their values.
    const ALL: [(Self, &'static str); 12] = [
        (Self::GetHits, "get_hits"),
        (Self::GetMisses, "get_misses"),
        (Self::ReaderRestarts, "reader_restarts"),
        (Self::AppendedBytes, "appended_bytes"),
        (Self::InPlaceUpdates, "in_place_updates"),
        (Self::EvictedFromLog, "evicted_from_log"),
        (Self::EvictedFromIndex, "evicted_from_index"),
        (Self::DanglingFound, "dangling_found"),
        (Self::Reinserted, "reinserted"),
        (Self::LogWraps, "log_wraps"),
        (Self::ScrubbedBuckets, "scrubbed_buckets"),
        (Self::ScrubbedEntries, "scrubbed_entries"),
    ];
}

/// The counters of one session, which alone writes them.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counters {
    counts: [AtomicU64; Counter::ALL.len()],
}

impl Counters {
    /// Adds to a counter.
    #[inline]
    pub(crate) fn add(&self, counter: Counter, by: u64) {
        let count = &self.counts[counter as usize];
        // Relaxed, and in two steps: there is one writer, and readers only need a recent count.
        count.store(count.load(Ordering::Relaxed) + by, Ordering::Relaxed);
    }

    /// Adds one to a counter.
    #[inline]
    pub(crate) fn count(&self, counter: Counter) {
        self.add(counter, 1);
    }
}

/// Sums over sessions.
pub(crate) type Sums = [u64; Counter::ALL.len()];

/// The counters of all sessions, past and present.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: Vec<Arc<Counters>>,
    /// Sums over closed sessions.
    closed: Sums,
}

/// A session's place in the registry, until dropped.
#[derive(Debug)]
pub(crate) struct Registered<'store> {
    registry: &'store Registry,
    pub(crate) counters: Arc<Counters>,
}

impl Registry {
    /// Registers a new session.
    pub(crate) fn register(&self) -> Registered<'_> {
        let counters = Arc::<Counters>::default();
        self.state().open.push(Arc::clone(&counters));
        Registered { registry: self, counters }
    }

    /// Every sum with its name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let state = self.state();
        let mut sums = state.closed;
        for counters in &state.open {
            add(&mut sums, counters);
        }
        Counter::ALL.into_iter().map(move |(counter, name)| (name, sums[counter as usize]))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        let mut state = self.registry.state();
        add(&mut state.closed, &self.counters);
        state.open.retain(|counters| !Arc::ptr_eq(counters, &self.counters));
    }
}

fn add(sums: &mut Sums, counters: &Counters) {
    for (sum, count) in sums.iter_mut().zip(&counters.counts) {
        // Relaxed: a count, which orders nothing.
        *sum += count.load(Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_sessions_that_are_and_were_add_up_under_their_names() {
        let registry = Registry::default();
        let first = registry.register();
        first.counters.add(Counter::AppendedBytes, 40);
        drop(first);
        let second = registry.register();
        second.counters.add(Counter::AppendedBytes, 2);
        second.counters.count(Counter::ScrubbedEntries);
        let find = |name| registry.named().find(|(other, _)| *other == name).unwrap().1;
        assert_eq!((find("appended_bytes"), find("scrubbed_entries")), (42, 1));
        drop(second);
        assert_eq!(find("appended_bytes"), 42);
        assert!(registry.state().open.is_empty());
        for (place, (counter, _)) in Counter::ALL.into_iter().enumerate() {
            assert_eq!(counter as usize, place);
        }
    }
}
