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
}
