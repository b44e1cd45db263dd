//! Latency histograms: one per kind of operation and thread.

use std::collections::BTreeMap;

use hdrhistogram::{CreationError, Histogram};
use workloads::requests::RequestKind;

use crate::histogram::{empty, encode};
use record::Percentiles;

/// Number of histograms, and their names.
const KINDS: usize = 11;
const NAMES: [&str; KINDS] = [
    "get",
    "update",
    "insert",
    "delete",
    "read-modify-write",
    "scan",
    "write-together",
    "snapshot-read",
    "snapshot-scan",
    "write-expiring",
    "batch",
];
/// Index of the histogram of whole batches.
pub(super) const BATCH: usize = 10;

/// Index of a kind's histogram.
#[inline]
pub(super) const fn place(kind: RequestKind) -> usize {
    match kind {
        RequestKind::Get | RequestKind::GetAbsent => 0,
        RequestKind::Update => 1,
        RequestKind::Insert => 2,
        RequestKind::Delete | RequestKind::DeleteAbsent => 3,
        RequestKind::ReadModifyWrite => 4,
        RequestKind::Scan => 5,
        RequestKind::WriteTogether => 6,
        RequestKind::SnapshotRead => 7,
        RequestKind::SnapshotScan => 8,
        RequestKind::WriteExpiring => 9,
    }
}

/// The latencies of one thread.
#[derive(Clone, Debug)]
pub(super) struct Latencies([Option<Histogram<u64>>; KINDS]);

impl Latencies {
    /// Empty histograms for the kinds at `places`.
    pub(super) fn new(places: &[usize]) -> Result<Self, CreationError> {
        let mut histograms = [const { None }; KINDS];
        for &place in places {
            histograms[place] = Some(empty()?);
        }
        Ok(Self(histograms))
    }

    /// Discards everything recorded.
    pub(super) fn reset(&mut self) {
        self.0.iter_mut().flatten().for_each(Histogram::reset);
    }

    /// Records a latency of the kind at `place`.
    #[inline]
    pub(super) fn record(&mut self, place: usize, latency_ns: u64) {
        if let Some(histogram) = &mut self.0[place] {
            histogram.saturating_record(latency_ns);
        }
    }

    /// The histograms of all threads, merged; percentiles are never averaged.
    pub(super) fn merged<'a>(mut all: impl Iterator<Item = &'a Self>) -> Self {
        let mut merged = all.next().expect("at least one thread").clone();
        for other in all {
            for (into, from) in merged.0.iter_mut().zip(&other.0) {
                if let (Some(into), Some(from)) = (into, from) {
                    into.add(from).expect("histograms of equal bounds");
                }
            }
        }
        merged
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, &Histogram<u64>)> {
        let named = NAMES.iter().zip(&self.0);
        named
            .filter_map(|(name, histogram)| Some((*name, histogram.as_ref()?)))
            .filter(|(_, histogram)| !histogram.is_empty())
    }

    /// All kinds merged into one histogram.
    pub(super) fn all(&self) -> Option<Histogram<u64>> {
        let mut named = self.named();
        let mut all = named.next()?.1.clone();
        for (_, histogram) in named {
            all.add(histogram).expect("histograms of equal bounds");
        }
        Some(all)
    }

    /// What `told` tells of each kind's histogram.
    pub(super) fn by_kind(
        &self,
        told: fn(&Histogram<u64>) -> Percentiles,
    ) -> BTreeMap<String, Percentiles> {
        self.named().map(|(name, histogram)| (name.to_owned(), told(histogram))).collect()
    }

    /// Each kind's histogram in the interchange form (V2, deflated, base 64).
    pub(super) fn encoded(&self) -> BTreeMap<String, String> {
        self.named().map(|(name, histogram)| (name.to_owned(), encode(histogram))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{percentiles, with_mean};

    const GET: usize = place(RequestKind::Get);
    const UPDATE: usize = place(RequestKind::Update);

    #[test]
    fn kinds_are_kept_apart_and_add_up() {
        let mut threads = [
            Latencies::new(&[GET, UPDATE, BATCH]).unwrap(),
            Latencies::new(&[GET, UPDATE, BATCH]).unwrap(),
        ];
        for thread in &mut threads {
            for _ in 0..99 {
                thread.record(GET, 100);
            }
            thread.record(UPDATE, 90_000);
        }
        let merged = Latencies::merged(threads.iter());
        let kinds = merged.by_kind(percentiles);
        assert_eq!(kinds["get"]["max"], 100);
        assert_eq!(kinds["update"]["samples"], 2);
        assert_eq!(kinds.len(), 2, "what is empty is left out");
        assert!(!kinds["get"].contains_key("mean"));
        assert_eq!(merged.by_kind(with_mean)["get"]["mean"], 100);
        let all = percentiles(&merged.all().unwrap());
        assert_eq!((all["samples"], all["p50"]), (200, 100));
        assert!(all["p99.9"] >= 89_000, "{all:?}");
        // 198 of 100 ns and two of 90 µs, each as near as its bucket.
        let mean = with_mean(&merged.all().unwrap())["mean"];
        assert!((998..=1000).contains(&mean), "{mean}");
        assert_eq!(merged.encoded().len(), 2);
    }

    #[test]
    fn an_unasked_kind_is_not_recorded() {
        let mut latencies = Latencies::new(&[GET]).unwrap();
        latencies.record(UPDATE, 1);
        assert!(latencies.all().is_none());
    }
}
