//! Histograms of latency: of GETs, of PUTs and of batches, each thread its own.

use std::collections::BTreeMap;
use std::time::Instant;

use hdrhistogram::{CreationError, Histogram};

/// Percentiles recorded.
const PERCENTILES: [(&str, f64); 5] =
    [("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p99.9", 99.9), ("max", 100.0)];
/// Longest latency told apart.
const LONGEST_NS: u64 = 60_000_000_000;

/// What one thread has timed.
#[derive(Clone, Debug)]
pub(super) struct Latencies {
    pub(super) get: Histogram<u64>,
    pub(super) put: Histogram<u64>,
    pub(super) batch: Histogram<u64>,
}

impl Latencies {
    /// Empty histograms, resident: what they need belongs to the harness.
    pub(super) fn new() -> Result<Self, CreationError> {
        let empty = || Histogram::new_with_bounds(1, LONGEST_NS, 3);
        let mut latencies = Self { get: empty()?, put: empty()?, batch: empty()? };
        latencies.reset();
        Ok(latencies)
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        for histogram in [&mut self.get, &mut self.put, &mut self.batch] {
            histogram.reset();
        }
    }

    /// Those of all threads: histograms are merged, percentiles never averaged.
    pub(super) fn merged<'a>(mut all: impl Iterator<Item = &'a Self>) -> Self {
        let mut merged = all.next().expect("at least one thread").clone();
        for other in all {
            for (into, from) in [
                (&mut merged.get, &other.get),
                (&mut merged.put, &other.put),
                (&mut merged.batch, &other.batch),
            ] {
                into.add(from).expect("histograms of equal bounds");
            }
        }
        merged
    }

    /// GETs, PUTs and batches in one histogram.
    pub(super) fn all(&self) -> Histogram<u64> {
        let mut all = self.get.clone();
        for histogram in [&self.put, &self.batch] {
            all.add(histogram).expect("histograms of equal bounds");
        }
        all
    }
}

/// Records the time since `started`, where it was taken.
pub(super) fn record(histogram: &mut Histogram<u64>, started: Option<Instant>) {
    if let Some(started) = started {
        histogram.saturating_record(started.elapsed().as_nanos() as u64);
    }
}

/// The percentiles by name, and the number of `samples`; nothing of an empty histogram.
pub(super) fn percentiles(histogram: &Histogram<u64>) -> BTreeMap<String, u64> {
    if histogram.is_empty() {
        return BTreeMap::new();
    }
    let named = PERCENTILES
        .iter()
        .map(|(name, percentile)| ((*name).to_owned(), histogram.value_at_percentile(*percentile)));
    named.chain([("samples".to_owned(), histogram.len())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gets_and_puts_are_kept_apart_and_add_up() {
        let mut threads = [Latencies::new().unwrap(), Latencies::new().unwrap()];
        for thread in &mut threads {
            for _ in 0..99 {
                thread.get.record(100).unwrap();
            }
            thread.put.record(90_000).unwrap();
        }
        let merged = Latencies::merged(threads.iter());
        assert_eq!(percentiles(&merged.get)["max"], 100);
        assert_eq!(percentiles(&merged.put)["samples"], 2);
        let all = percentiles(&merged.all());
        assert_eq!((all["samples"], all["p50"]), (200, 100));
        assert!(all["p99.9"] >= 89_000, "{all:?}");
        assert!(percentiles(&merged.batch).is_empty());
    }

    #[test]
    fn a_reset_histogram_is_empty() {
        let mut latencies = Latencies::new().unwrap();
        record(&mut latencies.put, Some(Instant::now()));
        record(&mut latencies.put, None);
        assert_eq!(latencies.put.len(), 1);
        latencies.reset();
        assert!(latencies.put.is_empty());
    }
}
