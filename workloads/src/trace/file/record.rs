//! What a trace consists of, and how a block of it becomes bytes.

use std::error::Error;
use std::fmt;

use super::Content;

/// A record of a trace. Records are encoded in blocks, and every block can be decoded without the
/// blocks before it.
pub trait Record: Copy + PartialEq + fmt::Debug {
    /// The content announced for traces of such records.
    const CONTENT: Content;

    /// When it happened, if such records have a time. Times never decrease within a trace.
    fn time_ns(&self) -> Option<u64>;

    /// The key, if such records have one.
    fn key(&self) -> Option<u64> {
        None
    }

    /// Appends the encoding of `records` to `out`. There are at most
    /// [`BLOCK_RECORDS`](super::BLOCK_RECORDS) records, with times in order.
    fn encode(records: &[Self], out: &mut Vec<u8>);

    /// Decodes `count` records from `raw` and appends them to `into`. Whatever the bytes, it
    /// allocates no more than `count` records need.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if `raw` is not the output of [`encode`](Self::encode); `into` is then
    /// unchanged.
    fn decode(raw: &[u8], count: usize, into: &mut Vec<Self>) -> Result<(), Malformed>;
}

/// Bytes that are not a block of records, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a block of records: {}", self.0)
    }
}

impl Error for Malformed {}
