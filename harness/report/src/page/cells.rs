//! The cells behind the numbers: who they are of, so that the page can say it and be filtered by it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::links::{Link, Links};
use record::{
    Row,
    repetition::{Source, without_repetition},
};

/// The labels of a cell that say what it was asked, the first that it has.
const WORKLOAD_LABELS: [&str; 4] = ["workload", "pattern", "trace", "family"];

/// What readers choose from, and the cells by their places in it. Repetitions of a cell are one.
#[derive(Debug, Default, Serialize)]
pub(super) struct Cells {
    pub(super) stores: Vec<String>,
    pub(super) workloads: Vec<String>,
    pub(super) fills: Vec<String>,
    /// Id, store, workload and fill of each; there is no fill where −1 stands.
    cells: Vec<(String, usize, usize, isize)>,
    #[serde(skip)]
    places: BTreeMap<String, usize>,
    /// How many there are, repetitions included.
    #[serde(skip)]
    pub(super) count: usize,
}

impl Cells {
    pub(super) fn of(rows: &[Row]) -> Self {
        let told: BTreeMap<&str, Told> =
            rows.iter().map(|row| (without_repetition(&row.cell.id), Told::of(row))).collect();
        let stores = sorted(told.values().map(|told| &told.store));
        let workloads = sorted(told.values().map(|told| &told.workload));
        let mut fills = sorted(told.values().filter_map(|told| told.fill.as_ref()));
        fills.sort_by_key(|fill| fill.parse::<u64>().unwrap_or(u64::MAX));
        let at = |all: &[String], text: &str| all.iter().position(|known| known == text);
        let cell = |(id, told): (&&str, &Told)| {
            let fill = told.fill.as_ref().and_then(|fill| at(&fills, fill));
            (
                (*id).to_owned(),
                at(&stores, &told.store).unwrap_or(0),
                at(&workloads, &told.workload).unwrap_or(0),
                fill.map_or(-1, |place| place as isize),
            )
        };
        let cells: Vec<_> = told.iter().map(cell).collect();
        let places = told.keys().enumerate().map(|(place, id)| ((*id).to_owned(), place)).collect();
        let ids: BTreeSet<&str> = rows.iter().map(|row| row.cell.id.as_str()).collect();
        Self { stores, workloads, fills, cells, places, count: ids.len() }
    }

    /// The places of the cells that a number comes from.
    pub(super) fn places(&self, sources: &[Source]) -> Vec<usize> {
        let place = |source: &Source| match source {
            Source::Cell(id) => self.places.get(without_repetition(id)).copied(),
            Source::File(_) => None,
        };
        let places: BTreeSet<usize> = sources.iter().filter_map(place).collect();
        places.into_iter().collect()
    }

    /// What a number comes from, in words: each cell with the number of its processes, and links to files.
    pub(super) fn told(&self, sources: &[Source]) -> Links {
        let mut files = Vec::new();
        let mut processes: BTreeMap<&str, usize> = BTreeMap::new();
        for source in sources {
            match source {
                Source::File(path) => files.push(Link::file(path, path)),
                Source::Cell(id) => *processes.entry(without_repetition(id)).or_default() += 1,
            }
        }
        let cells = processes.iter().map(|(id, count)| {
            let there = if self.places.contains_key(*id) { "" } else { " (not in this run)" };
            Link::words(format!("{id} × {count}{there}"))
        });
        Links::joined(files.into_iter().chain(cells), ", ")
    }
}

/// What a cell says of itself.
#[derive(Debug)]
struct Told {
    store: String,
    workload: String,
    fill: Option<String>,
}

impl Told {
    fn of(row: &Row) -> Self {
        let labels = row.cell.work.family().labels();
        let label = |wanted: &str| {
            let found = labels.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, text)| text.clone())
        };
        Self {
            store: row.system.clone(),
            workload: WORKLOAD_LABELS.iter().find_map(|name| label(name)).unwrap_or_default(),
            fill: label("fill-percent"),
        }
    }
}

fn sorted<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    texts.collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture;

    #[test]
    fn repetitions_are_one_cell_with_what_it_is_chosen_by() {
        let rows = fixture::rows();
        let cells = Cells::of(&rows);
        assert!(cells.cells.len() < cells.count, "{} of {}", cells.cells.len(), cells.count);
        let sources: Vec<Source> = (0..3)
            .map(|number| format!("fragmentation/P4/jemalloc/Ample/1-Own/{number}"))
            .map(Source::Cell)
            .collect();
        let places = cells.places(&sources);
        assert_eq!(places.len(), 1);
        let (id, store, workload, fill) = &cells.cells[places[0]];
        assert_eq!(id, "fragmentation/P4/jemalloc/Ample/1-Own");
        assert_eq!((cells.stores[*store].as_str(), *fill), ("jemalloc", -1));
        assert_eq!(cells.workloads[*workload], "P4");
        assert_eq!(cells.told(&sources).to_string(), format!("{id} × 3"));
        let unknown = [Source::Cell("no/such/0".to_owned())];
        assert!(cells.places(&unknown).is_empty());
        assert_eq!(cells.told(&unknown).to_string(), "no/such × 1 (not in this run)");
    }
}
