//! Makes a trace smaller, larger, faster or slower than recorded.
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
    /// The keys of the trace.
    #[default]
    Keep,
    /// One key in `one_in`, chosen by hash, with all of its operations (spatial sampling: C. A.
    /// Waldspurger et al., *Efficient MRC construction with SHARDS*, FAST 2015). The sample at a
    /// smaller rate is a subset of the sample at a larger rate.
    Sample {
        /// At least 1, which keeps all keys.
        one_in: u64,
    },
    /// `copies` copies of each key and each operation, at the same time. The first copy has the
    /// keys of the trace. Keys of different copies coincide only by a 64-bit coincidence.
    Replicate {
        /// At least 1, which changes nothing.
        copies: u32,
    },
}

/// How to change a trace. The default changes nothing, but values that are too large are errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Sizes are multiplied by this factor, which is above 0, and rounded.
    pub size_factor: f64,
    /// Larger sizes are reduced to this. `None`: sizes above [`Request::SIZE_MAX`] are errors.
    pub size_max: Option<u32>,
    /// Smaller sizes are raised to this. The 0 of a DELETE, and of a GET whose size is unknown,
    /// stays.
    pub size_min: u32,
    /// Which keys to keep or add.
    pub keys: KeyScaling,
    /// Times are divided by this factor, which is above 0, and rounded down; 2.0 is twice as fast.
    pub time_factor: f64,
    /// Operations of the trace to skip first.
    pub skip: u64,
    /// Operations of the trace to use after those skipped; `None`: all.
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
    /// Checks that every number is valid.
    ///
    /// # Errors
    ///
    /// Names the first number that is not.
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

    /// Transforms any iterator of operations. Its errors pass through, even among skipped
    /// operations.
    ///
    /// # Errors
    ///
    /// As for [`validate`](Self::validate).
    pub fn apply<I, E>(self, operations: I) -> Result<Transformed<I>, TransformError>
    where
        I: Iterator<Item = Result<Operation, E>>,
    {
        self.validate()?;
        Ok(Transformed::new(self, operations))
    }

    /// Transforms what a reader yields, and configures the reader to return values that are too
    /// large if the transform makes them small enough. With `size_max`, values of any size pass;
    /// those above `u32::MAX` bytes are scaled as if they had `u32::MAX`. Without it, values up to
    /// `u32::MAX` pass.
    ///
    /// # Errors
    ///
    /// As for [`validate`](Self::validate).
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
