//! What a worker and its parent say to one another: JSON lines. The worker speaks on standard
//! output and, where it must wait, reads one line from standard input. At the end of its input it
//! stops waiting, so a cell piped in by hand runs through.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::{
    Census, Conditions, CpuUse, Flag, OpenLoop, Outcome, Percentiles, Refusal, Verification,
};

/// Version of this conversation and of the cells that begin it. Workers of another program are
/// run only where it is the same; raise it with every change of either.
pub const PROTOCOL: u32 = 2;

/// A line from the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum Event {
    /// The worker's own needs are resident and the engine is not open yet. Waits: the parent
    /// takes the baseline.
    Ready {
        /// Memory that belongs to the engine and is resident already; not part of the baseline.
        engine_bytes: u64,
    },
    /// The engine is open.
    Opened {
        /// Version as the engine reports it.
        version: String,
        /// Settings in force.
        settings: BTreeMap<String, String>,
        /// Under which conditions a store answers.
        conditions: Option<Conditions>,
    },
    /// A step is about to begin. Waits: the parent gives it a core and warms memory.
    Before {
        /// The step's name.
        step: String,
        /// Memory the step may newly touch.
        grows_bytes: u64,
    },
    /// A step's work is done and measured.
    Step(Box<StepReport>),
    /// What was timed in the step `run`; after everything was observed.
    Latency(Box<LatencyReport>),
    /// The worker stands still. Waits: the parent observes its memory.
    Observe {
        /// The step observed.
        step: String,
        /// Which observation.
        point: Point,
        /// The oracle's live bytes.
        live_bytes: u64,
        /// The oracle's live objects.
        live_objects: u64,
        /// How long to stand still before observing.
        idle_ms: u64,
        /// What the allocator says it has handed out.
        self_allocated_bytes: Option<u64>,
    },
    /// A replay stands still at a position of its trace. Waits: the parent observes its memory.
    Position {
        /// Events replayed, of all threads.
        events: u64,
        /// Time they took, without standing still.
        elapsed_ns: u64,
        /// The oracle's live bytes.
        live_bytes: u64,
        /// The oracle's live objects.
        live_objects: u64,
    },
    /// The engine could not be opened or a step could not go on.
    Failed {
        /// Which outcome this is.
        outcome: Outcome,
        /// Why.
        reason: String,
    },
    /// Every step is done, and nothing is torn down yet. Waits: the parent stops sampling.
    Ending,
    /// The engine is closed, too.
    Done,
}

/// An observation point of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// Right after the step.
    AtOnce,
    /// After standing idle.
    AfterIdle,
    /// After `purge` or `trim`.
    AfterTrim,
}

/// What the worker measured of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StepReport {
    /// The step's name.
    pub step: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether the workload allows for it.
    pub expected: bool,
    /// Why, where not measured.
    pub reason: Option<String>,
    /// Operations executed.
    pub operations: u64,
    /// Wall time, refusal waits excluded.
    pub elapsed_ns: u64,
    /// CPU time and faults of the process and its descendants in the step.
    pub cpu: CpuUse,
    /// Hardware events counted in the step.
    pub counters: BTreeMap<String, u64>,
    /// Which could not be counted, and why.
    pub counters_missing: Option<String>,
    /// What the harness costs an operation.
    pub driver_ns: Option<f64>,
    /// What the worker knows to be said of the row.
    pub flags: Vec<Flag>,
    /// The refusal that ended it.
    pub refusal: Option<Refusal>,
    /// Values checked.
    pub verification: Option<Verification>,
    /// Counters of the engine's own.
    pub statistics: BTreeMap<String, f64>,
    /// The store's own account of its memory.
    pub census: Option<Census>,
    /// Memory configured, where the store has a capacity.
    pub capacity: Option<Capacity>,
}

/// What was timed in the step `run`. It comes after the step was observed: to sum it up takes memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LatencyReport {
    /// Latency of the timed operations.
    pub latency_ns: Percentiles,
    /// The same by kind of operation.
    pub latency_by_kind_ns: BTreeMap<String, Percentiles>,
    /// Each kind's histogram (V2, deflated, base 64).
    pub histograms: BTreeMap<String, String>,
    /// Throughput and latency over time.
    pub seconds: Vec<Second>,
    /// How the schedule was kept.
    pub open_loop: Option<OpenLoop>,
}

/// An interval of a step: what ended in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Second {
    /// Since the clock started.
    pub from_s: f64,
    /// Its length: a second, or more in long runs.
    pub interval_s: f64,
    /// Operations that ended in it.
    pub operations: u64,
    /// Latency of those that were timed.
    pub p50_ns: u64,
    /// The same.
    pub p99_ns: u64,
    /// The same, 99.9 %.
    pub p999_ns: u64,
    /// The same.
    pub max_ns: u64,
}

/// A store's configured memory and what lives in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Capacity {
    /// Object memory.
    pub object_memory_bytes: u64,
    /// Object memory + index + tables.
    pub capacity_bytes: u64,
    /// Live bytes, header and key included, as the store lays them out.
    pub live_object_bytes: u64,
    /// Live value bytes as the oracle counts them.
    pub live_value_bytes: u64,
}

impl StepReport {
    /// A step that was measured; callers fill in what else they know.
    #[must_use]
    pub fn measured(step: &str, operations: u64, elapsed_ns: u64) -> Self {
        Self {
            step: step.to_owned(),
            outcome: Outcome::Measured,
            expected: true,
            reason: None,
            operations,
            elapsed_ns,
            cpu: CpuUse::default(),
            counters: BTreeMap::new(),
            counters_missing: None,
            driver_ns: None,
            flags: Vec::new(),
            refusal: None,
            verification: None,
            statistics: BTreeMap::new(),
            census: None,
            capacity: None,
        }
    }
}
