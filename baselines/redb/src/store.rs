//! The store: opening a database, commits, and what is counted beside it.
//!
//! One transaction writes at a time. What it changes is counted within it, so the counts are those of what
//! is committed. A caller cannot act on an error of the database, so it panics with redb's message.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{Durability, GetError, OpenError, ScanOrder};
use kit::counted::Live;
use kit::disk::StoreFolder;
use kit::moment::Moment;
use kit::values::copy_out;
use redb::backends::{FileBackend, InMemoryBackend};
use redb::{
    Builder, Database, ReadOnlyTable, ReadableDatabase as _, ReadableTable, StorageBackend, Table,
    TableDefinition, WriteTransaction,
};

use crate::backend::{Backend, Length};
use crate::config::RedbConfig;

/// The one table: words are eight big-endian bytes, whose order is that of numbers.
const PAIRS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("pairs");
const FILE: &str = "pairs.redb";
const PREFIX: &str = "baseline-redb-";

/// The store; see the file's documentation. Dropped in order: the database, then its folder.
#[derive(Debug)]
pub struct Redb {
    pub(crate) database: Database,
    pub(crate) length: Length,
    account: Mutex<Account>,
    pub(crate) config: RedbConfig,
    pub(crate) folder: Option<StoreFolder>,
}

/// What is counted. It changes within write transactions only.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    pub(crate) live: Live,
    pub(crate) commits: u64,
    pub(crate) durable_commits: u64,
}

impl Redb {
    /// An empty store; on a disk, the one that is in the folder.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for settings that redb cannot keep; [`OpenError::Unusable`] where a file
    /// cannot be kept, or is no database.
    pub fn open(config: RedbConfig) -> Result<Self, OpenError> {
        config.check()?;
        let folder = config.disk.as_ref().map(|disk| disk.folder(PREFIX)).transpose()?;
        let (database, length) = match &folder {
            None => created(&config, InMemoryBackend::new()),
            Some(folder) => in_file(&config, &folder.path().join(FILE)),
        }
        .map_err(|reason| OpenError::Unusable {
            what: folder
                .as_ref()
                .map_or(PathBuf::from("redb"), |it| it.path().into())
                .display()
                .to_string(),
            reason,
        })?;
        let store = Self { database, length, account: Mutex::default(), config, folder };
        store.count_what_is_there();
        Ok(store)
    }

    /// Creates the table where there is none, and counts what an earlier store has left in it.
    fn count_what_is_there(&self) {
        let writes = done("begin", self.database.begin_write());
        let mut live = Live::default();
        all(&done("open", writes.open_table(PAIRS)), &mut |key, value| {
            live.add(key, value.len());
            true
        });
        done("commit", writes.commit());
        self.account().live = live;
    }

    pub(crate) fn account(&self) -> MutexGuard<'_, Account> {
        // It changes by steps that do not panic, so it is intact even if poisoned.
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is committed now.
    pub(crate) fn look(&self) -> Looked {
        let reads = done("begin", self.database.begin_read());
        Looked(done("open", reads.open_table(PAIRS)))
    }

    /// Waits until no other transaction writes, and begins one.
    pub(crate) fn write(&self) -> WriteTransaction {
        done("begin", self.database.begin_write())
    }

    /// Makes all changes of a transaction visible, and `live` the count of what is there.
    pub(crate) fn commit(&self, mut writes: WriteTransaction, live: Live) {
        let durable = {
            let mut account = self.account();
            account.live = live;
            account.commits += 1;
            let durable = match self.config.durability() {
                Durability::None => false,
                Durability::Queued => {
                    account.commits.is_multiple_of(self.config.group_commits.into())
                }
                Durability::Process | Durability::Acknowledged => true,
            };
            account.durable_commits += u64::from(durable);
            durable
        };
        if !durable {
            done("set_durability", writes.set_durability(redb::Durability::None));
        }
        done("commit", writes.commit());
    }

    /// Whether so much may live.
    pub(crate) fn admits(&self, live: Live) -> bool {
        self.config.object_memory_bytes.is_none_or(|bound_bytes| live.bytes() <= bound_bytes)
    }

    /// Walks all pairs, while nobody writes: keys in order, as many of them and as long as is counted.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let writes = self.write();
        let (counted, mut found) = (self.account().live, Live::default());
        let (mut previous, mut disorder) = (None::<Vec<u8>>, None);
        all(&done("open", writes.open_table(PAIRS)), &mut |key, value| {
            if previous.as_ref().is_some_and(|previous| previous[..] >= *key) {
                disorder = Some(key.to_vec());
            }
            previous = Some(key.to_vec());
            found.add(key, value.len());
            disorder.is_none()
        });
        if let Some(key) = disorder {
            return Err(format!("key {key:x?} is out of order"));
        }
        if counted != found {
            return Err(format!("{counted:?} counted, {found:?} found"));
        }
        Ok(())
    }
}

/// The table, to be changed.
pub(crate) fn pairs(writes: &WriteTransaction) -> Table<'_, &'static [u8], &'static [u8]> {
    done("open", writes.open_table(PAIRS))
}

fn in_file(config: &RedbConfig, path: &Path) -> Result<(Database, Length), String> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| error.to_string())?;
    created(config, FileBackend::new(file).map_err(|error| error.to_string())?)
}

/// Opens the database in a backend, or creates one there.
fn created(config: &RedbConfig, below: impl StorageBackend) -> Result<(Database, Length), String> {
    let synchronises = matches!(config.durability(), Durability::Queued | Durability::Acknowledged);
    let backend = Backend::new(below, synchronises).map_err(|error| error.to_string())?;
    let length = backend.length();
    let mut builder = Builder::new();
    builder.set_cache_size(config.cache_bytes);
    let database = builder.create_with_backend(backend).map_err(|error| error.to_string())?;
    Ok((database, length))
}

/// What is committed at one moment.
pub(crate) struct Looked(pub(crate) ReadOnlyTable<&'static [u8], &'static [u8]>);

impl fmt::Debug for Looked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Looked").finish_non_exhaustive()
    }
}

impl Moment for Looked {
    fn scan(
        &mut self,
        first: &[u8],
        order: ScanOrder,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) {
        scan(&self.0, Some(first), order, visit);
    }

    fn get(&mut self, key: &[u8], buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let found = done("get", self.0.get(key));
        found.map(|value| copy_out(value.value(), buffer)).transpose()
    }
}

fn all(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) {
    scan(table, None, ScanOrder::Ascending, visit);
}

/// Shows all pairs from `first` on, or from an end, in this order, until `visit` answers `false`.
fn scan(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    first: Option<&[u8]>,
    order: ScanOrder,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) {
    let range = match (first, order) {
        (None, _) => table.range::<&[u8]>(..),
        (Some(first), ScanOrder::Ascending) => table.range::<&[u8]>(first..),
        (Some(first), ScanOrder::Descending) => table.range::<&[u8]>(..=first),
    };
    let mut range = done("range", range);
    let next = || match order {
        ScanOrder::Ascending => range.next(),
        ScanOrder::Descending => range.next_back(),
    };
    for pair in std::iter::from_fn(next) {
        let (key, value) = done("range", pair);
        if !visit(key.value(), value.value()) {
            return;
        }
    }
}

/// What a call of redb came to.
///
/// # Panics
/// With its message.
#[inline]
pub(crate) fn done<T, E: fmt::Display>(operation: &str, result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("redb's {operation}: {error}"))
}
