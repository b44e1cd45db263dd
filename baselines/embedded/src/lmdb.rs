//! LMDB in a mapping of a file on a tmpfs, never synced, or on a disk.
//!
//! A copy-on-write tree: one writer at a time, readers that wait for nobody. Each put and delete
//! is a transaction of its own, which copies the pages from the root to the leaf.
//!
//! **Full.** Pages of an old state are free only two commits later, and later still while a reader
//! looks at it, so a map that is full to the last page could not even delete. Puts therefore may
//! use all pages but a reserve; deletes use the reserve and, where readers hold pages, wait for
//! them. A full store stays as it was, for a transaction that does not fit is given up.

#[expect(unsafe_code, reason = "symbols have the types of their header")]
mod api;
#[expect(unsafe_code, reason = "a C interface; nothing outside sees an address")]
mod environment;
mod stored;

use std::fs::File;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engine::{
    Decide, DeleteOutcome, Durability, EngineTraits, GetError, Hashing, Keys, KvBytesEngine,
    KvEngine, MemoryCensus, OpenError, PutError, PutOutcome, ScanOrder, ScanRange, Scans,
    SessionError, Setting, Statistic, Storage,
};

use kit::disk::{OnDisk, StoreFolder, durability_of, settings_of};
use kit::folder::file_bytes;
use kit::key::{ByteSession, Bytes, Operations, get_then_put};
use kit::moment::limited;
use kit::tmpfs::{self, SHARED_MEMORY};
use kit::values::copy_out;

use crate::foreign::{c_path, refused};
use crate::settings::{PREFIX, at_least, bound_text};
use environment::{Environment, Reader, Refusal, Snapshot};
pub use stored::{LMDB_KEY_BYTES_MAX, Stored};

/// LMDB's pages are the system's; others are refused.
const PAGE_BYTES: u64 = 4096;
/// Smallest map.
const MAP_BYTES_MIN: usize = 4 << 20;
/// One in so many pages is kept for deletes, and at least the second number.
const RESERVE_SHARE: u64 = 32;
const RESERVE_PAGES_MIN: u64 = 128;
/// Header of an overflow page.
const OVERFLOW_HEADER_BYTES: u64 = 16;
/// Header of a pair in its page.
const NODE_HEADER_BYTES: u64 = 8;
/// The two pages that name the roots.
const META_PAGES: u64 = 2;
/// Longest wait of a delete for readers that hold pages; a scan takes far less.
const DELETE_WAIT_MAX: Duration = Duration::from_secs(30);

/// Settings of an [`Lmdb`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LmdbConfig {
    /// Size of the map, which holds everything, in bytes; at least 4 MiB, rounded down to pages.
    /// `None` takes half of what the tmpfs has free.
    pub object_memory_bytes: Option<u64>,
    /// A folder on a tmpfs, in which the store creates its own. Default `/dev/shm`.
    pub tmpfs: PathBuf,
    /// Files on a disk in place of the tmpfs. Default `None`.
    pub disk: Option<OnDisk>,
    /// Sessions at a time. A write looks at all places that were ever in use. Default 1024.
    pub sessions: u32,
}

impl Default for LmdbConfig {
    fn default() -> Self {
        Self { object_memory_bytes: None, tmpfs: SHARED_MEMORY.into(), disk: None, sessions: 1024 }
    }
}

/// The store; see the file's documentation.
///
/// On a tmpfs its files have no names: the folder is removed as soon as they are open, so that
/// nothing is left even if the process is killed.
#[derive(Debug)]
pub struct LmdbOf<K> {
    environment: Environment,
    key: PhantomData<K>,
    data: File,
    map_pages: u64,
    sessions: AtomicUsize,
    /// The place among the readers that is not a session's.
    inspection: Mutex<()>,
    delete_waits: AtomicU64,
    config: LmdbConfig,
    /// Of a store on a disk. Dropped last.
    folder: Option<StoreFolder>,
}

