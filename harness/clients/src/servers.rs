//! The servers of a run: who they are, and what they say of themselves.

use std::fmt;
use std::time::Duration;

use redis::{Connection, FromRedisValue, RedisError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::slots::{SLOTS, SlotMap};
use crate::target::{Address, Kind, Target};

mod information;
mod nodes;

pub(crate) use information::Information;
use nodes::Line;

/// A server of a cluster, or the only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What the cluster calls it; empty for a single server.
    pub id: String,
    pub address: Address,
}

/// A master, its replicas and its part of the slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    pub master: Node,
    pub replicas: Vec<Node>,
    /// The first and the last of each range.
    pub slots: Vec<(u16, u16)>,
}

/// All servers of a target.
#[derive(Clone, Debug)]
pub struct Servers {
    /// In the order of their slots.
    pub shards: Vec<Shard>,
    pub is_cluster: bool,
    timeout: Duration,
}

/// What a server says of itself at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct State {
    /// Another one after each start.
    pub run_id: String,
    pub version: String,
    pub role: String,
    pub process_id: u32,
    pub keys: u64,
    /// GETs and SETs that it executed, those of its master included.
    pub gets: u64,
    pub sets: u64,
    /// Requests that it sent on to another server.
    pub redirections: u64,
    pub evicted_keys: u64,
    pub used_memory_bytes: u64,
    pub resident_bytes: u64,
}

/// Why servers cannot be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServersError {
    Unreachable { address: Address, reason: String },
    NoCluster { address: Address },
    IsCluster { address: Address },
    Incomplete { address: Address, state: String, uncovered: usize },
    Answer { address: Address, asked: &'static str, answer: String },
    NotEmpty { address: Address, keys: u64 },
}

impl fmt::Display for ServersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { address, reason } => write!(
                f,
                "{address} cannot be reached ({reason}): does a server run there, and may this machine \
                 connect to it? scripts/valkey-here starts a cluster on this machine"
            ),
            Self::NoCluster { address } => write!(
                f,
                "no cluster is at {address}: the server there runs by itself; measure it as \
                 redis://{address}, or start the servers with `--cluster-enabled yes` and join them"
            ),
            Self::IsCluster { address } => write!(
                f,
                "{address} belongs to a cluster, and a single server was named: measure it as \
                 valkey-cluster://{address}"
            ),
            Self::Incomplete { address, state, uncovered } => write!(
                f,
                "the cluster at {address} does not serve all keys: it says `{state}`, and {uncovered} of \
                 {SLOTS} slots have no server; `CLUSTER NODES` shows which are missing, `CLUSTER \
                 ADDSLOTSRANGE` gives them out"
            ),
            Self::Answer { address, asked, answer } => {
                write!(f, "{address} answered {asked} with `{answer}`: is it Valkey or Redis?")
            }
            Self::NotEmpty { address, keys } => write!(
                f,
                "{address} has {keys} keys already, which would be measured, too: empty the servers \
                 (FLUSHALL), or --allow-keys"
            ),
        }
    }
}

impl std::error::Error for ServersError {}

impl Servers {
    /// Finds the servers of a target.
    ///
    /// # Errors
    /// [`ServersError`]
    pub fn find(target: &Target, timeout: Duration) -> Result<Self, ServersError> {
        let mut last = None;
        for address in &target.nodes {
            match Self::find_by(target.kind, address, timeout) {
                Err(error @ ServersError::Unreachable { .. }) => last = Some(error),
                other => return other,
            }
        }
        Err(last.expect("a target names at least one server"))
    }

    fn find_by(kind: Kind, address: &Address, timeout: Duration) -> Result<Self, ServersError> {
        let mut connection = connect(address, timeout)?;
        let text: String = ask(&mut connection, address, "INFO", &["INFO", "everything"])?;
        let is_cluster = Information::new(&text).number("cluster_enabled") == 1;
        match (kind, is_cluster) {
            (Kind::Cluster, false) => {
                return Err(ServersError::NoCluster { address: address.clone() });
            }
            (Kind::Single, true) => {
                return Err(ServersError::IsCluster { address: address.clone() });
            }
            (Kind::Single, false) => {
                let master = Node { id: String::new(), address: address.clone() };
                let shard = Shard { master, replicas: Vec::new(), slots: vec![(0, SLOTS - 1)] };
                return Ok(Self { shards: vec![shard], is_cluster, timeout });
            }
            (Kind::Cluster, true) => {}
        }
        let text: String = ask(&mut connection, address, "CLUSTER NODES", &["CLUSTER", "NODES"])?;
        let lines = nodes::parse(&text, &address.host).ok_or_else(|| ServersError::Answer {
            address: address.clone(),
            asked: "CLUSTER NODES",
            answer: text.lines().next().unwrap_or_default().to_owned(),
        })?;
        let servers = Self { shards: shards(&lines), is_cluster, timeout };
        let text: String = ask(&mut connection, address, "CLUSTER INFO", &["CLUSTER", "INFO"])?;
        let state = Information::new(&text).text("cluster_state").to_owned();
        let uncovered = servers.slot_map().uncovered();
        if state != "ok" || uncovered > 0 {
            let state = format!("cluster_state:{state}");
            return Err(ServersError::Incomplete { address: address.clone(), state, uncovered });
        }
        Ok(servers)
    }

    /// Servers that nobody asks.
    #[cfg(test)]
    pub(crate) fn of_shards(shards: Vec<Shard>) -> Self {
        Self { shards, is_cluster: false, timeout: Duration::from_secs(1) }
    }

    fn slot_map(&self) -> SlotMap {
        let ranges = |shard: &Shard| shard.slots.iter().map(|&(from, to)| from..=to).collect();
        SlotMap::new(&self.shards.iter().map(ranges).collect::<Vec<_>>())
    }

