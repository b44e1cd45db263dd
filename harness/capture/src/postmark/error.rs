//! Why a recording failed.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use workloads::postmark::{FileCounts, ParametersError};

use super::Unavailable;

/// Why a recording failed. No mount or folder is left behind.
#[derive(Debug)]
pub enum CaptureError {
    /// The program does not accept these parameters.
    Parameters(ParametersError),
    /// PostMark cannot be recorded here.
    Unavailable(Unavailable),
    /// No folder for the mount could be created.
    Folder {
        /// Folder in which it was to be created.
        parent: PathBuf,
        source: io::Error,
    },
    /// The program could not be started or waited for.
    Start { program: PathBuf, source: io::Error },
    /// The program failed or was killed.
    Failed {
        program: PathBuf,
        status: ExitStatus,
        /// The end of its output.
        said: String,
    },
    /// The program succeeded but printed no statistics.
    NoReport {
        /// The end of its output.
        said: String,
    },
    /// The program's statistics differ from the requests that reached the file system.
    Disagrees {
        /// Counts that the program printed.
        reported: FileCounts,
        /// Counts of the file system.
        seen: FileCounts,
    },
    /// The file system ended before the program did.
    FileSystemEnded,
    /// The receiver of the operations returned an error.
    Sink(io::Error),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameters(error) => error.fmt(f),
            Self::Unavailable(reason) => write!(f, "PostMark cannot be recorded: {reason}"),
            Self::Folder { parent, source } => write!(
                f,
                "no folder to mount on below {}: {source}; set TMPDIR to one that can be written to",
                parent.display()
            ),
            Self::Start { program, source } => write!(f, "{}: {source}", program.display()),
            Self::Failed { program, status, said } => {
                write!(f, "{} ended with {status}; it said: {said}", program.display())
            }
            Self::NoReport { said } => write!(
                f,
                "PostMark printed no statistics (versions 1.5 and 1.51 do); it said: {said}"
            ),
            Self::Disagrees { reported, seen } => write!(
                f,
                "PostMark says {reported:?}, the file system saw {seen:?}: the trace is not what \
                 PostMark did; record it again with nothing else looking into the mount"
            ),
            Self::FileSystemEnded => {
                f.write_str("the file system was unmounted while PostMark ran; record it again")
            }
            Self::Sink(source) => write!(f, "the trace could not be kept: {source}"),
        }
    }
}

impl Error for CaptureError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Folder { source, .. } | Self::Start { source, .. } | Self::Sink(source) => {
                Some(source)
            }
            _ => None,
        }
    }
}

impl From<ParametersError> for CaptureError {
    fn from(error: ParametersError) -> Self {
        Self::Parameters(error)
    }
}

impl From<Unavailable> for CaptureError {
    fn from(reason: Unavailable) -> Self {
        Self::Unavailable(reason)
    }
}
