//! The store: a server, and what is known about it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::{
    EngineTraits, Expiry, FullMeaning, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    OpenError, OpenStore, Options, Presence, SessionError, Setting, Setup, Statistic, Transport,
    Writes,
};
use kit::folder::Folder;
use kit::key::{ByteSession, WordSession};
use kit::servers::{Keeper, ServerProcess, file_name, printed, private_folder};

use crate::config::Config;
use crate::connection::Connection;
use crate::program;
use crate::protocol::{KEY_BYTES_MAX, LINE_END};
use crate::session::{MemcachedSession, VALUE_BYTES_MAX, lost};
use crate::statistics::Statistics;

/// Prefix of the folders of sockets and logs.
const PREFIX: &str = "nibble-memcached-";
/// The longest wait for an answer: a server that takes longer has stopped working.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest wait for a page that is being moved.
const MOVE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A server of memcached; see the crate's documentation.
#[derive(Debug)]
pub struct Memcached {
    config: Config,
    // Dropped in this order: the server ends, then its keeper, then its folder is removed.
    server: ServerProcess,
    _keeper: Keeper,
    _folder: Folder,
    socket: PathBuf,
    settings: Vec<Setting>,
    empty_server_resident_bytes: u64,
}

impl Memcached {
    /// Starts the server and waits until it answers.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for an impossible configuration; [`OpenError::Missing`] if the
    /// program is not installed; [`OpenError::Unusable`] if the server does not start, with its
    /// last words.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        config.check()?;
        let file = program::program(&config)?;
        let unusable = |error: std::io::Error| OpenError::Unusable {
            what: file.display().to_string(),
            reason: error.to_string(),
        };
        let folder = private_folder(PREFIX).map_err(unusable)?;
        let command = program::command(&config, &file, folder.path()).map_err(unusable)?;
        let command_line = printed(&command);
        let (keeper, children) = Keeper::start(vec![command], false).map_err(unusable)?;
        let child = children.into_iter().next().expect("one command, one child");
        let log = program::log(folder.path());
        let server = ServerProcess::new(program::NAME.to_owned(), log, child);
        let socket = program::socket(folder.path());
        let deadline = Instant::now() + config.startup_timeout;
        server.wait_until_ready(deadline, |left| {
            Connection::open(&socket, left)
                .is_ok_and(|mut connection| greet(&mut connection).is_ok())
        })?;
        let empty_server_resident_bytes = server.resident_bytes();
        let mut store = Self {
            config,
            server,
            _keeper: keeper,
            _folder: folder,
            socket,
            settings: Vec::new(),
            empty_server_resident_bytes,
        };
        store.settings = store.settings_in_force(&file, &command_line);
        Ok(store)
    }

    /// Process id of the server, for monitoring.
    #[must_use]
    pub fn server_pid(&self) -> u32 {
        self.server.pid()
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// What happened to the server whose connection failed with `error`.
    pub(crate) fn fate(&self, error: &str) -> String {
        self.server.fate(error)
    }

    /// Opens a connection and waits for an answer on it, so that the connection has been accepted,
    /// not only queued.
    fn connect(&self) -> Result<Connection, String> {
        let open = || -> Result<Connection, String> {
            let mut connection = Connection::open(&self.socket, ANSWER_TIMEOUT)?;
            greet(&mut connection)?;
            Ok(connection)
        };
        open().map_err(|error| self.fate(&error))
    }

    fn session_of_its_own(&self) -> Result<MemcachedSession<'_>, SessionError> {
        match self.connect() {
            Ok(connection) => Ok(MemcachedSession::new(self, connection)),
            Err(reason) => Err(SessionError::Unreachable { reason }),
        }
    }

    /// What the server says of itself, over a connection of its own.
    ///
    /// # Errors
    /// What happened to the server.
    fn ask(&self) -> Result<Statistics, String> {
        let mut connection = self.connect()?;
        Statistics::ask(&mut connection).map_err(|error| self.fate(&error))
    }

    fn settings_in_force(&self, file: &Path, command_line: &str) -> Vec<Setting> {
        let told = self.ask().unwrap_or_else(|fate| lost(&fate));
        let config = &self.config;
        let limit =
            config.limit_bytes().map_or_else(|| "none".to_owned(), |bytes| bytes.to_string());
        vec![
            Setting::new("server", program::NAME),
            Setting::new("version", told.text("version").unwrap_or("unknown")),
            // Rows are read on other machines, where the program's path means nothing.
            Setting::new("program", file_name(file).to_string_lossy()),
            Setting::new("command-line", command_line),
            Setting::new("workers", config.workers),
            Setting::new("slab-automove", config.slab_automove),
            Setting::new("object-memory-bytes", limit),
            Setting::new("ask-presence", config.ask_presence),
            Setting::new("put", if config.ask_presence { "mg, ms" } else { "ms" }),
        ]
    }
}

