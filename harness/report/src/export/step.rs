//! One step as the columns ask for it. What is absent is an empty text.

use std::collections::BTreeMap;

use record::{Memory, MemoryPoint, Row};
use serde::Serialize;

use crate::summaries;

/// A row with its labels and metrics.
pub(super) struct Step<'a> {
    pub(super) row: &'a Row,
    labels: BTreeMap<String, String>,
    metrics: BTreeMap<String, f64>,
}

impl<'a> Step<'a> {
    pub(super) fn new(row: &'a Row) -> Self {
        let (labels, metrics) = summaries::of_one(row);
        Self { row, labels, metrics }
    }

    pub(super) fn label(&self, name: &str) -> String {
        self.labels.get(name).cloned().unwrap_or_default()
    }

    /// The settings of the system, `NAME=VALUE`, one space between two.
    pub(super) fn settings(&self) -> String {
        let settings = self.labels.iter().filter_map(|(label, value)| {
            label.strip_prefix("set.").map(|name| format!("{name}={value}"))
        });
        settings.collect::<Vec<_>>().join(" ")
    }

    /// Every label, `NAME=VALUE`, one space between two.
    pub(super) fn all_labels(&self) -> String {
        let labels = self.labels.iter().map(|(name, value)| format!("{name}={value}"));
        labels.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn metric(&self, name: &str) -> String {
        text(self.metrics.get(name))
    }

    pub(super) fn latency(&self, percentile: &str) -> String {
        text(self.row.latency_ns.get(percentile))
    }

    pub(super) fn at(
        &self,
        moment: impl Fn(&Memory) -> Option<MemoryPoint>,
        bytes: impl Fn(MemoryPoint) -> u64,
    ) -> String {
        text(self.row.memory.as_ref().and_then(moment).map(bytes))
    }
}

/// The value; nothing where it is absent.
pub(super) fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The word that rows have for `value`.
pub(super) fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("plain data");
    value.as_str().unwrap_or_default().to_owned()
}
