//! The tree: one keyspace of a database, and what a write waits for.
//!
//! A caller cannot act on an error of the files, so it panics with fjall's message: fjall advises to end the
//! process then.

use std::fmt;
use std::path::Path;

use engine::{Durability, GetError, OpenError, ScanOrder};
use fjall::{
    AbstractTree as _, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable as _,
    Snapshot,
};
use kit::counted::Table;
use kit::moment::{Moment, Write};
use kit::values::copy_out;

use crate::config::FjallConfig;
use crate::keys::{KEY_BYTES_MAX, shown, stored};

/// An open tree. Dropped in order: the keyspace, then its database, which ends its threads.
pub struct Tree {
    pairs: Keyspace,
    database: Database,
    durability: Durability,
}

impl fmt::Debug for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tree").field("durability", &self.durability).finish_non_exhaustive()
    }
}

/// What fjall tells of its work and its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) memtable_bytes: u64,
    pub(crate) sealed_memtables: usize,
    pub(crate) cached_bytes: u64,
    pub(crate) journals: usize,
    pub(crate) tables: usize,
    pub(crate) level0_tables: usize,
    pub(crate) due_flushes: usize,
    pub(crate) running_compactions: usize,
    pub(crate) completed_compactions: usize,
}

impl Figures {
    /// Whether no work is known to be due.
    pub(crate) fn are_quiet(&self) -> bool {
        self.due_flushes + self.running_compactions + self.sealed_memtables == 0
    }
}

impl Tree {
    /// Opens the tree in a folder, or creates an empty one.
    ///
    /// # Errors
    /// [`OpenError::Unusable`] where fjall refuses, with its words.
    pub(crate) fn open(folder: &Path, config: &FjallConfig) -> Result<Self, OpenError> {
        let refused = |error: fjall::Error| OpenError::Unusable {
            what: folder.display().to_string(),
            reason: error.to_string(),
        };
        let durability = config.durability();
        // Without it, each write hands its record to the system.
        let keeps_records = matches!(durability, Durability::None | Durability::Queued);
        let database = Database::builder(folder)
            .cache_size(config.block_cache_bytes)
            .worker_threads(config.worker_threads)
            .manual_journal_persist(keeps_records)
            .open()
            .map_err(refused)?;
        let options = || {
            KeyspaceCreateOptions::default()
                .max_memtable_size(config.write_buffer_bytes)
                .manual_journal_persist(keeps_records)
        };
        let pairs = database.keyspace("pairs", options).map_err(refused)?;
        Ok(Self { pairs, database, durability })
    }

    pub(crate) fn figures(&self) -> Figures {
        let Self { pairs, database, .. } = self;
        Figures {
            memtable_bytes: database.write_buffer_size(),
            sealed_memtables: pairs.tree.sealed_memtable_count(),
            cached_bytes: database.cache_size(),
            journals: database.journal_count(),
            tables: pairs.table_count(),
            level0_tables: pairs.l0_table_count(),
            due_flushes: database.outstanding_flushes(),
            running_compactions: database.active_compactions(),
            completed_compactions: database.compactions_completed(),
        }
    }

    /// Writes the memtable out and merges all tables, until nothing is there twice.
    pub(crate) fn compact(&self) {
        done("flush", self.pairs.rotate_memtable_and_wait());
        done("compaction", self.pairs.major_compact());
    }

    /// What a write waits for besides the system.
    #[inline]
    fn acknowledge(&self) {
        if self.durability == Durability::Acknowledged {
            done("persist", self.database.persist(PersistMode::SyncData));
        }
    }
}

impl Drop for Tree {
    /// Hands the last records over now: fjall may do so a moment later, in one of its threads.
    fn drop(&mut self) {
        if let Err(error) = self.database.persist(PersistMode::Buffer) {
            eprintln!("fjall's journal, at its end: {error}");
        }
    }
}

impl Table for Tree {
    const KEY_BYTES_MAX: usize = KEY_BYTES_MAX;

    type Moment<'tree> = AtSnapshot<'tree>;

    #[inline]
    fn read<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        done("get", self.pairs.get(stored(key))).map(|value| read(&value))
    }

    #[inline]
    fn put(&self, key: &[u8], value: &[u8]) {
        done("insert", self.pairs.insert(&*stored(key), value));
        self.acknowledge();
    }

    #[inline]
    fn delete(&self, key: &[u8]) {
        done("remove", self.pairs.remove(&*stored(key)));
        self.acknowledge();
    }

    /// In a snapshot, for a range of the keyspace itself shows writes that come meanwhile.
    fn scan(&self, first: &[u8], order: ScanOrder, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) {
        self.moment().scan(first, order, visit);
    }

    fn moment(&self) -> AtSnapshot<'_> {
        AtSnapshot { tree: self, snapshot: self.database.snapshot() }
    }

    fn write(&self, writes: &[Write<'_>]) {
        let mode = match self.durability {
            Durability::None | Durability::Queued => None,
            Durability::Process => Some(PersistMode::Buffer),
            Durability::Acknowledged => Some(PersistMode::SyncData),
        };
        let mut batch = self.database.batch().durability(mode);
        for write in writes {
            match write.value() {
                Some(value) => batch.insert(&self.pairs, &*stored(write.key()), value),
                None => batch.remove(&self.pairs, &*stored(write.key())),
            }
        }
        done("batch", batch.commit());
    }
}

/// The state of a tree at one moment.
pub struct AtSnapshot<'tree> {
    tree: &'tree Tree,
    snapshot: Snapshot,
}

impl fmt::Debug for AtSnapshot<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AtSnapshot").field("tree", self.tree).finish_non_exhaustive()
    }
}

impl Moment for AtSnapshot<'_> {
    fn scan(
        &mut self,
        first: &[u8],
        order: ScanOrder,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) {
        let (pairs, first) = (&self.tree.pairs, stored(first));
        let mut range = match order {
            ScanOrder::Ascending => self.snapshot.range(pairs, &*first..),
            ScanOrder::Descending => self.snapshot.range(pairs, ..=&*first),
        };
        let next = || match order {
            ScanOrder::Ascending => range.next(),
            ScanOrder::Descending => range.next_back(),
        };
        for pair in std::iter::from_fn(next) {
            let (key, value) = done("range", pair.into_inner());
            if !visit(shown(&key), &value) {
                return;
            }
        }
    }

    fn get(&mut self, key: &[u8], buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let found = done("get", self.snapshot.get(&self.tree.pairs, stored(key)));
        found.map(|value| copy_out(&value, buffer)).transpose()
    }
}

/// What a call of fjall came to.
///
/// # Panics
/// With its message.
#[inline]
fn done<T>(operation: &str, result: fjall::Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("fjall's {operation}: {error}"))
}
