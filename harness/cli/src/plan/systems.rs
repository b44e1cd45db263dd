//! Whether the systems of cells can be had as the cells ask for them.

use std::collections::BTreeSet;

use super::key_value::{check_key_value, check_store};
use record::{Cell, Work};

/// Checks the settings of every cell's system, and tells what it will do other than asked.
///
/// # Errors
/// The setting, what is accepted, and the nearest that is.
pub(super) fn check(cells: &[Cell]) -> Result<BTreeSet<String>, String> {
    let mut told = BTreeSet::new();
    // Repetitions ask the same.
    for cell in cells.iter().filter(|cell| cell.repetition == 0) {
        told.extend(worker::check(cell)?);
    }
    Ok(told)
}

/// Checks one cell that no suite asks for: its numbers, whether its store answers such requests, and the
/// store's settings. Tells what the store will do other than asked.
///
/// # Errors
/// The value and what is allowed.
pub fn check_cell(cell: &Cell) -> Result<Vec<String>, String> {
    if let Work::KeyValue(work) = &cell.work {
        check_key_value(work)?;
        check_store(&cell.system, work)?;
    }
    worker::check(cell)
}