/// The store of words.
pub type Lmdb = LmdbOf<u64>;
/// The store of byte strings.
pub type LmdbBytes = LmdbOf<Bytes>;

/// Pages of the map by what they are for.
#[derive(Debug)]
struct Pages {
    tree: u64,
    branch: u64,
    free_tree: u64,
    /// Listed as free.
    listed: u64,
    /// Up to the last one ever used.
    touched: u64,
}

impl<K: Stored> LmdbOf<K> {
    /// An empty store; on a disk, the one that is in the folder.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where the library, or space for the whole map on the tmpfs, is
    /// missing; [`OpenError::BadSetting`] for a map below 4 MiB, no session, or a folder on no
    /// tmpfs.
    pub fn open(config: LmdbConfig) -> Result<Self, OpenError> {
        let wanted_bytes = match config.object_memory_bytes {
            Some(bytes) => bytes,
            None => tmpfs::free_bytes(&config.tmpfs)? / 2,
        };
        let map_pages = wanted_bytes / PAGE_BYTES;
        let map_bytes = usize::try_from(map_pages * PAGE_BYTES).expect("64-bit sizes");
        at_least("object_memory_bytes", map_bytes, MAP_BYTES_MIN)?;
        at_least("sessions", config.sessions as usize, 1)?;
        let folder = match &config.disk {
            Some(disk) => {
                disk.check(&[Durability::Process, Durability::Acknowledged])?;
                disk.folder(PREFIX)?
            }
            None => {
                StoreFolder::Private(tmpfs::create_folder(&config.tmpfs, PREFIX, wanted_bytes)?)
            }
        };
        let synchronises = durability_of(config.disk.as_ref()) == Durability::Acknowledged;
        let readers = config.sessions.saturating_add(1);
        let environment =
            Environment::open(&c_path(folder.path()), map_bytes, readers, K::FLAGS, synchronises)?;
        let page_bytes = u64::from(environment.page_bytes());
        if page_bytes != PAGE_BYTES {
            let message = format!("its pages have {page_bytes} bytes, not {PAGE_BYTES}");
            return Err(refused("LMDB", &message));
        }
        let data = File::open(folder.path().join("data.mdb"))
            .map_err(|error| refused("LMDB", &error.to_string()))?;
        Ok(Self {
            environment,
            key: PhantomData,
            data,
            map_pages,
            sessions: AtomicUsize::new(0),
            inspection: Mutex::new(()),
            delete_waits: AtomicU64::new(0),
            folder: config.disk.is_some().then_some(folder),
            config,
        })
    }

    /// Pages that the tree may have after a put.
    fn tree_pages_max(&self) -> u64 {
        let reserve = (self.map_pages / RESERVE_SHARE).max(RESERVE_PAGES_MIN);
        self.map_pages - META_PAGES - reserve
    }

