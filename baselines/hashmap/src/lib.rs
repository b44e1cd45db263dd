//! A sharded hash map with locks: the floor that every store must beat.
//!
//! Each shard is a `std` hash map behind a mutex, on its own cache lines. Each value is one
//! allocation of the program's global allocator. A put allocates and copies before it takes the
//! lock, and frees the old value afterwards. A get copies under the lock.
//!
//! With byte strings as keys ([`ShardedBytes`]), a put also copies its key before it takes the lock, whether
//! or not the key is new, because a `std` map takes keys that it may own.
//!
//! It uses mutexes because a reader-writer lock is no cheaper: for a get, both cost two atomic
//! writes to the lock's line, and with 64 shards threads contend for that line, not for the copy.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{
    AllocatorChoice, Decide, DeleteOutcome, EngineTraits, FullMeaning, GetError, Keys,
    KvBytesEngine, KvEngine, MemoryBound, MemoryCensus, OpenError, OpenStore, Options, PutError,
    PutOutcome, Rmw, SessionError, Setting, Setup, Whole,
};
use kit::hash::Mix;
use kit::key::{self, ByteSession, Bytes, Key, Operations};
use kit::values::{self, Decided};

const SHARDS_MAX: usize = 1 << 16;

/// Settings of a [`ShardedMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Number of locks, a power of two. More locks admit more writers and cost a few hundred bytes
    /// each. Default 64.
    pub shards: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { shards: 64 }
    }
}

/// The store; see the crate's documentation.
#[derive(Debug)]
pub struct Sharded<K> {
    shards: Box<[Shard<K>]>,
}

/// The store of words.
pub type ShardedMap = Sharded<u64>;
/// The store of byte strings.
pub type ShardedBytes = Sharded<Bytes>;

/// Two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Shard<K>(Mutex<Contents<K>>);

#[derive(Debug)]
struct Contents<K> {
    values: HashMap<K, Box<[u8]>, Mix>,
    live_value_bytes: u64,
}

impl<K: Key> Sharded<K> {
    /// An empty store.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if `shards` is not a power of two up to 65536.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        if !config.shards.is_power_of_two() || config.shards > SHARDS_MAX {
            return Err(OpenError::BadSetting {
                setting: "shards".to_owned(),
                value: config.shards.to_string(),
                accepted: format!("powers of two up to {SHARDS_MAX}"),
            });
        }
        let empty = || Contents { values: HashMap::with_hasher(Mix), live_value_bytes: 0 };
        let shards = (0..config.shards).map(|_| Shard(Mutex::new(empty()))).collect();
        Ok(Self { shards })
    }

    fn shard_of(&self, key: K::Asked<'_>) -> usize {
        // Bits that the maps use neither for buckets nor for tags.
        (K::hashed(key) >> 32) as usize & (self.shards.len() - 1)
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Contents<K>> {
        // A shard changes only by steps that do not panic, so it is intact even if poisoned.
        self.shards[shard].0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Key> Contents<K> {
    /// Stores the value, or returns it if the table cannot grow.
    fn put(&mut self, key: K, value: Box<[u8]>) -> Result<Option<Box<[u8]>>, Box<[u8]>> {
        if self.values.try_reserve(1).is_err() {
            return Err(value);
        }
        self.live_value_bytes += value.len() as u64;
        let old = self.values.insert(key, value);
        self.live_value_bytes -= old.as_ref().map_or(0, |old| old.len() as u64);
        Ok(old)
    }

    fn remove(&mut self, key: K::Asked<'_>) -> Option<Box<[u8]>> {
        let old = self.values.remove(K::compared(&key))?;
        self.live_value_bytes -= old.len() as u64;
        Some(old)
    }

    fn live_bytes(&self) -> u64 {
        self.live_value_bytes + K::sum_bytes(self.values.keys())
    }

    /// Size of the table: a power of two of buckets, of which seven in eight may be filled, each
    /// with an entry and a tag. The words in it are counted with the objects.
    fn index_bytes(&self) -> u64 {
        let buckets = match self.values.capacity() {
            0 => 0,
            few @ 1..8 => few + 1,
            many => many / 7 * 8,
        };
        let entry_bytes = size_of::<(K, Box<[u8]>)>() + 1;
        (buckets * entry_bytes) as u64 - K::IN_PLACE_BYTES * self.values.len() as u64
    }
}

impl<K: Key> KvEngine for Sharded<K> {
    const TRAITS: EngineTraits = EngineTraits {
        name: "hashmap",
        description: "sharded std hash map behind mutexes, values on the global allocator",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        allocator: AllocatorChoice::Global,
        keys: Keys::Bytes { max: key::BYTES_MAX },
        rmw: Rmw::Atomic,
        ..EngineTraits::BASE
    };

    type Session<'engine> = K::Session<MapSession<'engine, K>>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Ok(K::session(MapSession { map: self, new: Vec::new() }))
    }

    /// Shrinks the tables to their contents.
    fn trim(&self) {
        for shard in 0..self.shards.len() {
            self.lock(shard).values.shrink_to_fit();
        }
    }

    /// The allocator's rounding of values is not known, so the numbers are not complete. There is
    /// no capacity, because tables grow in addition to the objects.
    fn memory(&self) -> MemoryCensus {
        let mut census = MemoryCensus {
            table_bytes: size_of_val(&*self.shards) as u64,
            ..MemoryCensus::default()
        };
        for shard in 0..self.shards.len() {
            let contents = self.lock(shard);
            census.live_objects += contents.values.len() as u64;
            census.live_value_bytes += contents.live_value_bytes;
            census.live_object_bytes += contents.live_bytes();
            census.index_bytes += contents.index_bytes();
        }
        census.object_memory_bytes = census.live_object_bytes;
        census
    }

    fn settings(&self) -> Vec<Setting> {
        vec![Setting::new("shards", self.shards.len())]
    }

    fn check(&self) -> Result<(), String> {
        for index in 0..self.shards.len() {
            let contents = self.lock(index);
            if let Some(key) =
                contents.values.keys().find(|key| self.shard_of(key.asked()) != index)
            {
                return Err(format!("key {key:x?} is in shard {index}"));
            }
            let value_bytes: u64 = contents.values.values().map(|value| value.len() as u64).sum();
            if value_bytes != contents.live_value_bytes {
                let counted = contents.live_value_bytes;
                return Err(format!("shard {index} has {value_bytes} bytes and counts {counted}"));
            }
        }
        Ok(())
    }
}

impl KvBytesEngine for ShardedBytes {
    type BytesSession<'engine> = ByteSession<MapSession<'engine, Bytes>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(MapSession { map: self, new: Vec::new() }))
    }
}

