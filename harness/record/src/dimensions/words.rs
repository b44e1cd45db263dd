//! Setting values in readable form.

/// A size with its unit: `64 B`, `1KiB`.
#[must_use]
pub fn in_bytes(size: &str) -> String {
    if size.ends_with('B') { size.to_owned() } else { format!("{size} B") }
}

/// `250k`, `1M`.
#[must_use]
pub fn short(number: f64) -> String {
    match number {
        number if number >= 1e6 => format!("{}M", number / 1e6),
        number if number >= 1e3 => format!("{}k", number / 1e3),
        number => number.to_string(),
    }
}

/// `uniform`, `zipfian 0.99`.
pub(super) fn spaced(value: &str) -> String {
    value.replace(':', " ")
}

/// A number as a rate; anything else, such as the times of a trace, unchanged.
pub(super) fn rate(value: &str) -> String {
    value.parse().map_or_else(|_| value.to_owned(), |rate| format!("{} requests/s", short(rate)))
}

/// Empty: the value is shown elsewhere, or nowhere.
pub(super) fn untold(_: &str) -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_well() {
        assert_eq!([2.5e5, 1e6, 12.0].map(short), ["250k", "1M", "12"]);
        assert_eq!((in_bytes("64"), in_bytes("1KiB")), ("64 B".to_owned(), "1KiB".to_owned()));
        assert_eq!(rate("250000"), "250k requests/s");
    }
}
