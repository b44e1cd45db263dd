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
    /// Threads of one process, each with a region of its own.
    pub threads: usize,
    /// Timed map and unmap pairs of each thread.
    pub operations_per_thread: u64,
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
