//! `oneapi::tbb::concurrent_hash_map`: chained buckets behind reader-writer spin locks, and such a lock
//! in every entry.
//!
//! A get reads under an entry's shared lock, which its accessor holds, as oneTBB documents. A put
//! decides and swaps the row under the exclusive lock, and frees the old row afterwards. Nodes come
//! from the program's global allocator, one for each entry, and a block for each key that is a byte string.
//!
//! The map's iterators tolerate no other use, so operations pass a gate that walks close.

use engine::{Keys, OpenError, Rmw};
use kit::key;

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::RowRef;
pub use crate::raw::onetbb::Calls as OneTbbKey;
use crate::raw::onetbb::{Calls, Guard, Table, Thread};

/// `oneapi::tbb::concurrent_hash_map`; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct OneTbb<K: Calls = u64> {
    /// Threads know it by its address.
    table: Box<Table<K>>,
}

impl<K: Calls> Map for OneTbb<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const RMW: Rmw = Rmw::Atomic;
    const NAME: &'static str = super::ONETBB_NAME;
    const DESCRIPTION: &'static str = super::ONETBB_DESCRIPTION;
    const GUARDS: bool = true;
    const MAY_BE_MISSING: bool = true;

    type Thread = Thread;
    type Guard<'a> = Guard<'a, K>;

    fn open(config: &Config) -> Result<Self, OpenError> {
        config.refuse_shards()?;
        let entries = config.capacity_entries()?;
        let table = Table::new(entries).ok_or(OpenError::OutOfMemory {
            wanted_bytes: (entries as u64).saturating_mul(size_of::<usize>() as u64),
        })?;
        Ok(Self { table })
    }

    fn thread(&self) -> Thread {
        self.table.register()
    }

    #[inline]
    fn guard<'a>(&'a self, thread: &'a Thread) -> Guard<'a, K> {
        self.table.guard(thread)
    }

    #[inline]
    fn get<R>(
        &self,
        key: K::Asked<'_>,
        guard: &Guard<'_, K>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Option<R> {
        guard.get(key, read)
    }

    #[inline]
    fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering, guard: &Guard<'_, K>) -> Placed {
        guard.put(key, offer)
    }

    #[inline]
    fn remove(&self, key: K::Asked<'_>, guard: &Guard<'_, K>) -> Option<usize> {
        guard.remove(key)
    }

    fn for_each(&self, guard: &Guard<'_, K>, visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        guard.walk(visit);
    }

    fn entries(&self) -> usize {
        self.table.entries()
    }

    /// The number of its buckets: it doubles them when it has as many entries.
    fn capacity_entries(&self) -> Option<usize> {
        Some(self.table.buckets())
    }
}
