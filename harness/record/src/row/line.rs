//! One row of `rows.jsonl`. `docs/src/format.md` describes every field with its unit.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Began, Conditions, DriverPrice, OpenLoop, Roofline, Traffic, Turn};
use crate::{Cell, StepReport};

/// Version of the row format.
pub const SCHEMA: u32 = 4;

/// The outcome of a step. Every cell ends in rows, never in a gap.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The step ran to its end.
    Measured,
    /// The store refused a write: the end of a bounded phase, a finding elsewhere.
    Full,
    /// The store refused a write although it held less than it claims to be able to hold. The processes
    /// with this outcome are counted; on a busy machine, compaction may have had no processor.
    EarlyRefusal,
    /// A heap, the system or the cell's limit refused memory, or the kernel killed the worker.
    OutOfMemory,
    /// The worker died.
    Crashed,
    /// The worker did not end in time.
    Timeout,
    /// Values were lost, stale, torn or foreign: the row's numbers are void.
    WrongValues,
    /// The engine or the worker reported an error.
    Failed,
    /// The system is not on this machine.
    Unavailable,
}

impl Outcome {
    /// The word used in rows and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Full => "full",
            Self::EarlyRefusal => "early-refusal",
            Self::OutOfMemory => "out-of-memory",
            Self::Crashed => "crashed",
            Self::Timeout => "timeout",
            Self::WrongValues => "wrong-values",
            Self::Failed => "failed",
            Self::Unavailable => "unavailable",
        }
    }
}

/// The role of a system in figures: a competitor, or a reference for competitors.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A store that keeps its values.
    #[default]
    Store,
    /// An allocator that hands out memory.
    Allocator,
    /// The kernel's own system calls.
    Kernel,
    /// The lower bound that memory itself sets.
    Roofline,
    /// Keeps nothing; measures the cost of the harness.
    Price,
}

/// One step of one cell: the worker's report, its context, and the parent's observations from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Row {
    /// [`SCHEMA`].
    #[schemars(description = "Version of the row format.", extend("enum" = [3, SCHEMA]))]
    pub schema: u32,
    /// Identity of the result ([`crate::identity::Provenance::identity`]): 16 hexadecimal digits, set
    /// when the row is archived.
    pub identity: String,
    /// Whether this is the cell's last row; the cell is then complete.
    #[serde(default, skip_serializing_if = "is_false")]
    pub last: bool,
    /// Suites that contain the cell; empty if it was made for a comparison or by hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<String>,
    /// The role of the system in figures.
    #[serde(default)]
    pub role: Role,
    /// Name of the machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// Name of the system as figures use it ([`crate::System::label`]).
    pub system: String,
    /// The complete cell: the row can be repeated from it.
    pub cell: Cell,
    /// Version that the engine or allocator reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Settings in force, as the system reports them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Conditions under which the store answered; stores only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
    /// Environment variables the parent set for the worker.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// When and under which circumstances the step began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Began>,
    /// The cell's turn where one process answered several after one load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// The worker's measurements.
    #[serde(flatten)]
    pub report: StepReport,
    /// Operations per second of wall time.
    pub throughput_ops_per_s: f64,
    /// Operations per second of CPU time; 0 if none was seen.
    #[serde(default, skip_serializing_if = "is_none_seen")]
    pub operations_per_cpu_s: f64,
    /// Latency in ns of the timed operations of all kinds, by percentile name; in an open loop it counts
    /// from the scheduled start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency_ns: Percentiles,
    /// Latency of each kind of operation: `get`, `update`, `insert`, `delete`, `read-modify-write`,
    /// `scan`, `batch`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency_by_kind_ns: BTreeMap<String, Percentiles>,
    /// How well the schedule was kept; open loops only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// Cost of the harness itself in this cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverPrice>,
    /// Cost of memory alone under the same requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
    /// Memory at the step's observation points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// What the store read and wrote; stores with files only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    /// Memory at positions of the trace; replays of allocations only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<TracePosition>,
    /// File of the cell's memory curve, relative to the run folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<String>,
    /// File of the cell's latency histograms, relative to the run folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histograms: Option<String>,
    /// File of the cell's throughput and latency per second, relative to the run folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    /// Rejects unknown fields.
    #[serde(flatten, skip_serializing)]
    #[schemars(skip)]
    pub nothing_more: NothingMore,
}

