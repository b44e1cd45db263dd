//! An index over objects on any heap: shows what an allocator costs inside a store.
//!
//! As in stores that leave memory to `malloc` (such as the rows of Masstree), every put allocates
//! an object with length, key and value, and frees the old one. The index is one table per shard,
//! in its own pages, so that the heap under test holds only objects. A put allocates and copies
//! before it takes its shard's mutex, and frees the old object afterwards. A get copies under the
//! mutex.
//!
//! | file | contents |
//! |---|---|
//! | `layout` | how an object holds its key, a word or a byte string |
//! | `raw` | objects on the heap, slots in mappings: the only unsafe code |
//! | `table` | the hash table of one shard |
#![deny(unsafe_code)]

mod layout;
#[expect(unsafe_code, reason = "blocks of a heap are addresses; nothing outside sees one")]
mod raw;
mod table;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::ThreadUse;
use engine::{
    AllocatorChoice, Decide, Decision, DeleteOutcome, EngineTraits, GetError, Heap, Keys,
    KvBytesEngine, KvEngine, MemoryBound, MemoryCensus, OpenError, Presence, PutError, PutOutcome,
    Rmw, SessionError, Setting, Statistic,
};
use kit::credit::{Credit, Pool};
use kit::key::{self, ByteSession, Bytes, Length, Operations};
use kit::values;
use layout::LENGTH_BYTES;
pub use layout::Layout;
use platform::huge::collapse_own_memory;
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use raw::Object;
use table::Table;

/// The most locks and tables.
pub const SHARDS_MAX: usize = 1 << 16;

/// Settings of a [`HeapStore`].
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Where objects are allocated.
    pub heap: &'static dyn Heap,
    /// Limit of live key and value bytes, above which puts are refused; `None` allocates until the
    /// heap is exhausted.
    pub object_memory_bytes: Option<u64>,
    /// Number of locks and tables, a power of two. More of them admit more writers and cost a page
    /// each.
    pub shards: usize,
    /// Whether [`settle`](KvEngine::settle) puts the memory of the process on 2 MiB pages, so that the heap
    /// holds what stores on such pages hold. What the heap maps later is on pages as it chooses.
    pub huge_pages: bool,
}

impl Config {
    /// No bound, 64 shards, pages as the heap chooses.
    #[must_use]
    pub fn new(heap: &'static dyn Heap) -> Self {
        Self { heap, object_memory_bytes: None, shards: 64, huge_pages: false }
    }
}

/// The store; see the crate's documentation.
#[derive(Debug)]
pub struct Heaped<K: Layout> {
    shards: Box<[Shard<K>]>,
    pool: Pool,
    config: Config,
    /// Memory of the process on 2 MiB pages, in bytes, as of the last settling.
    huge_page_bytes: AtomicU64,
}

/// The store of words.
pub type HeapStore = Heaped<u64>;
/// The store of byte strings.
pub type HeapBytes = Heaped<Bytes>;

/// Two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Shard<K: Layout>(Mutex<Contents<K>>);

#[derive(Debug)]
struct Contents<K: Layout> {
    table: Table<K>,
    live_value_bytes: u64,
    credit: Credit,
}

