//! What a comparison says of one metric of one cell: the verdict on "B is like A, within the
//! tolerance", in the words of comparisons.
//!
//! | verdict | word | what stands beside it |
//! |---|---|---|
//! | holds | `unchanged` | |
//! | fails | `changed` | the direction: `worse` or `better` |
//! | undecided | `unknown` | the reason |

use std::fmt;

use serde::{Deserialize, Serialize};
use stats::Verdict;

use crate::Overall;

/// The verdict on one metric of one cell, with its direction or its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Finding {
    verdict: Verdict,
    /// Whether a change is for the worse.
    worse: bool,
    /// Why something is unknown.
    unknown: Option<Unknown>,
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
    /// The sides ask different things of the cell, such as another size.
    Unlike,
    /// One look said changed, and the look meant to confirm it did not.
    Unconfirmed,
}

impl Finding {
    /// B is like A, within the tolerance.
    pub const UNCHANGED: Self = Self { verdict: Verdict::Holds, worse: false, unknown: None };
    /// B differs from A, for the worse.
    pub const WORSE: Self = Self { verdict: Verdict::Fails, worse: true, unknown: None };
    /// B differs from A, for the better.
    pub const BETTER: Self = Self { verdict: Verdict::Fails, worse: false, unknown: None };

    /// The measurement does not tell.
    #[must_use]
    pub const fn unknown(why: Unknown) -> Self {
        Self { verdict: Verdict::Undecided, worse: false, unknown: Some(why) }
    }

    /// Whether B is like A.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        self.verdict
    }

    /// Whether B differs from A, in either direction.
    #[must_use]
    pub fn is_change(self) -> bool {
        self.verdict == Verdict::Fails
    }

    /// Whether it cannot be told.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        self.unknown.is_some()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match (self.verdict, self.unknown) {
            (Verdict::Fails, _) if self.worse => "changed: worse",
            (Verdict::Fails, _) => "changed: better",
            (_, None) => "unchanged",
            (_, Some(Unknown::Floor)) => "unknown: the floor is above the asked effect",
            (_, Some(Unknown::Interval)) => "unknown: the interval is too wide",
            (_, Some(Unknown::TooFew)) => "unknown: fewer than three values",
            (_, Some(Unknown::Unlike)) => "unknown: the sides ask different things",
            (_, Some(Unknown::Unconfirmed)) => "unknown: not confirmed by fresh blocks",
        })
    }
}

impl From<Finding> for Overall {
    /// The overall result of a comparison with this finding alone.
    fn from(finding: Finding) -> Self {
        match finding.verdict {
            Verdict::Holds => Self::Unchanged,
            Verdict::Fails if finding.worse => Self::Worse,
            Verdict::Fails => Self::Better,
            Verdict::Undecided | Verdict::NotTestable => Self::Unknown,
        }
    }
}

/// A finding as it stands in files: `"verdict": "unknown", "because": "floor"`.
#[derive(Serialize, Deserialize)]
struct Written {
    verdict: Overall,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    because: Option<Unknown>,
}

impl From<Finding> for Written {
    fn from(finding: Finding) -> Self {
        Self { verdict: finding.into(), because: finding.unknown }
    }
}

impl TryFrom<Written> for Finding {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        match (written.verdict, written.because) {
            (Overall::Unknown, Some(why)) => Ok(Self::unknown(why)),
            (Overall::Unknown, None) => Err("missing field `because`: why it is unknown"),
            (_, Some(_)) => Err("field `because` stands beside a verdict that is known"),
            (Overall::Unchanged, None) => Ok(Self::UNCHANGED),
            (Overall::Worse, None) => Ok(Self::WORSE),
            (Overall::Better, None) => Ok(Self::BETTER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_hold_the_word_and_the_reason() {
        for (finding, written) in [
            (Finding::UNCHANGED, r#"{"verdict":"unchanged"}"#),
            (Finding::WORSE, r#"{"verdict":"worse"}"#),
            (Finding::BETTER, r#"{"verdict":"better"}"#),
            (Finding::unknown(Unknown::TooFew), r#"{"verdict":"unknown","because":"too-few"}"#),
        ] {
            assert_eq!(serde_json::to_string(&finding).unwrap(), written);
            assert_eq!(serde_json::from_str::<Finding>(written).unwrap(), finding);
        }
        for wrong in [r#"{"verdict":"unknown"}"#, r#"{"verdict":"worse","because":"floor"}"#] {
            let error = serde_json::from_str::<Finding>(wrong).unwrap_err().to_string();
            assert!(error.contains("because"), "{error}");
        }
    }

    #[test]
    fn a_change_in_either_direction_fails_and_only_no_change_holds() {
        let verdicts = [Finding::UNCHANGED, Finding::WORSE, Finding::BETTER].map(Finding::verdict);
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Fails, Verdict::Fails]);
        let unknown = Finding::unknown(Unknown::Floor);
        assert_eq!(unknown.verdict(), Verdict::Undecided);
        assert!(unknown.is_unknown() && !unknown.is_change() && Finding::BETTER.is_change());
    }
}
