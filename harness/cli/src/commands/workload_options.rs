//! Turns the workload options of `compare` and `search` into a workload.

use workloads::requests::Workload;

use super::Failure;
use crate::cli::WorkloadOptions;
use crate::plan::{check_cell, check_key_value, fewer_operations, get_workload, key_value_cell};
use crate::suites::Suite;
use record::{Ageing, Cell, Driver, KeyValue, Scale, Source, System, Timing, unknown_name};

pub(super) fn work(arguments: &WorkloadOptions) -> Result<KeyValue, Failure> {
    let object_memory_bytes = workloads::bytes::parse_bytes(&arguments.object_memory)
        .map_err(|error| Failure::usage(format!("object-memory: {error}")))?;
    let mut work = KeyValue {
        threads: arguments.threads,
        driver: Driver::Closed { batch: arguments.batch },
        operations_per_thread: arguments.operations,
        source: if arguments.in_loop { Source::InLoop } else { Source::Prepared },
        latency: if arguments.time_all { Timing::All } else { Timing::Sampled },
        ageing: ageing(arguments)?,
        ..KeyValue::plain(workload(arguments)?, object_memory_bytes as u64)
    };
    arguments.settings.set(&mut work).map_err(Failure::usage)?;
    check_key_value(&work).map_err(Failure::usage)?;
    work.size_records();
    if work.operations_per_thread < arguments.operations {
        eprintln!("note: {}", fewer_operations(&work, arguments.operations));
    }
    Ok(work)
}

fn workload(arguments: &WorkloadOptions) -> Result<Workload, Failure> {
    let mut workload = match &arguments.workload {
        Some(name) => Workload::by_name(name).ok_or_else(|| {
            let known = Workload::names();
            Failure::usage(unknown_name("workload", name, known.iter().map(String::as_str)))
        })?,
        None => get_workload(arguments.get_percent).map_err(Failure::usage)?,
    };
    if let Some(text) = &arguments.distribution {
        workload.keys = text
            .parse()
            .map_err(|error| Failure::usage(format!("distribution `{text}`: {error}")))?;
    }
    Ok(workload)
}

fn ageing(arguments: &WorkloadOptions) -> Result<Ageing, Failure> {
    match (&arguments.ageing, arguments.warm_up_rewrites) {
        (None, 0.0) => Ok(Ageing::None),
        (None, rewrites) => format!("rewrites:{rewrites}").parse().map_err(Failure::usage),
        (Some(text), _) => text.parse().map_err(Failure::usage),
    }
}

/// Refuses what a cell's system cannot do or be, and says what it will do other than asked.
pub(super) fn check(cell: &Cell) -> Result<(), Failure> {
    for sentence in check_cell(cell).map_err(Failure::usage)? {
        eprintln!("note: {sentence}");
    }
    Ok(())
}

/// A cell that measures `system` under `work`.
pub(super) fn cell(system: System, work: &KeyValue, seed: u64) -> Cell {
    let suite = Suite::of_options(seed);
    let scale = Scale::by_name("quick").expect("a scale that exists");
    key_value_cell(&suite, &scale, system, 0, work.clone())
}
