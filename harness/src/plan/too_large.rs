//! Cells of traces that a machine has not the memory for: a trace cannot be made smaller.

use std::collections::BTreeSet;

use crate::cell::{Cell, Work};

/// Takes out the cells that would need more than `allowed_bytes`, with a notice for each kind of them.
pub(super) fn leave_out(cells: &mut Vec<Cell>, allowed_bytes: u64) -> BTreeSet<String> {
    let mut notices = BTreeSet::new();
    cells.retain(|cell| {
        let Some(what) = replayed(cell) else { return true };
        let needed_bytes = cell.expected_bytes();
        if needed_bytes > allowed_bytes {
            notices.insert(format!(
                "{what} is left out: a cell of it may need {} MiB, and {} MiB are allowed",
                needed_bytes >> 20,
                allowed_bytes >> 20
            ));
        }
        needed_bytes <= allowed_bytes
    });
    notices
}

/// What a cell replays; `None` where its size follows the scale.
fn replayed(cell: &Cell) -> Option<String> {
    match &cell.work {
        Work::Allocations(work) => Some(format!("trace `{}`", work.trace)),
        Work::KeyValue(work) => work.replay.as_ref().map(|replay| {
            let threads = match work.threads {
                1 => "1 thread".to_owned(),
                threads => format!("{threads} threads"),
            };
            format!("trace `{}` at {} % fill by {threads}", replay.trace, work.fill_percent)
        }),
        Work::Fragmentation(_) | Work::Copy(_) => None,
    }
}
