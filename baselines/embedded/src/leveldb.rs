//! LevelDB with its files, and its log, on a tmpfs or on a disk.
//!
//! LevelDB maps table files to read them, so blocks on a tmpfs are read where they lie. Its
//! write-ahead log cannot be turned off: a put also writes to a file on the tmpfs, unsynced.

#[expect(unsafe_code, reason = "symbols have the types of their header")]
mod api;
#[expect(unsafe_code, reason = "a C interface; nothing outside sees an address")]
mod database;

use std::ffi::CStr;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use engine::{
    Durability, EngineTraits, Hashing, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    OpenError, Presence, Rmw, Scans, SessionError, Setting, Sharing, Snapshots, Statistic, Storage,
    Writes,
};
use kit::counted::{self, Counted, CountedSession, VALUE_BYTES_MAX};
use kit::disk::{OnDisk, StoreFolder, durability_of, settings_of};
use kit::key::{BYTES_MAX, ByteSession, WordSession};
use kit::partitions::Partition;
use kit::tmpfs::{SHARED_MEMORY, create_folder, unmapped_bytes};

use crate::foreign::c_path;
use crate::os;
use crate::settings::{PREFIX, at_least};
use database::{Database, Options};

const SETTLE_MAX: Duration = Duration::from_secs(10);
/// How often, and how far apart, nothing must have changed before work counts as done.
const QUIET_LOOKS: u32 = 5;
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Levels of the store, and files at level 0 that make it compact.
const LEVELS: usize = 7;
const LEVEL0_COMPACTION_FILES: u64 = 4;

/// Settings of a [`LevelDb`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelDbConfig {
    /// Live key and value bytes above which puts are refused; `None` for no bound.
    pub object_memory_bytes: Option<u64>,
    /// A folder on a tmpfs, in which the store creates its own. Default `/dev/shm`.
    pub tmpfs: PathBuf,
    /// Files on a disk in place of the tmpfs. Default `None`.
    pub disk: Option<OnDisk>,
    /// Size of the memtable, and of the log beside it, in bytes. Default 64 MiB.
    pub write_buffer_bytes: usize,
    /// Largest table file, in bytes. The store keeps 1000 open and mapped, so larger ones hold
    /// more in reach and make longer compactions. Default 16 MiB.
    pub table_file_bytes: usize,
    /// Bytes of blocks kept ready, of use only beyond the files that are mapped. Default 8 MiB, as
    /// LevelDB's.
    pub block_cache_bytes: usize,
    /// Bits a key of the files' Bloom filters, which spare lookups of absent keys. Default 10.
    pub bloom_bits_per_key: u16,
    /// Whether PUT looks up if the key is present. Without it, every stored value counts as inserted, and
    /// `object_memory_bytes` bounds nothing. Default true.
    pub ask_presence: bool,
    /// Locks that writers of a key share, a power of two. Default 256.
    pub stripes: usize,
}

impl Default for LevelDbConfig {
    fn default() -> Self {
        Self {
            object_memory_bytes: None,
            tmpfs: SHARED_MEMORY.into(),
            disk: None,
            write_buffer_bytes: 64 << 20,
            table_file_bytes: 16 << 20,
            block_cache_bytes: 8 << 20,
            bloom_bits_per_key: 10,
            ask_presence: true,
            stripes: 256,
        }
    }
}

/// The store; see the file's documentation. Dropped in order: the database, then its folder.
#[derive(Debug)]
pub struct LevelDb {
    counted: Counted<Database>,
    folder: StoreFolder,
    config: LevelDbConfig,
}

impl LevelDb {
    /// An empty store; on a disk, the one that is in the folder.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where the library, or space on the tmpfs, is missing;
    /// [`OpenError::BadSetting`] for stripes that are no power of two, a write buffer below 64 KiB,
    /// table files below 1 MiB, or a folder on no tmpfs.
    pub fn open(config: LevelDbConfig) -> Result<Self, OpenError> {
        counted::check_stripes(config.stripes)?;
        at_least("write_buffer_bytes", config.write_buffer_bytes, 64 << 10)?;
        at_least("table_file_bytes", config.table_file_bytes, 1 << 20)?;
        let folder = match &config.disk {
            Some(disk) => {
                disk.check(&[Durability::Process, Durability::Acknowledged])?;
                disk.folder(PREFIX)?
            }
            None => {
                let least_bytes = 2 * config.object_memory_bytes.unwrap_or(0);
                StoreFolder::Private(create_folder(&config.tmpfs, PREFIX, least_bytes)?)
            }
        };
        let database = Database::open(&Options {
            folder: c_path(folder.path()),
            write_buffer_bytes: config.write_buffer_bytes,
            table_file_bytes: config.table_file_bytes,
            block_cache_bytes: config.block_cache_bytes,
            bloom_bits_per_key: config.bloom_bits_per_key.into(),
            synchronises: durability_of(config.disk.as_ref()) == Durability::Acknowledged,
        })?;
        let counted =
            Counted::new(database, config.stripes, config.object_memory_bytes, config.ask_presence);
        Ok(Self { counted, folder, config })
    }

