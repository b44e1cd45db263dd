//! Why parameters cannot be run.

use std::error::Error;
use std::fmt;

/// Why parameters cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParametersError {
    /// A number is out of bounds.
    OutOfRange {
        /// The name in messages.
        name: &'static str,
        value: u64,
        /// The smallest allowed value.
        min: u64,
        /// The largest allowed value.
        max: u64,
    },
    /// The smallest file is larger than the largest.
    SizesReversed { min_bytes: u32, max_bytes: u32 },
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
