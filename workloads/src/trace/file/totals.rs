//! The end of a trace: its totals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Content, TEXT_BYTES_MAX};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Totals {
    pub records: u64,
    pub blocks: u64,
    /// Texts of keys: as many as there are different keys, if keys have texts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub texts: u64,
    /// The identity of the trace. Two traces with the same digest hold the same records in the same
    /// blocks, whatever their headers and notes say and whichever compressor release wrote them.
    pub digest: u64,
    /// What was known only at the end, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Totals {
    /// The totals with the most digits.
    pub(super) const LONGEST: Self = Self {
        records: u64::MAX,
        blocks: u64::MAX,
        texts: u64::MAX,
        digest: u64::MAX,
        notes: BTreeMap::new(),
    };

    pub(super) fn new(content: Content) -> Self {
        let digest = xxh3_64(content.name().as_bytes());
        Self { records: 0, blocks: 0, texts: 0, digest, notes: BTreeMap::new() }
    }

    /// Adds a block of `records` records whose uncompressed bytes are `raw`.
    pub(super) fn add(&mut self, records: usize, raw: &[u8]) {
        self.records += records as u64;
        self.blocks += 1;
        self.digest = xxh3_64_with_seed(raw, self.digest);
    }

    /// Adds `texts` texts of keys whose uncompressed bytes are `raw`.
    pub(super) fn add_texts(&mut self, texts: usize, raw: &[u8]) {
        self.texts += texts as u64;
        self.digest = xxh3_64_with_seed(raw, self.digest);
    }

    /// The text of the end block; `None` if it is longer than [`TEXT_BYTES_MAX`].
    pub(super) fn to_text(&self) -> Option<Vec<u8>> {
        let text = serde_json::to_vec(self).expect("strings and numbers");
        (text.len() <= TEXT_BYTES_MAX).then_some(text)
    }
}
