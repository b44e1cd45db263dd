//! A cell: one measured process, as plain data. It is what the parent writes to a worker's
//! standard input, so any cell can be repeated by hand.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use workloads::fragmentation::Pattern;

/// One measured process: one load, then ordered steps, each of which becomes a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cell {
    /// Unique within a plan; says everything that distinguishes the cell, repetition included.
    pub id: String,
    /// What is measured.
    pub system: System,
    /// What is asked of it.
    pub work: Work,
    /// Seed of every random choice; the same for every system, so all see the same operations.
    pub seed: u64,
    /// Repetition, from 0.
    pub repetition: u32,
    /// Whether the parent samples memory at 20 Hz while the cell runs.
    pub sampling: bool,
    /// Wall time after which the worker is killed and the cell becomes a timeout.
    pub timeout_ms: u64,
    /// Resident memory above which the worker is killed and the cell becomes out-of-memory.
    pub memory_limit_bytes: u64,
}

/// The allocator or store under test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum System {
    /// An allocator, called directly.
    Heap {
        /// Registered name.
        name: String,
        /// `default`, `tuned`.
        variant: String,
    },
    /// A key-value store.
    Store {
        /// Registered name.
        name: String,
        /// The heap below it, for stores that take one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heap: Option<String>,
        /// Settings by name.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        options: BTreeMap<String, String>,
    },
}

impl System {
    /// How tables and figures call it: `jemalloc`, `jemalloc-tuned`, `heapstore:jemalloc`,
    /// `nibble@block-bytes=16384`.
    #[must_use]
    pub fn label(&self) -> String {
        let (mut label, options) = match self {
            Self::Heap { name, variant } if variant == "default" => return name.clone(),
            Self::Heap { name, variant } => return format!("{name}-{variant}"),
            Self::Store { name, heap: Some(heap), options } => (format!("{name}:{heap}"), options),
            Self::Store { name, heap: None, options } => (name.clone(), options),
        };
        for (key, value) in options {
            label.push_str(&format!("@{key}={value}"));
        }
        label
    }

    /// Whether it is an allocator.
    #[must_use]
    pub fn is_heap(&self) -> bool {
        matches!(self, Self::Heap { .. })
    }
}

/// What a cell asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "workload")]
pub enum Work {
    /// Fill, delete, refill with another size.
    Fragmentation(Fragmentation),
    /// Load, then GETs and PUTs as fast as they are answered.
    ClosedLoop(ClosedLoop),
}

/// The fragmentation workload of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fragmentation {
    /// Sizes, deleted share and volume.
    pub pattern: Pattern,
    /// Cap on live bytes (value bytes for stores), all threads together. Under
    /// [`Basis::Bounded`] the store's object memory.
    pub live_bytes: u64,
    /// Whether memory is a limit.
    pub basis: Basis,
    /// Threads, each with its share of the cap.
    pub threads: usize,
    /// Which thread frees.
    pub frees: Frees,
    /// When idleness and trimming are observed.
    pub observe: Observe,
    /// How long an idle observation waits.
    pub idle_ms: u64,
}

/// Whether memory limits the workload (definitions in `harness/METHODOLOGY.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Memory is no limit: overhead = resident ÷ live bytes.
    Ample,
    /// Stores only: fill to the first refusal, delete, fill to the first refusal; overhead =
    /// capacity ÷ live bytes.
    Bounded,
}

/// Which thread frees an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Frees {
    /// The one that allocated it.
    Own,
    /// Another one.
    Other,
}

/// When the waiting observations happen. Idling and trimming change what the next phase finds,
/// so the undisturbed protocol and the one that observes everything are different cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observe {
    /// After the last phase only: phases follow one another as in the papers.
    End,
    /// After every phase.
    Each,
}

/// The closed-loop workload of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClosedLoop {
    /// Key distribution, as `uniform` or `zipfian:0.99`.
    pub distribution: String,
    /// Share of GETs in percent; the rest are PUTs of existing keys.
    pub get_percent: u32,
    /// Bytes of every value.
    pub value_bytes: usize,
    /// Memory configured for objects.
    pub object_memory_bytes: u64,
    /// Live object bytes ÷ object memory, in percent, before the clock starts.
    pub fill_percent: u32,
    /// Threads, pinned to cores in turn.
    pub threads: usize,
    /// Operations per call: 1 uses the single operations, more use batches.
    pub batch: usize,
    /// Operations of each thread within the clock, each prepared before it and used once.
    pub operations_per_thread: u64,
    /// Whether the memory is made resident before the clock.
    pub resident: bool,
    /// Which operations are timed one by one.
    #[serde(default, skip_serializing_if = "Timing::is_sampled")]
    pub latency: Timing,
    /// PUTs of each thread between the load and the clock, by the same key distribution: what a
    /// store needs to reach the state that it would stay in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warm_up_per_thread: u64,
}

/// Which operations of a closed loop are timed. Timing costs some 50 ns an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// One in 64.
    #[default]
    Sampled,
    /// Every one: for percentiles far out.
    All,
}

impl Timing {
    fn is_sampled(&self) -> bool {
        *self == Self::Sampled
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ClosedLoop {
    /// PUTs of each thread that together write the object memory `rewrites` times over.
    #[must_use]
    pub fn puts_per_thread(&self, rewrites: f64) -> u64 {
        let objects = self.object_memory_bytes / self.object_bytes();
        (objects as f64 * rewrites / self.threads as f64).ceil() as u64
    }

    /// Bytes of an object: a value, its 8-byte key and a 4-byte length, as the paper lays them out.
    fn object_bytes(&self) -> u64 {
        (self.value_bytes + 12) as u64
    }

    /// Keys that reach the fill; every store gets the same number.
    #[must_use]
    pub fn records(&self) -> u64 {
        let live_bytes = self.object_memory_bytes / 100 * u64::from(self.fill_percent);
        (live_bytes / self.object_bytes()).max(1)
    }
}

impl Cell {
    /// Memory the worker is expected to need at most, for budgets and warming.
    #[must_use]
    pub fn expected_bytes(&self) -> u64 {
        const OWN: u64 = 64 << 20;
        match &self.work {
            // Allocators were seen to hold over three times the live bytes on small objects.
            Work::Fragmentation(work) if work.basis == Basis::Ample => {
                work.live_bytes * 7 / 2 + OWN
            }
            Work::Fragmentation(work) => work.live_bytes * 2 + OWN,
            Work::ClosedLoop(work) => {
                let each = work.operations_per_thread + work.warm_up_per_thread;
                let operations = each * 8 * work.threads as u64;
                work.object_memory_bytes * 3 / 2 + operations + OWN
            }
        }
    }

    /// Whether the cell needs the machine for itself: nothing else in flight, not even asleep.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        matches!(self.work, Work::ClosedLoop(_))
    }
}
