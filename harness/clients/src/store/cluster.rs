//! A cluster, through libvalkey: it knows which server has a slot, and follows redirections.

use std::time::{Duration, Instant};

use baseline_redis::{ClusterConnection, Reply};

use super::{ERROR_BYTES, Store, StoreError, found};
use crate::slots::{SlotNames, slot_of};
use crate::target::Address;

/// Between tries of a write that replicas must have, while its slot is elsewhere.
const PAUSE: Duration = Duration::from_millis(5);
/// First words of refusals that pass.
const PASSING: [&str; 4] = ["moved", "ask", "tryagain", "clusterdown"];

/// Connections to all servers of a cluster.
#[derive(Debug)]
pub(super) struct Cluster {
    connection: ClusterConnection,
    timeout: Duration,
    buffer: Vec<u8>,
    /// Made when the first write must be on replicas.
    names: Option<SlotNames>,
}

impl Cluster {
    pub(super) fn open(
        nodes: &[Address],
        value_bytes_max: usize,
        timeout: Duration,
    ) -> Result<Self, StoreError> {
        let nodes: Vec<String> = nodes.iter().map(Address::to_string).collect();
        let connection =
            ClusterConnection::open(&nodes.join(","), timeout).map_err(StoreError::failed)?;
        let buffer = vec![0; value_bytes_max.max(ERROR_BYTES)];
        Ok(Self { connection, timeout, buffer, names: None })
    }

    fn ask(&mut self, parts: &[&[u8]]) -> Result<Reply, StoreError> {
        match self.connection.ask(parts, &mut self.buffer).map_err(StoreError::failed)? {
            Reply::Error(bytes) => Err(StoreError::refused_by(&self.buffer, bytes)),
            reply => Ok(reply),
        }
    }

    /// Both on one connection and in one piece: asked on another, WAIT would speak of nothing. A write to
    /// a slot on its way is tried until it has arrived, or the time is up.
    fn set_and_wait(&mut self, key: &[u8], value: &[u8], replicas: u32) -> Result<(), StoreError> {
        let began = Instant::now();
        loop {
            let answer = self.try_set_and_wait(key, value, replicas);
            let passes =
                answer.as_ref().err().is_some_and(|error| PASSING.contains(&error.kind.as_str()));
            if !passes || began.elapsed() > self.timeout {
                return answer;
            }
            std::thread::sleep(PAUSE);
            self.connection.update_slots().map_err(StoreError::failed)?;
        }
    }

    fn try_set_and_wait(
        &mut self,
        key: &[u8],
        value: &[u8],
        replicas: u32,
    ) -> Result<(), StoreError> {
        let wait_ms = (self.timeout.as_millis() / 2).max(1).to_string();
        let wanted = replicas.to_string();
        let set: &[&[u8]] = &[b"SET", key, value];
        let wait: &[&[u8]] = &[b"WAIT", wanted.as_bytes(), wait_ms.as_bytes()];
        let name = self.names.get_or_insert_with(SlotNames::new).of(slot_of(key));
        let answers = match self.connection.ask_both(name, [set, wait], &mut self.buffer) {
            Ok(answers) => answers,
            Err(text) => {
                // The server may be gone: another one knows who has the slot now.
                self.connection.update_slots().map_err(StoreError::failed)?;
                return Err(StoreError::failed(text));
            }
        };
        match answers {
            [Reply::Status, Reply::Integer(has)] if has >= i64::from(replicas) => Ok(()),
            [Reply::Status, Reply::Integer(has)] => Err(StoreError::unreplicated(has, replicas)),
            [Reply::Error(bytes), _] => Err(StoreError::refused_by(&self.buffer, bytes)),
            other => Err(StoreError::answered("SET and WAIT", other)),
        }
    }
}

impl Store for Cluster {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let answer = self.ask(&[b"GET", key])?;
        found(answer, &self.buffer, value)
    }

    fn set(&mut self, key: &[u8], value: &[u8], replicas: u32) -> Result<(), StoreError> {
        if replicas > 0 {
            return self.set_and_wait(key, value, replicas);
        }
        match self.ask(&[b"SET", key, value])? {
            Reply::Status => Ok(()),
            other => Err(StoreError::answered("SET", other)),
        }
    }
}
