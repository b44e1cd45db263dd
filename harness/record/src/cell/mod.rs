//! A cell: one measured process, as plain data. The parent writes it to a worker's standard input, so any
//! cell can be repeated by hand.

mod ageing;
mod allocations;
mod chase;
mod family;
mod key_value;
mod mapping;
mod name;
mod phases;
mod replay;
mod touch;
mod windows;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workloads::fragmentation::Pattern;

use crate::repetition::without_repetition;
pub use ageing::Ageing;
pub use allocations::Allocations;
pub use chase::{Chase, LINE_BYTES};
pub use family::Family;
pub use key_value::{Arrivals, Driver, KeyValue, LiveSet, Source, Timing};
pub use mapping::{Mappings, Spaces};
pub use name::{id_in_comparison, of_comparison};
pub use phases::Phases;

pub use replay::{PrecompiledRequests, Replay, TraceKeys, WorkingSets};
pub use touch::{Between, Touch};
pub use windows::Windows;

/// One measured process: one load, then ordered steps, each of which becomes a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cell {
    /// Unique within a plan; contains everything that distinguishes the cell, repetition included.
    pub id: String,
    /// The system under test.
    pub system: System,
    /// The workload.
    pub work: Work,
    /// Seed of every random choice; the same for every system, so all see the same operations.
    pub seed: u64,
    /// Repetition, from 0.
    pub repetition: u32,
    /// Whether the parent samples memory at 20 Hz while the cell runs.
    pub sampling: bool,
    /// Wall time after which the worker is killed and the outcome is a timeout.
    pub timeout_ms: u64,
    /// Resident memory above which the worker is killed and the outcome is out-of-memory.
    pub memory_limit_bytes: u64,
    /// Whether hardware events are counted; the times of such a cell enter no figure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counters: bool,
}

/// The allocator or store under test, or the kernel below both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum System {
    /// An allocator, called directly.
    Heap {
        /// Name in the registry.
        name: String,
        /// `default`, `fast` or `small`; runs of older revisions have `tuned` and `background`.
        variant: String,
    },
    /// A key-value store.
    Store {
        /// Name in the registry.
        name: String,
        /// The heap below it, if the store takes one: `NAME` or `NAME-VARIANT`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heap: Option<String>,
        /// Settings by name.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        options: BTreeMap<String, String>,
    },
    /// The kernel's system calls that map memory.
    Kernel,
    /// A way to reach memory in windows.
    Way {
        /// Its name among the ways.
        name: String,
        /// Settings by name.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        options: BTreeMap<String, String>,
    },
}

impl System {
    /// Name in tables and figures: `jemalloc`, `jemalloc-small`, `heapstore:jemalloc`,
    /// `nibble@block-bytes=16384`.
    #[must_use]
    pub fn label(&self) -> String {
        let (mut label, options) = match self {
            Self::Heap { name, variant } if variant == "default" => return name.clone(),
            Self::Heap { name, variant } => return format!("{name}-{variant}"),
            Self::Store { name, heap: Some(heap), options } => (format!("{name}:{heap}"), options),
            Self::Store { name, heap: None, options } => (name.clone(), options),
            Self::Way { name, options } => (name.clone(), options),
            Self::Kernel => return "mmap".to_owned(),
        };
        for (key, value) in options {
            label.push_str(&format!("@{key}={value}"));
        }
        label
    }

    /// The variant of the heap below a store, and the store on the heap as it comes; `None` for others.
    #[must_use]
    pub fn on_a_variant(&self) -> Option<(&str, Self)> {
        let Self::Store { name, heap: Some(heap), options } = self else { return None };
        let (heap, variant) = heap.split_once('-')?;
        let (name, options) = (name.clone(), options.clone());
        Some((variant, Self::Store { name, heap: Some(heap.to_owned()), options }))
    }

    /// The kind of system, in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Heap { .. } => "allocator",
            Self::Store { .. } => "store",
            Self::Kernel => "kernel",
            Self::Way { .. } => "way",
        }
    }

    /// Its settings; `None` of systems that take none.
    #[must_use]
    pub fn options(&self) -> Option<&BTreeMap<String, String>> {
        match self {
            Self::Store { options, .. } | Self::Way { options, .. } => Some(options),
            Self::Heap { .. } | Self::Kernel => None,
        }
    }

    /// Whether it is an allocator.
    #[must_use]
    pub fn is_heap(&self) -> bool {
        matches!(self, Self::Heap { .. })
    }
}

