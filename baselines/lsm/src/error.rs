//! What may go wrong, with numbers and a remedy.

use std::{fmt, io};

/// Why an operation was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The system refused a call to a file.
    Storage {
        /// What was being done, and to which file.
        what: String,
        /// The system's kind of error.
        kind: io::ErrorKind,
        /// The system's words.
        reason: String,
        /// Whether the operation may have taken effect nevertheless: it is in memory, and its
        /// record may or may not be in the log.
        may_be_applied: bool,
    },
    /// A file does not hold what was written to it.
    Corrupt {
        /// The file's name.
        file: String,
        /// What is wrong, and where.
        what: String,
    },
    /// The key is longer than a record can hold.
    KeyTooLong {
        /// The key's length.
        key_bytes: usize,
        /// The longest key.
        limit_bytes: usize,
    },
    /// The value is longer than a record can hold.
    ValueTooLong {
        /// The value's length.
        value_bytes: usize,
        /// The longest value.
        limit_bytes: usize,
    },
    /// The snapshot is older than the retention, and its versions may be gone.
    SnapshotExpired {
        /// The snapshot's timestamp.
        timestamp: u64,
        /// The retention, in milliseconds.
        retention_ms: u64,
    },
    /// Puts take no lock that a read-modify-write could share.
    NoReadModifyWrite,
}

impl Error {
    /// What the system said of a call to a file.
    pub(crate) fn storage(doing: &str, file: &str, error: &io::Error) -> Self {
        Self::Storage {
            what: format!("{doing} {file}"),
            kind: error.kind(),
            reason: error.to_string(),
            may_be_applied: false,
        }
    }

    pub(crate) fn corrupt(file: &str, what: impl Into<String>) -> Self {
        Self::Corrupt { file: file.to_owned(), what: what.into() }
    }

    /// The same, of an operation that is in memory already.
    pub(crate) fn after_applying(mut self) -> Self {
        if let Self::Storage { may_be_applied, .. } = &mut self {
            *may_be_applied = true;
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage { what, reason, may_be_applied, .. } => {
                let applied = if *may_be_applied { "may have taken effect" } else { "had no effect" };
                write!(
                    formatter,
                    "{what}: {reason}; the operation {applied}: free space or repair the disk, then \
                     repeat it"
                )
            }
            Self::Corrupt { file, what } => {
                write!(formatter, "{file} is damaged: {what}; restore it from a copy")
            }
            Self::KeyTooLong { key_bytes, limit_bytes } => write!(
                formatter,
                "a key of {key_bytes} bytes exceeds the limit of {limit_bytes}: shorten it"
            ),
            Self::ValueTooLong { value_bytes, limit_bytes } => write!(
                formatter,
                "a value of {value_bytes} bytes exceeds the limit of {limit_bytes}: split it"
            ),
            Self::SnapshotExpired { timestamp, retention_ms } => write!(
                formatter,
                "the snapshot of time {timestamp} is older than the retention of {retention_ms} ms: \
                 take another, or retain snapshots for longer"
            ),
            Self::NoReadModifyWrite => formatter.write_str(
                "puts take no locks, so nothing can be read and written as one: open the store with \
                 rmw=striped or sync=clsm",
            ),
        }
    }
}

impl std::error::Error for Error {}
