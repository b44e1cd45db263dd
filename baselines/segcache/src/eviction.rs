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
    /// Any segment: the crate's default.
    Random,
}

impl Eviction {
    /// Every policy that threads may use together. Those that rank segments (`Fifo`, `Cte`, `Util`)
    /// sort them by fields that other threads change meanwhile, and the sort panics when it notices.
    pub const ALL: [Self; 3] = [Self::Merge, Self::S3Fifo, Self::Random];

    pub(crate) fn policy(self) -> Policy {
        match self {
            // The paper's parameters.
            Self::Merge => Policy::Merge { max: 8, merge: 4, compact: 2 },
            Self::S3Fifo => Policy::S3Fifo { admission_ratio: 0.1 },
            Self::Random => Policy::Random,
        }
    }
}

impl fmt::Display for Eviction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Merge => "merge",
            Self::S3Fifo => "s3-fifo",
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
