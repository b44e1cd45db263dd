//! How numbers are written for people, whatever the format around them.

use stats::Interval;
use workloads::bytes::UNITS;

use crate::Values;

/// What stands where there is no number.
pub(super) const NONE: &str = "–";

/// A unit's larger forms: from which value on, what to divide by, how it is called then. The last
/// one has no lower bound.
type Scales = &'static [(u64, &'static str)];

const RATES: Scales = &[(1_000_000, "Mops/s"), (1000, "kops/s"), (1, "ops/s")];
const TIMES_NS: Scales = &[(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs"), (1, "ns")];

/// Values of one metric in one form of their `unit`, that of the largest: `0.980 Mops/s` beside
/// `1.02 Mops/s`. Knows `1/s`, `ns`, `us`, `ms`, `s`, `bytes` and `ratio`; any other unit stands
/// behind its value. `–` stands for what is no number.
#[must_use]
pub fn values<const N: usize>(values: [f64; N], unit: &str) -> [String; N] {
    let form = Form::of(&values, unit);
    values.map(|value| form.told(value))
}

/// Medians of one metric with their intervals, in one form of their unit: `1.25 Mops/s (1.21 … 1.30)`.
/// A single value has no interval.
pub(super) fn medians<const N: usize>(sides: [&Values; N], unit: &str) -> [String; N] {
    let found = sides.map(Values::interval);
    let middles: Vec<f64> = found.iter().flatten().map(|found| found.estimate).collect();
    let form = Form::of(&middles, unit);
    found.map(|found| match found {
        None => NONE.to_owned(),
        Some(found) if found.count < 2 => form.told(found.estimate),
        Some(Interval { estimate, low, high, .. }) => {
            format!("{} ({} … {})", form.told(estimate), form.number(low), form.number(high))
        }
    })
}

/// How values of one metric are written.
struct Form<'unit> {
    factor: f64,
    size: f64,
    unit: &'unit str,
}

impl<'unit> Form<'unit> {
    /// The form that suits the largest of `values`.
    fn of(values: &[f64], unit: &'unit str) -> Self {
        let (factor, scales) = match unit {
            "1/s" => (1.0, RATES),
            "ns" => (1.0, TIMES_NS),
            "us" | "µs" => (1e3, TIMES_NS),
            "ms" => (1e6, TIMES_NS),
            "s" => (1e9, TIMES_NS),
            "bytes" => (1.0, &UNITS[..]),
            "ratio" => return Self { factor: 1.0, size: 1.0, unit: "" },
            _ => return Self { factor: 1.0, size: 1.0, unit },
        };
        // Of a number and a NaN, the number decides.
        let larger = |largest: f64, value: &f64| largest.max((value * factor).abs());
        let largest = values.iter().fold(f64::NAN, larger);
        let (size, unit) = scales
            .iter()
            .find(|(size, _)| largest >= *size as f64)
            .or_else(|| scales.last())
            .expect("a unit has a form");
        Self { factor, size: *size as f64, unit }
    }

    fn number(&self, value: f64) -> String {
        three_digits(value * self.factor / self.size)
    }

    fn told(&self, value: f64) -> String {
        let number = self.number(value);
        if self.unit.is_empty() || !value.is_finite() {
            return number;
        }
        format!("{number} {}", self.unit)
    }
}

/// Three significant digits, and all digits before the point.
pub(super) fn three_digits(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let decimals = match value.abs() {
        0.0 => 0,
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        size => (2.0 - size.log10().floor()).min(9.0) as usize,
    };
    signed(format!("{value:.decimals$}"))
}

/// The typographic minus, and none before a zero.
fn signed(number: String) -> String {
    match number.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => number,
    }
}

/// A ratio's distance from 1 in percent, with its sign and without `%`: `−4.8`, `+0.3`, `0.0`.
fn change(ratio: f64) -> String {
    if !ratio.is_finite() {
        return NONE.to_owned();
    }
    let percent = (ratio - 1.0) * 100.0;
    let digits = usize::from(percent.abs() < 99.95);
    let number = signed(format!("{percent:.digits$}"));
    // A change that rounds to zero has no sign.
    let plain = number.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if plain || number.starts_with('−') { number } else { format!("+{number}") }
}

/// A ratio as a change: `−4.8 %`.
pub(super) fn change_percent(ratio: f64) -> String {
    if ratio.is_finite() { format!("{} %", change(ratio)) } else { NONE.to_owned() }
}

