//! Why a measurement of programs did not come about.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::Ending;

/// Why there is no measurement.
#[derive(Debug)]
pub enum Failure {
    /// A program could not be started.
    NotStarted {
        /// As it was named.
        program: String,
        /// Whether it was one word with spaces in it, which is no program.
        is_line: bool,
        source: io::Error,
    },
    /// A run ended in a way that is not ignored.
    Failed {
        /// What was run, by its name.
        name: String,
        /// When, as `run 3` or `warm-up run 1`.
        when: String,
        ending: Ending,
        /// The last lines of its standard error; may be empty.
        said: String,
    },
    /// The user stopped the measurement.
    Stopped,
    /// The system refused something else.
    System { action: &'static str, path: PathBuf, source: io::Error },
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { program, is_line: true, source } => write!(
                formatter,
                "`{program}` cannot be started: {source}; it is one word with spaces: write the words \
                 apart (-- sleep 1), or have a shell read them (--shell sh)"
            ),
            Self::NotStarted { program, source, .. } => {
                write!(formatter, "`{program}` cannot be started: {source}")
            }
            Self::Failed { name, when, ending, said } => {
                write!(formatter, "{name}: {when}: {ending}")?;
                match ending {
                    Ending::TimedOut(_) => write!(formatter, "; --timeout allows more")?,
                    Ending::Exited(_) | Ending::Signalled(_) => {
                        write!(formatter, "; --ignore-failure measures it all the same")?;
                    }
                    Ending::Stopped => {}
                }
                if said.is_empty() {
                    return write!(formatter, "; it said nothing on standard error");
                }
                write!(formatter, "; last on standard error:")?;
                said.lines().try_for_each(|line| write!(formatter, "\n    {line}"))
            }
            Self::Stopped => formatter.write_str("stopped"),
            Self::System { action, path, source } => {
                write!(formatter, "cannot {action} {}: {source}", path.display())
            }
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotStarted { source, .. } | Self::System { source, .. } => Some(source),
            Self::Failed { .. } | Self::Stopped => None,
        }
    }
}
