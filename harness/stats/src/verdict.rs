//! What a measurement says about a bound.

use serde::{Deserialize, Serialize};

/// Whether a number keeps within what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval lies within the bounds.
    Holds,
    /// The whole interval lies outside a bound.
    Fails,
    /// The interval straddles a bound, or there are too few values for an interval.
    Undecided,
    /// There is nothing to judge: no values, or a machine that cannot be asked.
    NotTestable,
}

impl Verdict {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Holds, Self::Fails, Self::Undecided, Self::NotTestable];

    /// The word that stands for it everywhere.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Undecided => "undecided",
            Self::NotTestable => "not testable",
        }
    }

    /// Several together: fails if any fails, holds if all hold, is not testable if there are none,
    /// and is undecided otherwise.
    #[must_use]
    pub fn together(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts
            .into_iter()
            .reduce(|all, one| match (all, one) {
                (Self::Fails, _) | (_, Self::Fails) => Self::Fails,
                (Self::Holds, Self::Holds) => Self::Holds,
                _ => Self::Undecided,
            })
            .unwrap_or(Self::NotTestable)
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{self, Fails, Holds, NotTestable, Undecided};

    #[test]
    fn one_failure_decides_and_only_all_together_hold() {
        assert_eq!(Verdict::together([Holds, Holds]), Holds);
        assert_eq!(Verdict::together([Holds, Undecided, Fails]), Fails);
        assert_eq!(Verdict::together([Fails, NotTestable]), Fails);
        assert_eq!(Verdict::together([Undecided, Holds]), Undecided);
        assert_eq!(Verdict::together([Holds, NotTestable]), Undecided);
        assert_eq!(Verdict::together([]), NotTestable);
    }

    #[test]
    fn words_differ() {
        let words = Verdict::ALL.map(Verdict::word);
        assert_eq!(words, ["holds", "fails", "undecided", "not testable"]);
    }
}
