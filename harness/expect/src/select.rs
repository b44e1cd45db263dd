//! Which rows a question selects, and why there may be none.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::estimate::Sample;
use crate::names::is_of_system;
use crate::place::by_place;
use crate::{Look, Question, Selection, Summary};

impl Selection {
    /// `family = key-value, threads = 1 or 2`.
    pub(crate) fn words(&self) -> String {
        let parts: Vec<String> = self
            .labels
            .iter()
            .map(|(label, values)| format!("{label} = {}", values.join(" or ")))
            .collect();
        if parts.is_empty() { "any labels".to_owned() } else { parts.join(", ") }
    }
}

/// How a reason begins if the run has no such rows.
pub const UNMEASURED: &str = "not measured in this run";

/// A selected row with the numbers to judge.
#[derive(Clone, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) row: &'a Summary,
    pub(crate) sample: Sample<'a>,
}

impl Row<'_> {
    /// What `look` sees of it.
    pub(crate) fn seen_by(&self, look: Look) -> Self {
        Self { row: self.row, sample: self.sample.seen_by(look) }
    }

    /// The value of a label, if the row has it.
    pub(crate) fn label(&self, label: &str) -> Option<&str> {
        self.row.labels.get(label).map(String::as_str)
    }
}

/// What a selection found.
#[derive(Debug, Default)]
pub(crate) struct Selected<'a> {
    /// In the order of their labels.
    pub(crate) rows: Vec<Row<'a>>,
    /// Why the other rows have no numbers, in the same order.
    pub(crate) absent: Vec<String>,
}

/// The rows of `question` that are on this `side`, which reasons call `name`.
///
/// # Errors
///
/// Which selection found nothing, or why no row that it found has numbers.
pub(crate) fn select<'a>(
    question: &Question,
    name: &str,
    side: &Selection,
    rows: &'a [Summary],
) -> Result<Selected<'a>, String> {
    let mut found: Vec<&Summary> = rows.iter().filter(|row| question.is_about(row)).collect();
    let preset = question.preset.as_ref();
    let preset = preset.map(|preset| format!(" (preset {} of {})", preset.name, preset.engine));
    let preset = preset.unwrap_or_default();
    if found.is_empty() {
        let words = question.rows.words();
        return Err(format!("{UNMEASURED}: no row{preset} has the labels of `where`: {words}"));
    }
    found.retain(|row| question.has_on_side(side, row));
    if found.is_empty() {
        let words = side.words();
        return Err(format!(
            "{UNMEASURED}: no row{preset} of `where` has those of `{name}`: {words}"
        ));
    }
    found.sort_by(|left, right| by_labels(&left.labels, &right.labels));
    let mut selected = Selected::default();
    for row in found {
        match Sample::new(row, &question.metric, question.method) {
            Ok(sample) => selected.rows.push(Row { row, sample }),
            Err(why) => selected.absent.push(format!("{}: {why}", system(row))),
        }
    }
    match selected.absent.first() {
        Some(why) if selected.rows.is_empty() => {
            Err(format!("nothing of `{name}` has numbers: {why}"))
        }
        _ => Ok(selected),
    }
}

/// The name of the row's system.
pub(crate) fn system(row: &Summary) -> &str {
    let named = row.labels.get("system").or_else(|| row.labels.get("engine"));
    named.map_or("a row", String::as_str)
}

/// The labels of `row` that `ignored` does not name.
pub(crate) fn labels_but(row: &Summary, ignored: impl Fn(&str) -> bool) -> BTreeMap<&str, &str> {
    let labels = row.labels.iter().map(|(label, value)| (label.as_str(), value.as_str()));
    labels.filter(|(label, _)| !ignored(label)).collect()
}

/// The labels in which compared rows may differ: those of the system, and those that `of` or `to`
/// names.
pub(crate) fn may_differ<'a>(
    of: &'a Selection,
    to: &'a Selection,
) -> impl Fn(&str) -> bool + use<'a> {
    |label| is_of_system(label) || of.labels.contains_key(label) || to.labels.contains_key(label)
}

/// By the labels of the work, then by the system; numbers by size.
fn by_labels(left: &BTreeMap<String, String>, right: &BTreeMap<String, String>) -> Ordering {
    let works = |labels: &BTreeMap<String, String>| -> Vec<(String, String)> {
        let works = labels.iter().filter(|(label, _)| !is_of_system(label));
        works.map(|(label, value)| (label.clone(), value.clone())).collect()
    };
    let (one, other) = (works(left), works(right));
    one.iter()
        .zip(&other)
        .map(|(one, other)| one.0.cmp(&other.0).then_with(|| by_place(&one.1, &other.1)))
        .find(|order| order.is_ne())
        .unwrap_or_else(|| one.len().cmp(&other.len()))
        .then_with(|| left.cmp(right))
}
