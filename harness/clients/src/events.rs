//! What happens to the servers while they are under load: a node is killed, slots move, a command runs.

use std::fmt;
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::servers::Servers;
use crate::target::Address;

mod kill;
mod migrate;

/// Something that happens at a time after the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub at: Duration,
    pub happening: Happening,
    text: String,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A master's process ends as by a power cut.
    Kill(NodeName),
    /// Slots and their keys move from one master to another.
    Migrate { slots: (u16, u16), from: NodeName, to: NodeName },
    /// A shell runs a command.
    Command(String),
}

/// How a user names a master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeName {
    /// That of the shard with the most keys.
    Largest,
    /// That of a shard, counted from 1.
    Shard(usize),
    At(Address),
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EventOutcome {
    /// As it was asked for.
    pub event: String,
    /// From the start of the schedule.
    pub began_ms: f64,
    pub took_ms: f64,
    /// The shard that it hit, counted from 1; none for a command.
    pub shard: Option<usize>,
    /// What was done, in words.
    pub done: String,
    /// Why it was not done.
    pub failure: Option<String>,
    /// Whether acknowledged writes may be gone because of it.
    pub may_lose: bool,
}

/// Why an event cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventError {
    Form { text: String },
    Node { name: String, known: String },
    Remote { address: Address },
    Process { address: Address, id: u32, reason: String },
    NotCluster { text: String },
    Slots { text: String, from: Address },
    Late { text: String, duration_ms: u64 },
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { text } => write!(
                f,
                "event `{text}`: write TIME:kill=NODE, TIME:migrate=SLOTS:NODE:NODE or \
                 TIME:command=COMMAND, as 5s:kill=largest or 8s:migrate=0-99:1:2; NODE is HOST:PORT, the \
                 number of a shard, or `largest`"
            ),
            Self::Node { name, known } => {
                write!(f, "event: no master is `{name}`; masters are {known}")
            }
            Self::Remote { address } => write!(
                f,
                "event: {address} is not on this machine, so its process cannot be killed from here: \
                 --event TIME:command='ssh HOST pkill -9 valkey-server'"
            ),
            Self::Process { address, id, reason } => write!(
                f,
                "event: process {id}, which {address} says that it is, cannot be killed ({reason}): run \
                 this program as the server's user, in its container, or use TIME:command=COMMAND"
            ),
            Self::NotCluster { text } => {
                write!(f, "event `{text}`: a single server has no slots to move: name a cluster")
            }
            Self::Slots { text, from } => {
                write!(f, "event `{text}`: {from} does not have all of these slots")
            }
            Self::Late { text, duration_ms } => write!(
                f,
                "event `{text}` comes after the end of the schedule, {duration_ms} ms: name an earlier \
                 time, or a longer --duration"
            ),
        }
    }
}

impl std::error::Error for EventError {}

impl FromStr for Event {
    type Err = EventError;

    fn from_str(text: &str) -> Result<Self, EventError> {
        let fail = || EventError::Form { text: text.to_owned() };
        let (at, rest) = text.split_once(':').ok_or_else(fail)?;
        let (what, value) = rest.split_once('=').ok_or_else(fail)?;
        let happening = match what {
            "kill" => Happening::Kill(name(value).ok_or_else(fail)?),
            "migrate" => migration(value).ok_or_else(fail)?,
            "command" if !value.trim().is_empty() => Happening::Command(value.to_owned()),
            _ => return Err(fail()),
        };
        Ok(Self { at: time(at).ok_or_else(fail)?, happening, text: text.to_owned() })
    }
}

/// `500ms`, `5s` or `1.5s`
fn time(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s')?, 1.0),
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()
}

fn name(text: &str) -> Option<NodeName> {
    match text {
        "largest" => Some(NodeName::Largest),
        _ if text.contains(':') => text.parse().ok().map(NodeName::At),
        _ => text.parse().ok().filter(|number| *number > 0).map(NodeName::Shard),
    }
}

/// `SLOTS:NODE:NODE`, where a node may have a colon of its own.
fn migration(text: &str) -> Option<Happening> {
    let (slots, nodes) = text.split_once(':')?;
    let (first, last) = slots.split_once('-').unwrap_or((slots, slots));
    let slots: (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
    let is_range = slots.0 <= slots.1 && slots.1 < crate::slots::SLOTS;
    let mut halves = nodes
        .match_indices(':')
        .filter_map(|(at, _)| Some((name(&nodes[..at])?, name(&nodes[at + 1..])?)));
    let (from, to) = halves.next().filter(|(from, to)| from != to && is_range)?;
    Some(Happening::Migrate { slots, from, to })
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Largest => f.write_str("largest"),
            Self::Shard(number) => write!(f, "{number}"),
            Self::At(address) => write!(f, "{address}"),
        }
    }
}

impl NodeName {
    /// The shard whose master that is, from 0; `keys` are those of each shard.
    fn find(&self, servers: &Servers, keys: &[u64]) -> Result<usize, EventError> {
        let shards = &servers.shards;
        let found = match self {
            // Of equal ones the first.
            Self::Largest => (0..shards.len()).rev().max_by_key(|shard| keys.get(*shard)),
            Self::Shard(number) => number.checked_sub(1).filter(|shard| *shard < shards.len()),
            Self::At(address) => shards.iter().position(|shard| shard.master.address == *address),
        };
        found.ok_or_else(|| {
            let masters = (1..).zip(shards);
            let known: Vec<String> = masters
                .map(|(number, shard)| format!("{number} ({})", shard.master.address))
                .collect();
            EventError::Node { name: self.to_string(), known: known.join(", ") }
        })
    }
}

