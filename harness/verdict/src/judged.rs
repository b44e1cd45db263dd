//! The verdict on one metric of one cell, with its evidence.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Better, RatioEstimate};

/// Whether B differs from A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "because")]
pub enum Verdict {
    /// It does, for the worse.
    Worse,
    /// It does, for the better.
    Better,
    /// It does not, by as much as was asked about.
    Unchanged,
    /// That cannot be told here and now.
    Unknown(Unknown),
}

/// Why something cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// Two measurements of the same thing differ by more than the effect asked about.
    Floor,
    /// The interval reaches from no change to more than the effect asked about.
    Interval,
    /// Fewer than three blocks were measured completely.
    TooFew,
    /// One look said changed, and the look meant to confirm it did not.
    Unconfirmed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Worse => "changed: worse",
            Self::Better => "changed: better",
            Self::Unchanged => "unchanged",
            Self::Unknown(Unknown::Floor) => "unknown: the floor is above the asked effect",
            Self::Unknown(Unknown::Interval) => "unknown: the interval is too wide",
            Self::Unknown(Unknown::TooFew) => "unknown: too few complete blocks",
            Self::Unknown(Unknown::Unconfirmed) => "unknown: not confirmed by fresh blocks",
        })
    }
}

/// One metric of one cell, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Judged {
    /// The cell.
    pub cell: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Its good direction.
    pub better: Better,
    /// The effect asked about, as a share: 0.05 is 5 %.
    pub tolerance: f64,
    /// Median of A.
    pub a: f64,
    /// Median of B.
    pub b: f64,
    /// B ÷ A with its interval, corrected for all that is judged together; absent of too few
    /// blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<RatioEstimate>,
    /// A measured again ÷ A in the same blocks, with its interval; absent where A was not measured
    /// again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<RatioEstimate>,
    /// What two measurements of the same thing may differ by, as a share.
    pub floor: f64,
    /// Whether B was measured again in fresh blocks before this was said.
    pub looked_twice: bool,
    /// What is said.
    #[serde(flatten)]
    pub verdict: Verdict,
}