impl<K: Layout> Heaped<K> {
    /// An empty store on `config.heap`, which it opens.
    ///
    /// # Errors
    /// The heap's error; [`OpenError::BadSetting`] for a heap without real memory or a number of
    /// shards that is not a power of two; [`OpenError::OutOfMemory`] if the first tables cannot be
    /// mapped.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let traits = config.heap.traits();
        if !traits.keeps_values {
            return Err(OpenError::BadSetting {
                setting: "heap".to_owned(),
                value: traits.name.to_owned(),
                accepted: "heaps that hand out distinct memory".to_owned(),
            });
        }
        if !config.shards.is_power_of_two() || config.shards > SHARDS_MAX {
            return Err(OpenError::BadSetting {
                setting: "shards".to_owned(),
                value: config.shards.to_string(),
                accepted: format!("powers of two up to {SHARDS_MAX}"),
            });
        }
        config.heap.open()?;
        let shards =
            (0..config.shards).map(|_| Shard::new(config.heap)).collect::<Result<_, _>>()?;
        let pool = Pool::new(config.object_memory_bytes, 4 * config.shards);
        Ok(Self { shards, pool, config, huge_page_bytes: AtomicU64::new(0) })
    }

    fn shard_of(&self, key: K::Asked<'_>) -> usize {
        // Bits that the tables do not use below 2^32 slots.
        (K::hashed(key) >> 32) as usize & (self.shards.len() - 1)
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Contents<K>> {
        // A shard changes only by steps that do not panic, so it is intact even if poisoned.
        self.shards[shard].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn value_bytes_limit(&self, key: K::Asked<'_>) -> usize {
        let bound_bytes = self.pool.bound_bytes().saturating_sub(K::length(key).bytes());
        Self::TRAITS.value_bytes_max.min(usize::try_from(bound_bytes).unwrap_or(usize::MAX))
    }

    /// Moves the credit that shards do not need to the common pool.
    fn gather_credit(&self) {
        for shard in 0..self.shards.len() {
            self.lock(shard).credit.surrender(&self.pool);
        }
    }
}

impl<K: Layout> Drop for Heaped<K> {
    fn drop(&mut self) {
        // This thread frees the objects, and it may never have used the heap.
        let _use = ThreadUse::of(self.config.heap);
        drop(std::mem::take(&mut self.shards));
    }
}

impl<K: Layout> Shard<K> {
    fn new(heap: &'static dyn Heap) -> Result<Self, OpenError> {
        let table = Table::new(heap).map_err(|_| OpenError::OutOfMemory { wanted_bytes: 4096 })?;
        let credit = Credit::default();
        Ok(Self(Mutex::new(Contents { table, live_value_bytes: 0, credit })))
    }
}

impl<K: Layout> Contents<K> {
    /// Stores the object, or returns it if there is no room.
    fn put(&mut self, pool: &Pool, object: Object<K>) -> Result<Option<Object<K>>, Object<K>> {
        let key_bytes = K::length(object.key()).bytes();
        let footprint = |value_bytes: usize| value_bytes as u64 + key_bytes;
        let old_bytes = self.table.get(object.key()).map_or(0, |old| footprint(old.value().len()));
        let new_bytes = footprint(object.value_bytes());
        if !self.table.reserve() || !self.credit.pay(pool, new_bytes.saturating_sub(old_bytes)) {
            return Err(object);
        }
        self.credit.refund(pool, old_bytes.saturating_sub(new_bytes));
        self.live_value_bytes += object.value_bytes() as u64;
        let old = self.table.insert(object);
        self.live_value_bytes -= old.as_ref().map_or(0, |old| old.value_bytes() as u64);
        Ok(old)
    }

    fn remove(&mut self, pool: &Pool, key: K::Asked<'_>) -> Option<Object<K>> {
        let old = self.table.remove(key)?;
        self.live_value_bytes -= old.value_bytes() as u64;
        self.credit.refund(pool, old.value_bytes() as u64 + K::length(key).bytes());
        Some(old)
    }

    fn check(&self) -> Result<(), String> {
        self.table.check()?;
        let value_bytes: u64 =
            self.table.iter().map(|(object, _)| object.value().len() as u64).sum();
        if value_bytes != self.live_value_bytes {
            return Err(format!("{value_bytes} value bytes, {} counted", self.live_value_bytes));
        }
        Ok(())
    }
}

impl<K: Layout> KvEngine for Heaped<K> {
    const TRAITS: EngineTraits = EngineTraits {
        name: "heapstore",
        description: "sharded hash index over objects on any heap, one allocation per put",
        memory_bound: MemoryBound::Soft,
        allocator: AllocatorChoice::Chosen,
        keys: Keys::Bytes { max: key::BYTES_MAX },
        value_bytes_max: u32::MAX as usize,
        rmw: Rmw::Atomic,
        ..EngineTraits::BASE
    };

    type Session<'engine> = K::Session<HeapSession<'engine, K>>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Ok(K::session(HeapSession::new(self)))
    }

    fn presence(&self) -> Presence {
        let page_bytes = if self.config.huge_pages { HUGE_PAGE_BYTES } else { PAGE_BYTES };
        Presence { page_bytes, threads: 0, servers: 0 }
    }

    fn settle(&self) {
        if self.config.huge_pages {
            // Relaxed: a number for `statistics`.
            self.huge_page_bytes.store(collapse_own_memory().unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// Purges the heap, as far as the calling thread can.
    fn trim(&self) {
        let _use = ThreadUse::of(self.config.heap);
        self.config.heap.purge();
    }

    /// Asks the heap about every object, so that puts need not. Meant for the ends of phases, not
    /// for the middle of a measurement.
    ///
    /// Object memory is what the heap lets objects use; the part of it that an object does not fill
    /// is dead. The numbers are complete if the heap reports usable sizes. Only the kernel sees
    /// what the heap holds beyond that. There is no capacity: neither heap nor index is bounded.
    fn memory(&self) -> MemoryCensus {
        let _use = ThreadUse::of(self.config.heap);
        let mut census = MemoryCensus {
            table_bytes: size_of_val(&*self.shards) as u64,
            complete: true,
            ..MemoryCensus::default()
        };
        for shard in 0..self.shards.len() {
            let contents = self.lock(shard);
            census.index_bytes += contents.table.bytes() as u64;
            census.live_objects += contents.table.objects() as u64;
            census.live_value_bytes += contents.live_value_bytes;
            for (object, usable_bytes) in contents.table.iter() {
                census.complete &= usable_bytes.is_some();
                let usable_bytes = usable_bytes.unwrap_or(object.bytes());
                census.live_object_bytes += object.bytes() as u64;
                // If an allocator reports less than was requested, nothing is dead.
                census.object_memory_bytes += usable_bytes.max(object.bytes()) as u64;
            }
        }
        census.dead_object_bytes = census.object_memory_bytes - census.live_object_bytes;
        census
    }

    fn statistics(&self) -> Vec<Statistic> {
        let heap = self.config.heap.statistics();
        // Relaxed: as in `settle`.
        let huge_page_bytes = self.huge_page_bytes.load(Ordering::Relaxed);
        let told = [
            ("huge_page_bytes", self.config.huge_pages.then_some(huge_page_bytes)),
            ("heap_allocated_bytes", heap.allocated_bytes),
            ("heap_mapped_bytes", heap.mapped_bytes),
        ];
        let told = told.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
        told.map(|(name, bytes)| Statistic::new(name, bytes as f64)).collect()
    }

    fn settings(&self) -> Vec<Setting> {
        let Config { heap, object_memory_bytes, shards, huge_pages } = self.config;
        let bound = object_memory_bytes.map_or("none".to_owned(), |bytes| bytes.to_string());
        let mut settings = vec![
            Setting::new("heap", heap.traits().name),
            Setting::new("heap.version", heap.version()),
            Setting::new("object-memory-bytes", bound),
            Setting::new("shards", shards),
            Setting::new("huge-pages", huge_pages),
        ];
        for setting in heap.settings() {
            settings.push(Setting::new(&format!("heap.{}", setting.name), setting.value));
        }
        settings
    }

    fn check(&self) -> Result<(), String> {
        let _use = ThreadUse::of(self.config.heap);
        // Takes all locks, in order, because credit could move between two of them.
        let all: Vec<_> = (0..self.shards.len()).map(|shard| self.lock(shard)).collect();
        let mut claimed_bytes = self.pool.bytes();
        for (index, contents) in all.iter().enumerate() {
            contents.check().map_err(|violation| format!("shard {index}: {violation}"))?;
            let mut keys = contents.table.iter().map(|(object, _)| object.key());
            if let Some(key) = keys.find(|&key| self.shard_of(key) != index) {
                return Err(format!("key {key:x?} is in shard {index}"));
            }
            let keys = contents.table.iter().map(|(object, _)| object.key());
            let key_bytes: u64 = keys.map(|key| K::length(key).bytes()).sum();
            claimed_bytes += contents.credit.bytes() + contents.live_value_bytes + key_bytes;
        }
        if claimed_bytes != self.pool.bound_bytes() {
            let bound_bytes = self.pool.bound_bytes();
            return Err(format!(
                "pool, credit and live are {claimed_bytes} of {bound_bytes} bytes"
            ));
        }
        Ok(())
    }
}

impl KvBytesEngine for HeapBytes {
    type BytesSession<'engine> = ByteSession<HeapSession<'engine, Bytes>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(HeapSession::new(self)))
    }
}

/// One thread's use of a [`Heaped`]. It stays on its thread, because the heap is told when that
/// thread starts and stops using it.
#[derive(Debug)]
pub struct HeapSession<'engine, K: Layout> {
    store: &'engine Heaped<K>,
    /// What a read-modify-write decides on.
    new: Vec<u8>,
    _use: ThreadUse,
}

