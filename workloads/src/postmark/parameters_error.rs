//! Why parameters cannot be run.

use std::error::Error;
use std::fmt;

/// Why parameters cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParametersError {
    /// A number that has to be within bounds is not.
    OutOfRange {
        /// Which.
        name: &'static str,
        /// As given.
        value: u64,
        /// The smallest possible.
        min: u64,
        /// The largest possible.
        max: u64,
    },
    /// The smallest file is larger than the largest.
    SizesReversed {
        /// The smallest size, in bytes.
        min_bytes: u32,
        /// The largest size, in bytes.
        max_bytes: u32,
    },
}

impl fmt::Display for ParametersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { name, value, min, max } => {
                write!(f, "PostMark: {name} is {value}: give a number from {min} to {max}")
            }
            Self::SizesReversed { min_bytes, max_bytes } => write!(
                f,
                "PostMark: sizes run from {min_bytes} to {max_bytes} bytes: give the smaller first"
            ),
        }
    }
}

impl Error for ParametersError {}
