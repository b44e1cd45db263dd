//! A sharded hash map with locks: the floor that every store must beat.
//!
//! Each shard is a `std` hash map behind a mutex, on its own cache lines. Each value is one
//! allocation of the program's global allocator. A put allocates and copies before it takes the
//! lock, and frees the old value afterwards. A get copies under the lock.
//!
//! It uses mutexes because a reader-writer lock is no cheaper: for a get, both cost two atomic
//! writes to the lock's line, and with 64 shards threads contend for that line, not for the copy.
#![forbid(unsafe_code)]

pub mod hash;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{
    AllocatorChoice, Decide, DeleteOutcome, EngineTraits, FullMeaning, GetError, KvEngine,
    KvSession, MemoryBound, MemoryCensus, OpenError, OpenStore, Options, PutError, PutOutcome, Rmw,
    SessionError, Setting, Setup, Whole,
};
use hash::Mix;
use kit::values::{self, Decided};

/// Bytes that a key counts for.
const KEY_BYTES: u64 = 8;
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
pub struct ShardedMap {
    shards: Box<[Shard]>,
}

/// Two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    values: HashMap<u64, Box<[u8]>, Mix>,
    live_value_bytes: u64,
}

impl ShardedMap {
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
        Ok(Self { shards: (0..config.shards).map(|_| Shard::default()).collect() })
    }

    fn shard_of(&self, key: u64) -> usize {
        // Bits that the maps use neither for buckets nor for tags.
        (hash::mix(key) >> 32) as usize & (self.shards.len() - 1)
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Contents> {
        // A shard changes only by steps that do not panic, so it is intact even if poisoned.
        self.shards[shard].0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    /// Stores the value, or returns it if the table cannot grow.
    fn put(&mut self, key: u64, value: Box<[u8]>) -> Result<Option<Box<[u8]>>, Box<[u8]>> {
        if self.values.try_reserve(1).is_err() {
            return Err(value);
        }
        self.live_value_bytes += value.len() as u64;
        let old = self.values.insert(key, value);
        self.live_value_bytes -= old.as_ref().map_or(0, |old| old.len() as u64);
        Ok(old)
    }

    fn remove(&mut self, key: u64) -> Option<Box<[u8]>> {
        let old = self.values.remove(&key)?;
        self.live_value_bytes -= old.len() as u64;
        Some(old)
    }

    fn live_bytes(&self) -> u64 {
        self.live_value_bytes + KEY_BYTES * self.values.len() as u64
    }

    /// Size of the table: a power of two of buckets, of which seven in eight may be filled, each
    /// with an entry and a tag. The keys in it are counted with the objects.
    fn index_bytes(&self) -> u64 {
        let buckets = match self.values.capacity() {
            0 => 0,
            few @ 1..8 => few + 1,
            many => many / 7 * 8,
        };
        let entry_bytes = size_of::<(u64, Box<[u8]>)>() + 1;
        (buckets * entry_bytes) as u64 - KEY_BYTES * self.values.len() as u64
    }
}

impl KvEngine for ShardedMap {
    const TRAITS: EngineTraits = EngineTraits {
        name: "hashmap",
        description: "sharded std hash map behind mutexes, values on the global allocator",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        allocator: AllocatorChoice::Global,
        rmw: Rmw::Atomic,
        ..EngineTraits::BASE
    };

    type Session<'engine> = MapSession<'engine>;

    fn session(&self) -> Result<MapSession<'_>, SessionError> {
        Ok(MapSession { map: self, new: Vec::new() })
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
            if let Some(key) = contents.values.keys().find(|&&key| self.shard_of(key) != index) {
                return Err(format!("key {key:#x} is in shard {index}"));
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

impl OpenStore for ShardedMap {
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

/// One thread's use of a [`ShardedMap`].
#[derive(Debug)]
pub struct MapSession<'engine> {
    map: &'engine ShardedMap,
    /// What a read-modify-write decides on.
    new: Vec<u8>,
}

impl KvSession for MapSession<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let contents = self.map.lock(self.map.shard_of(key));
        contents.values.get(&key).map(|value| values::copy_out(value, buffer)).transpose()
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let Some(value) = values::copy_in(value, ShardedMap::TRAITS.value_bytes_max)? else {
            return Ok(PutOutcome::Full);
        };
        // The guard is a temporary of its statement, so old values are freed after the lock is
        // released.
        let result = self.map.lock(self.map.shard_of(key)).put(key, value);
        Ok(outcome_of(&result))
    }

    /// Reads, decides and writes under the shard's lock.
    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let mut contents = self.map.lock(self.map.shard_of(key));
        let old = contents.values.get(&key).map(|value| &**value);
        let limit_bytes = ShardedMap::TRAITS.value_bytes_max;
        let value = match values::decided(old, &mut self.new, decide, limit_bytes)? {
            Decided::Keep => return Ok(None),
            Decided::Full => return Ok(Some(PutOutcome::Full)),
            Decided::Store(value) => value,
        };
        let result = contents.put(key, value);
        // The old value is freed after the lock is released.
        drop(contents);
        Ok(Some(outcome_of(&result)))
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
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
