//! Errors of file operations.

use std::error::Error;
use std::fmt;

use super::{FILE_BYTES_MAX, NAME_BYTES_MAX};

/// Why a file operation was refused. A refused operation changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// No such name, file or handle.
    NotFound,
    /// The name is taken.
    Exists,
    NotADirectory,
    /// It is a directory, but a file is needed.
    IsADirectory,
    /// The directory has entries.
    NotEmpty,
    /// A directory cannot move into itself or a descendant.
    IntoItself,
    /// The name is empty or longer than [`NAME_BYTES_MAX`].
    Name,
    /// The file would exceed [`FILE_BYTES_MAX`].
    TooLarge,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("no such file, directory or handle"),
            Self::Exists => f.write_str("the name is taken"),
            Self::NotADirectory => f.write_str("not a directory"),
            Self::IsADirectory => f.write_str("a directory, not a file"),
            Self::NotEmpty => f.write_str("the directory is not empty"),
            Self::IntoItself => f.write_str("a directory cannot move below itself"),
            Self::Name => write!(f, "names have 1 to {NAME_BYTES_MAX} bytes"),
            Self::TooLarge => write!(f, "files have at most {FILE_BYTES_MAX} bytes"),
        }
    }
}

impl Error for FileError {}
