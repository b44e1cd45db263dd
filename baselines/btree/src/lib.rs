//! An ordered map behind one reader-writer lock: the floor for stores that scan.
//!
//! A `std` B-tree maps keys to values; each value is one allocation of the program's global
//! allocator. A put allocates and copies before it takes the lock, and frees the old value
//! afterwards. Gets and scans copy under the lock, which they share.
//!
//! With byte strings as keys ([`LockedBytes`]), a put also copies its key before it takes the lock, whether
//! or not the key is new, because a `std` map takes keys that it may own.
//!
//! There is one lock because order does not shard: keys split by range would need balancing, and
//! keys split by hash would make every scan a merge.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use engine::{
    AllocatorChoice, Decide, DeleteOutcome, EngineTraits, FullMeaning, GetError, Keys,
    KvBytesEngine, KvEngine, MemoryBound, MemoryCensus, OpenError, OpenStore, Options, PutError,
    PutOutcome, Rmw, ScanOrder, ScanRange, Scans, SessionError, Setup,
};
use kit::key::{self, ByteSession, Bytes, Key, Operations};
use kit::values::{self, Decided};

/// The store; see the crate's documentation.
#[derive(Debug, Default)]
pub struct Locked<K> {
    contents: RwLock<Contents<K>>,
}

/// The store of words.
pub type LockedTree = Locked<u64>;
/// The store of byte strings.
pub type LockedBytes = Locked<Bytes>;

#[derive(Debug)]
struct Contents<K> {
    values: BTreeMap<K, Box<[u8]>>,
    live_value_bytes: u64,
}

impl<K> Default for Contents<K> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), live_value_bytes: 0 }
    }
}

impl<K: Key> Locked<K> {
    /// An empty store.
    #[must_use]
    pub fn open() -> Self {
        Self { contents: RwLock::default() }
    }

    fn read(&self) -> RwLockReadGuard<'_, Contents<K>> {
        // The tree changes only by steps that do not panic, so it is whole even if poisoned.
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Contents<K>> {
        self.contents.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Key> Contents<K> {
    fn put(&mut self, key: K, value: Box<[u8]>) -> Option<Box<[u8]>> {
        self.live_value_bytes += value.len() as u64;
        let old = self.values.insert(key, value);
        self.live_value_bytes -= old.as_ref().map_or(0, |old| old.len() as u64);
        old
    }

    fn remove(&mut self, key: K::Asked<'_>) -> Option<Box<[u8]>> {
        let old = self.values.remove(K::compared(&key))?;
        self.live_value_bytes -= old.len() as u64;
        Some(old)
    }
}

impl<K: Key> KvEngine for Locked<K> {
    const TRAITS: EngineTraits = EngineTraits {
        name: "btree",
        description: "std B-tree behind one reader-writer lock, values on the global allocator",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        allocator: AllocatorChoice::Global,
        scans: Scans::Both,
        keys: Keys::Bytes { max: key::BYTES_MAX },
        rmw: Rmw::Atomic,
        ..EngineTraits::BASE
    };

    type Session<'engine> = K::Session<TreeSession<'engine, K>>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Ok(K::session(TreeSession { tree: self, new: Vec::new() }))
    }

    /// Neither the allocator's rounding of values nor the size of the tree's nodes is known, so the
    /// numbers are not complete. There is no capacity.
    fn memory(&self) -> MemoryCensus {
        let contents = self.read();
        let live_objects = contents.values.len() as u64;
        let live_object_bytes = contents.live_value_bytes + K::sum_bytes(contents.values.keys());
        MemoryCensus {
            live_objects,
            live_value_bytes: contents.live_value_bytes,
            live_object_bytes,
            object_memory_bytes: live_object_bytes,
            table_bytes: size_of::<Self>() as u64,
            ..MemoryCensus::default()
        }
    }

    fn check(&self) -> Result<(), String> {
        let contents = self.read();
        if !contents.values.keys().is_sorted_by(|one, next| one < next) {
            return Err("keys are out of order".to_owned());
        }
        let value_bytes: u64 = contents.values.values().map(|value| value.len() as u64).sum();
        if value_bytes != contents.live_value_bytes {
            let counted = contents.live_value_bytes;
            return Err(format!("the tree has {value_bytes} bytes and counts {counted}"));
        }
        Ok(())
    }
}

impl KvBytesEngine for LockedBytes {
    type BytesSession<'engine> = ByteSession<TreeSession<'engine, Bytes>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(TreeSession { tree: self, new: Vec::new() }))
    }
}

impl<K: Key> OpenStore for Locked<K> {
    type Config = ();

    fn configure(_: &Setup, _: &mut Options) -> Result<(), OpenError> {
        Ok(())
    }

    fn open_configured((): ()) -> Result<Self, OpenError> {
        Ok(Self::open())
    }
}

/// One thread's use of a [`Locked`].
#[derive(Debug)]
pub struct TreeSession<'engine, K> {
    tree: &'engine Locked<K>,
    /// What a read-modify-write decides on.
    new: Vec<u8>,
}

impl<K: Key> Operations<K> for TreeSession<'_, K> {
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let contents = self.tree.read();
        contents
            .values
            .get(K::compared(&key))
            .map(|value| values::copy_out(value, buffer))
            .transpose()
    }

    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        let Some(value) = values::copy_in(value, Locked::<K>::TRAITS.value_bytes_max)? else {
            return Ok(PutOutcome::Full);
        };
        let owned = K::owned(key);
        // The guard is a temporary of its statement, so old values are freed after the lock is
        // released.
        let old = self.tree.write().put(owned, value);
        Ok(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted })
    }

    /// Reads, decides and writes under the lock.
    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let mut contents = self.tree.write();
        let old = contents.values.get(K::compared(&key)).map(|value| &**value);
        let limit_bytes = Locked::<K>::TRAITS.value_bytes_max;
        let value = match values::decided(old, &mut self.new, decide, limit_bytes)? {
            Decided::Keep => return Ok(None),
            Decided::Full => return Ok(Some(PutOutcome::Full)),
            Decided::Store(value) => value,
        };
        let old = contents.put(K::owned(key), value);
        // The old value is freed after the lock is released.
        drop(contents);
        Ok(Some(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted }))
    }

    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        let old = self.tree.write().remove(key);
        DeleteOutcome::told(old.is_some())
    }

    fn scan(
        &mut self,
        range: ScanRange<K::Asked<'_>>,
        visit: &mut dyn FnMut(K::Asked<'_>, &[u8]),
    ) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let values = &self.tree.read().values;
        let first = Bound::Included(K::compared(&first));
        let pairs: &mut dyn Iterator<Item = _> = match order {
            ScanOrder::Ascending => &mut values.range((first, Bound::Unbounded)),
            ScanOrder::Descending => &mut values.range((Bound::Unbounded, first)).rev(),
        };
        Some(pairs.take(limit).map(|(key, value)| visit(key.asked(), value)).count())
    }
}