    /// All servers: of each shard the master, then its replicas; with the number of the shard.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.shards.iter().enumerate().flat_map(|(number, shard)| {
            std::iter::once(&shard.master).chain(&shard.replicas).map(move |node| (number, node))
        })
    }

    /// Refuses servers that have keys.
    ///
    /// # Errors
    /// [`ServersError`]
    pub fn check_empty(&self) -> Result<(), ServersError> {
        for shard in &self.shards {
            let address = shard.master.address.clone();
            let keys = self.state(&address)?.keys;
            if keys > 0 {
                return Err(ServersError::NotEmpty { address, keys });
            }
        }
        Ok(())
    }

    /// What a server says of itself.
    ///
    /// # Errors
    /// [`ServersError`]
    pub fn state(&self, address: &Address) -> Result<State, ServersError> {
        let mut connection = self.connect(address)?;
        let text: String = ask(&mut connection, address, "INFO", &["INFO", "everything"])?;
        Ok(State::of(&Information::new(&text)))
    }

    pub(crate) fn connect(&self, address: &Address) -> Result<Connection, ServersError> {
        connect(address, self.timeout)
    }

    /// Whether some server of the cluster says that all slots are served.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let says_ok = |address: &Address| {
            let mut connection = self.connect(address).ok()?;
            let text: String =
                ask(&mut connection, address, "CLUSTER INFO", &["CLUSTER", "INFO"]).ok()?;
            Some(Information::new(&text).text("cluster_state") == "ok")
        };
        !self.is_cluster || self.nodes().any(|(_, node)| says_ok(&node.address) == Some(true))
    }
}

fn connect(address: &Address, timeout: Duration) -> Result<Connection, ServersError> {
    let fail = |error: RedisError| unreachable(address, &error);
    let client = redis::Client::open(address.url()).map_err(fail)?;
    let connection = client.get_connection_with_timeout(timeout).map_err(fail)?;
    connection.set_read_timeout(Some(timeout)).map_err(fail)?;
    connection.set_write_timeout(Some(timeout)).map_err(fail)?;
    Ok(connection)
}

fn unreachable(address: &Address, error: &RedisError) -> ServersError {
    ServersError::Unreachable { address: address.clone(), reason: error.to_string() }
}

/// Asks a server; `asked` is what the error calls it.
pub(crate) fn ask<T: FromRedisValue>(
    connection: &mut Connection,
    address: &Address,
    asked: &'static str,
    words: &[&str],
) -> Result<T, ServersError> {
    let mut command = redis::cmd(words[0]);
    for word in &words[1..] {
        command.arg(*word);
    }
    command.query(connection).map_err(|error| match error.code() {
        Some(_) => {
            ServersError::Answer { address: address.clone(), asked, answer: error.to_string() }
        }
        None => unreachable(address, &error),
    })
}

fn shards(lines: &[Line]) -> Vec<Shard> {
    let node = |line: &Line| Node { id: line.id.clone(), address: line.address.clone() };
    let mut shards: Vec<Shard> = lines
        .iter()
        .filter(|line| line.master.is_none() && !line.slots.is_empty())
        .map(|line| Shard {
            master: node(line),
            replicas: lines
                .iter()
                .filter(|other| other.master.as_deref() == Some(line.id.as_str()))
                .map(node)
                .collect(),
            slots: line.slots.clone(),
        })
        .collect();
    shards.sort_by_key(|shard| shard.slots[0]);
    for shard in &mut shards {
        shard.replicas.sort_by(|one, other| one.address.cmp(&other.address));
    }
    shards
}

impl State {
    fn of(information: &Information<'_>) -> Self {
        let version = match information.text("valkey_version") {
            "" => format!("Redis {}", information.text("redis_version")),
            version => format!("Valkey {version}"),
        };
        Self {
            run_id: information.text("run_id").to_owned(),
            version,
            role: information.text("role").to_owned(),
            process_id: information.number("process_id") as u32,
            keys: information.keys(),
            gets: information.part("cmdstat_get", "calls"),
            sets: information.part("cmdstat_set", "calls"),
            redirections: information.part("errorstat_MOVED", "count")
                + information.part("errorstat_ASK", "count"),
            evicted_keys: information.number("evicted_keys"),
            used_memory_bytes: information.number("used_memory"),
            resident_bytes: information.number("used_memory_rss"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_read_from_what_it_said() {
        let state = State::of(&Information::new(information::RECORDED));
        assert_eq!(state.version, "Valkey 9.1.2");
        assert_eq!((state.role.as_str(), state.process_id), ("master", 10_969));
        assert_eq!((state.keys, state.gets, state.sets), (100, 220, 220));
        assert_eq!((state.redirections, state.evicted_keys), (0, 0));
        assert!((state.used_memory_bytes, state.resident_bytes) == (1_056_664, 6_537_216));
        let redis = State::of(&Information::new("redis_version:7.0.15\r\nrole:master\r\n"));
        assert_eq!((redis.version.as_str(), redis.gets), ("Redis 7.0.15", 0));
        let moved = "errorstat_MOVED:count=7\r\nerrorstat_ASK:count=2\r\n";
        assert_eq!(State::of(&Information::new(moved)).redirections, 9);
    }

    #[test]
    fn shards_are_in_the_order_of_their_slots_with_their_replicas() {
        let lines = nodes::parse(nodes::RECORDED, "127.0.0.1").unwrap();
        let shards = shards(&lines);
        let ports: Vec<u16> = shards.iter().map(|shard| shard.master.address.port).collect();
        assert_eq!(ports, [17_110, 17_111, 17_112]);
        assert_eq!(shards[0].slots, [(0, 5460)]);
        assert_eq!(shards[1].replicas[0].address.port, 17_114);
    }
}