    /// One leaf, and all else one value.
    fn value_bytes_limit(&self) -> usize {
        let bytes = (self.tree_pages_max() - 1) * PAGE_BYTES - OVERFLOW_HEADER_BYTES;
        Self::TRAITS.value_bytes_max.min(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<PutOutcome, Refusal> {
        let mut writer = self.environment.write()?;
        let before = writer.statistics().entries;
        writer.put(key, value)?;
        let after = writer.statistics();
        if tree_pages(&after) > self.tree_pages_max() {
            return Ok(PutOutcome::Full);
        }
        writer.commit()?;
        Ok(if after.entries > before { PutOutcome::Inserted } else { PutOutcome::Updated })
    }

    fn delete(&self, key: &[u8]) -> Result<bool, Refusal> {
        let mut writer = self.environment.write()?;
        let was_there = writer.delete(key)?;
        if was_there {
            writer.commit()?;
        }
        Ok(was_there)
    }

    /// Looks at the present state from the place that is not a session's.
    fn inspect<R>(&self, look: impl FnOnce(&Snapshot<'_>) -> R) -> R {
        let _guard = self.inspection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reader = self.environment.reader().expect("a place is kept for inspections");
        let snapshot = reader.snapshot();
        look(&snapshot)
    }

    fn take_place(&self) -> Result<LmdbSession<'_, K>, SessionError> {
        let place = Place::take(&self.sessions, self.config.sessions as usize)?;
        let reader = self.environment.reader().unwrap_or_else(|refusal| {
            panic!("LMDB has fewer places for readers than were asked for: {refusal}")
        });
        Ok(LmdbSession { store: self, reader, _place: place })
    }

    fn pages(&self, snapshot: &Snapshot<'_>) -> Pages {
        let tree = snapshot.statistics();
        Pages {
            tree: tree_pages(&tree),
            branch: tree.branch_pages as u64,
            free_tree: tree_pages(&snapshot.free_tree_statistics()),
            listed: snapshot.free_pages(),
            touched: self.environment.last_page_and_commit().0 + 1,
        }
    }

    fn files_bytes(&self) -> u64 {
        self.data.metadata().map_or(0, |metadata| file_bytes(&metadata))
    }
}

fn tree_pages(statistics: &api::Statistics) -> u64 {
    (statistics.branch_pages + statistics.leaf_pages + statistics.overflow_pages) as u64
}

impl<K: Stored> KvEngine for LmdbOf<K> {
    const TRAITS: EngineTraits = EngineTraits {
        name: "lmdb",
        may_be_missing: true,
        description: "LMDB by its C interface: a copy-on-write tree mapped from a tmpfs, never synced",
        keys: Keys::Bytes { max: LMDB_KEY_BYTES_MAX },
        value_bytes_max: u32::MAX as usize,
        scans: Scans::Both,
        hashing: Hashing::None,
        ..EngineTraits::BASE
    };

    type Session<'engine> = K::Session<LmdbSession<'engine, K>>;

    fn lacking() -> Vec<OpenError> {
        api::functions().err().into_iter().collect()
    }

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        self.take_place().map(K::session)
    }

    /// Looks at every object, so that puts need not: for the ends of phases, not for the middle
    /// of a measurement. Object memory is all pages that hold pairs or nothing.
    fn storage(&self) -> Storage {
        if self.folder.is_some() { Storage::Disk } else { Storage::Memory }
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.folder.iter().map(|folder| folder.path().to_owned()).collect()
    }

    fn durability(&self) -> Durability {
        durability_of(self.config.disk.as_ref())
    }

    fn memory(&self) -> MemoryCensus {
        self.inspect(|snapshot| {
            let pages = self.pages(snapshot);
            let (mut live_objects, mut live_key_bytes, mut live_value_bytes) = (0, 0, 0);
            snapshot.scan(K::form(K::least()).as_ref(), ScanOrder::Ascending, &mut |key, value| {
                live_objects += 1;
                live_key_bytes += key.len() as u64;
                live_value_bytes += value.len() as u64;
                true
            });
            let live_object_bytes =
                live_key_bytes + live_value_bytes + NODE_HEADER_BYTES * live_objects;
            let index_pages = pages.branch;
            let table_pages = META_PAGES + pages.free_tree;
            let object_memory_bytes = (self.map_pages - index_pages - table_pages) * PAGE_BYTES;
            let free_pages = self.map_pages - pages.touched + pages.listed;
            let free_object_bytes = free_pages * PAGE_BYTES;
            MemoryCensus {
                live_objects,
                live_value_bytes,
                live_object_bytes,
                dead_object_bytes: object_memory_bytes - free_object_bytes - live_object_bytes,
                free_object_bytes,
                object_memory_bytes,
                index_bytes: index_pages * PAGE_BYTES,
                table_bytes: table_pages * PAGE_BYTES,
                capacity_bytes: Some(self.map_pages * PAGE_BYTES),
                complete: true,
            }
        })
    }

    fn statistics(&self) -> Vec<Statistic> {
        let (tree, pages) = self.inspect(|snapshot| (snapshot.statistics(), self.pages(snapshot)));
        let (_, commits) = self.environment.last_page_and_commit();
        vec![
            Statistic::new("depth_pages", f64::from(tree.depth)),
            Statistic::new("branch_pages", tree.branch_pages as f64),
            Statistic::new("leaf_pages", tree.leaf_pages as f64),
            Statistic::new("overflow_pages", tree.overflow_pages as f64),
            Statistic::new("listed_free_pages", pages.listed as f64),
            Statistic::new("free_tree_pages", pages.free_tree as f64),
            Statistic::new("touched_pages", pages.touched as f64),
            Statistic::new("committed_transactions", commits as f64),
            Statistic::new("delete_waits", self.delete_waits.load(Ordering::Relaxed) as f64),
            Statistic::new("files_bytes", self.files_bytes() as f64),
        ]
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings = vec![
            Setting::new("library", self.environment.version()),
            Setting::new("object_memory_bytes", bound_text(self.config.object_memory_bytes)),
            Setting::new("map_bytes", self.map_pages * PAGE_BYTES),
            Setting::new("reserve_pages", self.map_pages - META_PAGES - self.tree_pages_max()),
            Setting::new(
                "flags",
                match self.durability() {
                    Durability::Acknowledged => "MDB_WRITEMAP, MDB_NORDAHEAD, MDB_NOTLS",
                    _ => "MDB_NOSYNC, MDB_NOMETASYNC, MDB_WRITEMAP, MDB_NORDAHEAD, MDB_NOTLS",
                },
            ),
            Setting::new("keys", K::SETTING),
            Setting::new("transactions", "one for each put and delete"),
            Setting::new("sessions", self.config.sessions),
        ];
        settings.extend(settings_of(self.config.disk.as_ref(), &self.config.tmpfs));
        settings
    }

    /// Walks the tree: keys in order, as many as it says; and every page ever used is in the
    /// tree, lists what is free, or is listed as free.
    fn check(&self) -> Result<(), String> {
        self.inspect(|snapshot| {
            let (mut entries, mut previous, mut disorder) = (0, None::<K>, None);
            snapshot.scan(K::form(K::least()).as_ref(), ScanOrder::Ascending, &mut |key, _| {
                let key = K::owned(K::asked_of(key));
                if previous.as_ref().is_some_and(|previous| *previous >= key) {
                    disorder = Some(key.clone());
                }
                previous = Some(key);
                entries += 1;
                disorder.is_none()
            });
            if let Some(key) = disorder {
                return Err(format!("key {key:x?} is out of order"));
            }
            let counted = snapshot.statistics().entries;
            if entries != counted {
                return Err(format!("{counted} entries counted, {entries} found"));
            }
            let pages = self.pages(snapshot);
            if META_PAGES + pages.tree + pages.free_tree + pages.listed != pages.touched {
                return Err(format!("a page is lost, or there twice: {pages:?}"));
            }
            Ok(())
        })
    }
}

impl KvBytesEngine for LmdbBytes {
    type BytesSession<'engine> = ByteSession<LmdbSession<'engine, Bytes>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        self.take_place().map(ByteSession)
    }
}

