//! What a store's files cost in a step: bytes read and written, seen from outside at three places.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a store with files read and wrote in a step and until all that was due after it was on the
/// device. The harness's own bytes are not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Traffic {
    pub written: Passed,
    pub read: Passed,
    /// What the requests themselves moved; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// Space that the store's files take in the end.
    pub files_bytes: u64,
    /// Keys and values that live in the end.
    pub live_bytes: u64,
    /// The block device below the store's folder; absent where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// Bytes in one direction, counted at three places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Passed {
    /// Given to, or taken from, system calls; what is mapped is not seen here.
    pub handed_bytes: u64,
    /// Between the page cache and files, or past it; written bytes are without those that were thrown
    /// away with their file.
    pub file_bytes: u64,
    /// Through the block device, whoever asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_bytes: Option<u64>,
}

/// Bytes of keys and values that the requests of a step moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Asked {
    /// Keys and values of PUTs, and keys of DELETEs.
    pub written_bytes: u64,
    /// Keys of GETs and scans, each with the mean of the values that live.
    pub read_bytes: u64,
}

impl Traffic {
    /// Bytes handed to the system for each byte that requests wrote.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        ratio(self.written.handed_bytes, self.asked?.written_bytes)
    }

    /// Bytes taken from the system for each byte that requests read.
    #[must_use]
    pub fn read_amplification(&self) -> Option<f64> {
        ratio(self.read.handed_bytes, self.asked?.read_bytes)
    }

    /// Bytes of files for each live byte.
    #[must_use]
    pub fn space_amplification(&self) -> Option<f64> {
        ratio(self.files_bytes, self.live_bytes)
    }
}

fn ratio(bytes: u64, base: u64) -> Option<f64> {
    (base > 0).then(|| bytes as f64 / base as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amplifications_are_of_handed_bytes_and_absent_where_nothing_was_asked() {
        let passed = |handed_bytes| Passed { handed_bytes, file_bytes: 7, device_bytes: None };
        let told = Traffic {
            written: passed(600),
            read: passed(30),
            asked: Some(Asked { written_bytes: 100, read_bytes: 0 }),
            files_bytes: 150,
            live_bytes: 100,
            device: None,
        };
        assert_eq!(told.write_amplification(), Some(6.0));
        assert_eq!(told.read_amplification(), None);
        assert_eq!(told.space_amplification(), Some(1.5));
        let untold = Traffic { asked: None, ..told };
        assert_eq!(untold.write_amplification(), None);
        let text = serde_json::to_string(&untold).unwrap();
        assert!(!text.contains("device") && !text.contains("asked"), "{text}");
        assert_eq!(serde_json::from_str::<Traffic>(&text).unwrap(), untold);
    }
}
