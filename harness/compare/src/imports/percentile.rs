//! Names of percentiles.

/// The metric of a percentile as tools write it: `99`, `99th`, `99.90` are `p99`, `p99`, `p99.9`.
/// None of anything that is not one.
pub(super) fn percentile(written: &str) -> Option<String> {
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let digits = &written[..written.find(|letter| !is_digit(letter)).unwrap_or(written.len())];
    let suffix = &written[digits.len()..];
    if !["", "st", "nd", "rd", "th"].contains(&suffix) {
        return None;
    }
    let percent: f64 = digits.parse().ok()?;
    (0.0..=100.0).contains(&percent).then(|| format!("p{percent}"))
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn every_spelling_has_one_name() {
        for (written, name) in
            [("99", "p99"), ("99th", "p99"), ("1st", "p1"), ("99.90", "p99.9"), ("100.00", "p100")]
        {
            assert_eq!(percentile(written).as_deref(), Some(name));
        }
        for written in ["", "th", "101", "-1", "nan", "99x", "1e1th", "∞"] {
            assert_eq!(percentile(written), None, "{written}");
        }
    }
}