/// One thread's use of an [`LmdbOf`]. Its place is free again when its reader is gone.
#[derive(Debug)]
pub struct LmdbSession<'engine, K> {
    store: &'engine LmdbOf<K>,
    reader: Reader<'engine>,
    _place: Place<'engine>,
}

/// One of the sessions that may be open at a time.
#[derive(Debug)]
struct Place<'engine>(&'engine AtomicUsize);

impl<'engine> Place<'engine> {
    fn take(taken: &'engine AtomicUsize, limit: usize) -> Result<Self, SessionError> {
        // PLACE, to: the Release when a place is given back.
        let outcome = taken.fetch_update(Ordering::Acquire, Ordering::Relaxed, |taken| {
            (taken < limit).then_some(taken + 1)
        });
        outcome.map(|_| Self(taken)).map_err(|_| SessionError::TooManySessions { limit })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        // PLACE, from: the reader that had this place has left LMDB's table.
        self.0.fetch_sub(1, Ordering::Release);
    }
}

impl<K: Stored> Operations<K> for LmdbSession<'_, K> {
    const KEY_BYTES_MAX: usize = LMDB_KEY_BYTES_MAX;

    #[inline]
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let snapshot = self.reader.snapshot();
        snapshot.get(K::form(key).as_ref()).map(|value| copy_out(value, buffer)).transpose()
    }

    #[inline]
    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.store.value_bytes_limit());
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        match self.store.put(K::form(key).as_ref(), value) {
            Ok(outcome) => Ok(outcome),
            Err(refusal) if refusal.is_full() => Ok(PutOutcome::Full),
            Err(refusal) => panic!("LMDB's put: {refusal}"),
        }
    }

    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        get_then_put::<K, _>(self, key, decide)
    }

    #[inline]
    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        let mut deadline = None;
        loop {
            match self.store.delete(K::form(key).as_ref()) {
                Ok(was_there) => return DeleteOutcome::told(was_there),
                Err(refusal) if refusal.is_full() => {
                    // Relaxed: the counter guards no other memory.
                    self.store.delete_waits.fetch_add(1, Ordering::Relaxed);
                    let until = *deadline.get_or_insert_with(|| Instant::now() + DELETE_WAIT_MAX);
                    assert!(Instant::now() < until, "LMDB's delete: {refusal}, and no reader ends");
                    thread::yield_now();
                }
                Err(refusal) => panic!("LMDB's delete: {refusal}"),
            }
        }
    }

    fn scan(
        &mut self,
        range: ScanRange<K::Asked<'_>>,
        visit: &mut dyn FnMut(K::Asked<'_>, &[u8]),
    ) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let (snapshot, first) = (self.reader.snapshot(), K::form(first));
        let shown = limited(limit, &mut |key, value| visit(K::asked_of(key), value), |visit| {
            snapshot.scan(first.as_ref(), order, visit);
        });
        Some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::KvSession;

    /// A full store in which a reader holds every page: deletes use the reserve up, then wait,
    /// and go on when the reader ends.
    #[test]
    fn deletes_wait_for_readers_that_hold_pages() {
        let config = LmdbConfig { object_memory_bytes: Some(4 << 20), ..LmdbConfig::default() };
        let store = match Lmdb::open(config) {
            Ok(store) => store,
            Err(error @ OpenError::Missing { .. }) => return eprintln!("skipped: {error}"),
            Err(error) => panic!("{error}"),
        };
        let mut keys = 0;
        let mut session = store.session().unwrap();
        while session.put(keys, &[1; 1000]).unwrap().is_stored() {
            keys += 1;
        }
        assert!(keys > 2000, "{keys} objects of 1000 bytes in 4 MiB");
        let mut reader = store.environment.reader().unwrap();
        let snapshot = reader.snapshot();
        let waits = || store.delete_waits.load(Ordering::Relaxed);
        thread::scope(|scope| {
            let deleter = scope.spawn(|| {
                let mut session = store.session().unwrap();
                (0..keys).all(|key| session.delete(key).was_present())
            });
            while waits() == 0 && !deleter.is_finished() {
                thread::yield_now();
            }
            assert!(waits() > 0, "the reader holds nothing");
            assert_eq!(snapshot.get(&0_u64.to_ne_bytes()), Some(&[1; 1000][..]), "its state stays");
            drop(snapshot);
            assert!(deleter.join().unwrap());
        });
        store.check().unwrap();
        assert_eq!(store.memory().live_objects, 0);
    }
}
