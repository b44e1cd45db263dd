//! A connection to the servers, single or a cluster: what a client asks of either.
//!
//! Single servers are driven through hiredis, as the stores of this suite are. It knows no clusters before
//! libvalkey, which neither Debian nor the registries of crates and wheels have as a library; so clusters
//! are driven through the crate `redis`.

use std::fmt;
use std::time::Duration;

use crate::job::Job;
use crate::target::Kind;

mod cluster;
mod single;

/// What all servers of a run can be asked. Keys and values are bytes.
pub(crate) trait Store {
    /// The value of a key into `value`; whether there is one.
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError>;

    /// Stores a value. With `replicas`, only once so many have it.
    fn set(&mut self, key: &[u8], value: &[u8], replicas: u32) -> Result<(), StoreError>;
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoreError {
    /// For counts: `connection`, `timeout`, `unreplicated`, or the server's own word for it.
    pub(crate) kind: String,
    pub(crate) text: String,
}

impl StoreError {
    fn new(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind: kind.into(), text: text.into() }
    }

    /// A server refused in these words, the first of which says what kind of refusal it is.
    fn refused(text: &str) -> Self {
        let word = text.split_whitespace().next().unwrap_or("refused");
        Self::new(word.to_ascii_lowercase(), text)
    }

    /// An answer that none of our commands has.
    fn answered(command: &str, answer: impl fmt::Debug) -> Self {
        Self::new("answer", format!("{command} was answered by {answer:?}"))
    }

    /// Fewer replicas have the value than asked.
    fn unreplicated(has: i64, wanted: u32) -> Self {
        Self::new("unreplicated", format!("{has} of {wanted} replicas have the value"))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Connects to the servers of a job.
pub(crate) fn open(job: &Job) -> Result<Box<dyn Store>, StoreError> {
    let timeout = Duration::from_millis(job.timeout_ms);
    Ok(match job.target.kind {
        Kind::Cluster => Box::new(cluster::Cluster::open(&job.target.nodes, timeout)?),
        Kind::Single => {
            let value_bytes_max = job.workload.value_bytes_max();
            Box::new(single::Single::open(&job.target.nodes[0], value_bytes_max, timeout)?)
        }
    })
}

/// The library by which these servers are asked, and its version.
#[must_use]
pub fn library(kind: Kind) -> &'static str {
    match kind {
        Kind::Cluster => {
            "the crate redis 1 (libvalkey, which knows clusters, is not to be had here)"
        }
        Kind::Single => "hiredis",
    }
}
