//! The protocol between a worker and its parent: JSON lines. The worker writes to standard output and,
//! where it must wait, reads one line from standard input. At the end of its input it stops waiting, so a
//! cell piped in by hand runs to its end.

use std::collections::BTreeMap;
use std::path::PathBuf;

use record::{Asked, Conditions, LatencyReport, Outcome, StepReport};
use serde::{Deserialize, Serialize};

/// Version of this protocol and of the cells that begin it. Workers of another program are run only if
/// theirs is the same; raise it with every change of either.
pub const PROTOCOL: u32 = 5;

/// A line from the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum Event {
    /// The worker's own needs are resident and the engine is not open yet. Waits: the parent takes the
    /// baseline.
    Ready {
        /// Memory that belongs to the engine and is already resident; not part of the baseline.
        engine_bytes: u64,
    },
    /// The engine is open.
    Opened {
        /// Version that the engine reports.
        version: String,
        /// Settings in force.
        settings: BTreeMap<String, String>,
        /// Conditions under which a store answers.
        conditions: Option<Box<Conditions>>,
        /// Where a store keeps its files.
        #[serde(default)]
        folders: Vec<PathBuf>,
    },
    /// A step is about to begin. Waits: the parent gives it a core and warm memory.
    Before {
        step: String,
        /// Memory that the step may newly touch.
        grows_bytes: u64,
    },
    /// A step is done and measured.
    Step(Box<StepReport>),
    /// Timings of the step `run`; sent after all observations.
    Latency(Box<LatencyReport>),
    /// The worker pauses. Waits: the parent observes its memory.
    Observe {
        /// The step observed.
        step: String,
        /// Which observation.
        point: Point,
        /// The oracle's live bytes.
        live_bytes: u64,
        /// The oracle's live objects.
        live_objects: u64,
        /// How long to idle before observing.
        idle_ms: u64,
        /// Bytes that the allocator says it has handed out.
        self_allocated_bytes: Option<u64>,
    },
    /// A store with files has done all that was due after a step, and it is on the device. Waits: the
    /// parent reads what its files cost since [`Event::Before`].
    Quiet {
        step: String,
        /// Keys and values that live, as the oracle counts them.
        live_bytes: u64,
        /// What was asked for, where it is known yet.
        asked: Option<Asked>,
        /// Bytes that the harness read in this process since the step was announced.
        harness_read_bytes: u64,
    },
    /// A replay pauses at a position of its trace. Waits: the parent observes its memory.
    Position {
        /// Events replayed by all threads.
        events: u64,
        /// Time they took, without pauses.
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
    /// The engine is closed as well.
    Done,
}

/// An observation point of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// Right after the step.
    AtOnce,
    /// After the idle wait.
    AfterIdle,
    /// After `purge` or `trim`.
    AfterTrim,
}