/// The remainder of a row after every field was read, which must be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NothingMore;

impl<'de> Deserialize<'de> for NothingMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rest = BTreeMap::<String, IgnoredAny>::deserialize(deserializer)?;
        match rest.keys().next() {
            Some(name) => Err(D::Error::custom(format!("unknown field `{name}`"))),
            None => Ok(Self),
        }
    }
}

impl Deref for Row {
    type Target = StepReport;

    fn deref(&self) -> &StepReport {
        &self.report
    }
}

impl DerefMut for Row {
    fn deref_mut(&mut self) -> &mut StepReport {
        &mut self.report
    }
}

impl Row {
    /// What the worker reported of a step of `cell`, and nothing that the parent sees from outside.
    #[must_use]
    pub fn of_step(cell: &Cell, report: StepReport) -> Self {
        Self {
            schema: SCHEMA,
            identity: String::new(),
            last: false,
            suites: Vec::new(),
            role: Role::default(),
            node: String::new(),
            system: cell.system.label(),
            cell: cell.clone(),
            version: String::new(),
            settings: BTreeMap::new(),
            conditions: None,
            environment: BTreeMap::new(),
            began: None,
            turn: None,
            report,
            throughput_ops_per_s: 0.0,
            operations_per_cpu_s: 0.0,
            latency_ns: BTreeMap::new(),
            latency_by_kind_ns: BTreeMap::new(),
            open_loop: None,
            driver: None,
            roofline: None,
            memory: None,
            traffic: None,
            positions: Vec::new(),
            curve: None,
            histograms: None,
            timeline: None,
            nothing_more: NothingMore,
        }
    }

    /// Time per operation and thread; `None` if nothing was executed or the cell has no requests.
    #[must_use]
    pub fn ns_per_operation(&self) -> Option<f64> {
        let crate::Work::KeyValue(work) = &self.cell.work else { return None };
        (self.operations > 0)
            .then(|| self.elapsed_ns as f64 * work.threads as f64 / self.operations as f64)
    }
}

/// Percentiles by name (`p50` … `max`) and the number of `samples`.
pub type Percentiles = BTreeMap<String, u64>;

fn is_false(value: &bool) -> bool {
    !value
}

/// CPU time, page faults and context switches of a step, with steal and swapping of the whole machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CpuUse {
    /// User time, all threads and processes.
    pub user_ns: u64,
    /// System time, all threads and processes.
    pub system_ns: u64,
    /// Page faults without I/O.
    pub minor_faults: u64,
    /// Page faults with I/O.
    pub major_faults: u64,
    /// Context switches, voluntary and not.
    pub context_switches: u64,
    /// Context switches that displaced a runnable thread.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub involuntary_context_switches: u64,
    /// CPU time that the host gave to others, summed over all cores.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steal_ns: u64,
    /// Bytes read back from swap, whole machine.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub swapped_in_bytes: u64,
    /// Bytes written to swap, whole machine.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub swapped_out_bytes: u64,
}

impl CpuUse {
    #[must_use]
    pub fn total_ns(&self) -> u64 {
        self.user_ns + self.system_ns
    }

    /// Operations per second of CPU time; 0 if none was seen.
    #[must_use]
    pub fn operations_per_s(&self, operations: u64) -> f64 {
        match self.total_ns() {
            0 => 0.0,
            cpu_ns => operations as f64 * 1e9 / cpu_ns as f64,
        }
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_none_seen(rate: &f64) -> bool {
    *rate == 0.0
}

/// The refusal that ended a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Refusal {
    /// Bytes of the object that was refused.
    pub object_bytes: u64,
    /// How long the allocation was retried; subtracted from the step's wall time.
    pub waited_ns: u64,
    /// Earlier refusals after which a retry succeeded.
    pub overcome: u64,
}

/// Memory seen from outside, at a step's observation points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Memory {
    /// Memory that the worker held before the engine was opened; subtracted from all figures below.
    pub baseline_bytes: u64,
    /// Right after the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<MemoryPoint>,
    /// After the idle wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_idle: Option<MemoryPoint>,
    /// After `purge` (heaps) or `trim` (stores).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_trim: Option<MemoryPoint>,
    /// Highest 20 Hz sample within the step: a *maximum of samples*, not the kernel's peak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_max_bytes: Option<u64>,
    /// Overheads against configured memory, for stores with a capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overheads: Option<Overheads>,
}

