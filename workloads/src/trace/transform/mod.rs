//! A trace made smaller, larger, faster or slower than it was recorded.
//!
//! ```
//! use workloads::trace::formats::{self, Format};
//! use workloads::trace::transform::{KeyScaling, Transform};
//!
//! let text = "7,a,1,100,1,set,0\n9,b,1,300,1,set,0\n";
//! let reader = formats::open(Format::Twitter, text.as_bytes(), "two.csv").unwrap();
//! let transform = Transform {
//!     size_max: Some(200),
//!     keys: KeyScaling::Replicate { copies: 2 },
//!     time_factor: 4.0,
//!     ..Transform::default()
//! };
//! let operations: Vec<_> = transform.read(reader).unwrap().map(Result::unwrap).collect();
//! assert_eq!(operations.len(), 4);
//! assert_eq!((operations[3].time_ns, operations[3].value_bytes), (500_000_000, 200));
//! ```

mod error;
mod transformed;

pub use error::{TransformError, TransformedError};
pub use transformed::Transformed;

use super::Operation;
use super::formats::{LargeValues, Reader};
use crate::requests::Request;

/// Which keys a transformed trace has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyScaling {
    /// Those of the trace.
    #[default]
    Keep,
    /// One in so many, chosen by hash, with all of its operations (spatial sampling: C. A.
    /// Waldspurger et al., *Efficient MRC construction with SHARDS*, FAST 2015). A smaller rate
    /// chooses from the keys of a larger one.
    Sample {
        /// From 1, which keeps all.
        one_in: u64,
    },
    /// So many copies of each, and of each operation, at the same time. The first copy has the
    /// keys of the trace; those of different copies meet only by a 64-bit accident.
    Replicate {
        /// From 1, which changes nothing.
        copies: u32,
    },
}

/// How to change a trace. The default keeps it, but for values that are too large, which are
/// errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Sizes are multiplied by it and rounded. Above 0.
    pub size_factor: f64,
    /// Larger sizes become it; `None`: sizes above [`Request::SIZE_MAX`] are errors.
    pub size_max: Option<u32>,
    /// Smaller sizes become it. The 0 of a DELETE, and of a GET whose trace does not tell the size,
    /// stays.
    pub size_min: u32,
    /// Which keys stay or come.
    pub keys: KeyScaling,
    /// 2.0 is twice as fast: times are divided by it and rounded down. Above 0.
    pub time_factor: f64,
    /// Operations of the trace to leave out first.
    pub skip: u64,
    /// Operations of the trace to look at after these; `None`: all.
    pub take: Option<u64>,
}

impl Default for Transform {
    fn default() -> Self {
        Self {
            size_factor: 1.0,
            size_max: None,
            size_min: 0,
            keys: KeyScaling::Keep,
            time_factor: 1.0,
            skip: 0,
            take: None,
        }
    }
}

impl Transform {
    /// Whether every number is one that can be used.
    ///
    /// # Errors
    ///
    /// Names the first that cannot.
    pub fn validate(&self) -> Result<(), TransformError> {
        for (name, factor) in [("size_factor", self.size_factor), ("time_factor", self.time_factor)]
        {
            if !(factor.is_finite() && factor > 0.0) {
                return Err(TransformError::Factor { name, factor });
            }
        }
        let bytes_max = self.size_max.map_or(Request::SIZE_MAX, |bytes| bytes as usize);
        if bytes_max > Request::SIZE_MAX {
            return Err(TransformError::SizeMax { bytes: bytes_max });
        }
        if self.size_min as usize > bytes_max {
            return Err(TransformError::SizeMin { bytes: self.size_min, bytes_max });
        }
        match self.keys {
            KeyScaling::Sample { one_in: 0 } => Err(TransformError::NoSample),
            KeyScaling::Replicate { copies: 0 } => Err(TransformError::NoCopies),
            _ if self.take == Some(0) => Err(TransformError::NothingTaken),
            _ => Ok(()),
        }
    }

    /// Changes any operations. Their errors pass, also while operations are left out.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
    pub fn apply<I, E>(self, operations: I) -> Result<Transformed<I>, TransformError>
    where
        I: Iterator<Item = Result<Operation, E>>,
    {
        self.validate()?;
        Ok(Transformed::new(self, operations))
    }

    /// Changes what a reader gives, and has it give values that are too large where this makes
    /// them small enough: with `size_max` of any size, though scaled as if they had `u32::MAX`
    /// bytes where they have more, else up to `u32::MAX`.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
    pub fn read(self, reader: Reader<'_>) -> Result<Transformed<Reader<'_>>, TransformError> {
        let large_values = match self.size_max {
            Some(_) => LargeValues::Saturate,
            None => LargeValues::Give,
        };
        self.apply(reader.large_values(large_values))
    }
}

#[cfg(test)]
mod tests;
