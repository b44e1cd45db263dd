//! Errors of building a revision.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::{AskError, Commit};

/// Why a revision has no program.
#[derive(Debug)]
pub enum BuildError {
    /// A program needed for building is missing.
    Missing { program: &'static str },
    /// A cargo configuration file would be mixed with the revision's own.
    ConfigurationAbove {
        /// The configuration file.
        file: PathBuf,
        /// The folder for temporary files, below the folder of that configuration.
        temporary: PathBuf,
    },
    /// git cannot check out the revision.
    NotCheckedOut {
        commit: Commit,
        /// git's message.
        said: String,
    },
    /// It does not compile.
    Failed {
        commit: Commit,
        /// The compiler's messages, from the first error on.
        words: String,
    },
    /// cargo succeeded but built no program.
    NoProgram { commit: Commit },
    /// The program does not report what it is.
    Answer(AskError),
    /// A system call failed.
    System {
        /// The action that failed.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl BuildError {
    /// For `map_err`: the error of `action`.
    pub(crate) fn system(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::System { action, path, source }
    }

    /// For `map_err`: the error of starting `program`.
    pub(crate) fn starting(program: &'static str) -> impl FnOnce(io::Error) -> Self + use<> {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { program },
            _ => Self::System { action: "run", path: program.into(), source },
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { program } => write!(
                formatter,
                "{program} is missing: scripts/setup says what building needs; programs can also \
                 be named by their paths"
            ),
            Self::ConfigurationAbove { file, temporary } => write!(
                formatter,
                "{} would be mixed with the configuration of each revision, which is built below \
                 {}: let TMPDIR name a folder elsewhere",
                file.display(),
                temporary.display()
            ),
            Self::NotCheckedOut { commit, said } => {
                write!(formatter, "revision {} cannot be checked out: {said}", commit.short())
            }
            Self::Failed { commit, words } => {
                write!(formatter, "revision {} does not build:\n{words}", commit.short())
            }
            Self::NoProgram { commit } => write!(
                formatter,
                "revision {} builds no program nibble-bench: name another revision",
                commit.short()
            ),
            Self::Answer(error) => error.fmt(formatter),
            Self::System { action, path, source } => {
                write!(formatter, "cannot {action} {}: {source}", path.display())
            }
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            Self::Answer(error) => error.source(),
            _ => None,
        }
    }
}
