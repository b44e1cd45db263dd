//! The store as the harness knows it.

use std::path::PathBuf;

use engine::{
    Durability, EngineTraits, Hashing, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    OpenError, OpenStore, Options, Rmw, Scans, SessionError, Setting, Setup, Snapshots, Statistic,
    Storage,
};
use kit::counted::VALUE_BYTES_MAX;
use kit::disk::StoreFolder;
use kit::key::{BYTES_MAX, ByteSession, WordSession};
use redb::ReadableTableMetadata as _;

use crate::config::RedbConfig;
use crate::session::RedbSession;
use crate::store::{Redb, done};

/// The crate's version, which it does not tell; a test compares it with `Cargo.lock`.
pub(crate) const VERSION: &str = "redb 4.6.0";

impl KvEngine for Redb {
    const TRAITS: EngineTraits = EngineTraits {
        name: "redb",
        description: "redb by its crate: a copy-on-write B-tree with one writer, pages on the heap",
        memory_bound: MemoryBound::Soft,
        keys: Keys::Bytes { max: BYTES_MAX },
        value_bytes_max: VALUE_BYTES_MAX,
        scans: Scans::Both,
        rmw: Rmw::Atomic,
        snapshots: Snapshots::Linearizable,
        writes_in_one_step: true,
        commits_each_write: true,
        hashing: Hashing::None,
        ..EngineTraits::BASE
    };

    type Session<'engine> = WordSession<RedbSession<'engine>>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Ok(WordSession(RedbSession::new(self)))
    }

    fn storage(&self) -> Storage {
        if self.folder.is_some() { Storage::Disk } else { Storage::Memory }
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.folder.iter().map(|folder| folder.path().to_owned()).collect()
    }

    fn durability(&self) -> Durability {
        self.config.durability()
    }

    /// Walks the tree, and keeps writers waiting meanwhile: for the ends of phases. Dead is what is neither
    /// free nor live: room within pages, and pages of states before.
    fn memory(&self) -> MemoryCensus {
        let writes = self.write();
        let stats = done("stats", writes.stats());
        let live = self.account().live;
        let allocated_bytes = stats.allocated_pages() * stats.page_size() as u64;
        let index_bytes = stats.metadata_bytes();
        let held_bytes = self.length.bytes().max(allocated_bytes);
        let free_object_bytes = held_bytes - allocated_bytes;
        let object_memory_bytes = (held_bytes - index_bytes).max(free_object_bytes + live.bytes());
        MemoryCensus {
            live_objects: live.objects,
            live_value_bytes: live.value_bytes,
            live_object_bytes: live.bytes(),
            dead_object_bytes: object_memory_bytes - free_object_bytes - live.bytes(),
            free_object_bytes,
            object_memory_bytes,
            index_bytes,
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let stats = done("stats", self.look().0.stats());
        let account = *self.account();
        let files_bytes = self.folder.as_ref().map_or(0, StoreFolder::files_bytes);
        vec![
            Statistic::new("depth_pages", f64::from(stats.tree_height())),
            Statistic::new("branch_pages", stats.branch_pages() as f64),
            Statistic::new("leaf_pages", stats.leaf_pages() as f64),
            Statistic::new("fragmented_bytes", stats.fragmented_bytes() as f64),
            Statistic::new("database_bytes", self.length.bytes() as f64),
            Statistic::new("committed_transactions", account.commits as f64),
            Statistic::new("durable_commits", account.durable_commits as f64),
            Statistic::new("files_bytes", files_bytes as f64),
        ]
    }

    fn settings(&self) -> Vec<Setting> {
        let config = &self.config;
        let durability = match self.durability() {
            Durability::None => "None",
            Durability::Queued => "None, Immediate once in a group",
            Durability::Process => "Immediate, the device not waited for",
            Durability::Acknowledged => "Immediate",
        };
        let bound = config.object_memory_bytes.map_or("none".to_owned(), |bytes| bytes.to_string());
        let mut settings = vec![
            Setting::new("library", VERSION),
            Setting::new("object_memory_bytes", bound),
            Setting::new("files", if self.folder.is_some() { "disk" } else { "heap" }),
            Setting::new("log", self.durability().name()),
            Setting::new("Durability", durability),
            Setting::new("group-commits", config.group_commits),
            Setting::new("cache-bytes", config.cache_bytes),
            Setting::new("transactions", "one for each put and delete"),
        ];
        let folder = self.folder.iter().map(|it| it.path().display());
        settings.extend(folder.map(|path| Setting::new("folder of files", path)));
        settings
    }

    fn check(&self) -> Result<(), String> {
        self.verify()
    }
}

impl KvBytesEngine for Redb {
    type BytesSession<'engine> = ByteSession<RedbSession<'engine>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(RedbSession::new(self)))
    }
}

impl OpenStore for Redb {
    type Config = RedbConfig;

    fn configure(setup: &Setup, options: &mut Options) -> Result<RedbConfig, OpenError> {
        RedbConfig::read(setup, options)
    }

    fn open_configured(config: RedbConfig) -> Result<Self, OpenError> {
        Self::open(config)
    }
}
