//! What was compared, in words: the systems, and the labels in which the pairs differ.

use std::collections::BTreeSet;

use crate::Summary;
use crate::judged::Judged;
use crate::names::is_of_system;
use crate::select::system;

/// Words for each of `judged`, in their order.
pub(crate) fn words(judged: &[Judged<'_>]) -> Vec<String> {
    let varying = varying(judged);
    judged.iter().map(|judged| words_of(judged, &varying)).collect()
}

/// Labels of the work whose value differs among the numerators.
fn varying<'a>(judged: &[Judged<'a>]) -> BTreeSet<&'a str> {
    let rows: Vec<&'a Summary> = judged.iter().map(|judged| judged.of.row).collect();
    let Some(first) = rows.first() else { return BTreeSet::new() };
    let labels = rows.iter().flat_map(|row| row.labels.keys().map(String::as_str));
    labels
        .filter(|label| !is_of_system(label))
        .filter(|label| rows.iter().any(|row| row.labels.get(*label) != first.labels.get(*label)))
        .collect()
}

fn words_of(judged: &Judged<'_>, varying: &BTreeSet<&str>) -> String {
    let of = judged.of.row;
    let Some(to) = judged.to.as_ref().map(|row| row.row) else {
        let labels = varying.iter().filter_map(|label| phrase_of(of, label));
        return joined(std::iter::once(system(of).to_owned()).chain(labels));
    };
    let differing: BTreeSet<&str> = of
        .labels
        .keys()
        .chain(to.labels.keys())
        .map(String::as_str)
        .filter(|label| !is_of_system(label) && of.labels.get(*label) != to.labels.get(*label))
        .collect();
    let side = |row: &Summary| {
        joined(
            differing
                .iter()
                .map(|label| phrase_of(row, label).unwrap_or_else(|| format!("no {label}"))),
        )
    };
    let compared = match (system(of), system(to), differing.is_empty()) {
        (one, other, true) => format!("{one} ÷ {other}"),
        (one, other, false) if one == other => format!("{one}: {} ÷ {}", side(of), side(to)),
        (one, other, false) => format!("{one} ({}) ÷ {other} ({})", side(of), side(to)),
    };
    let shared = varying.iter().filter(|label| !differing.contains(*label));
    joined(std::iter::once(compared).chain(shared.filter_map(|label| phrase_of(of, label))))
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn phrase_of(row: &Summary, label: &str) -> Option<String> {
    row.labels.get(label).map(|value| phrase(label, value))
}

/// `2 threads`, `fill 50 %`, `zipfian:0.99`.
fn phrase(label: &str, value: &str) -> String {
    match label {
        "threads" if value == "1" => "1 thread".to_owned(),
        "threads" => format!("{value} threads"),
        "copies" if value == "1" => "1 copy".to_owned(),
        "copies" => format!("{value} copies"),
        "workload" | "keys" | "step" | "pattern" | "basis" | "family" | "trace" => value.to_owned(),
        "value-bytes" if value.ends_with('B') => format!("values of {value}"),
        "value-bytes" => format!("values of {value} B"),
        "resident" if value == "true" => "resident".to_owned(),
        "resident" if value == "false" => "not resident".to_owned(),
        _ => match (label.strip_suffix("-percent"), label.strip_suffix("-bytes")) {
            (Some(name), _) => format!("{name} {value} %"),
            (_, Some(name)) => {
                let unit = if value.ends_with('B') { "" } else { " B" };
                format!("{} {value}{unit}", name.replace('-', " "))
            }
            _ => format!("{} {value}", label.replace('-', " ")),
        },
    }
}
