//! What a figure is drawn and told from.

use std::collections::{BTreeMap, BTreeSet};

use super::fragmentation::BESIDE;
use super::repetitions::Repetition;
use super::table::{Column, Table};

/// Numbers of one figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    /// What gnuplot reads.
    pub(crate) table: Table,
    /// What people read, where that is another table.
    pub(crate) shown: Option<Table>,
    /// Sentences that depend on the rows.
    pub(crate) notes: Vec<String>,
    /// Where systems that were planned have no number, by system and reason.
    missing: BTreeMap<(String, String), Vec<String>>,
}

impl Data {
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
        places.push(place.to_owned());
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
        let rows = 0..self.table.rows.len();
        let distinct = |name: &str| -> BTreeSet<u64> {
            let drawn = rows.clone().filter(|&row| self.table.text(row, "panel") != BESIDE);
            let numbers = drawn.map(|row| self.table.number(row, name));
            numbers.filter(|number| *number > 0.0).map(|number| (number * 10.0) as u64).collect()
        };
        let counts = distinct("n");
        if let (Some(least), Some(most)) = (counts.first(), counts.last()) {
            let (least, most) = (least / 10, most / 10);
            self.notes.push(match (least, most) {
                (1, 1) => "One repetition (n = 1): there is no spread to show.".to_owned(),
                _ if least == most => {
                    format!("Median of n = {most} repetitions; error bars from the lowest to the highest.")
                }
                _ => format!(
                    "Medians of n = {least} to {most} repetitions (the table says which); error \
                     bars from the lowest to the highest."
                ),
            });
        }
        let idle: Vec<String> =
            distinct("idle-s").iter().map(|tenths| (*tenths as f64 / 10.0).to_string()).collect();
        if !idle.is_empty() && self.table.place("after-idle").is_some() {
            self.notes.push(format!("The idle wait was {} s.", idle.join(" or ")));
        }
    }
}
