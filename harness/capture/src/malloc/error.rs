//! Errors of recording a program, or of reading a recording.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there is no readable recording.
#[derive(Debug)]
pub enum CaptureError {
    /// No program was named.
    NoCommand,
    /// The recording library is missing.
    NoLibrary {
        /// Where it was searched for.
        looked_for: Vec<PathBuf>,
    },
    /// The library's path contains characters by which the dynamic loader separates libraries.
    UnloadableLibrary { library: PathBuf },
    /// The chosen folder already contains recordings.
    FolderInUse { folder: PathBuf },
    /// A system call failed.
    System {
        /// The action that failed.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// No process allocated through the library.
    NothingRecorded { program: String },
    /// No process ran the requested program.
    NoSuchProcess {
        name: String,
        /// The programs that were recorded.
        recorded: Vec<String>,
    },
    /// A recording is truncated or was overwritten.
    Damaged {
        path: PathBuf,
        /// Offset in bytes.
        offset: u64,
        reason: String,
    },
}

impl fmt::Display for CaptureError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand => {
                write!(formatter, "no program to record: name one and its arguments")
            }
            Self::NoLibrary { looked_for } => {
                write!(formatter, "the library that records is missing; looked for")?;
                for (number, path) in looked_for.iter().enumerate() {
                    let between = if number == 0 { "" } else { "," };
                    write!(formatter, "{between} {}", path.display())?;
                }
                write!(
                    formatter,
                    ": cargo build --release -p nibble-preload, or name it in \
                     NIBBLE_PRELOAD_LIBRARY"
                )
            }
            Self::UnloadableLibrary { library } => write!(
                formatter,
                "{}: the dynamic loader takes no library with a space or a colon in its path: \
                 copy it elsewhere and name it in NIBBLE_PRELOAD_LIBRARY",
                library.display()
            ),
            Self::FolderInUse { folder } => write!(
                formatter,
                "{} has recordings in it: name another folder, or remove them",
                folder.display()
            ),
            Self::System { action, path, source } => {
                write!(formatter, "cannot {action} {}: {source}", path.display())
            }
            Self::NothingRecorded { program } => write!(
                formatter,
                "recorded no allocation: {program} is statically linked, gains rights when it \
                 starts, or brings its own allocator"
            ),
            Self::NoSuchProcess { name, recorded } => {
                write!(formatter, "no process ran {name}; recorded were: {}", recorded.join(", "))
            }
            Self::Damaged { path, offset, reason } => {
                write!(formatter, "{}: damaged at byte {offset}: {reason}", path.display())
            }
        }
    }
}

impl Error for CaptureError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