impl<'engine, K: Layout> HeapSession<'engine, K> {
    fn new(store: &'engine Heaped<K>) -> Self {
        Self { store, new: Vec::new(), _use: ThreadUse::of(store.config.heap) }
    }
}

impl<K: Layout> Operations<K> for HeapSession<'_, K> {
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let contents = self.store.lock(self.store.shard_of(key));
        let found = contents.table.get(key);
        found.map(|object| values::copy_out(object.value(), buffer)).transpose()
    }

    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.store.value_bytes_limit(key));
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        let Some(object) = Object::new(self.store.config.heap, key, value) else {
            return Ok(PutOutcome::Full);
        };
        let (pool, shard) = (&self.store.pool, self.store.shard_of(key));
        // The guard is a temporary of its statement, so old objects are freed after the lock is
        // released.
        let mut result = self.store.lock(shard).put(pool, object);
        if let Err(object) = result {
            self.store.gather_credit();
            result = self.store.lock(shard).put(pool, object);
        }
        Ok(match result {
            Ok(None) => PutOutcome::Inserted,
            Ok(Some(_)) => PutOutcome::Updated,
            Err(_) => PutOutcome::Full,
        })
    }

    /// Reads, decides and writes under the shard's lock.
    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let (store, new) = (self.store, &mut self.new);
        let (pool, shard, limit_bytes) =
            (&store.pool, store.shard_of(key), store.value_bytes_limit(key));
        let mut modify = || {
            new.clear();
            let mut contents = store.lock(shard);
            let old = contents.table.get(key);
            if decide(old.map(|object| object.value()), new) == Decision::Keep {
                return Ok(None);
            }
            let value_bytes = new.len();
            if value_bytes > limit_bytes {
                return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
            }
            let Some(object) = Object::new(store.config.heap, key, new) else {
                return Ok(Some(PutOutcome::Full));
            };
            let result = contents.put(pool, object);
            // The old object is freed after the lock is released.
            drop(contents);
            Ok(Some(match result {
                Ok(None) => PutOutcome::Inserted,
                Ok(Some(_)) => PutOutcome::Updated,
                Err(_) => PutOutcome::Full,
            }))
        };
        match modify() {
            Ok(Some(PutOutcome::Full)) => {
                store.gather_credit();
                modify()
            }
            done => done,
        }
    }

    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        let old = self.store.lock(self.store.shard_of(key)).remove(&self.store.pool, key);
        DeleteOutcome::told(old.is_some())
    }
}

// The header holds any length that the traits promise.
const _: () = assert!(HeapStore::TRAITS.value_bytes_max <= u32::MAX as usize);
const _: () = assert!(LENGTH_BYTES == size_of::<u32>());
