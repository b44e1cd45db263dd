//! Latencies as a histogram that is written as text and merges exactly.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use serde::{Deserialize, Serialize};

/// Significant digits: a value is known to a thousandth, or, of the many intervals, to a hundredth.
const DIGITS: u8 = 3;
const DIGITS_OF_INTERVALS: u8 = 2;

/// Latencies in nanoseconds. As text it is the standard V2 form of HdrHistogram in base 64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Latency(Histogram<u64>);

/// Why a text is no histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatencyError(String);

impl fmt::Display for LatencyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a histogram cannot be read: {}", self.0)
    }
}

impl std::error::Error for LatencyError {}

impl Default for Latency {
    fn default() -> Self {
        Self(Histogram::new(DIGITS).expect("a valid number of digits"))
    }
}

impl Latency {
    /// An empty one for an interval: a tenth of the memory.
    #[must_use]
    pub fn of_interval() -> Self {
        Self(Histogram::new(DIGITS_OF_INTERVALS).expect("a valid number of digits"))
    }

    pub fn record(&mut self, ns: u64) {
        self.0.record(ns.max(1)).expect("the histogram grows");
    }

    /// Adds all of another one. Nothing is lost: both count in the same classes.
    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("the histogram grows");
    }

    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    #[must_use]
    pub fn max_ns(&self) -> u64 {
        if self.count() == 0 { 0 } else { self.0.max() }
    }

    /// The value that this share of all does not exceed; 0 where there are none.
    #[must_use]
    pub fn quantile_ns(&self, share: f64) -> u64 {
        if self.count() == 0 { 0 } else { self.0.value_at_quantile(share) }
    }
}

impl From<Latency> for String {
    fn from(latency: Latency) -> Self {
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&latency.0, &mut bytes).expect("a vector grows");
        STANDARD.encode(bytes)
    }
}

impl TryFrom<String> for Latency {
    type Error = LatencyError;

    fn try_from(text: String) -> Result<Self, LatencyError> {
        let bytes = STANDARD.decode(text).map_err(|error| LatencyError(error.to_string()))?;
        let mut histogram = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| LatencyError(format!("{error:?}")))?;
        histogram.auto(true);
        Ok(Self(histogram))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round trips of four clients of one server of Valkey 9.1.2, which stood still for a moment, in
    /// nanoseconds: a line for each client.
    const RECORDED: &str = include_str!("latency-samples.txt");

    fn recorded() -> Vec<Vec<u64>> {
        let numbers = |line: &str| line.split(' ').map(|ns| ns.parse().unwrap()).collect();
        RECORDED.lines().map(numbers).collect()
    }

    fn of(samples: &[u64]) -> Latency {
        let mut latency = Latency::default();
        samples.iter().for_each(|ns| latency.record(*ns));
        latency
    }

    #[test]
    fn merged_percentiles_are_those_of_all_samples_together() {
        let clients = recorded();
        assert!(clients.len() == 4 && clients.iter().all(|samples| samples.len() > 100));
        let mut merged = Latency::default();
        for samples in &clients {
            let text = String::from(of(samples));
            merged.add(&Latency::try_from(text).unwrap());
        }
        let mut union = clients.concat();
        union.sort_unstable();
        let together = of(&union);
        assert_eq!(merged.count(), union.len() as u64);
        for share in [0.5, 0.9, 0.99, 0.999, 1.0] {
            assert_eq!(merged.quantile_ns(share), together.quantile_ns(share), "{share}");
            let rank = (share * union.len() as f64).ceil() as usize;
            let exact = union[rank - 1];
            let class = together.0.highest_equivalent(exact);
            assert_eq!(merged.quantile_ns(share), class, "{share}: the sample is {exact}");
        }
        assert_eq!(merged, together);
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        assert!(Latency::try_from("?".to_owned()).is_err());
        assert!(Latency::try_from("AAAA".to_owned()).is_err());
    }

    #[test]
    fn nothing_has_no_percentile() {
        assert_eq!((Latency::default().quantile_ns(0.99), Latency::default().max_ns()), (0, 0));
    }
}