/// Asks for the version, which every server tells.
fn greet(connection: &mut Connection) -> Result<(), String> {
    connection.queue().extend_from_slice(b"version");
    connection.queue().extend_from_slice(LINE_END);
    connection.flush()?;
    let line = connection.line()?;
    if line.starts_with(b"VERSION ") {
        return Ok(());
    }
    Err(format!("it answers version with {}", String::from_utf8_lossy(line)))
}

impl KvEngine for Memcached {
    const TRAITS: EngineTraits = EngineTraits {
        name: "memcached",
        description: "memcached unmodified: a server on a UNIX socket; evicts what it has no room for",
        full: FullMeaning::Evict,
        memory_bound: MemoryBound::Soft,
        keys: Keys::Bytes { max: KEY_BYTES_MAX },
        value_bytes_max: VALUE_BYTES_MAX,
        background_threads: true,
        processes: true,
        may_be_missing: true,
        transport: Transport::UnixSocket,
        batches: true,
        writes: Writes::Blind,
        expiry: Expiry::Seconds,
        ..EngineTraits::BASE
    };

    type Session<'engine> = WordSession<MemcachedSession<'engine>>;

    fn lacking() -> Vec<OpenError> {
        program::installed().err().into_iter().collect()
    }

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        self.session_of_its_own().map(WordSession)
    }

    fn writes(&self) -> Writes {
        Writes::telling_if(self.config.ask_presence)
    }

    fn presence(&self) -> Presence {
        // The one thread is the keeper's.
        Presence { page_bytes: Self::TRAITS.page_bytes, threads: 1, servers: 1 }
    }

    /// Waits for a page that is being moved.
    fn settle(&self) {
        let deadline = Instant::now() + MOVE_TIMEOUT;
        let moves = || {
            let told = self.ask().unwrap_or_else(|fate| lost(&fate));
            told.number("slab_reassign_running") > 0.0
        };
        while moves() && Instant::now() < deadline {
            std::thread::sleep(PAUSE);
        }
    }

    /// The server counts items with their headers, and does not tell the bytes of values.
    fn memory(&self) -> MemoryCensus {
        MemoryCensus {
            object_memory_bytes: self.config.limit_bytes().unwrap_or(0),
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let told = self.ask().unwrap_or_else(|fate| lost(&fate));
        let cpu_s = told.number("rusage_user") + told.number("rusage_system");
        vec![
            Statistic::new("empty_server_resident_bytes", self.empty_server_resident_bytes as f64),
            Statistic::new("items_bytes", told.number("bytes")),
            Statistic::new("items", told.number("curr_items")),
            Statistic::new("index_bytes", told.number("hash_bytes")),
            Statistic::new("evicted_items", told.number("evictions")),
            // What was fetched after its end, and what the server's own round found.
            Statistic::new("expired_items", expired(&told)),
            Statistic::new("refused_items", told.number("store_no_memory")),
            Statistic::new("moved_pages", told.number("slabs_moved")),
            Statistic::new("pages_of_no_class", told.number("slab_global_page_pool")),
            Statistic::new("gets", told.number("cmd_get")),
            Statistic::new("hit_rate", hit_rate(&told)),
            Statistic::new("puts", told.number("cmd_set")),
            // Since its start: a row's own CPU time is that of its step, of all processes.
            Statistic::new("servers_cpu_s", cpu_s),
        ]
    }

    fn settings(&self) -> Vec<Setting> {
        self.settings.clone()
    }

    /// Checks that the server answers, and has evicted nothing if its memory has no limit.
    fn check(&self) -> Result<(), String> {
        let told = self.ask()?;
        match told.number("evictions") {
            evicted if evicted > 0.0 && self.config.object_memory_bytes.is_none() => {
                Err(format!("it evicted {evicted} items, and its memory has no limit"))
            }
            _ => Ok(()),
        }
    }
}

impl KvBytesEngine for Memcached {
    type BytesSession<'engine> = ByteSession<MemcachedSession<'engine>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        self.session_of_its_own().map(ByteSession)
    }
}

impl OpenStore for Memcached {
    type Config = Config;

    fn configure(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
        Config::read(setup, options)
    }

    fn open_configured(config: Config) -> Result<Self, OpenError> {
        Self::open(config)
    }
}

/// Items whose lifetime the server has noticed to have ended.
fn expired(told: &Statistics) -> f64 {
    told.number("get_expired") + told.number("crawler_reclaimed") + told.number("reclaimed")
}

/// The share of GETs that found their key; nothing has missed without GETs.
fn hit_rate(told: &Statistics) -> f64 {
    match told.number("cmd_get") {
        0.0 => 1.0,
        gets => told.number("get_hits") / gets,
    }
}
