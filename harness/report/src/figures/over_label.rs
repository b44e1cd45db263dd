//! Cells of any family over one of their labels, a line for each combination of the others: a new
//! family needs no drawing code of its own.

use std::collections::{BTreeMap, BTreeSet};

use record::{Row, repetition::Repetition};
use workloads::bytes::format_bytes;

use super::asked_by;
use super::data::Data;
use super::key_value::of_suite;
use super::key_value::stores::shown;
use super::panels::{Axes, Drawing};
use super::samples::{Label, spot};

/// `over-label`: what `show` names of a suite's cells, over the label `x`. `set.NAME` is a setting of stores.
pub(super) fn over_label(suite: &str, (x, show): (&str, &[String]), rows: &[Row]) -> Data {
    let all = asked_by(suite, rows);
    let varying = varying(&all, x);
    let title = x.trim_start_matches(SETTING).trim_end_matches("-bytes");
    let title = match title.strip_suffix("-ns") {
        Some(what) => format!("{}, ns", what.replace('-', " ")),
        None => title.replace('-', " "),
    };
    let axes = Axes { log_x: is_bytes(x), ..Axes::over(&title) };
    let mut data = of_suite(&all, (Drawing::Lines, axes), |one| {
        let labels = labels(one, x);
        let Some(at) = labels.get(x) else { return Vec::new() };
        let others = varying.iter().filter(|name| *name != x);
        let named = others.filter_map(|name| Some(words(name, labels.get(name)?)));
        let series = Label::named(named.collect::<Vec<String>>().join(", "));
        let place = Label::new(at.parse().unwrap_or(0.0), in_units(x, at));
        let spots = shown(show)
            .into_iter()
            .map(|(measure, metric)| spot(measure, metric, series.clone(), place.clone()));
        spots.collect()
    });
    if !all.is_empty() && !all.iter().any(|one| labels(one, x).contains_key(x)) {
        let known: Vec<String> = labels(&all[0], x).into_keys().collect();
        data.notes.push(format!("No cell has the label `{x}`: they have {}.", known.join(", ")));
    }
    data
}

/// What labels of settings begin with, as in summaries.
const SETTING: &str = "set.";

/// The labels of a cell. Where one of its settings is the axis `x`, the system is named without it.
fn labels(one: &Repetition<'_>, x: &str) -> BTreeMap<String, String> {
    let own = one.cell.work.family().labels().into_iter();
    let mut labels: BTreeMap<_, _> = own.map(|(name, text)| (name.to_owned(), text)).collect();
    let wanted = x.strip_prefix(SETTING).map(|name| format!("{name}="));
    let value = |part: &str| part.strip_prefix(wanted.as_deref()?).map(str::to_owned);
    let mut system: Vec<&str> = one.system.split('@').collect();
    if let Some(value) = system.iter().find_map(|part| value(part)) {
        labels.insert(x.to_owned(), value);
        system.retain(|part| wanted.as_deref().is_none_or(|wanted| !part.starts_with(wanted)));
    }
    labels.insert("system".to_owned(), system.join("@"));
    labels
}

/// The labels that have more than one value among all cells.
fn varying(all: &[Repetition<'_>], x: &str) -> BTreeSet<String> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in all.iter().flat_map(|one| labels(one, x)) {
        values.entry(name).or_default().insert(text);
    }
    values.into_iter().filter(|(_, texts)| texts.len() > 1).map(|(name, _)| name).collect()
}

fn is_bytes(name: &str) -> bool {
    name.ends_with("-bytes")
}

fn in_units(name: &str, text: &str) -> String {
    match text.parse() {
        Ok(bytes) if is_bytes(name) => format_bytes(bytes),
        _ => text.to_owned(),
    }
}

/// `pages of 2MiB`, `4 chains`; a system goes by its name alone.
fn words(name: &str, text: &str) -> String {
    match name.strip_suffix("-bytes") {
        _ if name == "system" => text.to_owned(),
        Some(what) => format!("{what} of {}", in_units(name, text)),
        None if text == "1" => format!("1 {}", name.trim_end_matches('s')),
        None => format!("{text} {name}"),
    }
}
