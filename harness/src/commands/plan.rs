//! `plan`: shows the cells of a suite, runs nothing.

use super::Failure;
use crate::cli::{ChoiceArguments, PlanArguments};
use crate::environment::available_memory_bytes;
use crate::plan::{MachineLimits, Plan, plan};
use crate::spec::{self, Scale, Suite};
use crate::traces::Traces;

/// Prints the cells in the order they would run.
pub(super) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    let (_, _, plan) = prepare(&arguments.suite, &arguments.choice)?;
    for cell in &plan.cells {
        println!("{}", cell.id);
    }
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    eprintln!("{} cells; nothing was run", plan.cells.len());
    Ok(())
}

/// Loads, plans and filters.
pub(super) fn prepare(
    name: &str,
    choice: &ChoiceArguments,
) -> Result<(Suite, Scale, Plan), Failure> {
    let suite = spec::load(name).map_err(|error| Failure::usage(error.to_string()))?;
    let mut scale = super::scale(&choice.scale)?;
    if let Some(live_bytes) = &choice.live_bytes {
        let bytes = workloads::bytes::parse_bytes(live_bytes)
            .map_err(|error| Failure::usage(format!("live-bytes: {error}")))?;
        scale.live_bytes = bytes as u64;
        scale.objects_max = u64::MAX;
    }
    scale.repetitions = choice.repetitions.unwrap_or(scale.repetitions);
    scale.operations_per_thread = choice.operations.unwrap_or(scale.operations_per_thread);
    let mut plan = plan_here(std::slice::from_ref(&suite), &scale)?;
    if let Some(filter) = &choice.filter {
        plan.cells.retain(|cell| cell.id.contains(filter.as_str()));
        if plan.cells.is_empty() {
            return Err(Failure::usage(format!(
                "no cell of suite `{}` contains `{filter}`: `nibble-bench plan {name}` shows them",
                suite.name
            )));
        }
    }
    Ok((suite, scale, plan))
}

/// Plans for this machine.
pub(super) fn plan_here(suites: &[Suite], scale: &Scale) -> Result<Plan, Failure> {
    let limits = MachineLimits { memory_bytes: available_memory_bytes() };
    plan(suites, scale, &Traces::default(), limits).map_err(|message| {
        if message.starts_with("not enough memory") {
            Failure::machine(message)
        } else {
            Failure::usage(message)
        }
    })
}
