//! Settings of a store.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use engine::{OpenError, Options, Setup, Whole};

/// The longest value.
pub const VALUE_BYTES_MAX: usize = 32 << 20;
/// The memory component that is written, and the one that is being flushed.
const MEMTABLES: u64 = 2;
/// The most sessions at a time.
pub const SESSIONS_MAX: usize = 256;

/// Declares an enum of words.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$one:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$one])* $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(match self { $(Self::$variant => $word,)+ })
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(word: &str) -> Result<Self, ()> {
                match word { $($word => Ok(Self::$variant),)+ _ => Err(()) }
            }
        }
    };
}

words! {
    /// How operations are synchronised.
    Scheme {
        /// LevelDB's: one writer at a time, with group commit; reads take a mutex at both ends.
        GlobalLock = "global-lock",
        /// cLSM's: writes share a lock, reads take none.
        Clsm = "clsm",
    }
}

words! {
    /// What a snapshot of cLSM contains.
    SnapshotOrder {
        /// A consistent state, perhaps of the past: the caller's last writes may be missing.
        Serializable = "serializable",
        /// All that was complete when it was asked for.
        Linearizable = "linearizable",
    }
}

words! {
    /// How a value is read and written as one.
    ReadModifyWrite {
        /// Not at all: puts take no lock.
        None = "none",
        /// Under a lock that keys share by hash, which puts take too.
        Striped = "striped",
        /// By exchanging the link where the new version belongs (cLSM only).
        Optimistic = "optimistic",
    }
}

words! {
    /// When a write returns.
    LogMode {
        /// When its record is in the queue. A crash of the process may lose the last ones.
        Queued = "queued",
        /// When the system has its record. A crash of the system may lose the last ones.
        Written = "written",
        /// When the disk has its record.
        Acknowledged = "acknowledged",
    }
}

/// Settings of a [`Store`](crate::Store).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How operations are synchronised.
    pub scheme: Scheme,
    /// What a snapshot contains.
    pub snapshots: SnapshotOrder,
    /// How a value is read and written as one.
    pub read_modify_write: ReadModifyWrite,
    /// When a write returns.
    pub log: LogMode,
    /// Size of the memory component. More makes fewer and larger tables.
    pub write_buffer_bytes: usize,
    /// Size of a table that merges make.
    pub table_bytes: u64,
    /// Size of a table's block: what a read fetches.
    pub block_bytes: usize,
    /// Blocks that are kept in memory.
    pub block_cache_bytes: usize,
    /// Bits a key of the tables' filters.
    pub bloom_bits_per_key: usize,
    /// Tables of level 0 that make it due; three times as many make writes wait.
    pub level0_tables: usize,
    /// Size of level 1. Each deeper one has ten times as much.
    pub level1_bytes: u64,
    /// How long snapshots are kept; without a limit, until they are dropped.
    pub snapshot_retention: Option<Duration>,
    /// Locks that keys share by hash, a power of two.
    pub stripes: usize,
    /// Whether PUT answers if the key was there.
    pub tells_presence: bool,
    /// Where the files are, which stay. Without it, they are in a private folder of the process.
    pub folder: Option<PathBuf>,
    /// Where the private folder is made.
    pub private_parent: PathBuf,
}

impl Config {
    /// LevelDB's sizes, but for a larger memory component, with a queued log.
    #[must_use]
    pub fn new(scheme: Scheme) -> Self {
        let read_modify_write = match scheme {
            Scheme::GlobalLock => ReadModifyWrite::None,
            Scheme::Clsm => ReadModifyWrite::Optimistic,
        };
        Self {
            scheme,
            snapshots: SnapshotOrder::Serializable,
            read_modify_write,
            log: LogMode::Queued,
            write_buffer_bytes: 16 << 20,
            table_bytes: 2 << 20,
            block_bytes: 4096,
            block_cache_bytes: 8 << 20,
            bloom_bits_per_key: 10,
            level0_tables: 4,
            level1_bytes: 10 << 20,
            snapshot_retention: None,
            stripes: 256,
            tells_presence: true,
            folder: None,
            private_parent: std::env::temp_dir(),
        }
    }

