//! The finding on one metric of one cell, with its evidence.

use serde::{Deserialize, Serialize};
use stats::{Better, Interval};

use crate::{Finding, Values, written_ratio};

/// One metric of one cell, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Judged {
    pub cell: String,
    pub metric: String,
    pub unit: String,
    /// Its good direction.
    pub better: Better,
    /// The effect asked about, as a share: 0.05 is 5 %.
    pub tolerance: f64,
    /// What the baseline measured.
    pub baseline: Values,
    /// What the candidate measured.
    pub candidate: Values,
    /// Candidate ÷ baseline with its interval, corrected for all that is judged together; absent if there are too
    /// few blocks.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "written_ratio")]
    pub ratio: Option<Interval>,
    /// The baseline measured again ÷ the baseline in the same blocks, with its interval; absent where
    /// it was not measured again.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "written_ratio")]
    pub control: Option<Interval>,
    /// What two measurements of the same thing may differ by, as a share.
    pub floor: f64,
    /// Whether the candidate was measured again in fresh blocks before this was said.
    pub looked_twice: bool,
    /// What is said.
    #[serde(flatten)]
    pub finding: Finding,
}
