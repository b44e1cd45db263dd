//! What sessions have done: each counts for itself, and the store adds up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::heap::Counter;

/// The counters of one session. Two cache lines, because the processor prefetches neighbours in
/// pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct SessionCounters {
    /// Updates in place by a value of another length. Those of the same length are not counted: the
    /// original counts nothing, and its usual PUT is no more than one of these.
    pub(super) resized_updates: Counter,
    pub(super) moved_updates: Counter,
    pub(super) refused_no_space: Counter,
    pub(super) refused_no_spare: Counter,
    pub(super) reader_restarts: Counter,
}

impl SessionCounters {
    fn all(&self) -> [(&'static str, &Counter); 5] {
        [
            ("resized_updates", &self.resized_updates),
            ("moved_updates", &self.moved_updates),
            ("refused_no_space", &self.refused_no_space),
            ("refused_no_spare", &self.refused_no_spare),
            ("reader_restarts", &self.reader_restarts),
        ]
    }

    fn add(&self, other: &Self) {
        for ((_, sum), (_, count)) in self.all().into_iter().zip(other.all()) {
            sum.add(count.get());
        }
    }
}

/// The counters of all sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    open: Vec<Arc<SessionCounters>>,
    /// Sums over sessions that were dropped.
    past: SessionCounters,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Counts change only by steps that do not panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counters for a new session.
    pub(super) fn begin(&self) -> Arc<SessionCounters> {
        let counters = Arc::<SessionCounters>::default();
        self.lock().open.push(Arc::clone(&counters));
        counters
    }

    /// Keeps the counts of a session that ends.
    pub(super) fn end(&self, counters: &Arc<SessionCounters>) {
        let mut counts = self.lock();
        counts.past.add(counters);
        counts.open.retain(|open| !Arc::ptr_eq(open, counters));
    }

    /// Sums by name; names end with the unit.
    pub(super) fn sums(&self) -> Vec<(&'static str, u64)> {
        let counts = self.lock();
        let sum = SessionCounters::default();
        sum.add(&counts.past);
        counts.open.iter().for_each(|open| sum.add(open));
        sum.all().into_iter().map(|(name, count)| (name, count.get())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_outlive_their_sessions() {
        let sessions = Sessions::default();
        let (first, second) = (sessions.begin(), sessions.begin());
        first.moved_updates.add(3);
        second.moved_updates.add(4);
        let moved = |sessions: &Sessions| {
            let sums = sessions.sums();
            sums.into_iter().find(|(name, _)| *name == "moved_updates").expect("it is counted").1
        };
        assert_eq!(moved(&sessions), 7);
        sessions.end(&first);
        assert_eq!(moved(&sessions), 7);
        second.moved_updates.add(1);
        sessions.end(&second);
        assert_eq!(moved(&sessions), 8);
        assert!(sessions.lock().open.is_empty());
    }
}
