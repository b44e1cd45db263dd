//! Lines of random pages, touched after something that may cost translations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Family;

/// Bytes of a page that is touched.
const PAGE_BYTES: u64 = 4096;

/// One line of a random page is loaded, and something happens before the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Touch {
    /// Pages of 4 KiB, of each of which one line is touched.
    pub pages: u64,
    /// What happens between two touches.
    pub between: Between,
    /// Timed touches.
    pub operations: u64,
}

/// What happens between two touches.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Between {
    /// Nothing.
    Nothing,
    /// A system call that does nothing.
    Syscall,
    /// Another thread of the process runs on the core.
    Thread,
    /// A process with another address space runs on the core.
    Process,
    /// All translations of the core are flushed.
    Flush,
}

impl Between {
    /// Its word in suites and labels.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Syscall => "syscall",
            Self::Thread => "thread",
            Self::Process => "process",
            Self::Flush => "flush",
        }
    }
}

impl Touch {
    /// Bytes of all pages.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.pages * PAGE_BYTES
    }
}

impl Family for Touch {
    fn labels(&self) -> Vec<(&'static str, String)> {
        vec![
            ("family", "touch".to_owned()),
            ("memory-bytes", self.memory_bytes().to_string()),
            ("between", self.between.word().to_owned()),
        ]
    }

    fn memory_bytes_max(&self) -> u64 {
        // Beside the pages: processes, and their page tables.
        self.memory_bytes() + (32 << 20)
    }

    fn estimated_ns(&self) -> f64 {
        let between_ns = match self.between {
            Between::Nothing | Between::Syscall => 300.0,
            Between::Thread | Between::Process => 7_000.0,
            Between::Flush => 10_000.0,
        };
        self.operations as f64 * between_ns
    }
}
