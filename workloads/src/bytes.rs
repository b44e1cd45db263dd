//! Sizes as people write them: `100`, `1KiB`, `8 GiB`.
//!
//! Crates for this also read `1KB`, `1.5MiB` and `1kib`, and round what they write; here a size is
//! exact, has one form, and is read back as it was.

use std::error::Error;
use std::fmt;

/// How many bytes each unit is, the largest first.
pub const UNITS: [(u64, &str); 5] =
    [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")];

/// A text that is not a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseBytesError {
    text: String,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    NotASize,
    Negative,
    TooLarge,
}

impl fmt::Display for ParseBytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "size \"{}\": ", self.text)?;
        f.write_str(match self.fault {
            Fault::NotASize => {
                "write a whole number of bytes, KiB, MiB, GiB or TiB, as in \"100\" or \"1KiB\""
            }
            Fault::Negative => "must be 0 or more",
            Fault::TooLarge => "must be below 2^64 bytes, which are 16777216TiB",
        })
    }
}

impl Error for ParseBytesError {}

/// Parses a size: a whole number, then `B`, `KiB`, `MiB`, `GiB`, `TiB` or nothing (bytes).
///
/// `_` may group digits and a space may precede the unit. `KB` is refused because it is ambiguous:
/// 1000 or 1024 bytes.
pub fn parse_bytes(text: &str) -> Result<usize, ParseBytesError> {
    let refuse = |fault| ParseBytesError { text: text.to_owned(), fault };
    let trimmed = text.trim();
    let (number, unit) = UNITS
        .iter()
        .find_map(|&(bytes, unit)| Some((trimmed.strip_suffix(unit)?.trim_end(), bytes)))
        .unwrap_or((trimmed, 1));
    let is_number = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_digit())
            && text.chars().all(|letter| letter.is_ascii_digit() || letter == '_')
    };
    if !is_number(number) {
        let negative = number.strip_prefix('-').is_some_and(is_number);
        return Err(refuse(if negative { Fault::Negative } else { Fault::NotASize }));
    }
    // All digits: what cannot be read is too large.
    let count: Option<u64> = number.replace('_', "").parse().ok();
    let bytes = count.and_then(|count| usize::try_from(count.checked_mul(unit)?).ok());
    bytes.ok_or_else(|| refuse(Fault::TooLarge))
}

/// Writes a size in the largest unit that divides it: `1000`, `1KiB`. [`parse_bytes`] reads it back.
pub fn format_bytes(bytes: usize) -> String {
    let count = bytes as u64;
    match UNITS.iter().find(|(unit, _)| count > 0 && count.is_multiple_of(*unit)) {
        Some((unit, name)) if *unit > 1 => format!("{}{name}", count / unit),
        _ => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, bytes) in [
            ("0", 0),
            ("100", 100),
            ("100B", 100),
            ("1KiB", 1024),
            (" 1 KiB ", 1024),
            ("10_000", 10_000),
            ("3MiB", 3 << 20),
            ("8GiB", 8 << 30),
            ("2TiB", 2 << 40),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "KiB",
            "-1",
            "+1",
            "1KB",
            "1.5MiB",
            "1kib",
            "_1",
            "99999999999999GiB",
            "16777216TiB",
        ] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_refusal_names_value_and_remedy() {
        for (text, expected) in [
            (
                "1KB",
                "size \"1KB\": write a whole number of bytes, KiB, MiB, GiB or TiB, as in \"100\" or \
                 \"1KiB\"",
            ),
            ("-1", "size \"-1\": must be 0 or more"),
            ("-1 GiB", "size \"-1 GiB\": must be 0 or more"),
            (
                "16777216TiB",
                "size \"16777216TiB\": must be below 2^64 bytes, which are 16777216TiB",
            ),
            (
                "99999999999999999999",
                "size \"99999999999999999999\": must be below 2^64 bytes, which are 16777216TiB",
            ),
        ] {
            assert_eq!(parse_bytes(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for bytes in
            [0, 1, 1000, 1024, 1025, 10 << 10, 600 << 10, 1 << 20, 3 << 30, 5 << 40, usize::MAX]
        {
            assert_eq!(parse_bytes(&format_bytes(bytes)), Ok(bytes));
        }
        assert_eq!(
            [600 << 10, 1023 << 30, 5 << 40].map(format_bytes),
            ["600KiB", "1023GiB", "5TiB"]
        );
    }
}
