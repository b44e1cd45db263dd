//! What a worker and its parent say to one another: JSON lines, the first of which is a cell or a list
//! of cells that begin with the same load. The worker speaks on standard
//! output and, where it must wait, reads one line from standard input. At the end of its input it
//! stops waiting, so a cell piped in by hand runs through.

use std::collections::BTreeMap;

use record::{Conditions, LatencyReport, Outcome, StepReport};
use serde::{Deserialize, Serialize};

/// Version of this conversation and of the cells that begin it. Workers of another program are
/// run only where it is the same; raise it with every change of either.
pub const PROTOCOL: u32 = 4;

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
        outcome: Outcome,
        /// Why.
        reason: String,
    },
    /// All that is observed of a cell is said; the process goes on with the next cell that it was
    /// given.
    NextCell,
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
