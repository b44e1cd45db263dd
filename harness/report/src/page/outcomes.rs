//! The outcomes of all steps: counts, and the reason of each step that was not measured.

use std::collections::BTreeMap;

use super::table::{Field, Line, Table};
use record::{Outcome, Row, is_sound};

/// Steps by outcome and whether the plan allows for it.
pub(super) fn counts(rows: &[Row]) -> BTreeMap<(Outcome, bool), usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry((row.outcome, row.expected)).or_default() += 1;
    }
    counts
}

/// The counts as a sentence: `120 measured, 6 full (as planned), 1 crashed (UNEXPECTED)`.
pub(super) fn sentence(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "no steps".to_owned();
    }
    let words = counts(rows).into_iter().map(|((outcome, expected), count)| {
        let note = match (outcome, expected) {
            (Outcome::Measured, true) => "",
            (Outcome::Unavailable, true) => " (not on this machine)",
            (_, true) => " (as planned)",
            (_, false) => " (UNEXPECTED)",
        };
        format!("{count} {}{note}", outcome.word())
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Systems that are not on this machine, with the reason.
pub(super) fn left_out(rows: &[Row]) -> BTreeMap<&str, &str> {
    rows.iter()
        .filter(|row| row.outcome == Outcome::Unavailable)
        .map(|row| (row.system.as_str(), row.reason.as_deref().unwrap_or("no reason given")))
        .collect()
}

/// The counts, and every step that does not count as measured.
#[derive(Debug)]
pub(super) struct Outcomes {
    pub(super) sentence: String,
    pub(super) others: Table,
}

impl Outcomes {
    pub(super) fn of(rows: &[Row]) -> Self {
        let line = |row: &Row| -> Line {
            let cell = Field::Text(row.cell.id.clone());
            let reason = row.reason.as_deref().unwrap_or("no reason given");
            let planned = if row.expected { "yes" } else { "NO" };
            let (step, outcome) = (row.step.as_str(), row.outcome.word());
            vec![cell, step.into(), outcome.into(), planned.into(), reason.into()].into()
        };
        let others = rows.iter().filter(|row| !is_sound(row)).map(line).collect();
        let headings = ["cell", "step", "outcome", "as planned", "reason"];
        Self { sentence: sentence(rows), others: Table::sortable(&headings, others) }
    }
}
