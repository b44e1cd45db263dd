//! A summary row: all processes that measured one thing, put together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The values of one system under one work at one step: a line of `summary.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Summary {
    /// What was measured, as words: `system`, `family`, `step`, `threads` … (`docs/src/format.md`).
    pub labels: BTreeMap<String, String>,
    /// By metric, one value for each process that finished, in the order of repetitions.
    pub metrics: BTreeMap<String, Vec<f64>>,
    /// The round that each value was measured in, where both sides of a comparison were measured
    /// side by side; values of one round and one metric are put together. Empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<String>,
    /// The node that measured each value, where several nodes measured the run: the node then takes the place
    /// of the process, and a ratio is one within a node. Empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
    /// Whether the values are counts that cannot vary: one of them is enough.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// The conditions that may change a comparison by themselves, in words by name: `pages`, `transport` …
    /// Empty of what is no store.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
    /// Ids of the cells behind it, including those that did not finish.
    pub cells: Vec<String>,
    /// Why there are no values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}
