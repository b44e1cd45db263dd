//! Resources used by a step: CPU time, faults and context switches of the worker and everything it started,
//! steal and swapping of the machine, and hardware events if the cell asks for them.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use platform::process::{MachineUsage, ResourceUsage};

use super::counters::Counters;
use record::CpuUse;
use record::StepReport;

/// The process's hardware counters, or why it has none. They count every thread, so one set suffices.
static COUNTERS: OnceLock<Result<Mutex<Counters>, String>> = OnceLock::new();

/// Starts counting hardware events, in this thread and in those it starts. Called before the engine
/// opens.
pub(super) fn count_hardware_events() {
    COUNTERS.get_or_init(|| Counters::open().map(Mutex::new));
}

/// All counts up to one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    tree: ResourceUsage,
    machine: MachineUsage,
    counters: BTreeMap<String, u64>,
    counters_missing: Option<String>,
}

impl Usage {
    /// The counts up to now.
    pub(super) fn now() -> Self {
        let (counters, counters_missing) = match COUNTERS.get() {
            None => (BTreeMap::new(), None),
            Some(Err(reason)) => (BTreeMap::new(), Some(reason.clone())),
            Some(Ok(counters)) => {
                let mut counters = counters.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                (counters.read(), counters.missing())
            }
        };
        Self {
            tree: ResourceUsage::of_tree(),
            machine: MachineUsage::now(),
            counters,
            counters_missing,
        }
    }

    /// The counts since `earlier`.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let counters = self.counters.iter().map(|(name, &count)| {
            let earlier = earlier.counters.get(name).copied().unwrap_or(0);
            // Counts that share the hardware are estimates and may decrease.
            (name.clone(), count.saturating_sub(earlier))
        });
        Self {
            tree: self.tree.since(&earlier.tree),
            machine: self.machine.since(&earlier.machine),
            counters: counters.collect(),
            counters_missing: self.counters_missing.clone(),
        }
    }

    /// Writes the counts into a step's report.
    pub(super) fn note_in(self, report: &mut StepReport) {
        let Self { tree, machine, counters, counters_missing } = self;
        report.cpu = CpuUse {
            user_ns: tree.user_ns,
            system_ns: tree.system_ns,
            minor_faults: tree.minor_faults,
            major_faults: tree.major_faults,
            context_switches: tree.voluntary_context_switches + tree.involuntary_context_switches,
            involuntary_context_switches: tree.involuntary_context_switches,
            steal_ns: machine.steal_ns,
            swapped_in_bytes: machine.swapped_in_bytes,
            swapped_out_bytes: machine.swapped_out_bytes,
        };
        report.counters = counters;
        report.counters_missing = counters_missing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_uses_what_was_counted_between() {
        let usage = |cycles, missing: Option<&str>| Usage {
            counters: BTreeMap::from([("cycles".to_owned(), cycles)]),
            counters_missing: missing.map(str::to_owned),
            tree: ResourceUsage {
                user_ns: cycles * 2,
                voluntary_context_switches: 5,
                involuntary_context_switches: cycles,
                ..ResourceUsage::default()
            },
            machine: MachineUsage { steal_ns: cycles * 3, ..MachineUsage::default() },
        };
        let mut report = StepReport::measured("run", 1, 1);
        usage(170, Some("no misses")).since(&usage(70, None)).note_in(&mut report);
        assert_eq!(report.counters["cycles"], 100);
        assert_eq!(report.counters_missing.as_deref(), Some("no misses"));
        assert_eq!((report.cpu.user_ns, report.cpu.steal_ns), (200, 300));
        assert_eq!(report.cpu.involuntary_context_switches, 100);
        assert_eq!(report.cpu.context_switches, 100, "5 - 5 voluntary ones and the others");
    }

    #[test]
    fn cells_that_did_not_ask_have_no_counters() {
        let usage = Usage::now();
        assert!(usage.counters.is_empty() && usage.counters_missing.is_none());
        assert!(usage.tree.minor_faults > 0);
    }
}
