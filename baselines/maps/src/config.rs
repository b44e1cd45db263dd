//! Settings, and which of them are invalid.

use engine::{Heap, OpenError};

/// The most shards that a map may be given.
pub const SHARDS_MAX: usize = 1 << 16;
/// The least table space that a record takes in every map with a capacity: key and row.
const ENTRY_BYTES: usize = 16;

/// Settings of a [`MapStore`](crate::MapStore).
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Where values are allocated.
    pub heap: &'static dyn Heap,
    /// Limit of live key and value bytes, above which puts are refused; `None` allocates until the
    /// heap is exhausted.
    pub object_memory_bytes: Option<u64>,
    /// Number of shards for maps that have them, a power of two; `None` is the map's own default.
    pub shards: Option<usize>,
    /// Expected number of records, for [`presize`](Self::presize).
    pub records_max: u64,
    /// Whether to open the map with a capacity of `records_max`. In practice maps are not presized:
    /// they grow.
    pub presize: bool,
}

impl Config {
    /// No bound, the map's own number of shards, not presized.
    #[must_use]
    pub fn new(heap: &'static dyn Heap) -> Self {
        Self { heap, object_memory_bytes: None, shards: None, records_max: 0, presize: false }
    }

    /// Rejects heaps that hand out no memory.
    pub(crate) fn check_heap(&self) -> Result<(), OpenError> {
        let traits = self.heap.traits();
        if traits.keeps_values {
            return Ok(());
        }
        Err(bad_setting("heap", traits.name, "heaps that hand out distinct memory"))
    }

    /// The number of shards, for a map that requires at least `least`.
    pub(crate) fn shards_or(&self, default: usize, least: usize) -> Result<usize, OpenError> {
        let shards = self.shards.unwrap_or(default);
        if shards.is_power_of_two() && (least..=SHARDS_MAX).contains(&shards) {
            return Ok(shards);
        }
        let accepted = format!("powers of two from {least} to {SHARDS_MAX}");
        Err(bad_setting("shards", shards, &accepted))
    }

    /// For maps without shards.
    pub(crate) fn refuse_shards(&self) -> Result<(), OpenError> {
        match self.shards {
            None => Ok(()),
            Some(shards) => Err(bad_setting("shards", shards, "none: this map has no shards")),
        }
    }

    /// For maps without a capacity.
    pub(crate) fn refuse_presize(&self) -> Result<(), OpenError> {
        match self.presize {
            false => Ok(()),
            true => Err(bad_setting("presize", true, "`false`: this map has no capacity to set")),
        }
    }

    /// Number of entries to make room for at the start. A map aborts the process if there is no
    /// memory for its table, so this tests first whether there is.
    pub(crate) fn capacity_entries(&self) -> Result<usize, OpenError> {
        if !self.presize {
            return Ok(0);
        }
        let wanted_bytes = self.records_max.saturating_mul(ENTRY_BYTES as u64);
        let refused = OpenError::OutOfMemory { wanted_bytes };
        let Ok(records) = usize::try_from(self.records_max) else { return Err(refused) };
        if records == 0 {
            return Err(bad_setting("records_max", 0, "the records to expect, at least 1"));
        }
        let asked = Vec::<[u8; ENTRY_BYTES]>::new().try_reserve_exact(records.saturating_mul(2));
        asked.map(|()| records).map_err(|_| refused)
    }
}

fn bad_setting(setting: &str, value: impl std::fmt::Display, accepted: &str) -> OpenError {
    OpenError::BadSetting {
        setting: setting.to_owned(),
        value: value.to_string(),
        accepted: accepted.to_owned(),
    }
}
