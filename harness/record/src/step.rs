//! The result of a step: the worker's measurements and the parent's observations.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::row::{
    Asked, Census, CpuUse, CurvePoint, Flag, OpenLoop, Outcome, Percentiles, Refusal, Row,
    Verification,
};

/// A worker's measurements of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct StepReport {
    /// Step within the cell: `fill`, `delete`, `refill`, `fill-3`, `delete-3`, `load`, `run`,
    /// `verify`; `cell` where the worker ended before its first step.
    pub step: String,
    pub outcome: Outcome,
    /// Whether the plan allows this outcome; an unexpected one sets the exit code.
    pub expected: bool,
    /// Why the outcome is not `measured`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Operations executed in the step.
    pub operations: u64,
    /// Wall time of the step, without waits for a refusal.
    pub elapsed_ns: u64,
    /// CPU time and faults of the worker in the step, including its background threads and all processes
    /// that it started.
    pub cpu: CpuUse,
    /// User-space hardware events in the step; cells with `counters` only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Which hardware events could not be counted, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters_missing: Option<String>,
    /// Cost of the harness per operation; a row has it in `driver`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_ns: Option<f64>,
    /// Caveats that a reader should know before quoting the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// The refusal that ended the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// Values checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// The engine's own counters at the step's end.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub statistics: BTreeMap<String, f64>,
    /// The store's own account of its memory at the step's end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub census: Option<Census>,
    /// Configured memory, if the store has a capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Capacity>,
}

/// Timings of the step `run`. They follow its observation, because computing them takes memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LatencyReport {
    /// Latency of the timed operations.
    pub latency_ns: Percentiles,
    /// Latency by kind of operation.
    pub latency_by_kind_ns: BTreeMap<String, Percentiles>,
    /// Each kind's histogram (V2, deflated, base 64).
    pub histograms: BTreeMap<String, String>,
    /// Throughput and latency over time.
    pub seconds: Vec<Second>,
    /// How well the schedule was kept; open loops only.
    pub open_loop: Option<OpenLoop>,
    /// What the requests wrote and read; stores with files only.
    #[serde(default)]
    pub asked: Option<Asked>,
}

/// The operations that ended in one interval of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Second {
    /// Start of the interval, relative to the start of the clock.
    pub from_s: f64,
    /// Length of the interval: one second, a tenth where a statistic is sampled, or more in long runs.
    pub interval_s: f64,
    pub operations: u64,
    /// Latency of the timed operations.
    pub p50_ns: u64,
    pub p99_ns: u64,
    /// The 99.9th percentile.
    pub p999_ns: u64,
    pub max_ns: u64,
    /// The statistic that the cell samples, at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<f64>,
}

/// A store's configured memory and its live bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Capacity {
    pub object_memory_bytes: u64,
    /// Object memory + index + tables.
    pub capacity_bytes: u64,
    /// Live bytes including header and key, in the store's layout.
    pub live_object_bytes: u64,
    /// Live value bytes as the oracle counts them.
    pub live_value_bytes: u64,
}

impl StepReport {
    /// A step that was measured; callers add the fields they know.
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

    /// Notes what was checked of the step's values; wrong ones decide its outcome.
    pub fn verified(&mut self, checked: Verification) {
        if let Some(complaint) = checked.complaint() {
            self.outcome = Outcome::WrongValues;
            self.expected = false;
            self.reason = Some(complaint);
        }
        self.verification = Some(checked);
    }
}

/// The results of a cell.
#[derive(Clone, Debug, Default)]
pub struct CellRecord {
    /// One row per step, in order; at least one.
    pub rows: Vec<Row>,
    pub curve: Vec<CurvePoint>,
    /// Latency histograms by kind of operation (V2, deflated, base 64).
    pub histograms: BTreeMap<String, String>,
    /// Throughput and latency over time.
    pub seconds: Vec<Second>,
    /// Whether the run was interrupted; the rows are then discarded.
    pub interrupted: bool,
}
