//! Replay of an allocation trace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one cell replays: a trace, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Allocations {
    /// The trace's name.
    pub trace: String,
    /// Its file.
    pub path: String,
    /// Digest of its content.
    pub digest: u64,
    /// Its events.
    pub events: u64,
    /// Its threads, pinned to cores in turn.
    pub threads: u32,
    /// Objects that it ever allocates.
    pub objects: u64,
    /// Most bytes live at any moment.
    pub live_bytes_max: u64,
    /// Most objects live at any moment.
    pub live_objects_max: u64,
    /// Equal parts after each of which all threads stand still and memory is observed.
    pub samples: u32,
}

impl Allocations {
    /// Bytes of an event and of an object's place, staged.
    const STAGED_BYTES: u64 = 16;

    /// Memory that the worker needs for itself, staging included.
    pub(super) fn own_bytes(&self) -> u64 {
        // Staged in the order of all threads, then dealt to them.
        let events = self.events * (2 * Self::STAGED_BYTES + 1);
        let places = self.live_objects_max * 3 * Self::STAGED_BYTES;
        events + places + self.objects * 4
    }
}
