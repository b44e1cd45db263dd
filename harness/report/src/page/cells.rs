//! The appendix: every step of every cell, and the links that lead there from tables.

use std::collections::BTreeMap;
use std::path::Path;

use super::links::{Link, Links};
use super::table::{Field, Line, NOTHING, Table};
use crate::figures::table::prefixed;
use record::{
    Row,
    repetition::{Source, without_repetition},
};

/// A cell of the appendix.
#[derive(Debug, Default)]
struct Entry<'a> {
    /// Its place among the cells, from 1.
    number: usize,
    /// Its rows, each with its line in `rows.jsonl`, counted from 1.
    rows: Vec<(usize, &'a Row)>,
}

/// The rows of a run by cell, numbered in the order of the appendix.
#[derive(Debug)]
pub(super) struct Cells<'a> {
    folder: &'a Path,
    /// By id.
    cells: BTreeMap<&'a str, Entry<'a>>,
}

impl<'a> Cells<'a> {
    /// The cells of `rows`, which are in the order of `rows.jsonl` in `folder`.
    pub(super) fn of(folder: &'a Path, rows: &'a [Row]) -> Self {
        let mut cells: BTreeMap<&str, Entry<'_>> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            cells.entry(&row.cell.id).or_default().rows.push((place + 1, row));
        }
        for (number, cell) in cells.values_mut().enumerate() {
            cell.number = number + 1;
        }
        Self { folder, cells }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.cells.len()
    }

    /// A link from a cell's id to its rows.
    pub(super) fn link(&self, id: &str) -> Link {
        match self.cells.get(id) {
            Some(cell) => Link::here(format!("c{}", cell.number), id),
            None => Link::words(id),
        }
    }

    /// Links to what a number comes from: `3 cells` to the first of a cell's repetitions, which
    /// stand one after another, and one link for each cell where there are several.
    pub(super) fn links(&self, sources: &[Source]) -> Links {
        let mut files = Vec::new();
        let mut repeated: BTreeMap<&str, (usize, Option<usize>)> = BTreeMap::new();
        for source in sources {
            match source {
                Source::File(path) => files.push(Link::file(path, path)),
                Source::Cell(id) => {
                    let known = repeated.entry(without_repetition(id)).or_default();
                    known.0 += 1;
                    let number = self.cells.get(id.as_str()).map(|cell| cell.number);
                    known.1 = known.1.into_iter().chain(number).min();
                }
            }
        }
        let count: usize = repeated.values().map(|(count, _)| count).sum();
        let counted = if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") };
        let link = |number: Option<usize>, text: String| match number {
            Some(number) => Link::here(format!("c{number}"), text),
            None => Link::words(format!("{text} (not in this run)")),
        };
        let numbers: Vec<Option<usize>> =
            repeated.into_values().map(|(_, number)| number).collect();
        let mut each = Vec::new();
        match numbers.as_slice() {
            [] => {}
            [number] => files.push(link(*number, counted)),
            numbers => {
                files.push(Link::words(format!("{counted}: ")));
                let numbered = numbers.iter().enumerate();
                each.extend(numbered.map(|(place, number)| link(*number, (place + 1).to_string())));
            }
        }
        let mut links = Links::joined(files, ", ");
        links.0.extend(Links::joined(each, " ").0);
        links
    }

    /// Every step of every cell.
    pub(super) fn steps(&self) -> Table {
        let lines = self.cells.iter().flat_map(|(id, cell)| self.lines(id, cell)).collect();
        let headings = [
            "cell",
            "system",
            "step",
            "outcome",
            "#operations",
            "#elapsed, s",
            "#operations/s",
            "#memory, MiB",
            "flags",
            "files",
            "#line",
        ];
        Table::sortable(&headings, lines)
    }

    fn lines(&self, id: &str, cell: &Entry<'_>) -> Vec<Line> {
        let line = |(place, (at, row)): (usize, &(usize, &Row))| Line {
            anchor: if place == 0 { format!("c{}", cell.number) } else { String::new() },
            fields: vec![
                id.into(),
                row.system.as_str().into(),
                row.step.as_str().into(),
                outcome(row).into(),
                // An exact count, so the text is the number.
                Field::Number(row.operations.to_string(), row.operations as f64),
                seconds(row),
                rate(row),
                memory(row),
                row.flags.iter().map(|flag| flag.word()).collect::<Vec<_>>().join(", ").into(),
                Field::Linked(self.files(row)),
                Field::Number(at.to_string(), *at as f64),
            ],
        };
        cell.rows.iter().enumerate().map(line).collect()
    }

    /// Links to the files of a row, as far as they were kept.
    fn files(&self, row: &Row) -> Links {
        let named =
            [("curve", &row.curve), ("timeline", &row.timeline), ("histograms", &row.histograms)];
        let links = named.into_iter().filter_map(|(word, path)| {
            let path = path.as_deref()?;
            Some(if self.folder.join(path).is_file() {
                Link::file(path, word)
            } else {
                Link::words(format!("{word} (not kept)"))
            })
        });
        Links::joined(links, ", ")
    }
}

fn outcome(row: &Row) -> String {
    let word = row.outcome.word();
    if row.expected { word.to_owned() } else { format!("{word} (UNEXPECTED)") }
}

fn seconds(row: &Row) -> Field {
    let seconds = row.elapsed_ns as f64 / 1e9;
    Field::Number(format!("{seconds:.3}"), (seconds * 1e3).round() / 1e3)
}

fn rate(row: &Row) -> Field {
    // Rounded to what is shown: the full number is in the record.
    let rate = row.throughput_ops_per_s;
    if rate > 0.0 { Field::Number(prefixed(rate), rate.round()) } else { missing() }
}

fn memory(row: &Row) -> Field {
    let stood = row.positions.iter().map(|position| position.resident_bytes).max();
    let at_once = row.memory.as_ref().and_then(|memory| memory.at_once);
    match stood.or(at_once.map(|point| point.resident_bytes)) {
        Some(bytes) => {
            let tenths = (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0;
            Field::Number(format!("{tenths:.1}"), tenths)
        }
        None => missing(),
    }
}

fn missing() -> Field {
    Field::Number(NOTHING.to_owned(), f64::NAN)
}
