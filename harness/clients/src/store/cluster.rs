//! A cluster, through the crate `redis`: it knows which server has a slot, and follows redirections.

use std::fmt;
use std::time::{Duration, Instant};

use redis::cluster::{ClusterClient, ClusterConnection};
use redis::cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr};
use redis::{Cmd, ConnectionLike, ErrorKind, RedisError, RedisResult, Value};

use super::{Store, StoreError};
use crate::slots::slot_of;
use crate::target::Address;

/// Redirections that are followed, and tries after a server said that it is not ready.
const TRIES: u32 = 4;
/// Between such tries, in milliseconds.
const PAUSE_MS: [u64; 2] = [5, 20];
/// The servers are not asked for their slots more often than this, however many requests fail.
const REFRESH: Duration = Duration::from_millis(100);

/// Connections to all servers of a cluster.
pub(super) struct Cluster {
    client: ClusterClient,
    timeout: Duration,
    connection: Option<ClusterConnection>,
    refreshed: Instant,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("is_connected", &self.connection.is_some()).finish()
    }
}

impl Cluster {
    pub(super) fn open(nodes: &[Address], timeout: Duration) -> Result<Self, StoreError> {
        let client = ClusterClient::builder(nodes.iter().map(Address::url))
            .retries(TRIES)
            .min_retry_wait(PAUSE_MS[0])
            .max_retry_wait(PAUSE_MS[1])
            .connection_timeout(timeout)
            .response_timeout(timeout)
            .build()
            .map_err(|error| told(&error))?;
        let connection = client.get_connection().map_err(|error| told(&error))?;
        Ok(Self { client, timeout, connection: Some(connection), refreshed: Instant::now() })
    }

    /// Asks on the connections that are there, or on new ones.
    fn with<T>(
        &mut self,
        ask: impl FnOnce(&mut ClusterConnection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        if self.connection.is_none() {
            self.refreshed = Instant::now();
            self.connection = Some(self.client.get_connection().map_err(|error| told(&error))?);
        }
        let connection = self.connection.as_mut().expect("it was opened");
        let answer = ask(connection);
        if let Err(error) = &answer {
            // The crate tries the server that is gone again and again: new connections ask those that
            // are left which server has its slots.
            let is_refusal = matches!(error.kind(), ErrorKind::Server(_)) && !is_moved(error);
            if !is_refusal && self.refreshed.elapsed() > REFRESH {
                self.connection = None;
            }
        }
        answer.map_err(|error| told(&error))
    }

    fn ask(&mut self, command: &Cmd, key: &[u8]) -> Result<Value, StoreError> {
        self.with(|connection| connection.route_command(command, of_master(key)))
    }

    /// Both on one connection and in one piece: asked on another, WAIT would speak of nothing.
    fn set_and_wait(&mut self, key: &[u8], value: &[u8], replicas: u32) -> Result<(), StoreError> {
        let wait_ms = (self.timeout.as_millis() / 2).max(1) as u64;
        let mut both = redis::pipe();
        both.cmd("SET").arg(key).arg(value).cmd("WAIT").arg(replicas).arg(wait_ms);
        let packed = both.get_packed_pipeline();
        let answers = self.with(|connection| {
            let answers = connection.req_packed_commands(&packed, 0, 2)?;
            answers.into_iter().map(Value::extract_error).collect::<RedisResult<Vec<Value>>>()
        })?;
        match answers.as_slice() {
            [Value::Okay, Value::Int(has)] if *has >= i64::from(replicas) => Ok(()),
            [Value::Okay, Value::Int(has)] => Err(StoreError::unreplicated(*has, replicas)),
            other => Err(StoreError::answered("SET and WAIT", other)),
        }
    }
}

fn is_moved(error: &RedisError) -> bool {
    matches!(error.code(), Some("MOVED" | "READONLY"))
}

fn of_master(key: &[u8]) -> RoutingInfo {
    let route = Route::new(slot_of(key), SlotAddr::Master);
    RoutingInfo::SingleNode(SingleNodeRoutingInfo::SpecificNode(route))
}

fn told(error: &RedisError) -> StoreError {
    let kind = match error.code() {
        Some(code) => code.to_ascii_lowercase(),
        None if error.is_timeout() => "timeout".to_owned(),
        None => "connection".to_owned(),
    };
    StoreError::new(kind, error.to_string())
}

impl Store for Cluster {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        match self.ask(redis::cmd("GET").arg(key), key)? {
            Value::Nil => Ok(false),
            Value::BulkString(bytes) => {
                *value = bytes;
                Ok(true)
            }
            other => Err(StoreError::answered("GET", other)),
        }
    }

    fn set(&mut self, key: &[u8], value: &[u8], replicas: u32) -> Result<(), StoreError> {
        if replicas > 0 {
            return self.set_and_wait(key, value, replicas);
        }
        match self.ask(redis::cmd("SET").arg(key).arg(value), key)? {
            Value::Okay => Ok(()),
            other => Err(StoreError::answered("SET", other)),
        }
    }
}
