//! The servers that are measured, as text: `valkey-cluster://HOST:PORT` or `redis://HOST:PORT`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the servers share the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A cluster: each server has some hash slots, and clients follow redirections.
    Cluster,
    /// One server has all keys.
    Single,
}

/// Schemes, and what they stand for.
const SCHEMES: [(&str, Kind); 4] = [
    ("valkey-cluster", Kind::Cluster),
    ("redis-cluster", Kind::Cluster),
    ("valkey", Kind::Single),
    ("redis", Kind::Single),
];

/// The servers that are measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Target {
    pub kind: Kind,
    /// At least one; of a cluster any of its servers, which name the others.
    pub nodes: Vec<Address>,
    text: String,
}

/// Where a server listens.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Address {
    pub host: String,
    pub port: u16,
}

/// Why a text names no servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetError {
    Scheme { text: String },
    Credentials { text: String },
    Address { text: String },
    Several { text: String },
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme { text } => write!(
                f,
                "`{text}` names no servers: write valkey-cluster://HOST:PORT for a cluster, or \
                 redis://HOST:PORT for a single server"
            ),
            Self::Credentials { text } => write!(
                f,
                "`{text}`: names, passwords and databases are not supported: measure a server \
                 without them, as `valkey-cluster://HOST:PORT`"
            ),
            Self::Address { text } => write!(f, "`{text}` is no address: write HOST:PORT"),
            Self::Several { text } => write!(
                f,
                "`{text}` names several servers that are no cluster: name one, or \
                 valkey-cluster://HOST:PORT"
            ),
        }
    }
}

impl std::error::Error for TargetError {}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let scheme = |text: &str| TargetError::Scheme { text: text.to_owned() };
        let (name, rest) = text.split_once("://").ok_or_else(|| scheme(text))?;
        let (_, kind) =
            SCHEMES.into_iter().find(|(known, _)| *known == name).ok_or_else(|| scheme(text))?;
        if rest.contains(['@', '/', '?']) {
            return Err(TargetError::Credentials { text: text.to_owned() });
        }
        let nodes = rest.split(',').map(str::parse).collect::<Result<Vec<Address>, _>>()?;
        if kind == Kind::Single && nodes.len() > 1 {
            return Err(TargetError::Several { text: text.to_owned() });
        }
        Ok(Self { kind, nodes, text: text.to_owned() })
    }
}

impl FromStr for Address {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let fail = || TargetError::Address { text: text.to_owned() };
        let (host, port) = text.rsplit_once(':').ok_or_else(fail)?;
        let port = port.parse().ok().filter(|port| *port > 0).ok_or_else(fail)?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
        if host.is_empty() || !host.chars().all(is_plain) {
            return Err(fail());
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl Target {
    #[must_use]
    pub fn is_cluster(&self) -> bool {
        self.kind == Kind::Cluster
    }
}

impl Address {
    /// Whether it is this machine's own, by its name alone.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host == "::1" || self.host.starts_with("127.")
    }

    /// As the crate `redis` takes it.
    pub(crate) fn url(&self) -> String {
        format!("redis://{self}")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl TryFrom<String> for Target {
    type Error = TargetError;

    fn try_from(text: String) -> Result<Self, TargetError> {
        text.parse()
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        target.text
    }
}

impl TryFrom<String> for Address {
    type Error = TargetError;

    fn try_from(text: String) -> Result<Self, TargetError> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_say_whether_it_is_a_cluster() {
        let cluster: Target = "valkey-cluster://10.0.0.1:7000,node2:7001".parse().unwrap();
        assert!(cluster.is_cluster() && cluster.nodes.len() == 2);
        assert_eq!(cluster.nodes[1], Address { host: "node2".to_owned(), port: 7001 });
        let single: Target = "redis://localhost:6379".parse().unwrap();
        assert!(!single.is_cluster() && single.nodes[0].is_loopback());
        assert_eq!(String::from(single), "redis://localhost:6379");
    }

    #[test]
    fn what_names_no_servers_is_refused_with_the_remedy() {
        for (text, remedy) in [
            ("localhost:6379", "valkey-cluster://HOST:PORT"),
            ("http://localhost:6379", "redis://HOST:PORT"),
            ("redis://me:secret@localhost:6379", "not supported"),
            ("redis://localhost:6379/2", "not supported"),
            ("redis://localhost", "`localhost` is no address: write HOST:PORT"),
            ("redis://localhost:0", "is no address"),
            ("redis://a b:6379", "is no address"),
            ("redis://a:1,b:2", "valkey-cluster://"),
        ] {
            let error = text.parse::<Target>().unwrap_err().to_string();
            assert!(error.contains(remedy), "{text}: {error}");
        }
    }
}
