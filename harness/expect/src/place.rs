//! The number in the value of a label: where a row stands along it.

use std::cmp::Ordering;

/// Units of bytes in labels, the longest names first.
const BYTES: [(&str, f64); 4] = [
    ("KiB", (1_u64 << 10) as f64),
    ("MiB", (1_u64 << 20) as f64),
    ("GiB", (1_u64 << 30) as f64),
    ("B", 1.0),
];

/// `50`, `0.99`, `64KiB` (bytes); `None` of anything else.
pub(crate) fn place(text: &str) -> Option<f64> {
    let scaled = BYTES.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size)));
    let (number, size) = scaled.unwrap_or((text, 1.0));
    let number: f64 = number.trim_end().parse().ok()?;
    number.is_finite().then_some(number * size)
}

/// Numbers by size, then texts in alphabetical order.
pub(crate) fn by_place(left: &str, right: &str) -> Ordering {
    match (place(left), place(right)) {
        (Some(low), Some(high)) => low.total_cmp(&high).then_with(|| left.cmp(right)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bytes_are_places_and_words_are_not() {
        assert_eq!(place("50"), Some(50.0));
        assert_eq!(place("0.99"), Some(0.99));
        assert_eq!(place("64KiB"), Some(65_536.0));
        assert_eq!(place("2 MiB"), Some(2_097_152.0));
        assert_eq!(place("1GiB"), Some(1_073_741_824.0));
        assert_eq!(place("512B"), Some(512.0));
        for text in ["uniform", "zipfian:0.99", "", "KiB", "inf", "nan"] {
            assert_eq!(place(text), None, "{text}");
        }
    }

    #[test]
    fn order_is_by_size_then_by_letters() {
        let mut values = ["uniform", "1KiB", "64", "1000", "latest"];
        values.sort_by(|left, right| by_place(left, right));
        assert_eq!(values, ["64", "1000", "1KiB", "latest", "uniform"]);
    }
}
