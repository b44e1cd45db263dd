//! Errors of a transform and of the operations it produces.

use std::error::Error;
use std::fmt;

use crate::requests::Request;

/// Why a [`Transform`](super::Transform) is invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransformError {
    /// A factor is not a finite number above 0.
    Factor {
        /// The factor's name.
        name: &'static str,
        factor: f64,
    },
    /// The largest size exceeds the limit of a request.
    SizeMax { bytes: usize },
    /// The smallest size is above the largest.
    SizeMin { bytes: u32, bytes_max: usize },
    /// The sample is one key in 0.
    NoSample,
    /// The number of copies is 0.
    NoCopies,
    /// The number of operations to take is 0.
    NothingTaken,
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Factor { name, factor } => {
                write!(f, "{name} {factor}: must be a number above 0; 1 changes nothing")
            }
            Self::SizeMax { bytes } => {
                write!(f, "size_max {bytes}: must be at most {} bytes", Request::SIZE_MAX)
            }
            Self::SizeMin { bytes, bytes_max } => {
                write!(f, "size_min {bytes}: must be at most the largest size, {bytes_max} bytes")
            }
            Self::NoSample => {
                write!(f, "a sample of one key in 0: write at least 1, which keeps all")
            }
            Self::NoCopies => write!(f, "0 copies: write at least 1, which changes nothing"),
            Self::NothingTaken => {
                write!(f, "take 0: write at least 1, or leave it out to take everything")
            }
        }
    }
}

impl Error for TransformError {}

/// An error that a transformed trace yields in place of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransformedError<E> {
    /// The trace itself is faulty.
    Source(E),
    /// A value is too large for a request.
    TooLarge {
        /// The number of the operation in the trace, from 0.
        operation: u64,
        /// Its size after scaling.
        bytes: u64,
    },
}

impl<E: fmt::Display> fmt::Display for TransformedError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::TooLarge { operation, bytes } => write!(
                f,
                "operation {operation}: a value of {bytes} bytes is above {}: set size_max to \
                 clamp it or lower size_factor",
                Request::SIZE_MAX
            ),
        }
    }
}

impl<E: Error + 'static> Error for TransformedError<E> {}
