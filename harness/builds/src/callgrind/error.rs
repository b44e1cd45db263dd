//! Errors of counting instructions.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why there is no count.
#[derive(Debug)]
pub enum CallgrindError {
    /// valgrind is not installed.
    Missing,
    /// The program contains instructions that valgrind does not know.
    Native {
        program: PathBuf,
        /// valgrind's message.
        said: String,
    },
    /// The program failed.
    Failed {
        program: PathBuf,
        /// How it ended.
        end: String,
        /// The end of its output.
        said: String,
    },
    /// It did not end in time.
    OutOfTime {
        program: PathBuf,
        /// The time limit.
        limit: Duration,
    },
    /// valgrind left no count.
    NoCount {
        program: PathBuf,
        /// The end of valgrind's output.
        said: String,
    },
    /// A system call failed.
    System {
        /// The action that failed.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl fmt::Display for CallgrindError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(
                formatter,
                "valgrind is missing, which counts instructions: scripts/setup installs it"
            ),
            Self::Native { program, said } => write!(
                formatter,
                "{} has instructions that valgrind does not know ({said}): count a generic build, \
                 of RUSTFLAGS=\"{}\"",
                program.display(),
                crate::flavour::GENERIC_FLAGS.join(" ")
            ),
            Self::Failed { program, end, said } => {
                write!(formatter, "{} under valgrind: {end}: {said}", program.display())
            }
            Self::OutOfTime { program, limit } => write!(
                formatter,
                "{} did not end under valgrind within {} s: ask it for fewer operations, or give it \
                 more time",
                program.display(),
                limit.as_secs_f64()
            ),
            Self::NoCount { program, said } => write!(
                formatter,
                "valgrind left no count of {}: {said}; is there room for its files?",
                program.display()
            ),
            Self::System { action, path, source } => {
                write!(formatter, "cannot {action} {}: {source}", path.display())
            }
        }
    }
}

impl Error for CallgrindError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
