//! Configuration of a group of servers.

use std::path::PathBuf;
use std::time::Duration;

use engine::OpenError;

use crate::kinds::{Defrag, Preload, Server};

/// The most servers of one store: each session keeps a connection to every one.
pub const SERVERS_MAX: usize = 256;

/// Settings of a [`RedisServers`](crate::RedisServers).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Number of servers, each with one thread that executes commands; keys are distributed over
    /// them by hash. 1 to [`SERVERS_MAX`], default 1.
    pub servers: usize,
    /// Which server program to run. Default Redis.
    pub server: Server,
    /// The program's file; overrides the search. Default none.
    pub program: Option<PathBuf>,
    /// An allocator for the server, through `LD_PRELOAD`; Valkey only. Default none.
    pub preload: Option<Preload>,
    /// Total `maxmemory` of all servers in bytes, beyond which PUT returns `Full`. Default none.
    pub object_memory_bytes: Option<u64>,
    /// Whether to bind each server to a core, in turn. Default false.
    pub pin: bool,
    /// Whether servers move objects to reduce fragmentation. Default off.
    pub defrag: Defrag,
    /// Whether PUT asks if the key is present (`EXISTS` before `SET`). Without it, every stored
    /// value counts as inserted. Default true.
    pub ask_presence: bool,
    /// How long servers may take to answer after the start. Default 20 s.
    pub startup_timeout: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            servers: 1,
            server: Server::Redis,
            program: None,
            preload: None,
            object_memory_bytes: None,
            pin: false,
            defrag: Defrag::Off,
            ask_presence: true,
            startup_timeout: Duration::from_secs(20),
        }
    }
}

impl Config {
    /// Rejects settings that no server can be started with.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for the first of them.
    pub fn check(&self) -> Result<(), OpenError> {
        let bad = |setting: &str, value: String, accepted: String| {
            Err(OpenError::BadSetting { setting: setting.to_owned(), value, accepted })
        };
        if self.servers == 0 || self.servers > SERVERS_MAX {
            let accepted = format!("whole numbers from 1 to {SERVERS_MAX}");
            return bad("servers", self.servers.to_string(), accepted);
        }
        // The server's own needs come first: less than this stores nothing.
        if let Some(bytes) = self.object_memory_bytes
            && bytes < self.servers as u64 * SERVER_BYTES_MIN
        {
            let least = self.servers as u64 * SERVER_BYTES_MIN;
            let accepted = format!("at least {least} bytes for {} servers", self.servers);
            return bad("object-memory-bytes", bytes.to_string(), accepted);
        }
        if let (Server::Redis | Server::Redis8, Some(preload)) = (self.server, self.preload) {
            let accepted = format!(
                "none with the server `{}`, which has a built-in allocator; `valkey` takes any",
                self.server
            );
            return bad("preload", preload.to_string(), accepted);
        }
        if let (true, Some(preload)) = (self.defrag != Defrag::Off, self.preload) {
            let accepted = format!("off with a preloaded allocator ({preload})");
            return bad("defrag", self.defrag.to_string(), accepted);
        }
        Ok(())
    }

    /// How many servers there may be, by the memory that they share.
    #[must_use]
    pub fn servers_max(&self) -> u64 {
        let by_memory = self.object_memory_bytes.map(|bytes| bytes / SERVER_BYTES_MIN);
        by_memory.unwrap_or(u64::MAX).min(SERVERS_MAX as u64)
    }

    /// `maxmemory` of each server in bytes; 0 is none.
    pub(crate) fn max_memory_bytes(&self) -> u64 {
        self.object_memory_bytes.unwrap_or(0) / self.servers as u64
    }
}

/// The least `maxmemory` of a server.
const SERVER_BYTES_MIN: u64 = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_cannot_be_are_refused_with_what_can() {
        let message = |config: Config| config.check().unwrap_err().to_string();
        for servers in [0, SERVERS_MAX + 1] {
            let message = message(Config { servers, ..Config::default() });
            assert!(message.contains("accepted are whole numbers from 1 to 256"), "{message}");
        }
        let preload = Some(Preload::Mimalloc);
        let message_of_preload = message(Config { preload, ..Config::default() });
        assert!(message_of_preload.contains("`preload` = `mimalloc`"), "{message_of_preload}");
        let object_memory_bytes = Some(7 << 20);
        let message = message(Config { servers: 2, object_memory_bytes, ..Config::default() });
        assert!(message.contains("at least 8388608 bytes for 2 servers"), "{message}");
        let valkey = Config { server: Server::Valkey, preload, ..Config::default() };
        assert_eq!(valkey.check(), Ok(()));
        let both = Config { defrag: Defrag::Tuned, ..valkey };
        let message = both.check().unwrap_err().to_string();
        assert!(message.contains("`defrag` = `tuned`: accepted are off with"), "{message}");
    }
}
