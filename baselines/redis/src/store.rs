//! The store: a group of servers, and what is known about them.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use engine::{
    EngineTraits, Expiry, Hashing, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    OpenError, Presence, SessionError, Setting, Statistic, Transport, Writes,
};
use kit::folder::Folder;
use kit::key::{BYTES_MAX, ByteSession, WordSession};
use kit::servers::{Keeper, file_name, printed, private_folder};

use crate::config::Config;
use crate::connection::Connection;
use crate::information::{Information, mapped_allocators};
use crate::process::{self, RedisServer};
use crate::reply::Reply;
use crate::session::RedisSession;
use crate::{hiredis, installed, session};

/// Prefix of the folders of sockets and logs.
const PREFIX: &str = "nibble-redis-";
/// The longest reply to `INFO` that is read.
const INFORMATION_BYTES_MAX: usize = 1 << 16;

/// Servers of Redis or Valkey; see the crate's documentation.
#[derive(Debug)]
pub struct RedisServers {
    config: Config,
    // Dropped in this order: the servers end, then their keeper, then their folder is removed.
    servers: Vec<RedisServer>,
    _keeper: Keeper,
    _folder: Folder,
    settings: Vec<Setting>,
    empty_server_resident_bytes: u64,
}

impl RedisServers {
    /// Starts the servers and waits until each answers.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for an impossible configuration; [`OpenError::Missing`] if the
    /// program, an allocator or hiredis is not installed; [`OpenError::Unusable`] if a server does
    /// not start, with its last words.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        config.check()?;
        let hiredis = hiredis::loaded()?.version();
        let program = installed::program(&config)?;
        let library = config.preload.map(installed::library).transpose()?;
        let unusable = |error: std::io::Error| OpenError::Unusable {
            what: program.display().to_string(),
            reason: error.to_string(),
        };
        let folder = private_folder(PREFIX).map_err(unusable)?;
        let commands: Vec<Command> = (0..config.servers)
            .map(|number| {
                process::command(&config, &program, library.as_deref(), folder.path(), number)
            })
            .collect::<Result<_, _>>()
            .map_err(unusable)?;
        let command_line = printed(&commands[0]);
        let (keeper, children) = Keeper::start(commands, config.pin).map_err(unusable)?;
        let servers: Vec<_> = children
            .into_iter()
            .enumerate()
            .map(|(number, child)| RedisServer::new(&config, folder.path(), number, child))
            .collect();
        let deadline = Instant::now() + config.startup_timeout;
        servers.iter().try_for_each(|server| server.wait_until_ready(deadline))?;
        let empty_server_resident_bytes =
            servers.iter().map(|server| server.resident_bytes()).sum();
        let mut store = Self {
            config,
            servers,
            _keeper: keeper,
            _folder: folder,
            settings: Vec::new(),
            empty_server_resident_bytes,
        };
        let allocators = store.verified_allocators(library.as_deref())?;
        store.settings = store.settings_in_force(hiredis, &program, &command_line, &allocators);
        Ok(store)
    }

    /// Process ids of the servers, for monitoring.
    #[must_use]
    pub fn server_pids(&self) -> Vec<u32> {
        self.servers.iter().map(|server| server.pid()).collect()
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn server(&self, number: usize) -> &RedisServer {
        &self.servers[number]
    }

    /// The allocators mapped into the servers; an error if a preloaded one is not among them.
    fn verified_allocators(&self, preloaded: Option<&Path>) -> Result<String, OpenError> {
        let mut all = Vec::new();
        for server in &self.servers {
            let maps = server.maps();
            let mapped = mapped_allocators(&maps);
            if let Some(library) = preloaded {
                // The file that a link leads to has a longer name.
                let name = library.file_name().unwrap_or_default().to_string_lossy();
                let stem = name.split(".so").next().unwrap_or_default();
                if !mapped.iter().any(|file| file.contains(stem)) {
                    return Err(OpenError::Unusable {
                        what: format!("LD_PRELOAD of {}", library.display()),
                        reason: format!("process {} does not map it: {mapped:?}", server.pid()),
                    });
                }
            }
            all.extend(mapped.into_iter().map(str::to_owned));
        }
        all.sort_unstable();
        all.dedup();
        Ok(if all.is_empty() { "none beside the program's own".to_owned() } else { all.join(", ") })
    }

    fn settings_in_force(
        &self,
        hiredis: &str,
        program: &Path,
        command_line: &str,
        allocators: &str,
    ) -> Vec<Setting> {
        let information = self.information(0).unwrap_or_else(|fate| session::lost(&fate));
        let text = |name| information.text(name).unwrap_or("unknown").to_owned();
        let config = &self.config;
        let version = text(config.server.version_field());
        let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
        vec![
            Setting::new("server", config.server),
            Setting::new("version", version),
            // Rows are read on other machines, where the program's path means nothing.
            Setting::new("program", file_name(program).to_string_lossy()),
            Setting::new("command-line", command_line),
            Setting::new("servers", config.servers),
            Setting::new("mem_allocator", text("mem_allocator")),
            Setting::new("allocators mapped", allocators),
            Setting::new("preload", or_none(config.preload.map(|one| one.to_string()))),
            Setting::new("pin", config.pin),
            Setting::new("defrag", config.defrag),
            Setting::new(
                "object-memory-bytes",
                or_none(config.object_memory_bytes.map(|bytes| bytes.to_string())),
            ),
            Setting::new("ask-presence", config.ask_presence),
            Setting::new("put", if config.ask_presence { "EXISTS, SET" } else { "SET" }),
            Setting::new("hiredis", hiredis),
        ]
    }

    /// Opens a session with a connection to every server.
    ///
    /// # Errors
    /// [`SessionError::Unreachable`] with what happened to the server.
    fn connect(&self) -> Result<RedisSession<'_>, SessionError> {
        let connections: Result<Box<[Connection]>, String> =
            self.servers.iter().map(RedisServer::connect).collect();
        match connections {
            Ok(connections) => Ok(RedisSession::new(self, connections)),
            Err(reason) => Err(SessionError::Unreachable { reason }),
        }
    }

    /// Sends a command to a server over a new connection.
    ///
    /// # Errors
    /// What happened to the server.
    fn ask(&self, number: usize, parts: &[&[u8]], buffer: &mut [u8]) -> Result<Reply, String> {
        let server = &self.servers[number];
        server.ask(&mut server.connect()?, parts, buffer)
    }

    /// What a server reports about itself.
    ///
    /// # Errors
    /// What happened to the server.
    fn information(&self, number: usize) -> Result<Information, String> {
        let mut text = vec![0; INFORMATION_BYTES_MAX];
        match self.ask(number, &[b"INFO"], &mut text)? {
            Reply::Bytes(bytes) => Ok(Information::new(&text[..bytes.min(INFORMATION_BYTES_MAX)])),
            other => Err(format!("server {number} answers INFO with {other:?}")),
        }
    }
}

