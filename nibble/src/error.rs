//! Errors: one type per operation, with the numbers and the remedy.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

/// Why a store did not open.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The block size is not a power of two between 4 KiB and 2 MiB.
    BlockSize {
        /// The configured value.
        block_bytes: u64,
    },
    /// A field is out of its range.
    OutOfRange {
        /// Name of the field.
        name: &'static str,
        /// The configured value.
        value: u64,
        /// Smallest allowed value.
        least: u64,
        /// Largest allowed value.
        most: u64,
    },
    /// Segments are so large that their counters would overflow.
    SegmentTooLarge {
        /// The configured value.
        segment_bytes: u64,
        /// Largest allowed segment.
        limit: u64,
    },
    /// Fewer than four segments fit into the memory.
    TooLittleMemory {
        /// The configured value.
        object_memory_bytes: u64,
        /// Memory needed for this segment size.
        needed: u64,
        /// Segment size in use.
        segment_bytes: u64,
    },
    /// There would be more segments than ids.
    TooManySegments {
        /// The configured value.
        object_memory_bytes: u64,
        /// The most memory for this segment size.
        limit: u64,
        /// Segment size in use.
        segment_bytes: u64,
    },
    /// Reserve and heads would take most of the memory.
    NothingLeft {
        /// Number of blocks of object memory.
        blocks: u64,
        /// Number of blocks for reserve and heads.
        set_aside: u64,
        /// Block size in use.
        block_bytes: u64,
    },
    /// The system refused address space or a thread. Of address space, the error says what it is
    /// for and how many bytes were asked for.
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
                 need at least {needed}; use more memory or smaller segments"
            ),
            Self::TooManySegments { object_memory_bytes, limit, segment_bytes } => write!(
                out,
                "object_memory_bytes = {object_memory_bytes}: segments of {segment_bytes} bytes \
                 reach at most {limit}; use larger segments"
            ),
            Self::NothingLeft { blocks, set_aside, block_bytes } => write!(
                out,
                "reserve and heads take {set_aside} of {blocks} blocks of {block_bytes} bytes; \
                 use more memory, smaller blocks, fewer heads or fewer workers"
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

/// All slots of the epoch table are taken. Drop a session first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySessions {
    /// How many sessions a store can have at a time.
    pub limit: usize,
}

impl fmt::Display for TooManySessions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "all {} sessions are in use; drop one first", self.limit)
    }
}

impl Error for TooManySessions {}

/// The value does not fit into the caller's buffer, whose contents are then unspecified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferTooShort {
    /// Length of the value.
    pub value_bytes: usize,
    /// Length of the buffer.
    pub buffer_bytes: usize,
}

impl fmt::Display for BufferTooShort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value_bytes, buffer_bytes } = self;
        write!(out, "a value of {value_bytes} bytes does not fit into a buffer of {buffer_bytes}")
    }
}

impl Error for BufferTooShort {}

/// No object of a store of byte strings has a key of this length. Nothing was looked up or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTooLong {
    /// Length of the key.
    pub key_bytes: usize,
    /// Longest key.
    pub limit_bytes: usize,
}

impl fmt::Display for KeyTooLong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key_bytes, limit_bytes } = self;
        write!(out, "a key of {key_bytes} bytes exceeds the limit of {limit_bytes}; use its hash")
    }
}

impl Error for KeyTooLong {}

/// What an operation on a byte string was refused for: its key, or `E`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyedError<E> {
    /// The key is too long.
    Key(KeyTooLong),
    /// As with words as keys.
    Value(E),
}

impl<E> From<KeyTooLong> for KeyedError<E> {
    fn from(error: KeyTooLong) -> Self {
        Self::Key(error)
    }
}

impl<E: fmt::Display> fmt::Display for KeyedError<E> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(out),
            Self::Value(error) => error.fmt(out),
        }
    }
}

impl<E: Error> Error for KeyedError<E> {}

/// Why a value was not stored, or a key not removed. The key's value is as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutError {
    /// There is no room, and compaction cannot make any; or the index has no more address space for
    /// a new key. PUTs succeed again after deletions.
    Full,
    /// There is no room, although enough is dead. For as long as PUTs wait, nothing was freed and
    /// another session was inside one and the same operation. PUTs succeed again once that session
    /// goes on.
    Stalled {
        /// That session's [`crate::Session::number`].
        session: usize,
        /// For how long, at least, it has been inside the operation.
        held: Duration,
    },
    /// The value is larger than a segment.
    ValueTooLarge {
        /// Length of the value.
        value_bytes: usize,
        /// Longest value of this store; among byte strings, beside this key.
        limit_bytes: usize,
    },
    /// Compaction panicked, so the store takes no more changes. GETs go on.
    Closed,
}

impl fmt::Display for PutError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => {
                out.write_str("no room, and compaction cannot make any; delete something first")
            }
            Self::Stalled { session, held } => write!(
                out,
                "no room is freed: session {session} has been inside one operation for {held:?}; \
                 see what keeps its thread"
            ),
            Self::ValueTooLarge { value_bytes, limit_bytes } => write!(
                out,
                "a value of {value_bytes} bytes exceeds the limit of {limit_bytes}; use larger \
                 segments"
            ),
            Self::Closed => out.write_str(
                "compaction panicked and the store takes no more changes; read what you need, and \
                 open another",
            ),
        }
    }
}

impl Error for PutError {}
