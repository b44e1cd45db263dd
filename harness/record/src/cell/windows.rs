//! A table in windows, which a way reaches one at a time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Family;

/// Sets of updates, each within one window; or switches alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Windows {
    /// Number of windows.
    pub windows: usize,
    /// Bytes of each window.
    pub window_bytes: u64,
    /// Bytes of each page: 4096 or 2 097 152.
    pub page_bytes: u64,
    /// Updates of each set. With 0, sets are switches alone, and windows are visited in turn; otherwise
    /// the window of a set is drawn.
    pub updates: usize,
    /// Sets of the stream. After the last, the first follows.
    pub sets: usize,
    /// Time on the clock after which no further set begins.
    pub duration_ms: u64,
}

impl Windows {
    /// Bytes of all windows.
    #[must_use]
    pub fn table_bytes(&self) -> u64 {
        self.windows as u64 * self.window_bytes
    }
}

impl Family for Windows {
    fn labels(&self) -> Vec<(&'static str, String)> {
        vec![
            ("family", "windows".to_owned()),
            ("windows", self.windows.to_string()),
            ("window-bytes", self.window_bytes.to_string()),
            ("page-bytes", self.page_bytes.to_string()),
            ("updates", self.updates.to_string()),
        ]
    }

    fn memory_bytes_max(&self) -> u64 {
        // The stream twice, and page tables of a process for each window beside those of this one.
        let stream = self.sets as u64 * (self.updates as u64 + 1) * 8;
        let processes = self.windows as u64 * (4 << 20);
        self.table_bytes() + 2 * stream + self.table_bytes() / 128 + processes
    }

    fn estimated_ns(&self) -> f64 {
        // Words are filled before the clock, and read back after it.
        self.duration_ms as f64 * 1.3e6 + self.table_bytes() as f64 * 1.0
    }
}