impl KvEngine for RedisServers {
    const TRAITS: EngineTraits = EngineTraits {
        name: "redis",
        description: "Redis or Valkey unmodified: servers on UNIX sockets, driven by hiredis",
        memory_bound: MemoryBound::Soft,
        keys: Keys::Bytes { max: BYTES_MAX },
        value_bytes_max: session::VALUE_BYTES_MAX,
        background_threads: true,
        processes: true,
        may_be_missing: true,
        hashing: Hashing::ClientAndServer,
        transport: Transport::UnixSocket,
        batches: true,
        writes: Writes::Blind,
        expiry: Expiry::Milliseconds,
        ..EngineTraits::BASE
    };

    type Session<'engine> = WordSession<RedisSession<'engine>>;

    fn lacking() -> Vec<OpenError> {
        installed::lacking()
    }

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        self.connect().map(WordSession)
    }

    fn writes(&self) -> Writes {
        Writes::telling_if(self.config.ask_presence)
    }

    fn presence(&self) -> Presence {
        // The one thread is the keeper's.
        let (page_bytes, threads) = (Self::TRAITS.page_bytes, 1);
        Presence { page_bytes, threads, servers: self.servers.len() }
    }

    /// Makes each server's allocator release what it can.
    fn trim(&self) {
        for number in 0..self.servers.len() {
            // A server whose allocator cannot do this says so; there is nothing more to do.
            if let Err(fate) = self.ask(number, &[b"MEMORY", b"PURGE"], &mut []) {
                session::lost(&fate);
            }
        }
    }

    /// Servers do not separate the bytes of keys and values from their own needs. What has ended takes memory
    /// until a request names it or the server's own round comes by.
    fn memory(&self) -> MemoryCensus {
        MemoryCensus {
            object_memory_bytes: self.config.object_memory_bytes.unwrap_or(0),
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let all: Result<Vec<_>, String> =
            (0..self.servers.len()).map(|number| self.information(number)).collect();
        let all = all.unwrap_or_else(|fate| session::lost(&fate));
        let sum = |name: &str| all.iter().map(|one| one.number(name)).sum::<f64>();
        let (used_bytes, rss_bytes) = (sum("used_memory"), sum("used_memory_rss"));
        let largest = all.iter().map(|one| one.number("used_memory")).fold(0.0, f64::max);
        vec![
            Statistic::new("empty_server_resident_bytes", self.empty_server_resident_bytes as f64),
            Statistic::new("used_memory_bytes", used_bytes),
            Statistic::new("used_memory_of_the_fullest_server_bytes", largest),
            Statistic::new("used_memory_rss_bytes", rss_bytes),
            Statistic::new("mem_fragmentation_ratio", rss_bytes / used_bytes.max(1.0)),
            Statistic::new("evicted_keys", sum("evicted_keys")),
            Statistic::new("expired_keys", sum("expired_keys")),
            Statistic::new("keyspace_keys", all.iter().map(Information::keys).sum()),
            Statistic::new("commands_processed", sum("total_commands_processed")),
            Statistic::new("connections_received", sum("total_connections_received")),
            // Since their start: a row's own CPU time is that of its step, of all processes.
            Statistic::new("servers_cpu_s", sum("used_cpu_user") + sum("used_cpu_sys")),
            Statistic::new("active_defrag_moved_objects", sum("active_defrag_hits")),
            Statistic::new("active_defrag_ms", sum("total_active_defrag_time")),
        ]
    }

    fn settings(&self) -> Vec<Setting> {
        self.settings.clone()
    }

    /// Checks that every server answers, holds keys only in the one database in use, and has
    /// evicted none.
    fn check(&self) -> Result<(), String> {
        for number in 0..self.servers.len() {
            match self.ask(number, &[b"PING"], &mut [])? {
                Reply::Status => {}
                other => return Err(format!("server {number} answers PING with {other:?}")),
            }
            let information = self.information(number)?;
            match self.ask(number, &[b"DBSIZE"], &mut [])? {
                Reply::Integer(keys) if keys as f64 == information.keys() => {}
                // The server removes what has ended between the two questions.
                Reply::Integer(keys)
                    if information.expiring_keys() > 0.0 && (keys as f64) < information.keys() => {}
                other => {
                    let keys = information.keys();
                    return Err(format!("server {number} has {keys} keys, DBSIZE says {other:?}"));
                }
            }
            if information.number("evicted_keys") > 0.0 {
                return Err(format!("server {number} evicted keys under noeviction"));
            }
        }
        Ok(())
    }
}

impl KvBytesEngine for RedisServers {
    type BytesSession<'engine> = ByteSession<RedisSession<'engine>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        self.connect().map(ByteSession)
    }
}
