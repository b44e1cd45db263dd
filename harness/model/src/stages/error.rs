//! Why parameters describe no store that the model covers.

use std::error::Error;
use std::fmt;

/// A refused parameter: which, what it was, and what to give instead.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParameterError {
    Range {
        name: &'static str,
        value: f64,
        /// What the value must be, as the end of a sentence.
        must: &'static str,
    },
    /// A level is smaller than the one above it.
    Shrinks {
        /// Counted from 1.
        level: usize,
        /// Size of that level, items.
        items: f64,
        /// Size of the level above, items.
        above_items: f64,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range { name, value, must } => write!(f, "{name} is {value}: it must be {must}"),
            Self::Shrinks { level, items, above_items } => write!(
                f,
                "level {level} holds {items} items, fewer than the {above_items} of the level above \
                 it: give sizes that do not fall, the last no larger than the number of keys"
            ),
        }
    }
}

impl Error for ParameterError {}

/// Accepts `value` within `range`.
pub(super) fn within(
    name: &'static str,
    value: f64,
    range: std::ops::RangeInclusive<f64>,
    must: &'static str,
) -> Result<(), ParameterError> {
    // A number that is none lies in no range.
    if range.contains(&value) { Ok(()) } else { Err(ParameterError::Range { name, value, must }) }
}
