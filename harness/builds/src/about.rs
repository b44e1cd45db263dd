//! What a program reports about itself before it is used.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::child::{End, Ended, run};

/// Time limit for an answer that takes milliseconds.
const LIMIT: Duration = Duration::from_secs(60);
/// Exit code for an invalid command line.
const USAGE: i32 = 2;
/// clap's message for an unknown sub-command.
const UNKNOWN: &str = "unrecognized subcommand";
/// The signal for an illegal instruction.
pub(crate) const SIGILL: i32 = 4;

/// Output of `nibble-bench about --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct About {
    /// Version of the protocol between parent and worker.
    pub protocol: u32,
    /// Version of the row format.
    pub schema: u32,
    /// Facts about the build: `revision`, `compiler`, …
    pub facts: BTreeMap<String, String>,
}

/// Why a program does not answer.
#[derive(Debug)]
pub enum AskError {
    /// It cannot be started.
    NotExecutable { program: PathBuf, source: io::Error },
    /// It answers something else.
    AnotherProgram {
        program: PathBuf,
        /// The first line of its answer, and its exit code.
        answer: String,
    },
    /// It is a `nibble-bench` that lacks the sub-command.
    TooOld { program: PathBuf },
    /// It contains instructions that this processor lacks.
    AnotherProcessor { program: PathBuf },
    /// A signal ended it.
    Killed { program: PathBuf, signal: i32 },
    /// It did not end.
    Silent {
        program: PathBuf,
        /// How long it was given.
        limit: Duration,
    },
}

/// Asks `program` what it is.
///
/// # Errors
/// If it cannot be run, or is not a current `nibble-bench`.
pub fn ask(program: &Path) -> Result<About, AskError> {
    let ended = run(Command::new(program).args(["about", "--json"]), "", LIMIT)
        .map_err(|source| AskError::NotExecutable { program: program.to_owned(), source })?;
    understood(program, &ended)
}

fn understood(program: &Path, ended: &Ended) -> Result<About, AskError> {
    let program = program.to_owned();
    let End::Exited(status) = ended.end else {
        return Err(AskError::Silent { program, limit: LIMIT });
    };
    match (status.code(), status.signal()) {
        (Some(0), _) => serde_json::from_str(&ended.stdout)
            .map_err(|_| AskError::AnotherProgram { program, answer: answer(ended, 0) }),
        (Some(USAGE), _) if ended.stderr.contains(UNKNOWN) => Err(AskError::TooOld { program }),
        (_, Some(SIGILL)) => Err(AskError::AnotherProcessor { program }),
        (_, Some(signal)) => Err(AskError::Killed { program, signal }),
        (code, None) => {
            let answer = answer(ended, code.unwrap_or_default());
            Err(AskError::AnotherProgram { program, answer })
        }
    }
}

/// The beginning of its output, and its exit code.
fn answer(ended: &Ended, code: i32) -> String {
    const CHARACTERS_MAX: usize = 120;
    let lines = ended.stdout.lines().chain(ended.stderr.lines());
    let line = lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing");
    format!("{} (exit code {code})", line.chars().take(CHARACTERS_MAX).collect::<String>())
}

impl fmt::Display for AskError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotExecutable { program, source } => write!(
                formatter,
                "{} cannot be run: {source}; name a nibble-bench that was built for this machine",
                program.display()
            ),
            Self::AnotherProgram { program, answer } => write!(
                formatter,
                "{} is no nibble-bench: asked what it is, it says: {answer}",
                program.display()
            ),
            Self::TooOld { program } => write!(
                formatter,
                "{} is older than comparisons: build a revision that has nibble-bench about",
                program.display()
            ),
            Self::AnotherProcessor { program } => write!(
                formatter,
                "{} was built for another processor: it has instructions that this one lacks; \
                 build it here, or with RUSTFLAGS=\"{}\"",
                program.display(),
                crate::flavour::GENERIC_FLAGS.join(" ")
            ),
            Self::Killed { program, signal } => write!(
                formatter,
                "{} was ended by signal {signal} when it was asked what it is: run {0} about",
                program.display()
            ),
            Self::Silent { program, limit } => write!(
                formatter,
                "{} does not say within {} s what it is: is it a nibble-bench?",
                program.display(),
                limit.as_secs()
            ),
        }
    }
}

impl Error for AskError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotExecutable { source, .. } => Some(source),
            _ => None,
        }
    }
}
