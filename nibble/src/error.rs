//! Errors: one type per operation, with the numbers and the remedy.

use std::error::Error;
use std::fmt;
use std::io;

/// Why a store did not open.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// A block size that is no power of two between 4 KiB and 2 MiB.
    BlockSize {
        /// As configured.
        block_bytes: u64,
    },
    /// A field outside its range.
    OutOfRange {
        /// Name of the field.
        name: &'static str,
        /// As configured.
        value: u64,
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// Segments so large that their counters overflow.
    SegmentTooLarge {
        /// As configured.
        segment_bytes: u64,
        /// Largest segment.
        limit: u64,
    },
    /// Fewer than four segments fit.
    TooLittleMemory {
        /// As configured.
        object_memory_bytes: u64,
        /// Least for this segment size.
        needed: u64,
        /// Segment size in use.
        segment_bytes: u64,
    },
    /// More segments than ids.
    TooManySegments {
        /// As configured.
        object_memory_bytes: u64,
        /// Most for this segment size.
        limit: u64,
        /// Segment size in use.
        segment_bytes: u64,
    },
    /// Reserve and heads would take most of the memory.
    NothingLeft {
        /// Blocks of object memory.
        blocks: u64,
        /// Blocks for reserve and heads.
        set_aside: u64,
        /// Block size in use.
        block_bytes: u64,
    },
    /// The system refused address space or a thread.
    System(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BlockSize { block_bytes } => write!(
                out,
                "block_bytes = {block_bytes}: must be a power of two from 4096 to 2097152"
            ),
            Self::OutOfRange { name, value, least, most } => {
                write!(out, "{name} = {value}: must be between {least} and {most}")
            }
            Self::SegmentTooLarge { segment_bytes, limit } => {
                write!(out, "segment_bytes = {segment_bytes}: must be at most {limit}")
            }
            Self::TooLittleMemory { object_memory_bytes, needed, segment_bytes } => write!(
                out,
                "object_memory_bytes = {object_memory_bytes}: segments of {segment_bytes} bytes \
                 need at least {needed}; give more memory or set smaller segments"
            ),
            Self::TooManySegments { object_memory_bytes, limit, segment_bytes } => write!(
                out,
                "object_memory_bytes = {object_memory_bytes}: segments of {segment_bytes} bytes \
                 reach at most {limit}; set larger segments"
            ),
            Self::NothingLeft { blocks, set_aside, block_bytes } => write!(
                out,
                "reserve and heads take {set_aside} of {blocks} blocks of {block_bytes} bytes; \
                 give more memory or set smaller blocks, fewer heads or fewer workers"
            ),
            Self::System(error) => write!(out, "the system refused memory or threads: {error}"),
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// All slots of the epoch table are taken; drop a session first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySessions {
    /// Sessions a store can have at a time.
    pub limit: usize,
}

impl fmt::Display for TooManySessions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "all {} sessions are in use; drop one first", self.limit)
    }
}

impl Error for TooManySessions {}

/// The value does not fit the caller's buffer, which is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferTooShort {
    /// Bytes of the value.
    pub value_bytes: usize,
    /// Bytes of the buffer.
    pub buffer_bytes: usize,
}

impl fmt::Display for BufferTooShort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value_bytes, buffer_bytes } = self;
        write!(out, "a value of {value_bytes} bytes does not fit a buffer of {buffer_bytes}")
    }
}

impl Error for BufferTooShort {}

/// Why a value was not stored. What the store held before is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutError {
    /// No room, and compaction cannot make any. Later PUTs work again after deletions.
    Full,
    /// Larger than a segment holds.
    ValueTooLarge {
        /// Bytes of the value.
        value_bytes: usize,
        /// Largest value of this store.
        limit_bytes: usize,
    },
}

impl fmt::Display for PutError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => out.write_str("no room, and compaction cannot make any; delete first"),
            Self::ValueTooLarge { value_bytes, limit_bytes } => write!(
                out,
                "a value of {value_bytes} bytes exceeds the limit of {limit_bytes}; \
                 set larger segments"
            ),
        }
    }
}

impl Error for PutError {}
