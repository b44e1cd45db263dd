//! `cell`: prints one cell as JSON.

use super::Failure;
use crate::cli::CellArguments;
use crate::suites;

/// Prints the cell whose id is, or contains, the text given.
pub(super) fn run(arguments: &CellArguments) -> Result<(), Failure> {
    let suites = match &arguments.suite {
        Some(name) => {
            vec![suites::load(name).map_err(|error| Failure::usage(error.to_string()))?]
        }
        None => suites::names().filter_map(suites::built_in).collect(),
    };
    let scale = super::scale(&arguments.scale)?;
    let (plan, _) = super::plan::plan_here(&suites, &scale, super::plan::as_they_are())?;
    let exact = plan.cells.iter().find(|cell| cell.id == arguments.id);
    let mut near = plan.cells.iter().filter(|cell| cell.id.contains(&arguments.id));
    let cell = match (exact, near.next(), near.next()) {
        (Some(cell), ..) | (None, Some(cell), None) => cell,
        (None, None, _) => {
            let message = format!(
                "no cell's id contains `{}`: `nibble-bench plan SUITE` shows them",
                arguments.id
            );
            return Err(Failure::usage(message));
        }
        (None, Some(first), Some(second)) => {
            return Err(Failure::usage(format!(
                "`{}` fits more than one cell ({}, {}, …): give more of the id",
                arguments.id, first.id, second.id
            )));
        }
    };
    println!("{}", serde_json::to_string(cell).expect("a cell is plain data"));
    Ok(())
}