    /// Files at a level.
    fn files_at(&self, level: usize) -> u64 {
        let name = format!("leveldb.num-files-at-level{level}\0");
        let name = CStr::from_bytes_with_nul(name.as_bytes()).expect("one NUL, at the end");
        self.counted.table.property(name).and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// Block cache and memtables, in bytes.
    fn heap_bytes(&self) -> u64 {
        let told = self.counted.table.property(c"leveldb.approximate-memory-usage");
        told.and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// Bytes that compactions have read and written since the store was opened.
    fn compacted_bytes(&self) -> (f64, f64) {
        let told = self.counted.table.property(c"leveldb.stats").unwrap_or_default();
        compacted_bytes(&told)
    }
}

/// Sums the columns `Read(MB)` and `Write(MB)` of the store's table of levels.
fn compacted_bytes(told: &str) -> (f64, f64) {
    let mib = f64::from(1 << 20);
    let rows = told.lines().filter_map(|line| {
        let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
        match numbers.ok()?[..] {
            [_level, _files, _size, _seconds, read, written] => Some((read * mib, written * mib)),
            _ => None,
        }
    });
    rows.fold((0.0, 0.0), |sum, row| (sum.0 + row.0, sum.1 + row.1))
}

impl KvEngine for LevelDb {
    const TRAITS: EngineTraits = EngineTraits {
        name: "leveldb",
        may_be_missing: true,
        description: "LevelDB by its C interface: log and files on a tmpfs",
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
        if self.config.disk.is_some() { Storage::Disk } else { Storage::Memory }
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.config.disk.iter().map(|_| self.folder.path().to_owned()).collect()
    }

    fn durability(&self) -> Durability {
        durability_of(self.config.disk.as_ref())
    }

    /// The thread is the process' one for all databases, which LevelDB keeps.
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
        Presence { page_bytes: Self::TRAITS.page_bytes, threads: 1, servers: 0 }
    }

    /// Waits until files stand still and level 0 needs no compaction: LevelDB does not tell
    /// whether work is due. The memtable stays: it is not full.
    fn settle(&self) {
        let deadline = Instant::now() + SETTLE_MAX;
        let look = || {
            let files: [u64; LEVELS] = std::array::from_fn(|level| self.files_at(level));
            (files, self.heap_bytes(), self.folder.files_bytes())
        };
        let (mut last, mut quiet) = (look(), 0);
        while quiet < QUIET_LOOKS && Instant::now() < deadline {
            thread::sleep(LOOK_EVERY);
            let now = look();
            let stands = now == last && now.0[0] < LEVEL0_COMPACTION_FILES;
            quiet = if stands { quiet + 1 } else { 0 };
            last = now;
        }
    }

    /// Flushes, compacts everything, and has the heap return free pages.
    fn trim(&self) {
        self.counted.table.compact();
        os::trim_heap();
    }

    /// Object memory is memtables and files, the log included; how it lays records out LevelDB
    /// does not tell, so the figures are not complete.
    fn memory(&self) -> MemoryCensus {
        let live = self.counted.live();
        let held_bytes = self.heap_bytes() + self.folder.files_bytes();
        let object_memory_bytes = held_bytes.max(live.bytes());
        MemoryCensus {
            live_objects: live.objects,
            live_value_bytes: live.value_bytes,
            live_object_bytes: live.bytes(),
            dead_object_bytes: object_memory_bytes - live.bytes(),
            object_memory_bytes,
            table_bytes: self.counted.bytes(),
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let table_files: u64 = (0..LEVELS).map(|level| self.files_at(level)).sum();
        let (read_bytes, written_bytes) = self.compacted_bytes();
        vec![
            Statistic::new("memtable_and_cache_bytes", self.heap_bytes() as f64),
            Statistic::new("files_bytes", self.folder.files_bytes() as f64),
            Statistic::new("unmapped_files_bytes", unmapped_bytes(self.folder.path()) as f64),
            Statistic::new("table_files", table_files as f64),
            Statistic::new("level0_files", self.files_at(0) as f64),
            Statistic::new("compaction_read_bytes", read_bytes),
            Statistic::new("compaction_written_bytes", written_bytes),
            Statistic::new("lookups_before_writes", self.counted.lookups() as f64),
        ]
    }

    fn settings(&self) -> Vec<Setting> {
        let config = &self.config;
        let version = self.counted.table.version();
        let waits = self.durability() == Durability::Acknowledged;
        let mut settings = vec![
            Setting::new("library", format!("{} {version}", api::SONAME)),
            Setting::new("write-buffer-bytes", config.write_buffer_bytes),
            Setting::new("max_file_size", config.table_file_bytes),
            Setting::new("block-cache-bytes", config.block_cache_bytes),
            Setting::new("bloom_bits_per_key", config.bloom_bits_per_key),
            Setting::new("compression", "none"),
            Setting::new(
                "write-ahead log",
                if waits { "sync true" } else { "sync false: it cannot be turned off" },
            ),
            Setting::new("verify_checksums", false),
        ];
        settings.extend(self.counted.settings());
        settings.extend(settings_of(config.disk.as_ref(), &config.tmpfs));
        settings
    }

    fn check(&self) -> Result<(), String> {
        self.counted.check()
    }
}

impl KvBytesEngine for LevelDb {
    type BytesSession<'engine> = ByteSession<CountedSession<'engine, Database>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(CountedSession::new(&self.counted)))
    }
}

impl Partition for LevelDb {
    const TOGETHER: EngineTraits = EngineTraits {
        name: "leveldb-partitioned",
        description: "several `leveldb`, each with a range of the keys and workers of its own",
        sharing: Sharing::Partitioned,
        // Its ranges are of words.
        keys: Keys::Word,
        // Each partition has moments of its own.
        snapshots: Snapshots::No,
        writes_in_one_step: false,
        ..<Self as KvEngine>::TRAITS
    };
    /// The process has one for all databases.
    const THREADS_SERVE_ALL: bool = true;
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_of_levels_is_summed() {
        let told = "                               Compactions\n\
                    Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n\
                    --------------------------------------------------\n\
                    \x20 0        2       61         1        0       186\n\
                    \x20 1        4       62         2      120       100\n";
        let mib = f64::from(1 << 20);
        assert_eq!(super::compacted_bytes(told), (120.0 * mib, 286.0 * mib));
    }
}
