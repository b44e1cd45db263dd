//! A whole comparison: two sides, how they were measured, and every finding.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Judged;

/// Version of the format of `comparison.json`.
pub const COMPARISON_SCHEMA: u32 = 2;

/// What was compared with what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Comparison {
    pub schema: u32,
    /// The command line.
    pub command: String,
    /// What the candidate is compared with.
    pub baseline: Side,
    /// What is judged.
    pub candidate: Side,
    /// How they were measured.
    pub how: How,
    /// Family-wise error rate: the share of comparisons of equal sides that may report any change.
    /// All intervals are corrected for it.
    pub error_rate: f64,
    /// Facts that should be equal and are not, as `fact: baseline and candidate`. A gate refuses them
    /// unless it is told to allow them; a comparison is marked with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlike: Vec<String>,
    /// Notes for the reader.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A finding for each metric of each cell.
    pub judged: Vec<Judged>,
    /// Instructions executed: beside time, never instead of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Instructions>,
    /// Wall time of measuring, in seconds.
    pub elapsed_s: f64,
    /// The run's folder.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
}

/// One of the two sides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Side {
    /// As it was named: a store, a settings suffix, a revision, a path.
    pub name: String,
    /// Facts: `revision`, `run`, `measured`, …
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
}

/// How the sides were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum How {
    /// In one session, in blocks of fresh processes in mirrored order.
    Interleaved {
        /// Blocks of each cell; suspicious cells have more.
        blocks: u32,
    },
    /// Each at its own time: a change of the machine in between looks like a change of the candidate.
    Apart,
}

/// Instructions per operation of one single-threaded cell, counted by callgrind in a generic build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Instructions {
    pub cell: String,
    pub baseline_per_operation: f64,
    pub candidate_per_operation: f64,
}

/// The overall result of a comparison, from harmless to grave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// Nothing changed.
    Unchanged,
    /// Something got better, nothing got worse, and nothing is unknown.
    Better,
    /// Something is unknown, and nothing is known to be worse.
    Unknown,
    /// Something got worse.
    Worse,
}

impl fmt::Display for Overall {
    /// The word that stands for it in files.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unchanged => "unchanged",
            Self::Better => "better",
            Self::Unknown => "unknown",
            Self::Worse => "worse",
        })
    }
}

impl Comparison {
    /// The gravest of its findings.
    #[must_use]
    pub fn overall(&self) -> Overall {
        let gravest = self.judged.iter().map(|judged| judged.finding.into()).max();
        // Of nothing, nothing can be told.
        gravest.unwrap_or(Overall::Unknown)
    }
}
