//! What coordinator and clients say to each other: a line of JSON each, over the standard input and output
//! of a client. So a client may be a child, a task of Slurm or a command that ssh runs.

use std::fmt;
use std::io::{self, BufRead, Write};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::interval::Interval;
use crate::job::Job;
use crate::latency::Latency;
use crate::ledger::{Found, Ledger};

/// Both sides have the same, or do not understand each other.
pub(crate) const VERSION: u32 = 2;

/// From the coordinator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "say")]
pub(crate) enum ToClient {
    /// The first: connect.
    Begin { version: u32, client: usize, job: Box<Job> },
    /// Load your records.
    Load,
    /// What is your time?
    Time,
    /// Begin the schedule when your clock shows this.
    Start { at_ns: u64 },
    /// Read these records and judge them.
    Verify { ledgers: Vec<Ledger> },
    /// The last.
    End,
}

/// From a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "say")]
pub(crate) enum FromClient {
    /// It is connected.
    Ready {
        version: u32,
        host: String,
        library: String,
    },
    Loaded {
        records: u64,
    },
    Time {
        ns: u64,
    },
    Interval(Interval),
    /// Latencies in nanoseconds, in the order of the answers of one connection.
    Samples {
        ns: Vec<u64>,
    },
    /// All intervals were sent.
    Done {
        end: Box<End>,
        reads: Latency,
        writes: Latency,
        ledgers: Vec<Ledger>,
    },
    Verified(Found),
    /// It cannot go on.
    Failed {
        why: String,
    },
}

/// What a client knows at the end of its schedule, beside its intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct End {
    /// Requests that were due.
    pub due: u64,
    /// Requests that were due and never sent: the schedule had ended long before.
    pub unsent: u64,
    /// How late a connection that was free sent a request: 99 % were no later.
    pub late_p99_ns: u64,
    pub late_max_ns: u64,
    /// Share of the time in which connections waited for answers, in percent.
    pub busy_percent: f64,
    /// Processor time of the client's process, in percent of one core.
    pub processor_percent: f64,
    /// Reads that returned an older version than this client had seen before.
    pub reads_gone_back: u64,
    /// Reads that returned bytes that nobody wrote, or another record's.
    pub damaged: u64,
    /// Reads that found nothing.
    pub missing: u64,
}

/// Why nothing more is heard.
#[derive(Debug)]
pub enum ProtocolError {
    /// The other side is gone.
    Ended,
    Io(io::Error),
    /// A line is not understood.
    Line {
        text: String,
        reason: String,
    },
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("it ended"),
            Self::Io(error) => write!(f, "it cannot be reached: {error}"),
            Self::Line { text, reason } => {
                let start: String = text.chars().take(80).collect();
                write!(
                    f,
                    "it said `{start}`, which is not understood ({reason}): is it the same build of \
                     this program, and does a login there print anything?"
                )
            }
        }
    }
}

impl std::error::Error for ProtocolError {}

pub(crate) fn say(output: &mut impl Write, message: &impl Serialize) -> Result<(), ProtocolError> {
    let mut line = serde_json::to_vec(message).expect("plain data");
    line.push(b'\n');
    output.write_all(&line).and_then(|()| output.flush()).map_err(ProtocolError::Io)
}

pub(crate) fn hear<T: DeserializeOwned>(input: &mut impl BufRead) -> Result<T, ProtocolError> {
    let mut line = String::new();
    match input.read_line(&mut line) {
        Ok(0) => Err(ProtocolError::Ended),
        Ok(_) => serde_json::from_str(&line).map_err(|error| ProtocolError::Line {
            text: line.trim_end().to_owned(),
            reason: error.to_string(),
        }),
        Err(error) => Err(ProtocolError::Io(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::tests::job;

    #[test]
    fn what_is_said_is_heard() {
        let mut line = Vec::new();
        let job = Box::new(job(4, 2, 1000));
        say(&mut line, &ToClient::Begin { version: VERSION, client: 3, job: job.clone() }).unwrap();
        say(&mut line, &ToClient::Start { at_ns: u64::MAX }).unwrap();
        let mut input = line.as_slice();
        let heard = hear(&mut input).unwrap();
        assert!(matches!(heard, ToClient::Begin { client: 3, job: same, .. } if same == job));
        assert!(matches!(hear(&mut input).unwrap(), ToClient::Start { at_ns: u64::MAX }));
        assert!(matches!(hear::<ToClient>(&mut input), Err(ProtocolError::Ended)));
    }

    #[test]
    fn what_a_login_prints_is_no_message() {
        let error = hear::<FromClient>(&mut "Welcome to node1!\n".as_bytes()).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("`Welcome to node1!`") && said.contains("login"), "{said}");
    }
}
