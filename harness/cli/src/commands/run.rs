//! `run`: measures a suite into a fresh folder, or completes a run that was stopped.

use std::path::Path;

use super::made::Made;
use super::measure::{Measured, complete, disturbance, measure, record};
use super::plan::keep_files;
use super::{Failure, output, slurm, ssh};
use crate::cli::{Executor, RunArguments};
use crate::traces::Missing;
use record::archive::{self, RunRecord};
use record::{Cell, Split, rounds};
use worker::Counters;
use worker::exit;

/// Measures a suite and prints a summary.
pub(super) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    keep_files(&arguments.choice)?;
    let swept =
        |folder| slurm::resume(folder, arguments).or_else(|| ssh::resume(folder, arguments));
    if let Some(ended) = arguments.resume.as_deref().and_then(swept) {
        return ended;
    }
    match (arguments.cluster.executor, &arguments.suite, &arguments.cluster.hosts) {
        (Some(Executor::Slurm), Some(suite), None) => return slurm::run(suite, arguments),
        (Some(Executor::Ssh), Some(suite), Some(hosts)) => {
            return ssh::run(suite, hosts, arguments);
        }
        (_, _, Some(hosts)) => {
            return Err(Failure::usage(format!(
                "--hosts {}: hosts are for --executor ssh, and for --resume FOLDER/ssh/JOB",
                hosts.display()
            )));
        }
        _ => {}
    }
    let measured = match (&arguments.resume, &arguments.suite) {
        (Some(folder), _) => match complete(folder, arguments.retry, arguments.output.quiet)? {
            Some(measured) => measured,
            None if !arguments.json => return Ok(()),
            None => return nothing_missing(folder),
        },
        (None, Some(suite)) => fresh(suite, arguments)?,
        (None, None) => return Err(Failure::usage("name a suite, or a run with --resume")),
    };
    let (run, rows) = archive::load(&measured.folder).map_err(Failure::internal)?;
    let figures = report::figures::of_run(&measured.folder).map_err(Failure::internal)?;
    if arguments.json {
        output::print_json(&Made::of(&measured.folder, &run, &rows));
    } else {
        print!("{}", report::page::summary(&run, &rows, &figures));
        println!("{}", measured.folder.display());
    }
    if measured.interrupted {
        eprintln!("stopped; `nibble-bench run --resume {}` goes on", measured.folder.display());
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    // Of a shard, the merged run is remembered.
    if run.split.is_none() {
        super::history::remember(&measured.folder, &run, &rows)?;
    }
    if measured.unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}

/// Prints what there is of a run that needs no completing.
fn nothing_missing(folder: &Path) -> Result<(), Failure> {
    let (run, rows) = archive::load(folder).map_err(Failure::internal)?;
    output::print_json(&Made::of(folder, &run, &rows));
    Ok(())
}

fn fresh(suite: &str, arguments: &RunArguments) -> Result<Measured, Failure> {
    let traces_from = (arguments.output.results.as_path(), Missing::Captured);
    let (suite, scale, mut plan, traces) =
        super::plan::prepare(suite, &arguments.choice, traces_from)?;
    if arguments.counters {
        plan.cells.extend(counted(&plan.cells));
        plan.notices.extend(
            Counters::open()
                .err()
                .map(|reason| format!("hardware events are not counted, rows say why: {reason}")),
        );
    }
    plan.notices.extend(disturbance(&scale, arguments.strict)?);
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    let suites = [suite];
    let Some(shard) = arguments.cluster.shard else {
        let record = record(&suites[0].name, Some(scale), &suites, &plan);
        return measure(&plan, record, (&suites, &traces), &arguments.output);
    };
    check_rounds(shard.of(), &plan.cells)?;
    let split = Split::new(shard, &plan.cells);
    plan.cells.retain(|cell| shard.takes(cell));
    let name = shard.name(&suites[0].name);
    let record = RunRecord { split: Some(split), ..record(&name, Some(scale), &suites, &plan) };
    measure(&plan, record, (&suites, &traces), &arguments.output)
}

/// Each of so many shards needs a round of its own.
pub(super) fn check_rounds(shards: u32, cells: &[Cell]) -> Result<(), Failure> {
    let rounds = rounds(cells);
    if shards <= rounds {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{shards} shards, and the plan has {rounds} round(s): a round is one repetition of all cells, and is \
         measured on one node; ask for --repetitions {shards} or more, or for {rounds} shard(s)"
    )))
}

/// The cells once more, with hardware events counted.
fn counted(cells: &[Cell]) -> Vec<Cell> {
    let counted = cells.iter().map(|cell| Cell {
        id: format!("{}/counters", cell.id),
        counters: true,
        ..cell.clone()
    });
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::sample_cells;

    #[test]
    fn counted_cells_differ_in_their_id_and_in_being_counted() {
        let cells = sample_cells();
        let counted = counted(&cells);
        assert_eq!(counted.len(), cells.len());
        for (plain, counted) in cells.into_iter().zip(counted) {
            assert!(!plain.counters && counted.counters);
            let expected = Cell { id: format!("{}/counters", plain.id), counters: true, ..plain };
            assert_eq!(counted, expected);
        }
    }
}
