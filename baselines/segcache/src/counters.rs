//! What sessions have done. Each counts for itself, and adds what it counted when it ends.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::Statistic;

/// Counts of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) puts: u64,
    /// Attempts of PUTs for which eviction found no segment.
    pub(crate) retries_no_segment: u64,
    /// PUTs that were given up after as many of them as are tried.
    pub(crate) refused_no_segment: u64,
    /// PUTs for whose key the index had no slot.
    pub(crate) refused_no_slot: u64,
    /// Segments that were freed because the lifetime of their objects had ended.
    pub(crate) expired_segments: u64,
    /// Attempts of DELETEs that left an object where it was, because a merge had moved it.
    pub(crate) repeated_deletes: u64,
}

/// Sums over sessions that have ended. Relaxed: a count orders nothing.
#[derive(Debug, Default)]
pub(crate) struct Sums([AtomicU64; COUNTS]);
const COUNTS: usize = size_of::<Counts>() / size_of::<u64>();

impl Sums {
    pub(crate) fn add(&self, counts: Counts) {
        for (sum, count) in self.0.iter().zip(counts.list()) {
            sum.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        let [
            hits,
            misses,
            puts,
            retries_no_segment,
            refused_no_segment,
            refused_no_slot,
            expired_segments,
            repeated_deletes,
        ] = self.0.each_ref().map(|sum| sum.load(Ordering::Relaxed));
        Counts {
            hits,
            misses,
            puts,
            retries_no_segment,
            refused_no_segment,
            refused_no_slot,
            expired_segments,
            repeated_deletes,
        }
    }
}

impl Counts {
    fn list(self) -> [u64; COUNTS] {
        [
            self.hits,
            self.misses,
            self.puts,
            self.retries_no_segment,
            self.refused_no_segment,
            self.refused_no_slot,
            self.expired_segments,
            self.repeated_deletes,
        ]
    }

    pub(crate) fn statistics(self) -> Vec<Statistic> {
        let gets = self.hits + self.misses;
        // Without GETs nothing has missed.
        let hit_rate = if gets == 0 { 1.0 } else { self.hits as f64 / gets as f64 };
        [
            ("get_hits", self.hits as f64),
            ("get_misses", self.misses as f64),
            ("hit_rate", hit_rate),
            ("puts", self.puts as f64),
            ("retries_no_segment", self.retries_no_segment as f64),
            ("refused_no_segment", self.refused_no_segment as f64),
            ("refused_no_slot", self.refused_no_slot as f64),
            ("expired_segments", self.expired_segments as f64),
            ("repeated_deletes", self.repeated_deletes as f64),
        ]
        .into_iter()
        .map(|(name, value)| Statistic::new(name, value))
        .collect()
    }
}
