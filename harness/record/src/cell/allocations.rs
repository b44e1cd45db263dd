//! Replay of an allocation trace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The trace that one cell replays completely.
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
    /// Threads, pinned to cores in turn.
    pub threads: u32,
    /// Objects that the trace ever allocates.
    pub objects: u64,
    /// Most bytes live at any moment.
    pub live_bytes_max: u64,
    /// Most objects live at any moment.
    pub live_objects_max: u64,
    /// Equal parts; after each of them all threads pause and memory is observed.
    pub samples: u32,
}

impl Allocations {
    /// Bytes of one compiled event, and of one object's place.
    const COMPILED_BYTES: u64 = 16;

    /// Memory that the worker needs for itself, including the compilation of the trace.
    pub(super) fn own_bytes(&self) -> u64 {
        // Compiled in the trace's order, then copied to one sequence per thread.
        let events = self.events * (2 * Self::COMPILED_BYTES + 1);
        let places = self.live_objects_max * 3 * Self::COMPILED_BYTES;
        events + places + self.objects * 4
    }
}
