//! Traces by name: what a suite means when it names one, and where its file is.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a trace records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceContent {
    /// Requests to a key-value store ([`workloads::trace::Operation`]).
    Operations,
    /// Requests to an allocator ([`workloads::trace::Allocation`]).
    Allocations,
}

/// A trace that is there, and what its file says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// Its name in suites and ids.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Digest of its content: the same events have the same digest.
    pub digest: u64,
    /// What its events are.
    pub content: TraceContent,
    /// Operations, or events of allocation.
    pub events: u64,
    /// Threads that they come from.
    pub threads: u32,
    /// Distinct keys, or objects that were ever allocated.
    pub objects: u64,
    /// Most bytes live at any moment; 0 for operations.
    pub live_bytes_max: u64,
    /// Most objects live at any moment; 0 for operations.
    pub live_objects_max: u64,
}

/// The traces that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces(BTreeMap<String, TraceFile>);

impl Traces {
    /// The trace called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TraceFile> {
        self.0.get(name)
    }
}

impl FromIterator<TraceFile> for Traces {
    fn from_iter<I: IntoIterator<Item = TraceFile>>(files: I) -> Self {
        Self(files.into_iter().map(|file| (file.name.clone(), file)).collect())
    }
}
