//! What is said of a relation.

use serde::Serialize;

/// Whether a relation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Whatever was judged lies within its bounds.
    Holds,
    /// Something lies outside its bounds.
    Fails,
    /// Nothing lies outside, and of something that cannot be excluded.
    Undecided,
    /// There is nothing to judge here.
    NotTestable,
}

impl Verdict {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Holds, Self::Fails, Self::Undecided, Self::NotTestable];

    /// For people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Undecided => "undecided",
            Self::NotTestable => "not testable",
        }
    }

    /// Of many together: fails where any does, holds where all do. Of none: not testable.
    pub(crate) fn together(verdicts: impl IntoIterator<Item = Self>) -> Self {
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
