//! The row format is what `docs/src/format.md` says: version, and every field of every row of the
//! committed reference run.

use std::collections::BTreeSet;

use crate::common::{read, root};
use record::{SCHEMA, archive};
use serde_json::Value;

/// Objects whose keys are names of somebody else's: settings, counters, percentiles.
const OPEN: [&str; 7] = [
    "settings",
    "environment",
    "statistics",
    "options",
    "counters",
    "latency-ns",
    "latency-by-kind-ns",
];

/// Every field of `value`, those of open objects left out.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                found.insert(name.clone());
                if !OPEN.contains(&name.as_str()) {
                    fields(value, found);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

/// Words in back quotes, those that begin with a dot and those of paths included.
fn documented(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .flat_map(|words| [words, words.trim_start_matches("… ").trim_start_matches('.')])
        .flat_map(|words| [words, words.rsplit('.').next().unwrap_or(words)])
        .collect()
}

#[test]
fn every_field_of_every_row_is_described() {
    let format = read("docs/src/format.md");
    let known = documented(&format);
    let (_, rows) = archive::load(&root().join("results/reference")).unwrap();
    assert!(rows.len() > 1000, "{} rows", rows.len());
    let mut found = BTreeSet::new();
    for row in &rows {
        fields(&serde_json::to_value(row).unwrap(), &mut found);
    }
    let missing: Vec<&String> =
        found.iter().filter(|name| !known.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "docs/src/format.md does not name {missing:?}");
}

#[test]
fn labels_and_metrics_of_summaries_are_described() {
    let format = read("docs/src/format.md");
    let known = documented(&format);
    let folder = root().join("results/reference");
    let (_, rows) = archive::load(&folder).unwrap();
    let summaries = report::summaries::summaries(&folder, &rows).unwrap();
    let latency = |name: &str| name.ends_with("-ns") && name != "cpu-ns";
    for summary in &summaries {
        let labels = summary.labels.keys().filter(|name| !name.starts_with("set."));
        let metrics = summary.metrics.keys().filter(|name| !latency(name));
        for name in labels.chain(metrics) {
            assert!(known.contains(name.as_str()), "docs/src/format.md does not name `{name}`");
        }
    }
}

#[test]
fn the_version_is_that_of_the_program() {
    let format = read("docs/src/format.md");
    assert!(format.contains(&format!("this is format {SCHEMA} (`schema`)")));
    assert!(format.contains(&format!("| `schema` | – | {SCHEMA} |")));
}

/// A row that names a field which there is not is refused, and so is one that lacks one.
#[test]
fn rows_with_unknown_or_missing_fields_are_refused() {
    let (_, rows) = archive::load(&root().join("results/reference")).unwrap();
    let row = serde_json::to_value(&rows[0]).unwrap();
    let parses = |row: &Value| serde_json::from_value::<record::Row>(row.clone());
    assert_eq!(parses(&row).unwrap(), rows[0]);
    let mut more = row.clone();
    more["throughputs"] = Value::from(1);
    assert!(parses(&more).unwrap_err().to_string().contains("unknown field `throughputs`"));
    let mut less = row;
    less.as_object_mut().unwrap().remove("elapsed-ns");
    assert!(parses(&less).unwrap_err().to_string().contains("missing field `elapsed-ns`"));
}
