//! RocksDB, its files on the heap or on a tmpfs, without a write-ahead log, or on a disk.

#[expect(unsafe_code, reason = "symbols have the types of their header")]
mod api;
#[expect(unsafe_code, reason = "a C interface; nothing outside sees an address")]
mod database;

use std::ffi::CStr;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use engine::{
    Durability, EngineTraits, Hashing, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    OpenError, Presence, Rmw, Scans, SessionError, Setting, Snapshots, Statistic, Storage, Writes,
};
use kit::counted::{self, Counted, CountedSession, VALUE_BYTES_MAX};
use kit::disk::{OnDisk, StoreFolder, durability_of};
use kit::key::{BYTES_MAX, ByteSession, WordSession};
use kit::tmpfs::{SHARED_MEMORY, create_folder, unmapped_bytes};

use crate::foreign::c_path;
use crate::os;
use crate::settings::{PREFIX, at_least};
use database::{Access, Database, Log, Options};

const SETTLE_MAX: Duration = Duration::from_secs(10);
/// Properties that are above 0 while work in the background runs or is due.
const WORK: [&CStr; 4] = [
    c"rocksdb.mem-table-flush-pending",
    c"rocksdb.num-running-flushes",
    c"rocksdb.compaction-pending",
    c"rocksdb.num-running-compactions",
];

/// Where a [`RocksDb`]'s files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RocksDbFiles {
    /// RocksDB's memory environment: strings on the heap, that is in the process' own memory.
    /// Blocks are copied to the block cache.
    Heap,
    /// A private folder on the tmpfs given, mapped to read: no block is copied. The process'
    /// resident memory shows of the files what was read.
    Tmpfs(PathBuf),
    /// A folder on a disk.
    Disk {
        /// Where it is, and whether there is a log: there is none for [`Durability::None`].
        on: OnDisk,
        /// Whether the page cache is passed by, which then holds nothing but the log.
        direct: bool,
    },
}

impl RocksDbFiles {
    fn on_disk(&self) -> Option<&OnDisk> {
        if let Self::Disk { on, .. } = self { Some(on) } else { None }
    }

    fn access(&self) -> Access {
        match self {
            Self::Heap | Self::Tmpfs(_) => Access::Mapped,
            Self::Disk { direct: false, .. } => Access::Cached,
            Self::Disk { direct: true, .. } => Access::Direct,
        }
    }
}

/// Settings of a [`RocksDb`].
#[derive(Clone, Debug, PartialEq)]
pub struct RocksDbConfig {
    /// Live key and value bytes above which puts are refused; `None` for no bound.
    pub object_memory_bytes: Option<u64>,
    /// Where files are. Default [`RocksDbFiles::Heap`].
    pub files: RocksDbFiles,
    /// Size of a memtable, in bytes; a larger one is flushed more rarely. Default 64 MiB.
    pub write_buffer_bytes: usize,
    /// Memtables, the one being written included. Default 3, so that a put need not wait for a
    /// flush.
    pub write_buffers: u16,
    /// Bytes of file blocks kept ready, of use for [`RocksDbFiles::Heap`]. Default 64 MiB.
    pub block_cache_bytes: usize,
    /// Bits a key of the files' Bloom filters, which spare lookups of absent keys. Default 10.
    pub bloom_bits_per_key: u16,
    /// Threads that flush and compact. Default 2, as RocksDB's.
    pub background_jobs: u16,
    /// Whether PUT looks up if the key is present. Without it, every stored value counts as inserted, and
    /// `object_memory_bytes` bounds nothing. Default true.
    pub ask_presence: bool,
    /// Locks that writers of a key share, a power of two. Default 256.
    pub stripes: usize,
}

impl Default for RocksDbConfig {
    fn default() -> Self {
        Self {
            object_memory_bytes: None,
            files: RocksDbFiles::Heap,
            write_buffer_bytes: 64 << 20,
            write_buffers: 3,
            block_cache_bytes: 64 << 20,
            bloom_bits_per_key: 10,
            background_jobs: 2,
            ask_presence: true,
            stripes: 256,
        }
    }
}

impl RocksDbConfig {
    /// The defaults with files on the machine's tmpfs.
    #[must_use]
    pub fn on_tmpfs() -> Self {
        Self { files: RocksDbFiles::Tmpfs(SHARED_MEMORY.into()), ..Self::default() }
    }
}

