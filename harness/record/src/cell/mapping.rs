//! Regions that are mapped and unmapped repeatedly.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Regions that are mapped onto memory allocated before the clock started, and unmapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mappings {
    /// Bytes of each region.
    pub region_bytes: u64,
    /// Bytes of each page: 4096 or 2 097 152.
    pub page_bytes: u64,
    /// Threads, each with a region of its own.
    pub threads: usize,
    /// Whether they share an address space.
    #[serde(default, skip_serializing_if = "Spaces::is_one")]
    pub spaces: Spaces,
    /// Timed map and unmap pairs of each thread.
    pub operations_per_thread: u64,
}

/// Whether threads share an address space.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Spaces {
    /// All are threads of one process.
    #[default]
    One,
    /// Each is a process.
    Each,
}

impl Spaces {
    /// Its word in suites and labels.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Each => "each",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_one(&self) -> bool {
        *self == Self::One
    }
}

impl Mappings {
    /// Memory of the regions of all threads.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.region_bytes * self.threads as u64
    }

    /// Pages of a region.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.region_bytes / self.page_bytes
    }
}