    /// The settings of a cell.
    pub(crate) fn read(
        scheme: Scheme,
        setup: &Setup,
        options: &mut Options,
    ) -> Result<Self, OpenError> {
        let mut config = Self::new(scheme);
        config.tells_presence = setup.tells_updates;
        config.private_parent = setup.files_below();
        options.switch("ask-presence", &mut config.tells_presence)?;
        if scheme == Scheme::GlobalLock {
            options.one_of("sync", &mut config.scheme, Scheme::ALL)?;
            config.read_modify_write = Self::new(config.scheme).read_modify_write;
        }
        let is_clsm = config.scheme == Scheme::Clsm;
        if is_clsm {
            options.one_of("snapshots", &mut config.snapshots, SnapshotOrder::ALL)?;
        }
        // What PUT answers is that of a lookup under a lock.
        let must_lock = config.tells_presence && !is_clsm;
        let ways: &[_] = match (is_clsm, must_lock) {
            (true, _) => &[ReadModifyWrite::Optimistic, ReadModifyWrite::Striped],
            (false, false) => &[ReadModifyWrite::None, ReadModifyWrite::Striped],
            (false, true) => &[ReadModifyWrite::Striped],
        };
        if must_lock {
            config.read_modify_write = ReadModifyWrite::Striped;
            options.tell(
                "rmw=striped: what PUT answers is used, so it looks its key up under a lock"
                    .to_owned(),
            );
        }
        options.one_of("rmw", &mut config.read_modify_write, ways)?;
        options.one_of("log", &mut config.log, LogMode::ALL)?;
        let own = kit::disk::OwnMemory::limited(options, &config.private_parent)?;
        if let Some(own) = own {
            let memtable_bytes = config.write_buffer_bytes as u64;
            config.write_buffer_bytes = own.memtable_bytes(memtable_bytes, MEMTABLES) as usize;
            config.block_cache_bytes = own.cache_bytes(config.block_cache_bytes as u64) as usize;
        }
        let sizes = |least: u64, most: u64| Whole::multiples_of(1, least..=most);
        options.whole(
            "write-buffer-bytes",
            &mut config.write_buffer_bytes,
            sizes(4096, 1 << 34),
        )?;
        options.whole("table-bytes", &mut config.table_bytes, sizes(4096, 1 << 30))?;
        options.whole("block-bytes", &mut config.block_bytes, sizes(256, 1 << 20))?;
        options.whole("block-cache-bytes", &mut config.block_cache_bytes, sizes(0, 1 << 40))?;
        if let Some(own) = own {
            let memtables_bytes = config.write_buffer_bytes as u64 * MEMTABLES;
            own.check("write-buffer-bytes", memtables_bytes + config.block_cache_bytes as u64)?;
        }
        options.whole("bloom-bits-per-key", &mut config.bloom_bits_per_key, sizes(1, 40))?;
        options.whole("level0-tables", &mut config.level0_tables, sizes(1, 100))?;
        options.whole("level1-bytes", &mut config.level1_bytes, sizes(4096, 1 << 40))?;
        let mut retention_ms = 0_u64;
        options.whole("snapshot-retention-ms", &mut retention_ms, sizes(0, 1 << 40))?;
        config.snapshot_retention = (retention_ms > 0).then(|| Duration::from_millis(retention_ms));
        options.whole("stripes", &mut config.stripes, Whole::powers_of_two(1..=65_536))?;
        if config.log == LogMode::Acknowledged {
            kit::folder::fit_for_files(&config.private_parent)?;
        }
        if let Some(told) = kit::folder::told_in_memory(&config.private_parent) {
            options.tell(told);
        }
        if setup.object_memory_bytes.is_some() {
            options
                .tell("the object memory bounds nothing: files grow until the disk is full".into());
        }
        if setup.value_bytes_max > VALUE_BYTES_MAX {
            options.tell(format!("refuses values above {VALUE_BYTES_MAX} bytes"));
        }
        if setup.sessions > SESSIONS_MAX {
            return Err(OpenError::BadSetting {
                setting: "threads".to_owned(),
                value: setup.sessions.to_string(),
                accepted: format!("up to {SESSIONS_MAX}"),
            });
        }
        Ok(config)
    }
}