impl Event {
    /// Refuses what could not be done when its time comes.
    ///
    /// # Errors
    /// [`EventError`]
    pub fn check(
        &self,
        servers: &Servers,
        keys: &[u64],
        duration_ms: u64,
    ) -> Result<(), EventError> {
        let text = || self.text.clone();
        if self.at.as_millis() >= u128::from(duration_ms) {
            return Err(EventError::Late { text: text(), duration_ms });
        }
        match &self.happening {
            Happening::Kill(node) => {
                let shard = node.find(servers, keys)?;
                kill::process_of(servers, &servers.shards[shard].master.address).map(|_| ())
            }
            Happening::Migrate { slots, from, to } => {
                if !servers.is_cluster {
                    return Err(EventError::NotCluster { text: text() });
                }
                let from = &servers.shards[from.find(servers, keys)?];
                to.find(servers, keys)?;
                let has =
                    |slot| from.slots.iter().any(|&(first, last)| (first..=last).contains(&slot));
                match (slots.0..=slots.1).all(has) {
                    true => Ok(()),
                    false => {
                        Err(EventError::Slots { text: text(), from: from.master.address.clone() })
                    }
                }
            }
            Happening::Command(_) => Ok(()),
        }
    }

    /// Does it; what was done, and to which shard.
    fn perform(&self, servers: &Servers, keys: &[u64]) -> (Option<usize>, Result<String, String>) {
        let said = |error: EventError| error.to_string();
        match &self.happening {
            Happening::Kill(node) => match node.find(servers, keys) {
                Ok(shard) => {
                    let address = &servers.shards[shard].master.address;
                    (Some(shard), kill::kill(servers, address).map_err(said))
                }
                Err(error) => (None, Err(said(error))),
            },
            Happening::Migrate { slots, from, to } => {
                match (from.find(servers, keys), to.find(servers, keys)) {
                    (Ok(from), Ok(to)) => {
                        let done = migrate::migrate(servers, *slots, (from, to));
                        (Some(from), done.map_err(|error| error.to_string()))
                    }
                    (Err(error), _) | (_, Err(error)) => (None, Err(said(error))),
                }
            }
            Happening::Command(command) => (None, run(command)),
        }
    }

    /// Does it, and tells when and what; `now` is the time since the start of the schedule.
    pub(crate) fn happen(
        &self,
        servers: &Servers,
        keys: &[u64],
        now: impl Fn() -> Duration,
    ) -> EventOutcome {
        let began = now();
        let (shard, done) = self.perform(servers, keys);
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        EventOutcome {
            event: self.text.clone(),
            began_ms: millis(began),
            took_ms: millis(now().saturating_sub(began)),
            shard: shard.map(|shard| shard + 1),
            failure: done.as_ref().err().cloned(),
            done: done.unwrap_or_default(),
            may_lose: !matches!(self.happening, Happening::Migrate { .. }),
        }
    }
}

fn run(command: &str) -> Result<String, String> {
    let output = Command::new("sh").arg("-c").arg(command).output();
    let output = output.map_err(|error| format!("sh: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(format!("ran `{command}`")),
        false => Err(format!("`{command}`: {}: {}", output.status, words.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> Event {
        text.parse().unwrap()
    }

    #[test]
    fn events_are_read() {
        let kill = event("5s:kill=largest");
        assert_eq!((kill.at.as_secs(), kill.happening), (5, Happening::Kill(NodeName::Largest)));
        let by_address = event("500ms:kill=127.0.0.1:7101").happening;
        let address: Address = "127.0.0.1:7101".parse().unwrap();
        assert_eq!(by_address, Happening::Kill(NodeName::At(address.clone())));
        let migrate = event("1.5s:migrate=0-99:1:127.0.0.1:7101");
        let (from, to) = (NodeName::Shard(1), NodeName::At(address.clone()));
        assert_eq!(migrate.happening, Happening::Migrate { slots: (0, 99), from, to });
        let both = event("1s:migrate=7:127.0.0.1:7101:localhost:7102").happening;
        let Happening::Migrate { slots: (7, 7), from, to } = both else { panic!("{both:?}") };
        assert_eq!((from, to.to_string()), (NodeName::At(address), "localhost:7102".to_owned()));
        let command = event("3s:command=ssh n1 reboot:now=yes").happening;
        assert_eq!(command, Happening::Command("ssh n1 reboot:now=yes".to_owned()));
    }

    #[test]
    fn what_is_no_event_is_refused_with_the_forms() {
        for text in [
            "5s",
            "5s:kill",
            "kill=1",
            "5:kill=1",
            "s:kill=1",
            "-1s:kill=1",
            "5s:kill=0",
            "5s:kill=x",
            "5s:stop=1",
            "5s:command= ",
            "5s:migrate=0-99:1",
            "5s:migrate=9-0:1:2",
            "5s:migrate=0-16384:1:2",
            "5s:migrate=0-99:1:1",
            "5s:migrate=x:1:2",
        ] {
            let error = text.parse::<Event>().unwrap_err().to_string();
            assert!(error.contains("TIME:kill=NODE"), "{text}: {error}");
        }
    }
}
