//! Sizes in files that people write.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use workloads::bytes::{ParseBytesError, parse_bytes};

/// Bytes, written as `512MiB` or as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "u64")]
pub struct Bytes(pub u64);

/// The two forms.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a size, as \"512MiB\" or 4096")]
enum Written {
    Number(i64),
    Text(String),
}

impl FromStr for Bytes {
    type Err = ParseBytesError;

    fn from_str(text: &str) -> Result<Self, ParseBytesError> {
        parse_bytes(text).map(|bytes| Self(bytes as u64))
    }
}

impl TryFrom<Written> for Bytes {
    type Error = ParseBytesError;

    fn try_from(written: Written) -> Result<Self, ParseBytesError> {
        match written {
            Written::Number(number) => number.to_string().parse(),
            Written::Text(text) => text.parse(),
        }
    }
}

impl From<Bytes> for u64 {
    fn from(bytes: Bytes) -> Self {
        bytes.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Table {
        size: Bytes,
    }

    fn size(value: &str) -> Result<u64, String> {
        let table: Result<Table, _> = toml::from_str(&format!("size = {value}"));
        table.map(|table| table.size.0).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn sizes_are_texts_or_numbers() {
        for (value, bytes) in [("4096", 4096), ("\"4096\"", 4096), ("\"1TiB\"", 1 << 40)] {
            assert_eq!(size(value), Ok(bytes));
        }
        for (value, expected) in [
            ("-1", "size \"-1\": must be 0 or more"),
            ("\"99999999TiB\"", "size \"99999999TiB\": must be below 2^64 bytes"),
            ("\"1GB\"", "size \"1GB\": write a whole number of bytes, KiB"),
            ("1.5", "a size, as \"512MiB\" or 4096"),
        ] {
            let message = size(value).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