impl<K: Key> OpenStore for Sharded<K> {
    type Config = Config;

    fn configure(_: &Setup, options: &mut Options) -> Result<Config, OpenError> {
        let mut config = Config::default();
        let shards = Whole::powers_of_two(1..=SHARDS_MAX as u64);
        options.whole("shards", &mut config.shards, shards)?;
        Ok(config)
    }

    fn open_configured(config: Config) -> Result<Self, OpenError> {
        Self::open(config)
    }
}

/// One thread's use of a [`Sharded`].
#[derive(Debug)]
pub struct MapSession<'engine, K> {
    map: &'engine Sharded<K>,
    /// What a read-modify-write decides on.
    new: Vec<u8>,
}

impl<K: Key> Operations<K> for MapSession<'_, K> {
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let contents = self.map.lock(self.map.shard_of(key));
        contents
            .values
            .get(K::compared(&key))
            .map(|value| values::copy_out(value, buffer))
            .transpose()
    }

    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        let Some(value) = values::copy_in(value, Sharded::<K>::TRAITS.value_bytes_max)? else {
            return Ok(PutOutcome::Full);
        };
        let owned = K::owned(key);
        // The guard is a temporary of its statement, so old values are freed after the lock is
        // released.
        let result = self.map.lock(self.map.shard_of(key)).put(owned, value);
        Ok(outcome_of(&result))
    }

    /// Reads, decides and writes under the shard's lock.
    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let mut contents = self.map.lock(self.map.shard_of(key));
        let old = contents.values.get(K::compared(&key)).map(|value| &**value);
        let limit_bytes = Sharded::<K>::TRAITS.value_bytes_max;
        let value = match values::decided(old, &mut self.new, decide, limit_bytes)? {
            Decided::Keep => return Ok(None),
            Decided::Full => return Ok(Some(PutOutcome::Full)),
            Decided::Store(value) => value,
        };
        let result = contents.put(K::owned(key), value);
        // The old value is freed after the lock is released.
        drop(contents);
        Ok(Some(outcome_of(&result)))
    }

    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        let old = self.map.lock(self.map.shard_of(key)).remove(key);
        DeleteOutcome::told(old.is_some())
    }
}

/// What came of [`Contents::put`].
fn outcome_of(result: &Result<Option<Box<[u8]>>, Box<[u8]>>) -> PutOutcome {
    match result {
        Ok(None) => PutOutcome::Inserted,
        Ok(Some(_)) => PutOutcome::Updated,
        Err(_) => PutOutcome::Full,
    }
}
