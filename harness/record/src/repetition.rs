//! Groups rows by cell, and decides which of them count.

use std::collections::BTreeMap;

use crate::{Cell, KeyValue, Outcome, Role, Row, Work};

/// Where a number comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The cell of that id.
    Cell(String),
    /// A file in the run's folder.
    File(String),
}

/// The rows of one cell.
#[derive(Clone, Debug)]
pub struct Repetition<'a> {
    pub cell: &'a Cell,
    pub system: &'a str,
    /// Its steps, in order.
    pub rows: Vec<&'a Row>,
}

/// Whether a step ended as expected: measured, or full if memory was the limit.
#[must_use]
pub fn is_sound(row: &Row) -> bool {
    row.outcome == Outcome::Measured || (row.outcome == Outcome::Full && row.expected)
}

impl<'a> Repetition<'a> {
    /// Whether every step ended as expected. Other repetitions never enter a median: after a wrong value
    /// or a crash, the numbers of the earlier steps are worthless too.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.rows.iter().all(|row| is_sound(row))
    }

    /// The step called `name`.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&'a Row> {
        self.rows.iter().find(|row| row.step == name).copied()
    }

    /// Why the repetition does not count.
    #[must_use]
    pub fn reason(&self) -> String {
        match self.rows.iter().find(|row| !is_sound(row)) {
            Some(row) => {
                let reason = row.reason.as_deref().unwrap_or("no reason given");
                format!("{}: {reason}", row.outcome.word())
            }
            None => "it did not reach its last step".to_owned(),
        }
    }

    /// The cell as the source of a number.
    #[must_use]
    pub fn source(&self) -> Source {
        Source::Cell(self.cell.id.clone())
    }

    /// The role of the system in figures.
    #[must_use]
    pub fn role(&self) -> Role {
        self.rows.first().map_or(Role::Store, |row| row.role)
    }

    /// The node that measured it; empty where that is not known.
    #[must_use]
    pub fn node(&self) -> &'a str {
        self.rows.first().map_or("", |row| row.node.as_str())
    }

    /// Whether the cell belongs to `suite`.
    #[must_use]
    pub fn asked_by(&self, suite: &str) -> bool {
        self.rows.iter().any(|row| row.suites.iter().any(|name| name == suite))
    }

    /// The key-value workload; `None` for other work.
    #[must_use]
    pub fn requests(&self) -> Option<&'a KeyValue> {
        match &self.cell.work {
            Work::KeyValue(work) => Some(work),
            _ => None,
        }
    }

    /// CPU time of all steps, in seconds.
    #[must_use]
    pub fn cpu_s(&self) -> f64 {
        self.rows.iter().map(|row| row.cpu.total_ns() as f64 / 1e9).sum()
    }
}

/// The sources of a number that comes from all of `all`, including repetitions that do not count.
#[must_use]
pub fn sources(all: &[&Repetition<'_>]) -> Vec<Source> {
    all.iter().map(|one| one.source()).collect()
}

/// All rows by cell, in the order of their ids. Cells that counted hardware events are left out, because
/// their times are not comparable.
#[must_use]
pub fn repetitions(rows: &[Row]) -> Vec<Repetition<'_>> {
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

/// The id of a cell without its repetition.
#[must_use]
pub fn without_repetition(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(cell, _)| cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    #[test]
    fn cells_that_counted_hardware_events_are_left_out() {
        let rows: Vec<Row> =
            made_up::sample_cells().iter().map(|cell| made_up::row(cell, "run")).collect();
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