/// The store; see the file's documentation. Dropped in order: the database, then its folder.
#[derive(Debug)]
pub struct RocksDb {
    counted: Counted<Database>,
    folder: Option<StoreFolder>,
    config: RocksDbConfig,
}

impl RocksDb {
    /// An empty store; on a disk, the one that is in the folder.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where the library, or space on the tmpfs, is missing;
    /// [`OpenError::BadSetting`] for stripes that are no power of two, write buffers below 64 KiB
    /// or 2, no background job, or a folder on no tmpfs.
    pub fn open(config: RocksDbConfig) -> Result<Self, OpenError> {
        counted::check_stripes(config.stripes)?;
        at_least("write_buffer_bytes", config.write_buffer_bytes, 64 << 10)?;
        at_least("write_buffers", config.write_buffers.into(), 2)?;
        at_least("background_jobs", config.background_jobs.into(), 1)?;
        let folder = match &config.files {
            RocksDbFiles::Heap => None,
            RocksDbFiles::Tmpfs(tmpfs) => {
                let least_bytes = 2 * config.object_memory_bytes.unwrap_or(0);
                Some(StoreFolder::Private(create_folder(tmpfs, PREFIX, least_bytes)?))
            }
            RocksDbFiles::Disk { on, .. } => {
                on.check(&[Durability::None, Durability::Process, Durability::Acknowledged])?;
                Some(on.folder(PREFIX)?)
            }
        };
        let database = Database::open(&Options {
            folder: folder.as_ref().map(|folder| c_path(folder.path())),
            write_buffer_bytes: config.write_buffer_bytes,
            write_buffers: config.write_buffers.into(),
            block_cache_bytes: config.block_cache_bytes,
            bloom_bits_per_key: config.bloom_bits_per_key.into(),
            background_jobs: config.background_jobs.into(),
            access: config.files.access(),
            log: match durability_of(config.files.on_disk()) {
                Durability::None | Durability::Queued => Log::Off,
                Durability::Process => Log::Unsynced,
                Durability::Acknowledged => Log::Synced,
            },
        })?;
        let counted =
            Counted::new(database, config.stripes, config.object_memory_bytes, config.ask_presence);
        Ok(Self { counted, folder, config })
    }

    fn property(&self, name: &CStr) -> u64 {
        self.counted.table.property(name)
    }
}

impl KvEngine for RocksDb {
    const TRAITS: EngineTraits = EngineTraits {
        name: "rocksdb",
        may_be_missing: true,
        description: "RocksDB by its C interface: no log, files in memory",
        memory_bound: MemoryBound::Soft,
        keys: Keys::Bytes { max: BYTES_MAX },
        value_bytes_max: VALUE_BYTES_MAX,
        scans: Scans::Both,
        background_threads: true,
        hashing: Hashing::None,
        writes: Writes::Blind,
        snapshots: Snapshots::Linearizable,
        writes_in_one_step: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = WordSession<CountedSession<'engine, Database>>;

    fn lacking() -> Vec<OpenError> {
        api::functions().err().into_iter().collect()
    }

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Ok(WordSession(CountedSession::new(&self.counted)))
    }

    fn storage(&self) -> Storage {
        if self.config.files.on_disk().is_some() { Storage::Disk } else { Storage::Memory }
    }

    fn folders(&self) -> Vec<PathBuf> {
        let on_disk = self.folder.iter().filter(|_| self.config.files.on_disk().is_some());
        on_disk.map(|folder| folder.path().to_owned()).collect()
    }

    fn durability(&self) -> Durability {
        durability_of(self.config.files.on_disk())
    }

    /// The threads are the process' pool, which RocksDB keeps when a store is dropped.
    fn writes(&self) -> Writes {
        self.counted.writes()
    }

    fn rmw(&self) -> Rmw {
        self.counted.rmw()
    }

    fn writes_in_one_step(&self) -> bool {
        self.counted.writes() == Writes::Blind
    }

    fn presence(&self) -> Presence {
        let threads = self.config.background_jobs.into();
        Presence { page_bytes: Self::TRAITS.page_bytes, threads, servers: 0 }
    }