/// Memory of the worker at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MemoryPoint {
    /// Anonymous + shared + huge-page-pool memory, less the baseline; 0 if below it.
    pub resident_bytes: u64,
    /// The oracle's live bytes at that moment: value bytes for stores, block bytes for heaps.
    pub live_bytes: u64,
    /// Live objects as the oracle counts them.
    pub live_objects: u64,
    /// `resident_bytes / live_bytes`, by value bytes; absent if nothing is live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<f64>,
    /// `resident_bytes ÷ (live_bytes + those of the live objects' keys)`, stores only: 8 each, or the mean of
    /// the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_key_value: Option<f64>,
    /// Anonymous memory on transparent huge pages (baseline not subtracted).
    pub anonymous_huge_bytes: u64,
    /// Private pages written to (baseline not subtracted).
    pub private_dirty_bytes: u64,
    pub swap_bytes: u64,
    /// Bytes that the allocator says it has handed out, if it keeps count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_allocated_bytes: Option<u64>,
}

/// The worker's memory at a position of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TracePosition {
    /// Events replayed before the position.
    pub events: u64,
    /// Time the events took, without pauses.
    pub elapsed_ns: u64,
    /// As in [`MemoryPoint::resident_bytes`].
    pub resident_bytes: u64,
    /// The oracle's live bytes.
    pub live_bytes: u64,
    /// The oracle's live objects.
    pub live_objects: u64,
}

/// Configured memory ÷ live bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Overheads {
    /// Configured object memory.
    pub object_memory_bytes: u64,
    /// Object memory + index + tables.
    pub capacity_bytes: u64,
    /// `object_memory_bytes / live value bytes`.
    pub log_only: f64,
    /// `capacity_bytes / live value bytes`.
    pub all_in: f64,
    /// Live object bytes (header + key + value) ÷ object memory.
    pub utilisation: f64,
}

/// A store's own account of its memory. It explains the memory seen from outside and never replaces it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Census {
    pub live_objects: u64,
    pub live_value_bytes: u64,
    /// Headers, keys and values of the live objects.
    pub live_object_bytes: u64,
    /// Object memory that is neither live nor free.
    pub dead_object_bytes: u64,
    pub free_object_bytes: u64,
    pub object_memory_bytes: u64,
    pub index_bytes: u64,
    /// All other memory of the store.
    pub table_bytes: u64,
}

/// One sample of a cell's memory curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurvePoint {
    /// Time since the baseline was taken.
    pub elapsed_ns: u64,
    /// As in [`MemoryPoint::resident_bytes`].
    pub resident_bytes: u64,
    /// The oracle's live bytes.
    pub live_bytes: u64,
    pub swap_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_divided_by_the_time_of_both_modes() {
        let used = CpuUse { user_ns: 1_500_000_000, system_ns: 500_000_000, ..CpuUse::default() };
        assert_eq!(used.operations_per_s(3000), 1500.0);
        assert_eq!(CpuUse::default().operations_per_s(3000), 0.0);
    }

    #[test]
    fn what_did_not_happen_is_left_out_and_older_rows_are_read() {
        let text = serde_json::to_string(&CpuUse::default()).unwrap();
        assert!(!text.contains("steal") && !text.contains("swapped"), "{text}");
        assert_eq!(serde_json::from_str::<CpuUse>(&text).unwrap(), CpuUse::default());
        let stolen = CpuUse { steal_ns: 7, swapped_out_bytes: 4096, ..CpuUse::default() };
        let text = serde_json::to_string(&stolen).unwrap();
        assert!(text.contains(r#""steal-ns":7"#), "{text}");
        assert_eq!(serde_json::from_str::<CpuUse>(&text).unwrap(), stolen);
    }
}
