//! What a group of servers is started with.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use engine::OpenError;

/// Most servers of one store: each session keeps a connection to every one.
pub const SERVERS_MAX: usize = 256;

/// Which program serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// `redis-server`, whose allocator is the one it was built for.
    Redis,
    /// `valkey-server`, whose build calls the C library's `malloc`.
    Valkey,
}

impl Server {
    /// All of them.
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

/// An allocator put below a server that calls `malloc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preload {
    /// jemalloc.
    Jemalloc,
    /// The TCMalloc of gperftools, without its profilers.
    TcmallocMinimal,
    /// mimalloc.
    Mimalloc,
}

impl Preload {
    /// All of them.
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

    /// The shared library, and the Debian package that has it.
    pub(crate) const fn library(self) -> (&'static str, &'static str) {
        match self {
            Self::Jemalloc => ("libjemalloc.so.2", "libjemalloc2"),
            Self::TcmallocMinimal => ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"),
            Self::Mimalloc => ("libmimalloc.so.2", "libmimalloc2.0"),
        }
    }
}

/// A name that stands for no value of its type.
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
    /// Servers, each with one thread that executes commands; keys are spread over them by hash.
    /// 1 to [`SERVERS_MAX`], default 1.
    pub servers: usize,
    /// Which program serves. Default Redis.
    pub server: Server,
    /// The program's file, instead of the one that is found. Default none.
    pub program: Option<PathBuf>,
    /// An allocator below the server, by `LD_PRELOAD`; Valkey's only. Default none.
    pub preload: Option<Preload>,
    /// Bytes of `maxmemory`, all servers together: beyond it PUT answers `Full`. Default none.
    pub object_memory_bytes: Option<u64>,
    /// Whether each server is bound to a core, in turn. Default false.
    pub pin: bool,
    /// Whether servers move objects to undo fragmentation; only those built with a jemalloc of
    /// their own can. Default false.
    pub active_defrag: bool,
    /// Whether PUT asks if the key was there (`EXISTS` before `SET`); without it every value that
    /// is stored counts as inserted. Default true.
    pub ask_presence: bool,
    /// How long servers may take until they answer. Default 20 s.
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
    /// Refuses what no server can be started with.
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        let bad = |setting: &str, value: String, accepted: String| {
            Err(OpenError::BadSetting { setting: setting.to_owned(), value, accepted })
        };
        if self.servers == 0 || self.servers > SERVERS_MAX {
            let accepted = format!("whole numbers from 1 to {SERVERS_MAX}");
            return bad("servers", self.servers.to_string(), accepted);
        }
        // A server's own needs come first; what is below them stores nothing.
        if let Some(bytes) = self.object_memory_bytes
            && bytes < self.servers as u64 * SERVER_BYTES_MIN
        {
            let least = self.servers as u64 * SERVER_BYTES_MIN;
            let accepted = format!("at least {least} bytes for {} servers", self.servers);
            return bad("object-memory-bytes", bytes.to_string(), accepted);
        }
        if let (Server::Redis, Some(preload)) = (self.server, self.preload) {
            let accepted = "none with the server `redis`, which is built for its own allocator; \
                            `valkey` takes any";
            return bad("preload", preload.to_string(), accepted.to_owned());
        }
        Ok(())
    }

    /// `maxmemory` of each server, bytes; 0 is none.
    pub(crate) fn max_memory_bytes(&self) -> u64 {
        self.object_memory_bytes.unwrap_or(0) / self.servers as u64
    }
}

/// Least `maxmemory` of a server.
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
