//! Latency histograms: their bounds, the percentiles in rows, and the interchange form.

use std::collections::BTreeMap;

use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use hdrhistogram::{CreationError, Histogram};

use record::Percentiles;

const PERCENTILES: [(&str, f64); 7] = [
    ("p50", 50.0),
    ("p90", 90.0),
    ("p95", 95.0),
    ("p99", 99.0),
    ("p99.9", 99.9),
    ("p99.99", 99.99),
    ("max", 100.0),
];
/// Longest distinguishable latency.
const LONGEST_NS: u64 = 60_000_000_000;

/// An empty histogram with three significant digits.
pub(super) fn empty() -> Result<Histogram<u64>, CreationError> {
    let mut histogram = Histogram::new_with_bounds(1, LONGEST_NS, 3)?;
    // Makes it resident: its memory belongs to the harness.
    histogram.reset();
    Ok(histogram)
}

/// The interchange form (V2, deflated, base 64).
pub(super) fn encode(histogram: &Histogram<u64>) -> String {
    use base64::Engine;
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(histogram, &mut bytes)
        .expect("a histogram is written to memory");
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The percentiles by name, and the number of `samples`; empty for an empty histogram.
pub(super) fn percentiles(histogram: &Histogram<u64>) -> Percentiles {
    if histogram.is_empty() {
        return BTreeMap::new();
    }
    let named = PERCENTILES
        .iter()
        .map(|(name, percentile)| ((*name).to_owned(), histogram.value_at_percentile(*percentile)));
    named.chain([("samples".to_owned(), histogram.len())]).collect()
}

/// The same with the `mean`, to whole nanoseconds. It is told where every operation was timed: a sample
/// misses most of the few long ones that it depends on.
pub(super) fn with_mean(histogram: &Histogram<u64>) -> Percentiles {
    let mut told = percentiles(histogram);
    if !told.is_empty() {
        told.insert("mean".to_owned(), histogram.mean().round() as u64);
    }
    told
}
