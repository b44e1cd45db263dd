//! From `[[allocations]]` grids to cells.

use super::{Draft, check_threads, finish};
use crate::suites::{AllocationGrid, Suite};
use crate::traces::{TraceContent, TraceFile, Traces};
use record::{Allocations, Scale, Work};
use worker::registry;

/// Most parts a trace may be observed after.
const SAMPLES_MAX: u32 = 1000;

/// Cells of the traces that are there.
pub(super) fn cells(
    suite: &Suite,
    grid: &AllocationGrid,
    scale: &Scale,
    traces: &Traces,
    draft: &mut Draft,
) -> Result<(), String> {
    if !(1..=SAMPLES_MAX).contains(&grid.samples) {
        return Err(format!(
            "{}: samples = {}: must be 1 to {SAMPLES_MAX}",
            suite.name, grid.samples
        ));
    }
    let systems = registry::heaps(&grid.heaps, &grid.variants)?;
    if systems.is_empty() {
        return Err(format!("{}: an [[allocations]] table names no heaps", suite.name));
    }
    let repetitions = draft
        .repetitions(suite, grid.repetitions, scale)
        .map_err(|message| format!("{}: {message}", suite.name))?;
    for trace in grid.traces.iter().flat_map(|name| traces.matching(name)) {
        check(trace).map_err(|message| format!("{}: {message}", suite.name))?;
        let work = work_of(trace, grid.samples);
        for system in &systems {
            for repetition in 0..repetitions {
                let id = format!("allocations/{}/{}", trace.name, system.label());
                let work = Work::Allocations(work.clone());
                draft.cells.push(finish(suite, scale, system.clone(), repetition, id, work));
            }
        }
    }
    Ok(())
}

fn work_of(trace: &TraceFile, samples: u32) -> Allocations {
    Allocations {
        trace: trace.name.clone(),
        path: trace.path.to_string_lossy().into_owned(),
        digest: trace.digest,
        events: trace.events,
        threads: trace.threads,
        objects: trace.objects,
        live_bytes_max: trace.live_bytes_max,
        live_objects_max: trace.live_objects_max,
        samples,
    }
}

fn check(trace: &TraceFile) -> Result<(), String> {
    let TraceFile { name, .. } = trace;
    if trace.content != TraceContent::Allocations {
        return Err(format!(
            "trace `{name}` records requests to a store, not to an allocator: replay it in a \
             [[key-value]] table"
        ));
    }
    check_threads(trace.threads as usize).map_err(|message| format!("trace `{name}`: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{MachineLimits, plan};

    const SUITE: &str = "question = \"?\"\n[[allocations]]\nheaps = [\"glibc\", \"jemalloc\"]\n\
                         traces = [\"malloc-here\", \"malloc-gone\"]\n";

    fn trace(threads: u32, content: TraceContent) -> Traces {
        let file = TraceFile {
            name: "malloc-here".to_owned(),
            path: "traces/malloc-here".into(),
            digest: 7,
            content,
            events: 1000,
            threads,
            objects: 400,
            live_bytes_max: 1 << 20,
            live_objects_max: 100,
            copies: 1,
            replays: Default::default(),
            replays_with_keys: Default::default(),
        };
        Traces::from_iter([file])
    }

    fn planned(traces: &Traces) -> Result<super::super::Plan, String> {
        let suite = Suite::parse("mine.toml", SUITE).unwrap();
        let scale = Scale { repetitions: 2, ..Scale::by_name("smoke").unwrap() };
        plan(
            &[suite],
            &scale,
            traces,
            MachineLimits { memory_bytes: 8 << 30, cores: 2, cache_bytes: 0 },
        )
    }

    #[test]
    fn a_trace_that_is_there_has_cells_and_one_that_is_not_has_a_notice() {
        let plan = planned(&trace(2, TraceContent::Allocations)).unwrap();
        let mut ids: Vec<&str> = plan.cells.iter().map(|cell| cell.id.as_str()).collect();
        ids.sort_unstable();
        let wanted = ["glibc/0", "glibc/1", "jemalloc/0", "jemalloc/1"];
        assert_eq!(ids, wanted.map(|end| format!("allocations/malloc-here/{end}")));
        assert_eq!(plan.notices.len(), 1);
        assert!(plan.notices[0].contains("`malloc-gone` is there"), "{}", plan.notices[0]);
        let Work::Allocations(work) = &plan.cells[0].work else { panic!("{:?}", plan.cells[0]) };
        assert_eq!((work.digest, work.events, work.samples), (7, 1000, 32));
    }

    #[test]
    fn a_trace_too_large_for_the_machine_is_left_out() {
        let mut file = trace(1, TraceContent::Allocations).get("malloc-here").unwrap().clone();
        file.live_bytes_max = 4 << 30;
        let plan = planned(&Traces::from_iter([file])).unwrap();
        assert!(plan.cells.is_empty());
        let told = "trace `malloc-here` is left out: a cell of it may need 14400 MiB, and 6553 MiB";
        assert!(plan.notices[1].starts_with(told), "{:?}", plan.notices);
    }

    #[test]
    fn traces_that_cannot_be_replayed_are_refused() {
        let error = planned(&trace(1, TraceContent::Operations)).unwrap_err();
        assert!(error.contains("`malloc-here` records requests to a store"), "{error}");
        let error = planned(&trace(513, TraceContent::Allocations)).unwrap_err();
        assert!(error.contains("threads = 513: must be 1 to 512"), "{error}");
    }
}
