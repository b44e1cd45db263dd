//! What cells with phases, and cells that sample a statistic, must be.

use crate::suites::KeyValueGrid;
use record::{Driver, KeyValue, Source, System, Timing};

/// Whether a grid has phases, whose shares of PUTs stand for its workloads.
///
/// # Errors
/// Workloads beside them.
pub(super) fn take_the_place_of_workloads(grid: &KeyValueGrid) -> Result<bool, String> {
    let has_phases = grid.settings().any(|(dimension, _)| dimension.name == "phases");
    if has_phases && !(grid.workloads.is_empty() && grid.get_percent.is_empty()) {
        return Err("`phases` say how many requests are PUTs: drop `workloads` and `get-percent`"
            .to_owned());
    }
    Ok(has_phases)
}

/// Checks the phases of a cell, and what it samples.
///
/// # Errors
/// What they do not go together with.
pub(super) fn check(work: &KeyValue) -> Result<(), String> {
    if work.sampled.is_some() && work.latency == Timing::Off {
        return Err(
            "`sampled` stands beside the throughput over time, which timed operations tell: drop \
             `latency = \"off\"`"
                .to_owned(),
        );
    }
    let Some(phases) = &work.phases else { return Ok(()) };
    let single = work.driver == Driver::Closed { batch: 1 } && work.think_ns == 0;
    if !single || work.source != Source::Prepared {
        return Err(format!(
            "phases = {phases}: single requests of a closed loop, made before the clock, have phases: \
             drop `batch`, `rate-ops-per-s`, `think-ns` and `source`"
        ));
    }
    let (count, operations) = (phases.put_percents().len(), work.operations_per_thread);
    if operations < count as u64 {
        return Err(format!(
            "phases = {phases}: {operations} operations of each thread have no {count} parts: raise \
             `operations-factor`"
        ));
    }
    Ok(())
}

/// Why a store that gives each key to one worker has no phases.
pub(super) fn dealt(system: &System) -> String {
    format!(
        "requests to `{}` are dealt to the workers of their keys, who would not begin a phase together: \
         drop `phases`",
        system.label()
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Draft, MachineLimits, key_value};
    use crate::suites::Suite;
    use record::{Cell, Scale, Work};

    /// The first cell of a grid.
    fn planned(grid: &str) -> Result<Cell, String> {
        let text = format!(
            "question = \"?\"\n[[key-value]]\nfill-percent = [50]\nthreads = [2]\nroofline = false\n\
             sampled = \"epochs\"\n{grid}"
        );
        let suite = Suite::parse("my.toml", &text).map_err(|error| error.to_string())?;
        let (scale, mut draft) = (Scale::by_name("quick").unwrap(), Draft::default());
        let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 32 << 20 };
        key_value::cells(&suite, &suite.key_value[0], (&scale, limits), &mut draft)?;
        Ok(draft.cells.remove(0))
    }

    #[test]
    fn a_cell_with_phases_needs_no_workload_and_executes_them_all() {
        let cell = planned("stores = [\"nibble\"]\nphases = \"2-15-0\"").unwrap();
        assert!(cell.id.contains("/put-phases-uniform-"), "{}", cell.id);
        assert!(cell.id.contains("-puts-2-15-0-sampled-epochs/nibble"), "{}", cell.id);
        let Work::KeyValue(work) = &cell.work else { panic!("{cell:?}") };
        assert_eq!((work.at_most_ms, work.get_percent()), (None, 94.0));
    }

    #[test]
    fn what_does_not_go_with_phases_is_refused_with_what_to_drop() {
        for (grid, expected) in [
            ("stores = [\"nibble\"]\nget-percent = [50]", "drop `workloads` and `get-percent`"),
            ("stores = [\"nibble\"]\nbatch = [8]", "phases = 2-15-0: single requests"),
            ("stores = [\"nibble\"]\nsource = \"in-loop\"", "phases = 2-15-0: single requests"),
            (
                "stores = [\"nibble\"]\noperations-factor = 5e-7",
                "2 operations of each thread have no 3",
            ),
            ("stores = [\"nibble\"]\nlatency = \"off\"", "drop `latency = \"off\"`"),
            ("stores = [\"mica-erew\"]", "would not begin a phase together: drop `phases`"),
        ] {
            let error = planned(&format!("{grid}\nphases = \"2-15-0\"")).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let error = planned("stores = [\"nibble\"]\nphases = \"15\"").unwrap_err();
        assert!(error.contains("line 8: phases: phases `15`: write the shares"), "{error}");
    }
}
