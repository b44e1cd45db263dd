//! Sizes in files that people write.

use serde::{Deserialize, Serialize};

/// Bytes, written as `512MiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "u64")]
pub struct Bytes(pub u64);

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bytes = workloads::bytes::parse_bytes(&text).map_err(|error| error.to_string())?;
        Ok(Self(bytes as u64))
    }
}

impl From<Bytes> for u64 {
    fn from(bytes: Bytes) -> Self {
        bytes.0
    }
}
