//! The settings in which two key-value cells can differ. Each has one row with its name in suites and on
//! the command line, its label, its part of a cell's id, and its wording. All code that lists settings
//! reads this table, so a new setting is a field of [`KeyValue`], a row here, and the code that
//! implements it.

mod table;
mod words;

use crate::KeyValue;

pub use table::DIMENSIONS;
pub use words::{in_bytes, short};

#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Its key in the `[[key-value]]` tables of suites, and its option.
    pub name: &'static str,
    /// The label by which rows are selected.
    pub label: &'static str,
    /// Axis title, with the unit.
    pub title: &'static str,
    /// Its effect, in a sentence.
    pub help: &'static str,
    /// How suites and options specify it.
    pub given: Given,
    /// Its value as text; `None` where the cell has no such setting.
    pub get: fn(&KeyValue) -> Option<String>,
    /// Sets it from text.
    pub set: fn(&mut KeyValue, &str) -> Result<(), String>,
    /// Its part of a cell's id; empty for the usual value.
    pub id: fn(&KeyValue) -> String,
    /// The wording of a value on its own; empty for the usual value.
    pub words: fn(&str) -> String,
}

/// How a dimension's values are specified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// As a list of values in a suite, and as an option of the same name.
    Plainly,
    /// As a list of values in a suite; on the command line by other options.
    InSuites,
    /// By other keys and options, because it depends on the machine or on other settings.
    Otherwise,
}

/// Labels of the other families of work, and of every row.
pub const OTHER_LABELS: [&str; 18] = [
    "basis",
    "between",
    "copy-bytes",
    "engine",
    "family",
    "frees",
    "live-bytes",
    "memory-bytes",
    "observe",
    "page-bytes",
    "pattern",
    "region-bytes",
    "spaces",
    "step",
    "system",
    "updates",
    "window-bytes",
    "windows",
];

/// Names of all labels that rows may have, except those of stores' own settings.
pub fn label_names() -> impl Iterator<Item = &'static str> {
    DIMENSIONS.iter().map(|dimension| dimension.label).chain(OTHER_LABELS)
}

impl Dimension {
    /// The dimension with that name in suites.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        DIMENSIONS.iter().find(|dimension| dimension.name == name)
    }
}

/// Labels of requests, by name.
#[must_use]
pub fn labels(work: &KeyValue) -> Vec<(&'static str, String)> {
    let label = |dimension: &Dimension| Some((dimension.label, (dimension.get)(work)?));
    DIMENSIONS.iter().filter_map(label).collect()
}

/// All settings that distinguish two key-value workloads, without the sizes of the scale: the part of a
/// cell's id between its family and its system.
#[must_use]
pub fn name(work: &KeyValue) -> String {
    let parts: String = DIMENSIONS.iter().map(|dimension| (dimension.id)(work)).collect();
    parts.trim_start_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use workloads::requests::Workload;

    use super::*;

    fn plain() -> KeyValue {
        KeyValue::plain(Workload::by_name("get-50").unwrap(), 64 << 20)
    }

    #[test]
    fn names_and_labels_are_unique() {
        for of in [|row: &Dimension| row.name, |row: &Dimension| row.label] {
            let names: BTreeSet<&str> = DIMENSIONS.iter().map(of).collect();
            assert_eq!(names.len(), DIMENSIONS.len());
        }
    }

    #[test]
    fn what_is_set_is_what_is_got() {
        for (name, value) in [
            ("distributions", "zipfian:0.99"),
            ("value-bytes", "64"),
            ("key-bytes", "8-64"),
            ("lifetime-ms", "250"),
            ("fill-percent", "80"),
            ("cache-percent", "25"),
            ("threads", "7"),
            ("batch", "32"),
            ("rate-ops-per-s", "250000"),
            ("ageing", "churn:2"),
            ("source", "in-loop"),
            ("resident", "false"),
            ("latency", "all"),
            ("think-ns", "500"),
            ("phases", "2-15-0"),
            ("sampled", "epochs"),
        ] {
            let row = Dimension::by_name(name).unwrap();
            let mut work = plain();
            (row.set)(&mut work, value).unwrap();
            assert_eq!((row.get)(&work).as_deref(), Some(value), "{name}");
            assert!((row.set)(&mut work, "no such value").is_err(), "{name}");
        }
    }

    /// These ids occur in published runs.
    #[test]
    fn ids_say_what_differs_and_nothing_usual() {
        let mut work = plain();
        assert_eq!(work.name(), "get-50-uniform-value-1KiB-fill-50-threads-1-batch-1");
        for (name, value) in [
            ("distributions", "zipfian:0.99"),
            ("value-bytes", "64"),
            ("ageing", "rewrites:1"),
            ("source", "in-loop"),
            ("resident", "false"),
            ("latency", "all"),
        ] {
            (Dimension::by_name(name).unwrap().set)(&mut work, value).unwrap();
        }
        assert_eq!(
            work.name(),
            "get-50-zipfian:0.99-value-64-fill-50-threads-1-batch-1-rewrites:1-in-loop-not-resident\
             -all-timed"
        );
        let rate = Dimension::by_name("rate-ops-per-s").unwrap();
        (rate.set)(&mut work, "1000").unwrap();
        assert!(work.name().contains("-threads-1-poisson-1000-rewrites:1"), "{}", work.name());
        assert!(!work.name().contains("all-timed"), "every request of an open loop is timed");
    }
}
