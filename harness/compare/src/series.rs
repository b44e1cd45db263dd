//! What was measured of one metric: a value a process, with its unit and its good direction.

use serde::{Deserialize, Serialize};
use stats::Better;

/// The values of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Series {
    /// Unit, as `1/s`, `ns`, `ratio`. Series are compared only where it is the same.
    pub unit: String,
    /// Which direction is an improvement.
    pub better: Better,
    /// One value a process (or whatever the source repeats), in the order they were measured.
    pub values: Vec<f64>,
    /// The node that measured each value, where several nodes measured the run; empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
}
