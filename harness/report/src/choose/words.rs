//! Amounts in readable form: three digits and a unit.

use workloads::bytes::UNITS;

/// The units of time, the largest first.
const TIMES_NS: [(u64, &str); 4] =
    [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs"), (1, "ns")];

/// Bytes in the largest unit of which there is one: `8 GiB`, `9.81 GiB`.
pub(super) fn amount(bytes: f64) -> String {
    in_units(bytes, &UNITS)
}

/// Nanoseconds in the largest unit of which there is one: `1 ms`, `2.15 µs`.
pub(super) fn time(ns: f64) -> String {
    in_units(ns, &TIMES_NS)
}

fn in_units(value: f64, units: &[(u64, &str)]) -> String {
    let found = units.iter().find(|(size, _)| value >= *size as f64).or(units.last());
    let &(size, unit) = found.expect("there are units");
    format!("{} {unit}", digits(value / size as f64))
}

/// Three significant digits, and all digits before the point; a whole number has none behind it.
pub(super) fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_largest_unit_and_three_digits() {
        let gib = f64::from(1 << 30);
        assert_eq!(amount(8.0 * gib), "8 GiB");
        assert_eq!(amount(9.8125 * gib), "9.81 GiB");
        assert_eq!([512.0, 1536.0].map(amount), ["512 B", "1.5 KiB"]);
        assert_eq!([1e6, 2150.0, 999.0].map(time), ["1 ms", "2.15 µs", "999 ns"]);
        assert_eq!([123.4, 45.67, 1.0, 0.456].map(digits), ["123", "45.7", "1", "0.46"]);
    }
}
