//! What can go wrong while a revision is built.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::{AskError, Commit};

/// Why there is no program of a revision.
#[derive(Debug)]
pub enum BuildError {
    /// A program that builds is missing.
    Missing {
        /// Its name.
        program: &'static str,
    },
    /// A configuration of cargo's would be mixed with the revision's own.
    ConfigurationAbove {
        /// The configuration.
        file: PathBuf,
        /// The folder for temporary files, somewhere below it.
        temporary: PathBuf,
    },
    /// git does not check the revision out.
    NotCheckedOut {
        /// The revision.
        commit: Commit,
        /// What git says.
        said: String,
    },
    /// It does not compile.
    Failed {
        /// The revision.
        commit: Commit,
        /// What the compiler says, the error first.
        words: String,
    },
    /// cargo was content and built no program.
    NoProgram {
        /// The revision.
        commit: Commit,
    },
    /// The program does not say what it is.
    Answer(AskError),
    /// The system refused something.
    System {
        /// What was tried.
        action: &'static str,
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl BuildError {
    /// For `map_err`.
    pub(crate) fn system(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::System { action, path, source }
    }

    /// For `map_err` where `program` was to be started.
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
