//! What can go wrong with a store on disk.

use std::fmt;
use std::io;

use ect::BuildError;

/// An operation on the store, or opening it, failed.
#[derive(Debug)]
pub enum Error {
    /// The system refused a file operation.
    Io {
        /// What was tried.
        action: &'static str,
        /// The file's name in the store's folder.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// Bits on disk have changed.
    Corrupt {
        /// The file's name in the store's folder.
        file: String,
        /// What in it is wrong.
        what: String,
    },
    /// The store was made with other parameters.
    OtherParameters {
        /// Which.
        name: &'static str,
        /// As the store has it.
        stored: u64,
        /// As asked for.
        asked: u64,
    },
    /// A parameter is out of range.
    Parameter {
        /// Which.
        name: &'static str,
        /// Its value.
        value: u64,
        /// What is accepted.
        accepted: &'static str,
    },
    /// Two records of a SortedStore to be have the same hash, or they are not sorted.
    Build {
        /// The file being written.
        file: String,
        /// What is wrong.
        source: BuildError,
    },
    /// The input of a merge is not sorted.
    UnsortedMerge {
        /// The instance.
        instance: usize,
        /// Which input, and where.
        what: String,
    },
    /// The value is longer than the store's records hold.
    ValueTooLong {
        /// Its length.
        value_bytes: usize,
        /// The most.
        limit_bytes: usize,
    },
    /// Conversion or merging has failed before, so nothing can be put any more.
    Background {
        /// What failed.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, file, source } => write!(formatter, "{action} `{file}`: {source}"),
            Self::Corrupt { file, what } => write!(
                formatter,
                "`{file}` is damaged: {what}. Restore the file, or the store from elsewhere"
            ),
            Self::OtherParameters { name, stored, asked } => write!(
                formatter,
                "the store has {name} = {stored} and was opened with {asked}: open it as it is, or \
                 copy it into a new one"
            ),
            Self::Parameter { name, value, accepted } => {
                write!(formatter, "{name} = {value}: accepted are {accepted}")
            }
            Self::Build { file, source } => write!(formatter, "`{file}`: {source}"),
            Self::UnsortedMerge { instance, what } => {
                write!(formatter, "a merge of instance {instance}: {what}")
            }
            Self::ValueTooLong { value_bytes, limit_bytes } => write!(
                formatter,
                "a value of {value_bytes} bytes in records for {limit_bytes}: split it, or make a \
                 store with longer records"
            ),
            Self::Background { reason } => {
                write!(formatter, "work in the background has failed ({reason}): reopen the store")
            }
        }
    }
}

impl std::error::Error for Error {}
