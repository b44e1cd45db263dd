//! Predictions for a machine of many cores, fitted to what one thread was measured at here. They
//! are no measurements: lines are predicted, and measured points stand beside them as a check.

mod lines;
mod picks;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::systems::{Work, scenario};
use model::{Machine, Primitives, Zipf};
use workloads::KeyDistribution;
use workloads::distribution::YcsbScrambled;

pub(in crate::figures) use picks::{breakdown, completion, merge_trees, throughput};

use super::samples::Label;
use record::{KeyValue, System, repetition::Repetition};

/// Machines that are predicted for.
static MACHINES: LazyLock<Primitives> = LazyLock::new(|| {
    let primitives = Primitives::parse(include_str!("../../../../suites/model.toml"));
    primitives.expect("shipped primitives are sound")
});

/// What is predicted for: a machine, and numbers of threads on it.
#[derive(Clone, Copy, Debug)]
struct Aim {
    machine: &'static str,
    threads: &'static [usize],
}

/// The machine of Nibble's paper: powers of two within a socket, then whole sockets.
const NIBBLES: Aim = Aim { machine: "superdome-x", threads: &[1, 2, 4, 8, 15, 30, 60, 135, 240] };
/// The machine of cLSM's paper.
const CLSMS: Aim = Aim { machine: "two-xeon-e5620", threads: &[1, 2, 4, 8, 16] };

impl Aim {
    fn machine(&self) -> &'static Machine {
        MACHINES.machine(self.machine).expect("it is shipped")
    }
}

/// Which line a cell belongs to.
#[derive(Clone, Debug)]
struct Pick {
    panel: Label,
    series: Label,
    /// Settings that the line has instead of the cell's.
    options: BTreeMap<String, String>,
    /// Whether more threads of the same cell are a check of it: its settings are the line's.
    is_checked: bool,
}

/// Settings of the store.
fn options(one: &Repetition<'_>) -> BTreeMap<String, String> {
    match &one.cell.system {
        System::Store { options, .. } => options.clone(),
        System::Heap { .. } | System::Kernel | System::Way { .. } => BTreeMap::new(),
    }
}

/// How the store works under `work`; `None` of stores that the model does not describe.
fn described(
    one: &Repetition<'_>,
    options: &BTreeMap<String, String>,
    work: &KeyValue,
) -> Option<model::Scenario> {
    match &one.cell.system {
        System::Store { name, .. } => scenario(name, options, &asked(work)?),
        System::Heap { .. } | System::Kernel | System::Way { .. } => None,
    }
}

/// What a cell asks, in the model's terms; `None` of what it has no terms for.
fn asked(work: &KeyValue) -> Option<Work> {
    let (workload, mix) = (&work.workload, &work.workload.mix);
    let is_of_moments = workload.is_of_moments();
    if workload.modifies() || workload.scans() || is_of_moments || workload.expires() {
        return None;
    }
    let share = |percent: f64| percent / 100.0;
    let work_of = |value_bytes, skewed, private| Work {
        gets: share(mix.get),
        updates: share(mix.update),
        inserts: share(mix.insert),
        deletes: share(mix.delete),
        value_bytes,
        sizes_vary: private,
        skewed,
        private,
    };
    match &work.replay {
        Some(replay) => {
            let totals = &replay.totals;
            let written = (totals.inserts + totals.updates).max(1) as f64;
            Some(work_of(totals.written_bytes as f64 / written, None, true))
        }
        None => {
            let skewed = match work.workload.keys {
                KeyDistribution::Zipfian { theta, .. } => {
                    Some(Zipf::new(work.records.max(1), theta))
                }
                // Its ranks meet as those of a zipfian do; few of the popular ones share a record.
                KeyDistribution::YcsbScrambled => {
                    Some(Zipf::new(YcsbScrambled::RANKS, YcsbScrambled::THETA))
                }
                // A hot tenth is many keys.
                KeyDistribution::Uniform | KeyDistribution::Hotspot { .. } => None,
                _ => return None,
            };
            Some(work_of(work.workload.mean_value_bytes(), skewed, false))
        }
    }
}
