//! Rows put together by cell, and which of them count.

use std::collections::BTreeMap;

use super::table::Source;
use crate::cell::Cell;
use crate::record::{Outcome, Row};

/// The rows of one cell.
#[derive(Clone, Debug)]
pub(crate) struct Repetition<'a> {
    /// The cell.
    pub(crate) cell: &'a Cell,
    /// The system's name.
    pub(crate) system: &'a str,
    /// Its steps, in order.
    pub(crate) rows: Vec<&'a Row>,
}

/// Whether a step ended as it should: measured, or full where memory was the limit.
pub(crate) fn is_sound(row: &Row) -> bool {
    row.outcome == Outcome::Measured || (row.outcome == Outcome::Full && row.expected)
}

impl<'a> Repetition<'a> {
    /// Whether every step ended as it should. Other repetitions never enter a median: after a
    /// wrong value or a crash the numbers of the steps before are worth nothing either.
    pub(crate) fn counts(&self) -> bool {
        self.rows.iter().all(|row| is_sound(row))
    }

    /// The step called `name`.
    pub(crate) fn step(&self, name: &str) -> Option<&'a Row> {
        self.rows.iter().find(|row| row.step == name).copied()
    }

    /// Why it does not count, in words.
    pub(crate) fn reason(&self) -> String {
        match self.rows.iter().find(|row| !is_sound(row)) {
            Some(row) => {
                let reason = row.reason.as_deref().unwrap_or("no reason given");
                format!("{}: {reason}", row.outcome.word())
            }
            None => "it did not reach its last step".to_owned(),
        }
    }

    /// It, as what a number comes from.
    pub(crate) fn source(&self) -> Source {
        Source::Cell(self.cell.id.clone())
    }

    /// CPU time of all steps, in seconds.
    pub(crate) fn cpu_s(&self) -> f64 {
        self.rows.iter().map(|row| row.cpu.total_ns() as f64 / 1e9).sum()
    }
}

/// All of them, those that do not count included, as what a number comes from.
pub(crate) fn sources(all: &[&Repetition<'_>]) -> Vec<Source> {
    all.iter().map(|one| one.source()).collect()
}

/// All rows by cell, in the order of their ids; without cells that counted hardware events, whose
/// times are not to be compared with others.
pub(crate) fn repetitions(rows: &[Row]) -> Vec<Repetition<'_>> {
    let mut cells: BTreeMap<&str, Repetition<'_>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.cell.counters) {
        cells
            .entry(&row.cell.id)
            .or_insert_with(|| Repetition {
                cell: &row.cell,
                system: &row.system,
                rows: Vec::new(),
            })
            .rows
            .push(row);
    }
    cells.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture;

    #[test]
    fn cells_that_counted_hardware_events_are_left_out() {
        let rows = fixture::rows();
        let whole = repetitions(&rows).len();
        let mut counted = rows.clone();
        for row in &mut counted {
            row.cell.id.push_str("/counters");
            row.cell.counters = true;
            row.throughput_ops_per_s *= 100.0;
        }
        counted.extend(rows);
        let kept = repetitions(&counted);
        assert!(whole > 0 && kept.len() == whole);
        assert!(kept.iter().all(|one| !one.cell.counters));
    }
}
