//! A connection to the servers, single or a cluster: what a client asks of either.
//!
//! Single servers are driven through hiredis, as the stores of this suite are; clusters through libvalkey,
//! which knows them.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use baseline_redis::{LIBVALKEY_VERSION, Reply, libvalkey_file};

use crate::job::Job;
use crate::target::{Kind, Target};

mod cluster;
mod single;

/// Room for the text of an error.
const ERROR_BYTES: usize = 512;

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
    /// For counts: `connection`, `timeout`, `retries`, `unreplicated`, or the server's own word for it.
    pub(crate) kind: String,
    pub(crate) text: String,
}

impl StoreError {
    fn new(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind: kind.into(), text: text.into() }
    }

    /// A library gave up, and said this.
    fn failed(text: String) -> Self {
        let is_late = text.contains("temporarily unavailable") || text.contains("timed out");
        let kind = match text.as_str() {
            _ if is_late => "timeout",
            "too many cluster retries" => "retries",
            _ => "connection",
        };
        Self::new(kind, text)
    }

    /// A server refused in words that a buffer begins with, the first of which says what kind of refusal
    /// it is.
    fn refused_by(buffer: &[u8], bytes: usize) -> Self {
        let text = String::from_utf8_lossy(&buffer[..bytes.min(buffer.len())]);
        let word = text.split_whitespace().next().unwrap_or("refused");
        Self::new(word.to_ascii_lowercase(), text.as_ref())
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

/// The value of `bytes` that a buffer begins with.
fn copy_value(buffer: &[u8], bytes: usize, value: &mut Vec<u8>) {
    value.clear();
    value.extend_from_slice(&buffer[..bytes.min(buffer.len())]);
    // What did not fit is longer than any value; the check will say so.
    value.resize(bytes, 0);
}

/// What GET was answered: whether there is a value, which `buffer` then begins with.
fn found(answer: Reply, buffer: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
    match answer {
        Reply::Nil => Ok(false),
        Reply::Bytes(bytes) => {
            copy_value(buffer, bytes, value);
            Ok(true)
        }
        other => Err(StoreError::answered("GET", other)),
    }
}

/// Connects to the servers of a job.
pub(crate) fn open(job: &Job) -> Result<Box<dyn Store>, StoreError> {
    let timeout = Duration::from_millis(job.timeout_ms);
    let bytes = job.workload.value_bytes_max();
    Ok(match job.target.kind {
        Kind::Cluster => Box::new(cluster::Cluster::open(&job.nodes, bytes, timeout)?),
        Kind::Single => Box::new(single::Single::open(&job.target.nodes[0], bytes, timeout)?),
    })
}

/// The library by which these servers are asked, and its version.
#[must_use]
pub(crate) fn library(kind: Kind) -> String {
    match kind {
        Kind::Cluster => format!("libvalkey {LIBVALKEY_VERSION}"),
        Kind::Single => "hiredis".to_owned(),
    }
}

/// The file that clients need beside the program; none for single servers, whose library is the system's.
///
/// # Errors
/// What is missing, with the remedy.
pub fn library_file(target: &Target) -> Result<Option<PathBuf>, String> {
    match target.kind {
        Kind::Cluster => libvalkey_file().map(Some).map_err(|error| error.to_string()),
        Kind::Single => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_what_went_wrong() {
        for (text, kind) in [
            ("Resource temporarily unavailable", "timeout"),
            ("Connection timed out", "timeout"),
            ("too many cluster retries", "retries"),
            ("Connection refused", "connection"),
            ("Server closed the connection", "connection"),
        ] {
            assert_eq!(StoreError::failed(text.to_owned()).kind, kind);
        }
        let refusal = StoreError::refused_by(b"CLUSTERDOWN The cluster is down\0\0", 31);
        assert_eq!(
            (refusal.kind.as_str(), refusal.text.as_str()),
            ("clusterdown", "CLUSTERDOWN The cluster is down")
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_longer_than_any() {
        let mut value = vec![9; 3];
        copy_value(b"abcd", 2, &mut value);
        assert_eq!(value, b"ab");
        copy_value(b"abcd", 6, &mut value);
        assert_eq!(value.len(), 6);
    }
}
