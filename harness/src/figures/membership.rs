//! Which suite a key-value cell belongs to. Cells do not say so, because suites share them; what a
//! suite asks for does.

use std::collections::BTreeSet;

use super::repetitions::{Repetition, repetitions};
use crate::cell::{Cell, Driver, KeyValue, Replay, Work};
use crate::plan::{MachineLimits, plan};
use crate::record::Row;
use crate::registry;
use crate::spec::{ReplayGrid, Scale, built_in, on_cores};
use crate::traces::Traces;

/// The cells that some built-in suites ask for, whatever the scale and the repetition.
pub(super) struct Membership {
    ids: BTreeSet<String>,
    /// Which traces there were is not known any more: replays are recognised by what they ask.
    replays: Vec<ReplayGrid>,
    cores: usize,
}

impl Membership {
    /// `rows` tell to how many threads lists grow that grow to the cores of the machine.
    pub(super) fn of(names: &[&str], rows: &[Row]) -> Self {
        let suites: Vec<_> = names.iter().filter_map(|name| built_in(name)).collect();
        let cores = rows.iter().filter_map(|row| threads_of(&row.cell)).max().unwrap_or(1);
        // Ids do not depend on sizes, but regions beyond a scale have none.
        let largest = Scale::NAMES.last().and_then(|name| Scale::by_name(name));
        let scale = Scale { repetitions: 1, ..largest.expect("the largest scale") };
        let limits = MachineLimits { memory_bytes: u64::MAX, cores };
        let planned = plan(&suites, &scale, &Traces::default(), limits);
        let cells = planned.expect("built-in suites can be planned").cells;
        let ids = cells.iter().map(|cell| without_repetition(&cell.id).to_owned()).collect();
        Self { ids, replays: suites.into_iter().flat_map(|suite| suite.replay).collect(), cores }
    }

    /// Whether one of the suites asks for the cell.
    pub(super) fn includes(&self, cell: &Cell) -> bool {
        match &cell.work {
            Work::KeyValue(work) => match &work.replay {
                Some(replay) => {
                    let cores = self.cores;
                    self.replays.iter().any(|grid| asks_for((grid, cores), cell, work, replay))
                }
                None => self.ids.contains(without_repetition(&cell.id)),
            },
            Work::Copy(_) | Work::Mapping(_) => self.ids.contains(without_repetition(&cell.id)),
            Work::Fragmentation(_) | Work::Allocations(_) => false,
        }
    }
}

/// Threads of a cell of requests.
fn threads_of(cell: &Cell) -> Option<usize> {
    match &cell.work {
        Work::KeyValue(work) => Some(work.threads),
        _ => None,
    }
}

fn asks_for(
    (grid, cores): (&ReplayGrid, usize),
    cell: &Cell,
    work: &KeyValue,
    replay: &Replay,
) -> bool {
    let named = |pattern: &String| match pattern.strip_suffix('*') {
        Some(front) => replay.trace.starts_with(front),
        None => replay.trace == *pattern,
    };
    let driven = match work.driver {
        Driver::Timed { speed } => grid.speed.contains(&speed),
        _ => grid.speed.is_empty() && grid.batch.contains(&work.batch()),
    };
    // A trace too small for the least memory fills it less than asked for.
    let fills = grid.fill_percent.iter().any(|&percent| percent >= work.fill_percent);
    let stores = grid.stores.iter().filter_map(|store| registry::store(store).ok());
    grid.traces.iter().any(named)
        && on_cores(&grid.threads, cores).contains(&work.threads)
        && grid.working_sets.contains(&replay.working_sets)
        && grid.miss.contains(&replay.miss)
        && driven
        && fills
        && stores.map(|system| system.label()).any(|label| label == cell.system.label())
}

/// The cells of `rows` that the built-in `suite` asks for.
pub(super) fn asked_by<'a>(suite: &str, rows: &'a [Row]) -> Vec<Repetition<'a>> {
    let members = Membership::of(&[suite], rows);
    repetitions(rows).into_iter().filter(|one| members.includes(one.cell)).collect()
}

/// What a key-value cell asks.
pub(super) fn requests<'a>(repetition: &Repetition<'a>) -> Option<&'a KeyValue> {
    match &repetition.cell.work {
        Work::KeyValue(work) => Some(work),
        Work::Fragmentation(_) | Work::Copy(_) | Work::Allocations(_) | Work::Mapping(_) => None,
    }
}

/// What repetitions of a cell have in common.
pub(crate) fn without_repetition(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(cell, _)| cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_asks_for_its_own_cells_only() {
        let cells = |name: &str| {
            let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2 };
            let scale = Scale::by_name("quick").unwrap();
            let suites = [built_in(name).unwrap()];
            plan(&suites, &scale, &Traces::default(), limits).unwrap().cells
        };
        let names = ["store-throughput", "index-layouts", "engine-knobs"];
        for name in names {
            let (own, others): (Vec<&str>, Vec<&str>) =
                names.into_iter().partition(|other| *other == name);
            assert!(
                cells(name).iter().all(|cell| Membership::of(&own, &[]).includes(cell)),
                "{name}"
            );
            assert!(!cells(name).iter().any(|cell| Membership::of(&others, &[]).includes(cell)));
        }
    }
}
