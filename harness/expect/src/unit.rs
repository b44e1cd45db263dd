//! Units of metrics, taken from their names, and how values are shown.

use compare::render::numbers;
use serde::Serialize;

/// A unit of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Operations per second.
    Rate,
    Nanoseconds,
    Seconds,
    Bytes,
    /// KiB.
    Kib,
    /// GiB per second.
    GibPerSecond,
    /// A percentage.
    Percent,
    /// A count per item, as operations per object.
    PerPiece,
    /// A factor: an overhead, or one value ÷ another.
    Times,
}

impl Unit {
    /// The unit of the metric `name`; `None` if no metric has this name.
    #[must_use]
    pub fn of_metric(name: &str) -> Option<Self> {
        let is_plain = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
        };
        if !name.bytes().all(is_plain) || name.split(['-', '.']).any(str::is_empty) {
            return None;
        }
        let ends = |end: &str| name.ends_with(end) && name.len() > end.len();
        let starts = |start: &str| name.starts_with(start) && name.len() > start.len();
        match name {
            "throughput" => Some(Self::Rate),
            "overhead" | "efficiency" => Some(Self::Times),
            _ if starts("overhead-") => Some(Self::Times),
            _ if starts("ns-per-") || ends("-ns") => Some(Self::Nanoseconds),
            _ if ends("-gib-per-s") => Some(Self::GibPerSecond),
            _ if ends("-per-s") => Some(Self::Rate),
            _ if ends("-s") => Some(Self::Seconds),
            _ if ends("-percent") => Some(Self::Percent),
            _ if ends("-bytes") => Some(Self::Bytes),
            _ if name.contains("-kib-per-") => Some(Self::Kib),
            _ if name.contains("-per-") => Some(Self::PerPiece),
            _ => None,
        }
    }

    /// `value` with its unit, scaled to its size: `1.23 Mops/s`, `1.50×`.
    #[must_use]
    pub fn shown(self, value: f64) -> String {
        let [shown] = self.all_shown([value]);
        shown
    }

    /// `value` with its interval, all in one unit: `1.50× (1.40 … 1.60)`. Of an interval of two processes
    /// that says nothing, `2.74× (< 0.001 … > 1000)`.
    #[must_use]
    pub fn shown_with_interval(self, value: f64, low: f64, high: f64) -> String {
        let [value_text, low_text, high_text] = self.all_shown([value, low, high]);
        let number = |shown: &str| shown.split([' ', '×']).next().unwrap_or(shown).to_owned();
        // Digits of an end that far off say nothing.
        let is_factor = self == Self::Times;
        let is_tiny = is_factor && low < 0.001 && value >= 0.01;
        let is_huge = is_factor && high > 1000.0 && value <= 100.0;
        let low = if is_tiny { "< 0.001".to_owned() } else { number(&low_text) };
        let high = if is_huge { "> 1000".to_owned() } else { number(&high_text) };
        format!("{value_text} ({low} … {high})")
    }

    fn all_shown<const N: usize>(self, values: [f64; N]) -> [String; N] {
        let unit = match self {
            Self::Rate => "1/s",
            Self::Nanoseconds => "ns",
            Self::Seconds => "s",
            Self::Bytes => "bytes",
            Self::Kib => "KiB",
            Self::GibPerSecond => "GiB/s",
            Self::Percent => "%",
            Self::PerPiece => "ratio",
            Self::Times => {
                return numbers::values(values, "ratio").map(|shown| format!("{shown}×"));
            }
        };
        numbers::values(values, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_metric_says_its_unit() {
        for (name, unit) in [
            ("throughput", Unit::Rate),
            ("elapsed-s", Unit::Seconds),
            ("overhead", Unit::Times),
            ("overhead-after-idle", Unit::Times),
            ("cpu-ns", Unit::Nanoseconds),
            ("p99.9-ns", Unit::Nanoseconds),
            ("read-modify-write-p50-ns", Unit::Nanoseconds),
            ("ns-per-page", Unit::Nanoseconds),
            ("region-gib-per-s", Unit::GibPerSecond),
            ("touched-18-percent", Unit::Percent),
            ("live-kib-per-file", Unit::Kib),
            ("operations-per-object", Unit::PerPiece),
            ("object-memory-bytes", Unit::Bytes),
        ] {
            assert_eq!(Unit::of_metric(name), Some(unit), "{name}");
        }
        for name in ["", "througput", "p99", "-ns", "p99--ns", "P99-ns", "overhead-", "p50 ns"] {
            assert_eq!(Unit::of_metric(name), None, "{name}");
        }
    }

    #[test]
    fn an_interval_has_the_unit_once() {
        assert_eq!(
            Unit::Rate.shown_with_interval(4.71e6, 4.6e6, 4.8e6),
            "4.71 Mops/s (4.60 … 4.80)"
        );
        assert_eq!(
            Unit::Nanoseconds.shown_with_interval(980.0, 900.0, 1100.0),
            "0.980 µs (0.900 … 1.10)"
        );
        assert_eq!(Unit::Times.shown_with_interval(1.5, 1.4, 1.6), "1.50× (1.40 … 1.60)");
        assert_eq!(Unit::Percent.shown(18.0), "18.0 %");
        let wide = Unit::Times.shown_with_interval(2.74, 1e-6, 2e7);
        assert_eq!(wide, "2.74× (< 0.001 … > 1000)");
        assert_eq!(Unit::PerPiece.shown_with_interval(3.0, 3.0, 3.0), "3.00 (3.00 … 3.00)");
    }
}
