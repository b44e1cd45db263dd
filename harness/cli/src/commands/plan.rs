//! `plan`: shows the cells of a suite, runs nothing.

use std::path::Path;

use kit::folder::{Unfit, fit_for_files, is_empty};
use serde_json::{Value, json};

use super::{Failure, output};
use crate::cli::{ChoiceArguments, PlanArguments};
use crate::doctor::quiet;
use crate::environment;
use crate::plan::{MachineLimits, Plan, estimate_s, in_words, plan};
use crate::suites::{self, Suite};
use crate::traces::{Library, Missing, Traces};
use record::{Cell, Scale};
use worker::kernel::{KernelFiles, available_memory_bytes};

/// Where results, and traces with them, are unless an option says otherwise.
const DEFAULT_RESULTS: &str = "results";

/// Trace options of commands that measure nothing: no trace is captured.
pub(super) fn as_they_are() -> (&'static Path, Missing) {
    (Path::new(DEFAULT_RESULTS), Missing::LeftOut)
}

/// Prints the cells in the order they would run.
pub(super) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    keep_files(&arguments.choice)?;
    let (suite, scale, plan, _) = prepare(&arguments.suite, &arguments.choice, as_they_are())?;
    if arguments.json {
        output::print_json(&as_data(&suite, &scale, &plan));
        return Ok(());
    }
    for cell in &plan.cells {
        println!("{}", cell.id);
    }
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    eprintln!("{}; nothing was run", size(&plan.cells));
    Ok(())
}

fn as_data(suite: &Suite, scale: &Scale, plan: &Plan) -> Value {
    let quiet_s = estimate_s(&plan.cells);
    json!({
        "suite": suite.name,
        "scale": scale.name,
        "cells": plan.cells.iter().map(|cell| &cell.id).collect::<Vec<_>>(),
        "notices": plan.notices,
        "estimate-s": quiet_s,
        "estimate-under-load-s": quiet::load().map_or(quiet_s, |load| quiet_s * load.slows_down()),
    })
}

/// How many cells, and how long they will take: `2250 cells, some 29 min`; on a machine with a load also
/// how long that is under it.
pub(super) fn size(cells: &[Cell]) -> String {
    let number =
        if cells.len() == 1 { "1 cell".to_owned() } else { format!("{} cells", cells.len()) };
    let quiet_s = estimate_s(cells);
    let estimate =
        format!("{number}, some {} on two idle cores of a present-day server", in_words(quiet_s));
    quiet::load().map_or(estimate.clone(), |load| {
        let here = in_words(quiet_s * load.slows_down());
        format!("{estimate}; rather {here} here and now, under {load}")
    })
}

/// Has stores for disks keep their files where the user says.
pub(super) fn keep_files(choice: &ChoiceArguments) -> Result<(), Failure> {
    let Some(folder) = &choice.files else { return Ok(()) };
    let refused = |unfit: Unfit| Failure::usage(format!("--files: {unfit}"));
    is_empty(folder).map_err(refused)?;
    fit_for_files(folder).map_err(refused)?;
    let folder = folder.canonicalize().map_err(|error| {
        Failure::usage(format!("--files: {} cannot be found: {error}", folder.display()))
    })?;
    worker::keep_files_below(folder);
    Ok(())
}

/// Loads a suite, plans its cells and filters them.
pub(super) fn prepare(
    name: &str,
    choice: &ChoiceArguments,
    where_and_how: (&Path, Missing),
) -> Result<(Suite, Scale, Plan, Traces), Failure> {
    let suite = suites::load(name).map_err(|error| Failure::usage(error.to_string()))?;
    let mut scale = super::scale(&choice.scale)?;
    if let Some(live_bytes) = &choice.live_bytes {
        let bytes = workloads::bytes::parse_bytes(live_bytes)
            .map_err(|error| Failure::usage(format!("live-bytes: {error}")))?;
        scale.live_bytes = bytes as u64;
        // What a suite asks for gives way to what the user does.
        scale.large_live_bytes = 0;
        scale.objects_max = u64::MAX;
    }
    scale.repetitions = choice.repetitions.unwrap_or(scale.repetitions);
    if let Some(operations) = choice.operations {
        // As many as asked, however long they take.
        (scale.operations_per_thread, scale.step_ms) = (operations, 0);
    }
    let (mut plan, traces) = plan_here(std::slice::from_ref(&suite), &scale, where_and_how)?;
    if let Some(filter) = &choice.filter {
        plan.cells.retain(|cell| cell.id.contains(filter.as_str()));
        if plan.cells.is_empty() {
            return Err(Failure::usage(format!(
                "no cell of suite `{}` contains `{filter}`: `nibble-bench plan {name}` shows them",
                suite.name
            )));
        }
    }
    Ok((suite, scale, plan, traces))
}

/// Plans for this machine, with the traces below `results`.
pub(super) fn plan_here(
    suites: &[Suite],
    scale: &Scale,
    (results, missing): (&Path, Missing),
) -> Result<(Plan, Traces), Failure> {
    let limits = MachineLimits {
        memory_bytes: available_memory_bytes(),
        cores: platform::cpu::allowed_cores().len(),
        cache_bytes: environment::last_level_cache_bytes(&KernelFiles::here()).unwrap_or(0),
    };
    let traces = Library::below(results).prepare(suites, scale, missing);
    let traces = traces.map_err(Failure::machine)?;
    let planned = plan(suites, scale, &traces, limits).map_err(|message| {
        if message.starts_with("not enough memory") {
            Failure::machine(message)
        } else {
            Failure::usage(message)
        }
    })?;
    Ok((planned, traces))
}