/// The workload of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
#[expect(clippy::large_enum_variant, reason = "cells are few, and most are of requests")]
pub enum Work {
    /// Fill, delete, refill with another size; or fill and delete repeatedly.
    Fragmentation(Fragmentation),
    /// Load, age, then requests: as fast as they are answered, or on a schedule.
    KeyValue(KeyValue),
    /// Copies of one size, without a store: the system's copy routine alone.
    Copy(Copying),
    /// A program's recorded requests to its allocator.
    Allocations(Allocations),
    /// Regions mapped and unmapped, onto memory that is already allocated.
    Mapping(Mappings),
    /// Dependent loads, through memory that is already filled.
    Chase(Chase),
    /// Updates of a table in windows.
    Windows(Windows),
    /// Lines of random pages, after something that may cost translations.
    Touch(Touch),
}

impl Work {
    /// The workload behind the interface of its family.
    #[must_use]
    pub fn family(&self) -> &dyn Family {
        match self {
            Self::Fragmentation(work) => work,
            Self::KeyValue(work) => work,
            Self::Copy(work) => work,
            Self::Allocations(work) => work,
            Self::Mapping(work) => work,
            Self::Chase(work) => work,
            Self::Windows(work) => work,
            Self::Touch(work) => work,
        }
    }
}

/// Copies of one size from random places to consecutive ones, as in compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Copying {
    /// Bytes of each copy.
    pub copy_bytes: usize,
    /// Size of the source, and of the target.
    pub memory_bytes: u64,
    /// Timed copies.
    pub operations: u64,
}

/// The fragmentation workload of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fragmentation {
    /// Sizes, deleted share and volume.
    pub pattern: Pattern,
    /// Cap on live bytes (value bytes for stores), all threads together. Under [`Basis::Bounded`] it is
    /// the store's object memory.
    pub live_bytes: u64,
    /// Whether the suite varies the live set, which then is a label of the cell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sized: bool,
    /// Length of every key, which then is a byte string, in bytes; without it keys are words. Stores only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes: Option<usize>,
    /// Whether memory is a limit.
    pub basis: Basis,
    /// Threads, each with its share of the cap.
    pub threads: usize,
    /// Which thread frees.
    pub frees: Frees,
    /// When idling and trimming are observed.
    pub observe: Observe,
    /// Length of the wait before an idle observation.
    pub idle_ms: u64,
}

/// Whether memory limits the workload (definitions in `docs/src/method.md`).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Memory is no limit: overhead = resident ÷ live bytes.
    Ample,
    /// Stores only: fill to the first refusal, delete, fill to the first refusal; overhead =
    /// capacity ÷ live bytes.
    Bounded,
}

/// Which thread frees an object.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Frees {
    /// The thread that allocated it.
    Own,
    /// Another thread.
    Other,
}

/// When the observations that wait are made. Idling and trimming change the state that the next phase
/// starts from, so the undisturbed protocol and the fully observed one are different cells.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Observe {
    /// After the last phase only: phases follow one another as in the papers.
    End,
    /// After every phase.
    Each,
}

impl Cell {
    /// Largest amount of memory the worker is expected to need, for budgets and warming.
    #[must_use]
    pub fn expected_bytes(&self) -> u64 {
        const OWN: u64 = 64 << 20;
        self.work.family().memory_bytes_max() + OWN
    }

    /// What the keys of so many live objects have together, in bytes, as far as their lengths are known.
    #[must_use]
    pub fn key_bytes_of(&self, objects: u64) -> u64 {
        match &self.work {
            Work::KeyValue(work) => (objects as f64 * work.mean_key_bytes()) as u64,
            Work::Fragmentation(Fragmentation { key_bytes: Some(bytes), .. }) => {
                objects * *bytes as u64
            }
            _ => objects * size_of::<u64>() as u64,
        }
    }

    /// Whether one process can measure both, one after the other.
    #[must_use]
    pub fn shares_process_with(&self, other: &Self) -> bool {
        let (Work::KeyValue(work), Work::KeyValue(others)) = (&self.work, &other.work) else {
            return false;
        };
        self.system == other.system
            && (self.seed, self.repetition) == (other.seed, other.repetition)
            && !self.counters
            && !other.counters
            && work.shares_load_with(others)
    }

    /// The same cell as another repetition.
    #[must_use]
    pub fn repeated(&self, repetition: u32) -> Self {
        Self {
            id: format!("{}/{repetition}", without_repetition(&self.id)),
            seed: self.seed - u64::from(self.repetition) + u64::from(repetition),
            repetition,
            ..self.clone()
        }
    }

    /// Whether cells like this one may be measured side by side, each on a core of its own: one thread asks,
    /// and memory is what is asked about.
    #[must_use]
    pub fn needs_one_core(&self) -> bool {
        matches!(&self.work, Work::Fragmentation(work) if work.threads == 1)
    }

    /// Whether the cell needs the machine for itself: no other process is in flight, not even asleep.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        !matches!(self.work, Work::Fragmentation(_))
    }
}