/// An estimate as a change with its interval: `−4.8 % (−6.1 … −3.4)`.
#[must_use]
pub fn estimate_percent(ratio: &Interval) -> String {
    let Interval { estimate, low, high, .. } = *ratio;
    format!("{} ({} … {})", change_percent(estimate), change(low), change(high))
}

/// A share in percent without needless zeros: `5 %`, `2.5 %`, `0.05 %`.
pub(super) fn share_percent(share: f64) -> String {
    if !share.is_finite() {
        return NONE.to_owned();
    }
    let digits = if share.abs() < 0.001 { 3 } else { 1 };
    let number = format!("{:.digits$}", share * 100.0);
    format!("{} %", number.trim_end_matches('0').trim_end_matches('.'))
}

/// A share as a bound to both sides, `±2.1 %`.
pub(super) fn plus_minus_percent(share: f64) -> String {
    if share.is_finite() { format!("±{:.1} %", share * 100.0) } else { NONE.to_owned() }
}

/// Seconds as people say them: `4.2 s`, `7 min 5 s`, `2 h 3 min`.
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return NONE.to_owned();
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours} h {minutes} min") } else { format!("{minutes} min {rest} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_unit_of_their_size() {
        let first = |value: f64, unit: &str| values([value, 0.0], unit)[0].clone();
        for (value, unit, shown) in [
            (1_234_567.0, "1/s", "1.23 Mops/s"),
            (98_765.0, "1/s", "98.8 kops/s"),
            (12.0, "1/s", "12.0 ops/s"),
            (850.0, "ns", "850 ns"),
            (1_850.0, "ns", "1.85 µs"),
            (45_600_000.0, "ns", "45.6 ms"),
            (3.5, "ms", "3.50 ms"),
            (700.0, "us", "700 µs"),
            (0.0123, "s", "12.3 ms"),
            (2.5, "s", "2.50 s"),
            (52_428_800.0, "bytes", "50.0 MiB"),
            (512.0, "bytes", "512 B"),
            (0.87654, "ratio", "0.877"),
            (1.5, "ratio", "1.50"),
            (0.000_012_3, "ratio", "0.0000123"),
            (1234.5, "pages", "1234 pages"),
            (0.0, "ns", "0 ns"),
            (f64::NAN, "ns", "–"),
            (f64::INFINITY, "ratio", "–"),
        ] {
            assert_eq!(first(value, unit), shown, "{value} {unit}");
        }
    }

    #[test]
    fn two_values_share_the_form_of_the_larger() {
        assert_eq!(values([980_000.0, 1_020_000.0], "1/s"), ["0.980 Mops/s", "1.02 Mops/s"]);
        assert_eq!(values([1_000.0, f64::NAN], "ns"), ["1.00 µs", "–"]);
    }

    #[test]
    fn medians_stand_with_their_intervals_and_one_value_alone() {
        let of = |values: &[f64]| Values::of(values);
        let [two, one] = medians([&of(&[1.2e6, 1.3e6]), &of(&[980_000.0])], "1/s");
        assert_eq!(two, "1.25 Mops/s (1.20 … 1.30)");
        assert_eq!(one, "0.980 Mops/s");
        assert_eq!(medians([&of(&[]), &of(&[1.5, 1.7])], "ratio"), ["–", "1.60 (1.50 … 1.70)"]);
    }

    #[test]
    fn changes_have_signs_and_zero_has_none() {
        for (ratio, shown) in [
            (0.952, "−4.8 %"),
            (1.003, "+0.3 %"),
            (1.0, "0.0 %"),
            (0.9999, "0.0 %"),
            (1.00001, "0.0 %"),
            (3.5, "+250 %"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(change_percent(ratio), shown);
        }
        let ratio = Interval { low: 0.939, high: 0.966, ..Interval::exact(0.952, 12) };
        assert_eq!(estimate_percent(&ratio), "−4.8 % (−6.1 … −3.4)");
    }

    #[test]
    fn shares_and_durations_are_short() {
        assert_eq!(
            [0.05, 0.025, 0.1, 0.0005, 0.0].map(share_percent),
            ["5 %", "2.5 %", "10 %", "0.05 %", "0 %"]
        );
        assert_eq!(plus_minus_percent(0.021), "±2.1 %");
        assert_eq!(
            [4.24, 59.97, 425.0, 7385.0].map(duration),
            ["4.2 s", "1 min 0 s", "7 min 5 s", "2 h 3 min"]
        );
    }
}
