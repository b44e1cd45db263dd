//! Dependent loads: the address of each load is the value of the one before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Family;

/// Bytes of a cache line, of which a load reads the first word.
pub const LINE_BYTES: u64 = 64;

/// One thread follows chains of pointers through memory that was filled before the clock started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Chase {
    /// Memory of all chains together.
    pub memory_bytes: u64,
    /// Bytes of each page: 4096 or 2 097 152.
    pub page_bytes: u64,
    /// Chains followed in turn, each through its own part of the memory: the number of loads that may be
    /// in flight at once.
    pub chains: usize,
    /// Timed loads of all chains together.
    pub operations: u64,
}

impl Chase {
    /// Lines in the part of one chain.
    #[must_use]
    pub fn lines_per_chain(&self) -> u64 {
        self.memory_bytes / LINE_BYTES / self.chains as u64
    }
}

impl Family for Chase {
    fn labels(&self) -> Vec<(&'static str, String)> {
        vec![
            ("family", "chase".to_owned()),
            ("memory-bytes", self.memory_bytes.to_string()),
            ("page-bytes", self.page_bytes.to_string()),
            ("chains", self.chains.to_string()),
        ]
    }

    fn memory_bytes_max(&self) -> u64 {
        self.memory_bytes
    }

    fn estimated_ns(&self) -> f64 {
        // Lines are linked, walked while timed, and walked again as a check.
        let linked = (self.memory_bytes / LINE_BYTES) as f64 * 40.0;
        linked + 3.0 * self.operations as f64 * 120.0 / self.chains as f64
    }
}
