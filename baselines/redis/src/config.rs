//! Configuration of a group of servers.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use engine::OpenError;

/// The most servers of one store: each session keeps a connection to every one.
pub const SERVERS_MAX: usize = 256;

/// Which server program to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// `redis-server`, with the allocator it was built for.
    Redis,
    /// `valkey-server`, built to call the C library's `malloc`.
    Valkey,
}

impl Server {
    /// All server programs.
    pub const ALL: [Self; 2] = [Self::Redis, Self::Valkey];

    /// The name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Valkey => "valkey",
        }
    }

    /// The program's name.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::Redis => "redis-server",
            Self::Valkey => "valkey-server",
        }
    }
}

/// An allocator preloaded into a server that calls `malloc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preload {
    Jemalloc,
    /// The TCMalloc of gperftools, without its profilers.
    TcmallocMinimal,
    Mimalloc,
}

impl Preload {
    /// All preloadable allocators.
    pub const ALL: [Self; 3] = [Self::Jemalloc, Self::TcmallocMinimal, Self::Mimalloc];

    /// The name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jemalloc => "jemalloc",
            Self::TcmallocMinimal => "tcmalloc-minimal",
            Self::Mimalloc => "mimalloc",
        }
    }

    /// The shared library, and the Debian package that contains it.
    pub(crate) const fn library(self) -> (&'static str, &'static str) {
        match self {
            Self::Jemalloc => ("libjemalloc.so.2", "libjemalloc2"),
            Self::TcmallocMinimal => ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"),
            Self::Mimalloc => ("libmimalloc.so.2", "libmimalloc2.0"),
        }
    }
}

/// A name that is not a value of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName;

macro_rules! named {
    ($($type:ty),+) => {
        $(impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<Self, UnknownName> {
                Self::ALL.into_iter().find(|one| one.name() == text).ok_or(UnknownName)
            }
        })+
    };
}
named!(Server, Preload);

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
    /// Whether servers move objects to reduce fragmentation; only servers built with their own
    /// jemalloc can. Default false.
    pub active_defrag: bool,
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
            active_defrag: false,
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
        if let (Server::Redis, Some(preload)) = (self.server, self.preload) {
            let accepted = "none with the server `redis`, which has a built-in allocator; `valkey` \
                            takes any";
            return bad("preload", preload.to_string(), accepted.to_owned());
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
    fn names_are_read_back() {
        for server in Server::ALL {
            assert_eq!(server.to_string().parse(), Ok(server));
        }
        for preload in Preload::ALL {
            assert_eq!(preload.to_string().parse(), Ok(preload));
        }
        assert_eq!("keydb".parse::<Server>(), Err(UnknownName));
    }

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
    }
}
