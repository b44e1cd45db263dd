//! What a trace is a sequence of, and how a block of it becomes bytes.

use std::error::Error;
use std::fmt;

use super::Content;

/// A record of a trace, encoded by the block. Every block is read alone: nothing of the blocks
/// before it is needed.
pub trait Record: Copy + PartialEq + fmt::Debug {
    /// What a trace of such records holds.
    const CONTENT: Content;

    /// When it happened, where such records have a time. Times of a trace never run backwards.
    fn time_ns(&self) -> Option<u64>;

    /// Appends `records` to `out`, at most [`BLOCK_RECORDS`](super::BLOCK_RECORDS) of them and
    /// their times in order.
    fn encode(records: &[Self], out: &mut Vec<u8>);

    /// Appends the `count` records of which `raw` consists to `into`. Whatever bytes are given,
    /// nothing more than what `count` records need is allocated.
    ///
    /// # Errors
    ///
    /// [`Malformed`] where `raw` is nothing that [`encode`](Self::encode) writes; `into` is
    /// as it was before.
    fn decode(raw: &[u8], count: usize, into: &mut Vec<Self>) -> Result<(), Malformed>;
}

/// Bytes that are not a block of records: what about them cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a block of records: {}", self.0)
    }
}

impl Error for Malformed {}