    /// Waits for flushes and compactions that run or are due. The memtable stays: it is not full.
    fn settle(&self) {
        let deadline = Instant::now() + SETTLE_MAX;
        while WORK.iter().any(|name| self.property(name) > 0) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Flushes, compacts everything, and has the heap return free pages.
    fn trim(&self) {
        self.counted.table.compact();
        os::trim_heap();
    }

    /// Object memory is memtables and files, as RocksDB tells of each at a moment of its own; how
    /// it lays records out it does not tell, so the figures are not complete.
    fn memory(&self) -> MemoryCensus {
        let live = self.counted.live();
        let held_bytes = self.property(c"rocksdb.cur-size-all-mem-tables")
            + self.property(c"rocksdb.total-sst-files-size");
        let object_memory_bytes = held_bytes.max(live.bytes());
        MemoryCensus {
            live_objects: live.objects,
            live_value_bytes: live.value_bytes,
            live_object_bytes: live.bytes(),
            dead_object_bytes: object_memory_bytes - live.bytes(),
            object_memory_bytes,
            index_bytes: self.property(c"rocksdb.estimate-table-readers-mem"),
            table_bytes: self.property(c"rocksdb.block-cache-usage") + self.counted.bytes(),
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let told: [(&'static str, &CStr); 9] = [
            ("memtable_bytes", c"rocksdb.cur-size-all-mem-tables"),
            ("immutable_memtables", c"rocksdb.num-immutable-mem-table"),
            ("table_files_bytes", c"rocksdb.total-sst-files-size"),
            ("block_cache_used_bytes", c"rocksdb.block-cache-usage"),
            ("table_readers_bytes", c"rocksdb.estimate-table-readers-mem"),
            ("compaction_due_bytes", c"rocksdb.estimate-pending-compaction-bytes"),
            ("running_flushes", c"rocksdb.num-running-flushes"),
            ("running_compactions", c"rocksdb.num-running-compactions"),
            ("estimated_keys", c"rocksdb.estimate-num-keys"),
        ];
        let mut statistics: Vec<_> = told
            .into_iter()
            .map(|(name, property)| Statistic::new(name, self.property(property) as f64))
            .collect();
        let files_bytes = self.folder.as_ref().map_or(0, StoreFolder::files_bytes);
        statistics.push(Statistic::new("files_bytes", files_bytes as f64));
        let unmapped = self.folder.as_ref().map_or(0, |folder| unmapped_bytes(folder.path()));
        statistics.push(Statistic::new("unmapped_files_bytes", unmapped as f64));
        statistics.push(Statistic::new("lookups_before_writes", self.counted.lookups() as f64));
        statistics
    }

    fn settings(&self) -> Vec<Setting> {
        let config = &self.config;
        let (files, access) = match &config.files {
            RocksDbFiles::Heap => ("heap", "rocksdb_create_mem_env".to_owned()),
            RocksDbFiles::Tmpfs(path) => ("tmpfs", format!("{}, allow_mmap_reads", path.display())),
            RocksDbFiles::Disk { direct: false, .. } => ("disk", "page cache".to_owned()),
            RocksDbFiles::Disk { direct: true, .. } => ("disk", "use_direct_reads".to_owned()),
        };
        let mut settings = vec![
            Setting::new("library", loaded_file().unwrap_or_else(|| api::SONAME.to_owned())),
            Setting::new("files", files),
            Setting::new("access to files", access),
            Setting::new("write-buffer-bytes", config.write_buffer_bytes),
            Setting::new("max_write_buffer_number", config.write_buffers),
            Setting::new("block-cache-bytes", config.block_cache_bytes),
            Setting::new("bloom_bits_per_key", config.bloom_bits_per_key),
            Setting::new("max_background_jobs", config.background_jobs),
            Setting::new("level_compaction_dynamic_level_bytes", true),
            Setting::new("compression", "none"),
            Setting::new("disableWAL", self.durability() == Durability::None),
            Setting::new("log", self.durability().name()),
            Setting::new("direct-io", config.files.access() == Access::Direct),
            Setting::new("verify_checksums", false),
        ];
        settings.extend(self.counted.settings());
        settings
    }

    fn check(&self) -> Result<(), String> {
        self.counted.check()
    }
}

impl KvBytesEngine for RocksDb {
    type BytesSession<'engine> = ByteSession<CountedSession<'engine, Database>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(CountedSession::new(&self.counted)))
    }
}

/// The library's file as mapped, whose name ends in the whole version: the interface of this
/// version has no function that tells.
fn loaded_file() -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let mut files = maps.lines().filter_map(|line| line.rsplit('/').next());
    files.find(|file| file.starts_with(api::SONAME)).map(str::to_owned)
}
