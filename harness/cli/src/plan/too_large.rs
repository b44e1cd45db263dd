//! Cells that a machine, or a scale, has not the memory for and that cannot be made smaller: traces,
//! regions whose size is an axis, and small fills of a fixed live set.

use std::collections::BTreeSet;

use workloads::bytes::format_bytes;

use record::{Cell, LiveSet, Mappings, Scale, Work};

/// Most memory that a cell maps, in object memories of a key-value cell.
const MAPPED_STORES: u64 = 4;

/// Takes out the cells that would need more than `allowed_bytes`, or more than the scale allows for,
/// with a notice for each kind of them.
pub(super) fn leave_out(
    cells: &mut Vec<Cell>,
    scale: &Scale,
    allowed_bytes: u64,
) -> BTreeSet<String> {
    let mut notices: BTreeSet<String> = beyond_scale(cells, scale).into_iter().collect();
    cells.retain(|cell| {
        let Some(what) = sized(cell) else { return true };
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

/// Takes out the regions that are larger than the scale, all with one notice.
fn beyond_scale(cells: &mut Vec<Cell>, scale: &Scale) -> Option<String> {
    let most_bytes = scale.store_bytes * MAPPED_STORES;
    let mut beyond = BTreeSet::new();
    cells.retain(|cell| match &cell.work {
        Work::Mapping(work) if work.memory_bytes() > most_bytes => {
            beyond.insert((work.region_bytes, work.threads, region(work)));
            false
        }
        _ => true,
    });
    let named: Vec<String> = beyond.into_iter().map(|(_, _, name)| name).collect();
    (!named.is_empty()).then(|| {
        format!(
            "regions of {} are not mapped: the scale maps {} MiB at most",
            named.join(", "),
            most_bytes >> 20
        )
    })
}

/// What a cell replays or maps; `None` where its size follows the scale.
fn sized(cell: &Cell) -> Option<String> {
    match &cell.work {
        Work::Allocations(work) => Some(format!("trace `{}`", work.trace)),
        Work::KeyValue(work) if work.live_set == LiveSet::Fixed => Some(format!(
            "{} % fill of a live set of {} MiB",
            work.fill_percent,
            work.live_value_bytes() >> 20
        )),
        Work::KeyValue(work) => work.replay.as_ref().map(|replay| {
            format!(
                "trace `{}` at {} % fill by {}",
                replay.trace,
                work.fill_percent,
                by(work.threads)
            )
        }),
        Work::Mapping(work) => Some(format!("a mapping of {}", region(work))),
        Work::Windows(work) => Some(format!(
            "a table of {} windows of {}",
            work.windows,
            format_bytes(work.window_bytes as usize)
        )),
        _ => None,
    }
}

fn region(work: &Mappings) -> String {
    format!("{} by {}", format_bytes(work.region_bytes as usize), by(work.threads))
}

pub(super) fn by(threads: usize) -> String {
    match threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    }
}
