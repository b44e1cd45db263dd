//! The interface of every family of cells, so that other code need not know them all.

use super::{Allocations, Basis, Copying, Fragmentation, Frees, KeyValue, Mappings, Observe};
use crate::dimensions;

/// Estimated time for mapping and unmapping one page.
const MAPPED_PAGE_NS: f64 = 100.0;

/// The workload of a cell, whatever its family.
pub trait Family {
    /// The settings, as labels by which claims select rows; the first is `family`. `docs/src/format.md`
    /// lists them.
    fn labels(&self) -> Vec<(&'static str, String)>;

    /// Largest amount of memory that is expected to be needed.
    fn memory_bytes_max(&self) -> u64;

    /// Expected time on the clock, for estimates; 0 if it depends on the system too, for which the plan
    /// has prices.
    fn estimated_ns(&self) -> f64 {
        0.0
    }
}

impl Family for Fragmentation {
    fn labels(&self) -> Vec<(&'static str, String)> {
        let basis = match self.basis {
            Basis::Ample => "ample",
            Basis::Bounded => "bounded",
        };
        let frees = match self.frees {
            Frees::Own => "own",
            Frees::Other => "other",
        };
        let observe = match self.observe {
            Observe::End => "end",
            Observe::Each => "each",
        };
        let family = if self.sized { "fragmentation-by-size" } else { "fragmentation" };
        let size = self.sized.then(|| ("live-bytes", self.live_bytes.to_string()));
        let labels = vec![
            ("family", family.to_owned()),
            ("pattern", self.pattern.name.clone()),
            ("basis", basis.to_owned()),
            ("frees", frees.to_owned()),
            ("observe", observe.to_owned()),
            ("threads", self.threads.to_string()),
        ];
        let keys = self.key_bytes.map(|bytes| ("key-bytes", bytes.to_string()));
        labels.into_iter().chain(size).chain(keys).collect()
    }

    fn memory_bytes_max(&self) -> u64 {
        match self.basis {
            // With small objects, allocators were seen to hold over three times the live bytes.
            Basis::Ample => self.live_bytes * 7 / 2,
            Basis::Bounded => self.live_bytes * 2,
        }
    }
}

impl Family for KeyValue {
    fn labels(&self) -> Vec<(&'static str, String)> {
        let family = if self.replay.is_some() { "replay" } else { "key-value" };
        let mut labels = vec![("family", family.to_owned())];
        labels.extend(dimensions::labels(self));
        labels
    }

    fn memory_bytes_max(&self) -> u64 {
        // Beside the objects' memory: what stores keep for each record, in indexes, headers and slack.
        const RECORD_BYTES: u64 = 64;
        let records_bytes = self.records_max() * RECORD_BYTES;
        self.object_memory_bytes / 20 * 21 + records_bytes + self.own_bytes()
    }
}

impl Family for Copying {
    fn labels(&self) -> Vec<(&'static str, String)> {
        vec![("family", "copy".to_owned()), ("copy-bytes", self.copy_bytes.to_string())]
    }

    fn memory_bytes_max(&self) -> u64 {
        2 * self.memory_bytes
    }

    fn estimated_ns(&self) -> f64 {
        self.operations as f64 * (50.0 + self.copy_bytes as f64 * 0.15)
    }
}

impl Family for Allocations {
    fn labels(&self) -> Vec<(&'static str, String)> {
        vec![("family", "allocations".to_owned()), ("trace", self.trace.clone())]
    }

    fn memory_bytes_max(&self) -> u64 {
        self.live_bytes_max * 7 / 2 + self.own_bytes()
    }
}

impl Family for Mappings {
    fn labels(&self) -> Vec<(&'static str, String)> {
        vec![
            ("family", "mapping".to_owned()),
            ("region-bytes", self.region_bytes.to_string()),
            ("page-bytes", self.page_bytes.to_string()),
            ("threads", self.threads.to_string()),
            ("spaces", self.spaces.word().to_owned()),
        ]
    }

    fn memory_bytes_max(&self) -> u64 {
        self.memory_bytes()
    }

    fn estimated_ns(&self) -> f64 {
        let pages = self.operations_per_thread * self.pages().max(1) * self.threads as u64;
        pages as f64 * MAPPED_PAGE_NS
    }
}
