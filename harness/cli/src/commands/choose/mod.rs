//! `choose`: the stores of a run that suit a description, the fastest first.

mod cells;
mod print;

use std::path::Path;

use report::choose::{Choice, Wanted, choose};
use serde::Serialize;

use super::Failure;
use super::time::parse_latency_ns;
use crate::cli::ChooseArguments;
use record::archive::{self, RunRecord};
use record::{Row, Scale};
use worker::{exit, registry};

/// Reads a run, measures what it lacks if that is asked for, and prints the answer.
pub(super) fn run(arguments: &ChooseArguments) -> Result<(), Failure> {
    let mut wanted = described(arguments)?;
    let scale = super::scale(&arguments.scale)?;
    let only = arguments.stores.iter().map(|name| registry::store(name).map(|store| store.label()));
    let only = only.collect::<Result<Vec<String>, String>>().map_err(Failure::usage)?;
    let (record, rows) = archive::load(&arguments.run).map_err(Failure::usage)?;
    if arguments.threads.is_none() {
        wanted.threads =
            if arguments.measure { platform::cpu::allowed_cores().len() } else { cores(&record) };
    }
    if arguments.measure {
        return measured(arguments, scale, &wanted, (&rows, &only));
    }
    answer(arguments.json, (&arguments.run, &rows), &wanted, &only)
}

/// The description that the options give, but for the number of threads where that is left open.
fn described(arguments: &ChooseArguments) -> Result<Wanted, Failure> {
    let given = [
        ("value-bytes", Some(&arguments.value_bytes)),
        ("get", Some(&arguments.get)),
        ("skew", Some(&arguments.skew)),
        ("threads", arguments.threads.as_ref()),
        ("live", arguments.live.as_ref()),
        ("memory", arguments.memory.as_ref()),
    ];
    let mut wanted = Wanted::default();
    for (name, text) in given {
        text.map_or(Ok(()), |text| wanted.set(name, text)).map_err(Failure::usage)?;
    }
    let bound = arguments.p999.as_ref().map(|text| parse_latency_ns("p999", text));
    wanted.p999_ns = bound.transpose()?;
    wanted.check().map_err(Failure::usage)?;
    Ok(wanted)
}

/// The cores of the run's machine.
fn cores(record: &RunRecord) -> usize {
    let told = record.machine.facts.get("cores").and_then(|cores| cores.parse().ok());
    told.unwrap_or(1)
}

/// Measures the cells of the description, and answers from them.
fn measured(
    arguments: &ChooseArguments,
    scale: Scale,
    wanted: &Wanted,
    (rows, only): (&[Row], &[String]),
) -> Result<(), Failure> {
    let planned = cells::plan(scale, wanted, (rows, only))?;
    if planned.is_in(rows) {
        eprintln!("nothing is missing: {} has these cells", arguments.run.display());
        return answer(arguments.json, (&arguments.run, rows), wanted, only);
    }
    for notice in &planned.plan.notices {
        eprintln!("note: {notice}");
    }
    if arguments.dry_run {
        for cell in &planned.plan.cells {
            println!("{}", cell.id);
        }
        eprintln!("{}; nothing was run", super::plan::size(&planned.plan.cells));
        return Ok(());
    }
    let measured = planned.measure(&arguments.output)?;
    if measured.interrupted {
        eprintln!("stopped; `nibble-bench run --resume {}` goes on", measured.folder.display());
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    let (_, rows) = archive::load(&measured.folder).map_err(Failure::internal)?;
    answer(arguments.json, (&measured.folder, &rows), wanted, &[])
}

/// A choice, and where it was read from.
#[derive(Serialize)]
struct Answer<'a> {
    run: &'a Path,
    #[serde(flatten)]
    choice: &'a Choice,
}

fn answer(
    json: bool,
    (run, rows): (&Path, &[Row]),
    wanted: &Wanted,
    only: &[String],
) -> Result<(), Failure> {
    let choice = choose(rows, wanted, only)
        .map_err(|error| Failure::usage(format!("{}: {error}", run.display())))?;
    if json {
        let answer = Answer { run, choice: &choice };
        println!("{}", serde_json::to_string_pretty(&answer).expect("plain data"));
    } else {
        print!("{}", print::text(run, &choice));
    }
    match choice.qualifying.is_empty() {
        true => Err(Failure::silent(exit::NOTHING_QUALIFIES)),
        false => Ok(()),
    }
}
