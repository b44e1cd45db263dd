//! What a figure is made of: its table and the notes below it.

use std::collections::{BTreeMap, BTreeSet};

use super::fragmentation::is_beside;
use super::table::{Column, Table};
use record::repetition::Repetition;

/// Numbers of one figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    /// What gnuplot reads.
    pub(crate) table: Table,
    /// The table for people, where it is another one.
    pub(crate) shown: Option<Table>,
    /// Sentences that depend on the rows.
    pub(crate) notes: Vec<String>,
    /// Why there is nothing to draw, where it is not that the figure's suites were not run.
    pub(super) nothing: Option<String>,
    /// Where systems that were planned have no number, by system and reason.
    missing: BTreeMap<(String, String), Vec<String>>,
}

impl Data {
    /// The table that is drawn, as it is before its panels are dealt out.
    pub(crate) fn whole(self) -> Table {
        let alike = self.shown.filter(|shown| shown.columns == self.table.columns);
        alike.unwrap_or(self.table)
    }

    pub(super) fn new(columns: &[Column]) -> Self {
        Self { table: Table::new(columns), ..Self::default() }
    }

    /// Notes that `series` was planned at `place` and has no number there: what came of its
    /// repetitions instead.
    pub(super) fn note_absence(&mut self, series: &str, place: &str, all: &[&Repetition<'_>]) {
        let failed = all.iter().find(|one| !one.counts()).or(all.first());
        let reason = failed.map_or_else(|| "not measured".to_owned(), |one| one.reason());
        self.note_reason(series, place, reason);
    }

    /// Notes that `series` has no number at `place`, and why.
    pub(super) fn note_reason(&mut self, series: &str, place: &str, reason: String) {
        let places = self.missing.entry((series.to_owned(), reason)).or_default();
        // A series may stand in several panels.
        if !places.iter().any(|known| known == place) {
            places.push(place.to_owned());
        }
    }

    /// Where systems that were planned have no number, a sentence for each system and reason.
    pub(crate) fn missing(&self) -> Vec<String> {
        let sentences = self.missing.iter();
        sentences
            .map(|((series, reason), places)| format!("{series} ({}): {reason}", places.join("; ")))
            .collect()
    }

    /// Says how many repetitions the numbers come from, and how long the idle wait was.
    pub(super) fn note_repetitions(&mut self) {
        self.notes.extend(match self.counts() {
            None => None,
            Some((1, 1)) => Some("One repetition (n = 1): there is no spread to show.".to_owned()),
            Some((least, most)) if least == most => Some(format!(
                "Median of n = {most} repetitions; error bars from the lowest to the highest."
            )),
            Some((_, most)) => Some(format!(
                "Medians of n = {most} repetitions, fewer where said ({}); error bars from the \
                 lowest to the highest.",
                self.fewer(most)
            )),
        });
        let idle = self.distinct("idle-s");
        let idle: Vec<String> =
            idle.iter().map(|tenths| (*tenths as f64 / 10.0).to_string()).collect();
        if !idle.is_empty() && self.table.place("after-idle").is_some() {
            self.notes.push(format!("The idle wait was {} s.", idle.join(" or ")));
        }
    }

    /// Says how many processes the estimates come from, and what their ends are.
    pub(super) fn note_processes(&mut self) {
        self.notes.extend(self.counts().map(|(least, most)| {
            let number = if least == most {
                format!("n = {most}")
            } else {
                format!("n = {most} (fewer: {})", self.fewer(most))
            };
            match most {
                1 => {
                    "One process for each number (n = 1): there is no interval to show.".to_owned()
                }
                2 => format!("Medians of {number} processes; error bars: their range."),
                _ if least < 3 => format!(
                    "Medians of {number} processes; error bars: 95 % interval over processes, \
                     and the range of fewer than three."
                ),
                _ => format!(
                    "Medians of {number} processes; error bars: 95 % interval over processes."
                ),
            }
        }));
    }

    /// Which series have fewer than `most` repetitions somewhere, and how few.
    fn fewer(&self, most: u64) -> String {
        let mut fewer: BTreeMap<&str, u64> = BTreeMap::new();
        for row in self.drawn() {
            let count = self.table.number(row, "n");
            if count >= 1.0 && count < most as f64 {
                let least = fewer.entry(self.table.text(row, "series")).or_insert(most);
                *least = (*least).min(count as u64);
            }
        }
        let told = fewer.into_iter().map(|(series, count)| format!("{series} {count}"));
        told.collect::<Vec<_>>().join(", ")
    }

    fn drawn(&self) -> impl Iterator<Item = usize> {
        let rows = 0..self.table.rows.len();
        rows.filter(|&row| !is_beside(self.table.text(row, "panel")))
    }

    /// The fewest and the most repetitions behind a number that is drawn.
    fn counts(&self) -> Option<(u64, u64)> {
        let counts = self.distinct("n");
        Some((counts.first()? / 10, counts.last()? / 10))
    }

    /// Tenths of the numbers above 0 of a column, in what is drawn.
    fn distinct(&self, name: &str) -> BTreeSet<u64> {
        let numbers = self.drawn().map(|row| self.table.number(row, name));
        numbers.filter(|number| *number > 0.0).map(|number| (number * 10.0) as u64).collect()
    }
}
