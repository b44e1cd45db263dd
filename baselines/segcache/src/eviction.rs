//! What is dropped when there is no room, by name, with the parameters of the crate's
//! documentation.

use std::fmt;
use std::str::FromStr;

use segcache::Policy;

/// A policy of eviction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eviction {
    /// Merges neighbouring segments, and drops what was asked for least. The paper's, and the one
    /// that compacts.
    #[default]
    Merge,
    /// A pool for new objects, of a tenth; those that are asked for again go to the main one.
    S3Fifo,
    /// The segment with the fewest live bytes.
    Utilisation,
    /// The oldest segment.
    Fifo,
    /// Any segment: the crate's default.
    Random,
}

impl Eviction {
    /// Every policy.
    pub const ALL: [Self; 5] =
        [Self::Merge, Self::S3Fifo, Self::Utilisation, Self::Fifo, Self::Random];

    pub(crate) fn policy(self) -> Policy {
        match self {
            // The paper's parameters.
            Self::Merge => Policy::Merge { max: 8, merge: 4, compact: 2 },
            Self::S3Fifo => Policy::S3Fifo { admission_ratio: 0.1 },
            Self::Utilisation => Policy::Util,
            Self::Fifo => Policy::Fifo,
            Self::Random => Policy::Random,
        }
    }
}

impl fmt::Display for Eviction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Merge => "merge",
            Self::S3Fifo => "s3-fifo",
            Self::Utilisation => "utilisation",
            Self::Fifo => "fifo",
            Self::Random => "random",
        })
    }
}

impl FromStr for Eviction {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|policy| policy.to_string() == name).ok_or(())
    }
}
