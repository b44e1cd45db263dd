//! Errors of reading and writing traces.

use std::error::Error;
use std::fmt;
use std::io;

use super::{Content, KEY_TEXT_BYTES_MAX, TEXT_BYTES_MAX, VERSION};

/// A trace that cannot be read, or not any further.
#[derive(Debug)]
pub struct TraceError {
    pub name: String,
    /// The offset in the file at which the error shows.
    pub offset: u64,
    pub kind: TraceErrorKind,
}

/// What is wrong with a trace.
#[derive(Debug)]
pub enum TraceErrorKind {
    /// Reading failed.
    Io(io::Error),
    /// The file does not begin like a trace.
    NotATrace {
        /// Its first bytes, at most 8.
        first_bytes: Vec<u8>,
    },
    /// The trace was written in a newer, unknown version.
    Newer {
        /// The trace's version.
        version: u32,
    },
    /// The file ends within its header.
    HeaderCutShort,
    HeaderDamaged {
        /// How the damage shows.
        what: String,
    },
    /// The trace contains other records than expected.
    WrongContent {
        /// What it contains.
        found: Content,
        /// What was expected.
        wanted: Content,
    },
    /// A block, or the end block, is damaged.
    Damaged {
        /// How the damage shows.
        what: String,
        /// Records in the preceding blocks.
        complete_records: u64,
    },
    /// The end block is missing. The offset is the end of the last complete block.
    Unfinished {
        complete_records: u64,
        complete_blocks: u64,
        /// Bytes behind them, from a truncated block.
        torn_bytes: u64,
    },
    /// The trace is complete, but the file continues.
    Trailing,
}

impl TraceErrorKind {
    /// Whether the blocks before the offset are intact, so that a repair can keep them.
    pub(super) fn leaves_blocks(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Unfinished { .. } | Self::Trailing)
    }
}

impl fmt::Display for TraceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "reading failed: {error}"),
            Self::NotATrace { first_bytes } if first_bytes.is_empty() => {
                write!(f, "not a trace of this format: it is empty")
            }
            Self::NotATrace { first_bytes } => {
                let begin = first_bytes.escape_ascii();
                write!(f, "not a trace of this format: it begins with \"{begin}\"")
            }
            Self::Newer { version } => write!(
                f,
                "written in version {version} of the format; this program reads version {VERSION}"
            ),
            Self::HeaderCutShort => write!(f, "the file ends within its header"),
            Self::HeaderDamaged { what } => write!(f, "the header is damaged: {what}"),
            Self::WrongContent { found, wanted } => {
                write!(f, "a trace of {found}, but one of {wanted} is asked for")
            }
            Self::Damaged { what, .. } => write!(f, "damaged: {what}"),
            Self::Unfinished { complete_records, complete_blocks, torn_bytes } => write!(
                f,
                "no end block: its recording was cut after {complete_records} records in \
                 {complete_blocks} complete blocks, {torn_bytes} bytes of another follow"
            ),
            Self::Trailing => write!(f, "the trace ends here, but more bytes follow"),
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, offset, kind } = self;
        write!(f, "trace {name}, byte {offset}: {kind}; ")?;
        match kind {
            TraceErrorKind::Io(_) => write!(f, "try again, or read a copy"),
            TraceErrorKind::NotATrace { .. } => {
                write!(f, "convert traces of other formats with `nibble-bench trace convert`")
            }
            TraceErrorKind::Newer { .. } => {
                write!(f, "use the nibble-bench that wrote it or a newer one")
            }
            TraceErrorKind::HeaderCutShort | TraceErrorKind::HeaderDamaged { .. } => {
                write!(f, "copy it from its origin again, or record it again")
            }
            TraceErrorKind::WrongContent { found, .. } => {
                write!(f, "give a command that takes {found}, or another trace")
            }
            TraceErrorKind::Damaged { complete_records, .. } => write!(
                f,
                "copy it from its origin again, or keep the {complete_records} records before \
                 that with `nibble-bench trace repair {name}`"
            ),
            TraceErrorKind::Unfinished { .. } => {
                write!(f, "`nibble-bench trace repair {name}` keeps the complete blocks")
            }
            TraceErrorKind::Trailing => {
                write!(f, "`nibble-bench trace repair {name}` keeps only the trace")
            }
        }
    }
}

impl Error for TraceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            TraceErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// A trace that cannot be written.
#[derive(Debug)]
pub enum WriteError {
    /// Writing failed. The blocks before are complete.
    Io(io::Error),
    /// An earlier error left a half-written block; nothing can follow it.
    Broken,
    /// The header announces another kind of record.
    WrongContent {
        /// What the header announces.
        announced: Content,
        /// What the writer takes.
        records: Content,
    },
    /// The texts of the header, or the notes at the end, exceed the limit in total.
    TextTooLong,
    /// The header announces no texts of keys, and one is told.
    NoTexts,
    /// A record whose key has no text, in a trace whose keys have texts. It was not written.
    Unnamed { key: u64 },
    /// The text of a key is longer than the limit.
    KeyTooLong { bytes: usize },
    /// Two keys of the trace would have the same text.
    SameText {
        /// With its bytes that are not ASCII escaped.
        text: String,
    },
    /// A record is older than its predecessor. It was not written.
    Backwards {
        /// The position it would have had, from 0.
        record: u64,
        time_ns: u64,
        /// The time of its predecessor.
        before_ns: u64,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(
                f,
                "writing a trace failed: {error}; the blocks before are complete; make room and \
                 keep them with `nibble-bench trace repair`"
            ),
            Self::Broken => write!(
                f,
                "nothing can be written after a block that an error cut off; keep the blocks \
                 before it with `nibble-bench trace repair`"
            ),
            Self::WrongContent { announced, records } => write!(
                f,
                "the header announces {announced}, the records are {records}; set `content` to \
                 what is recorded"
            ),
            Self::TextTooLong => write!(
                f,
                "the texts of a trace's header, or of its end, take more than {TEXT_BYTES_MAX} \
                 bytes; shorten parameters or notes"
            ),
            Self::NoTexts => write!(
                f,
                "a text of a key is told, and the header announces none; set `keys` to texts"
            ),
            Self::Unnamed { key } => write!(
                f,
                "key {key:016x} has no text, and the header announces texts; tell it before the \
                 first record of the key"
            ),
            Self::KeyTooLong { bytes } => write!(
                f,
                "a key of {bytes} bytes; texts of keys have at most {KEY_TEXT_BYTES_MAX}; convert \
                 the trace with `--keys numbers`"
            ),
            Self::SameText { text } => write!(
                f,
                "two keys would be the text \"{text}\"; convert the trace with `--keys numbers`"
            ),
            Self::Backwards { record, time_ns, before_ns } => write!(
                f,
                "record {record} of a trace has time {time_ns} ns, the one before it {before_ns} \
                 ns; sort records by time, or record with a monotonic clock"
            ),
        }
    }
}

impl Error for WriteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}
