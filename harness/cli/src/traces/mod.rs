//! Traces by name: what a suite means when it names one, and where its file is.

mod describe;
pub(crate) mod import;
pub(crate) mod library;
pub(crate) mod malloc;
mod paper;
pub(crate) mod postmark;
mod print;
mod recorder;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use workloads::requests::{Miss, ReplayTotals};

pub use library::{Library, Missing};
pub use print::print;
use record::{PrecompiledRequests, TraceKeys};

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
    /// Copies in step, where a suite asks for no other number.
    pub copies: u64,
    /// Of operations: their requests, by what follows a miss.
    pub replays: BTreeMap<Miss, PrecompiledReplay>,
    /// The same for stores of byte strings, with the trace's own keys, if it has kept them.
    pub replays_with_keys: BTreeMap<Miss, PrecompiledReplay>,
}

/// A trace's precompiled requests and their totals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PrecompiledReplay {
    #[serde(rename = "staged")]
    pub precompiled: PrecompiledRequests,
    /// The trace's keys, where they are asked as byte strings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<TraceKeys>,
    pub totals: ReplayTotals,
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

    /// All of them, by name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &TraceFile> {
        self.0.values()
    }

    /// Files for a run's folder: what each trace is made of, by its name there.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn accounts(&self) -> Result<Vec<(String, String)>, String> {
        let accounts = self.0.values().map(|file| {
            let account = library::account_of(&file.name, &file.path)?;
            Ok((account.file()?, account.to_json()))
        });
        accounts.collect()
    }

    /// The traces that `pattern` means: the one of that name, or all that begin with what stands before
    /// its `*`.
    pub fn matching(&self, pattern: &str) -> impl Iterator<Item = &TraceFile> {
        let files = self.0.values();
        files.filter(move |file| match pattern.strip_suffix('*') {
            Some(front) => file.name.starts_with(front),
            None => file.name == pattern,
        })
    }
}

/// What to do about a trace that is not there.
pub(crate) fn remedy(pattern: &str) -> String {
    let how = match pattern {
        POSTMARK => "it is captured when the suite is run",
        _ if pattern.starts_with("malloc-") => "scripts/capture-programs makes it",
        _ if pattern.starts_with(IMPORTED) => {
            "set NIBBLE_TRACE_FILES to a folder of traces in public formats, or make one with \
             `nibble-bench trace convert`"
        }
        _ => "`nibble-bench trace capture` and `nibble-bench trace convert` make traces",
    };
    format!("no trace `{pattern}` is there, so nothing is replayed for it: {how}")
}

/// The trace that is captured at the scale's size where it is not there.
pub const POSTMARK: &str = "postmark";

impl FromIterator<TraceFile> for Traces {
    fn from_iter<I: IntoIterator<Item = TraceFile>>(files: I) -> Self {
        Self(files.into_iter().map(|file| (file.name.clone(), file)).collect())
    }
}

/// What the names of imported traces begin with.
pub const IMPORTED: &str = "imported/";
