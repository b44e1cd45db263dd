//! The store as the harness knows it.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use engine::{
    Durability, EngineTraits, Hashing, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    OpenError, OpenStore, Options, Presence, Rmw, Scans, SessionError, Setting, Setup, Snapshots,
    Statistic, Storage, Writes,
};
use kit::counted::{self, Counted, CountedSession, VALUE_BYTES_MAX};
use kit::disk::{StoreFolder, settings_of};
use kit::key::{ByteSession, WordSession};
use kit::tmpfs::{create_folder, unmapped_bytes};

use crate::config::{FjallConfig, GIVEN};
use crate::keys::KEY_BYTES_MAX;
use crate::tree::Tree;

/// The crate's version, which it does not tell; a test compares it with `Cargo.lock`.
pub(crate) const VERSION: &str = "fjall 3.1.13";
const PREFIX: &str = "baseline-fjall-";
/// What the first journal may take, whatever is live.
const JOURNAL_BYTES: u64 = 64 << 20;
const SETTLE_MAX: Duration = Duration::from_secs(10);
/// How often, and how far apart, nothing must have changed before work counts as done.
const QUIET_LOOKS: u32 = 5;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The store. Dropped in order: the tree, then its folder.
#[derive(Debug)]
pub struct Fjall {
    counted: Counted<Tree>,
    folder: StoreFolder,
    config: FjallConfig,
}

impl Fjall {
    /// An empty store; on a disk, the one that is in the folder.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where space on the tmpfs is missing; [`OpenError::BadSetting`] for stripes that
    /// are no power of two, a durability that fjall does not give, or a folder on no tmpfs;
    /// [`OpenError::Unusable`] where files cannot be kept.
    pub fn open(config: FjallConfig) -> Result<Self, OpenError> {
        counted::check_stripes(config.stripes)?;
        let folder = match &config.disk {
            Some(disk) => {
                disk.check(&GIVEN)?;
                disk.folder(PREFIX)?
            }
            None => {
                let least_bytes = 2 * config.object_memory_bytes.unwrap_or(0) + JOURNAL_BYTES;
                StoreFolder::Private(create_folder(&config.tmpfs, PREFIX, least_bytes)?)
            }
        };
        let tree = Tree::open(folder.path(), &config)?;
        let bound_bytes = config.object_memory_bytes;
        let counted = Counted::new(tree, config.stripes, bound_bytes, config.ask_presence);
        Ok(Self { counted, folder, config })
    }
}

impl KvEngine for Fjall {
    const TRAITS: EngineTraits = EngineTraits {
        name: "fjall",
        may_be_missing: true,
        description: "fjall by its crate: a log-structured merge tree, journal and files on a tmpfs",
        memory_bound: MemoryBound::Soft,
        keys: Keys::Bytes { max: KEY_BYTES_MAX },
        value_bytes_max: VALUE_BYTES_MAX,
        scans: Scans::Both,
        background_threads: true,
        hashing: Hashing::None,
        writes: Writes::Blind,
        snapshots: Snapshots::Linearizable,
        writes_in_one_step: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = WordSession<CountedSession<'engine, Tree>>;

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
        self.config.durability()
    }

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
        let threads = self.config.worker_threads;
        Presence { page_bytes: Self::TRAITS.page_bytes, threads, servers: 0 }
    }

    /// Waits for flushes and compactions that run or are due, and until what fjall tells stands still: it does
    /// not tell which compactions wait in its queue. The memtable stays: it is not full.
    fn settle(&self) {
        let deadline = Instant::now() + SETTLE_MAX;
        let look = || self.counted.table.figures();
        let (mut last, mut quiet) = (look(), 0);
        while quiet < QUIET_LOOKS && Instant::now() < deadline {
            thread::sleep(LOOK_EVERY);
            let now = look();
            quiet = if now == last && now.are_quiet() { quiet + 1 } else { 0 };
            last = now;
        }
    }

    /// Flushes and compacts everything.
    fn trim(&self) {
        self.counted.table.compact();
    }

    /// Object memory is memtables and files, the journal included; how it lays records out fjall does not
    /// tell, so the figures are not complete.
    fn memory(&self) -> MemoryCensus {
        let (live, figures) = (self.counted.live(), self.counted.table.figures());
        let held_bytes = figures.memtable_bytes + self.folder.files_bytes();
        let object_memory_bytes = held_bytes.max(live.bytes());
        MemoryCensus {
            live_objects: live.objects,
            live_value_bytes: live.value_bytes,
            live_object_bytes: live.bytes(),
            dead_object_bytes: object_memory_bytes - live.bytes(),
            object_memory_bytes,
            table_bytes: figures.cached_bytes + self.counted.bytes(),
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let figures = self.counted.table.figures();
        vec![
            Statistic::new("memtable_bytes", figures.memtable_bytes as f64),
            Statistic::new("immutable_memtables", figures.sealed_memtables as f64),
            Statistic::new("block_cache_used_bytes", figures.cached_bytes as f64),
            Statistic::new("journals", figures.journals as f64),
            Statistic::new("table_files", figures.tables as f64),
            Statistic::new("level0_files", figures.level0_tables as f64),
            Statistic::new("completed_compactions", figures.completed_compactions as f64),
            Statistic::new("files_bytes", self.folder.files_bytes() as f64),
            Statistic::new("unmapped_files_bytes", unmapped_bytes(self.folder.path()) as f64),
            Statistic::new("lookups_before_writes", self.counted.lookups() as f64),
        ]
    }

    fn settings(&self) -> Vec<Setting> {
        let config = &self.config;
        let journal = match self.durability() {
            Durability::None | Durability::Queued => "handed over when its buffer is full",
            Durability::Process => "handed over with each write",
            Durability::Acknowledged => "PersistMode::SyncData with each write",
        };
        let mut settings = vec![
            Setting::new("library", VERSION),
            Setting::new("write-buffer-bytes", config.write_buffer_bytes),
            Setting::new("block-cache-bytes", config.block_cache_bytes),
            Setting::new("worker-threads", config.worker_threads),
            Setting::new("compression", "none"),
            Setting::new("journal", journal),
        ];
        settings.extend(self.counted.settings());
        settings.extend(settings_of(config.disk.as_ref(), &config.tmpfs));
        settings
    }

    fn check(&self) -> Result<(), String> {
        self.counted.check()
    }
}

impl KvBytesEngine for Fjall {
    type BytesSession<'engine> = ByteSession<CountedSession<'engine, Tree>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(CountedSession::new(&self.counted)))
    }
}

impl OpenStore for Fjall {
    type Config = FjallConfig;

    fn configure(setup: &Setup, options: &mut Options) -> Result<FjallConfig, OpenError> {
        FjallConfig::read(setup, options)
    }

    fn open_configured(config: FjallConfig) -> Result<Self, OpenError> {
        Self::open(config)
    }
}
