//! The `[[replay]]` table of a suite: traces of requests, replayed on stores.

use serde::Deserialize;
use workloads::requests::Miss;

use super::Threads;
use record::{Timing, WorkingSets};

/// Every combination of these replays a trace.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReplayGrid {
    /// Stores, as `nibble`, `heapstore:jemalloc`, `nibble@block-bytes=16384`.
    pub stores: Vec<String>,
    /// Traces by name; `imported/*` for all whose names begin so. `postmark` is captured where it is not
    /// there. Others that are not there have no cells.
    pub traces: Vec<String>,
    /// Whether each thread has keys of its own.
    #[serde(default = "default_working_sets")]
    pub working_sets: Vec<WorkingSets>,
    /// What follows a GET that misses.
    #[serde(default = "default_miss")]
    pub miss: Vec<Miss>,
    /// Fill where most is live.
    pub fill_percent: Vec<u32>,
    /// Numbers of threads; `"to-cores"` adds doublings up to the cores of the machine.
    pub threads: Vec<Threads>,
    /// Operations per call.
    #[serde(default = "default_batch")]
    pub batch: Vec<usize>,
    /// Timed instead: at the trace's times, so many times as fast.
    #[serde(default)]
    pub speed: Vec<f64>,
    /// Which operations of a closed loop are timed: `sampled`, `all` or `off`.
    pub latency: Option<Timing>,
    /// Copies of the trace in step, each with keys of its own, in place of the trace's own number.
    pub copies: Option<u64>,
    /// Repetitions instead of the scale's, and never more: a larger number is told.
    pub repetitions: Option<u32>,
}

fn default_working_sets() -> Vec<WorkingSets> {
    vec![WorkingSets::Private]
}
fn default_miss() -> Vec<Miss> {
    vec![Miss::Nothing]
}
fn default_batch() -> Vec<usize> {
    vec![1]
}
