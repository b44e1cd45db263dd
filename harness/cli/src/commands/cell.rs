//! `cell`: prints one cell as JSON.

use super::Failure;
use crate::cli::CellArguments;
use crate::suites;
use record::Cell;

/// Prints the cell whose id is, or contains, the text given.
pub(super) fn run(arguments: &CellArguments) -> Result<(), Failure> {
    let cell = planned(&arguments.id, arguments.suite.as_deref(), &arguments.scale)?;
    println!("{}", serde_json::to_string(&cell).expect("a cell is plain data"));
    Ok(())
}

/// The cell of that id, of one suite or of all that are built in.
pub(super) fn planned(id: &str, suite: Option<&str>, scale: &str) -> Result<Cell, Failure> {
    let suites = match suite {
        Some(name) => {
            vec![suites::load(name).map_err(|error| Failure::usage(error.to_string()))?]
        }
        None => suites::names().filter_map(suites::built_in).collect(),
    };
    let scale = super::scale(scale)?;
    let (plan, _) = super::plan::plan_here(&suites, &scale, super::plan::as_they_are())?;
    pick(&plan.cells, id, "`nibble-bench plan SUITE` shows them").cloned()
}

/// The cell whose id is, or alone contains, `id`; `where_to_look` says what shows the ids.
pub(super) fn pick<'a>(
    cells: impl IntoIterator<Item = &'a Cell>,
    id: &str,
    where_to_look: &str,
) -> Result<&'a Cell, Failure> {
    let near: Vec<&Cell> = cells.into_iter().filter(|cell| cell.id.contains(id)).collect();
    let exact = near.iter().find(|cell| cell.id == id);
    match (exact, near.as_slice()) {
        (Some(cell), _) | (None, [cell]) => Ok(cell),
        (None, []) => Err(Failure::usage(format!("no cell's id contains `{id}`: {where_to_look}"))),
        (None, [first, second, ..]) => Err(Failure::usage(format!(
            "`{id}` fits more than one cell ({}, {}, …): give more of the id",
            first.id, second.id
        ))),
    }
}
