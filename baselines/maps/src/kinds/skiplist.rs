//! `crossbeam_skiplist`: a lock-free ordered list of towers; keys are compared, not hashed.
//!
//! It uses the base list instead of `SkipMap`, for two reasons. First, the base list accepts a
//! collector. With a private one, only threads that use this store free its rows, and all rows are
//! freed when the store is dropped; the process-wide collector of `SkipMap` would keep some for
//! later, on any thread. Second, its entries can hold cells (`raw::cell`), which are needed because
//! an update through the list's own `insert` removes the key for a moment.
//!
//! A node is one allocation of the program's global allocator; it contains the key and the address
//! of the row.

use std::ops::Bound;

use crossbeam_epoch::{Collector, Guard, LocalHandle};
use crossbeam_skiplist::base::Entry;
use engine::{Hashing, Keys, OpenError, ScanOrder, ScanRange, Scans};
use kit::key::{self, Key};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{self, EPOCHS_TO_FREE, List, RowCell, RowRef};

/// `crossbeam_skiplist::base::SkipList`; see [`MapStore`](crate::MapStore).
pub struct Skiplist<K: Key = u64> {
    list: List<K>,
    collector: Collector,
}

impl<K: Key> std::fmt::Debug for Skiplist<K> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Skiplist").field("entries", &self.list.len()).finish()
    }
}

impl<K: Key> Map for Skiplist<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const NAME: &'static str = "skiplist";
    const DESCRIPTION: &'static str = "crossbeam skip list: lock-free, ordered, values on any heap";
    const SCANS: Scans = Scans::Both;
    const GUARDS: bool = true;
    const HASHING: Hashing = Hashing::None;

    type Thread = LocalHandle;
    type Guard<'a> = Guard;

    fn open(config: &Config) -> Result<Self, OpenError> {
        config.refuse_shards()?;
        config.refuse_presize()?;
        let collector = Collector::new();
        Ok(Self { list: List::new(collector.clone()), collector })
    }

    fn thread(&self) -> LocalHandle {
        self.collector.register()
    }

    #[inline]
    fn guard<'a>(&'a self, thread: &'a LocalHandle) -> Guard {
        thread.pin()
    }

    fn reclaim(&self, guard: &mut Guard) {
        for _ in 0..EPOCHS_TO_FREE {
            guard.flush();
            guard.repin();
        }
    }

    #[inline]
    fn get<R>(&self, key: K::Asked<'_>, guard: &Guard, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let entry = self.list.get(K::compared(&key), guard)?;
        raw::view(&entry).map(|row| read(row.value()))
    }

    #[inline]
    fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering, guard: &Guard) -> Placed {
        raw::put(&self.list, key, offer, guard)
    }

    #[inline]
    fn remove(&self, key: K::Asked<'_>, guard: &Guard) -> Option<usize> {
        raw::remove(&self.list, key, guard)
    }

    fn for_each(&self, guard: &Guard, mut visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        for entry in self.list.iter(guard) {
            if let Some(row) = raw::view(&entry) {
                visit(entry.key().asked(), row);
            }
        }
    }

    fn scan(
        &self,
        range: ScanRange<K::Asked<'_>>,
        guard: &Guard,
        visit: &mut dyn FnMut(K::Asked<'_>, &[u8]),
    ) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let first = Bound::Included(K::compared(&first));
        // Entries without a row are passed over, and count for nothing.
        let show = |entry: Entry<'_, '_, K, RowCell>| {
            raw::view(&entry).map(|row| visit(entry.key().asked(), row.value()))
        };
        Some(match order {
            ScanOrder::Ascending => {
                let up = self.list.range((first, Bound::Unbounded), guard);
                up.filter_map(show).take(limit).count()
            }
            ScanOrder::Descending => {
                let down = self.list.range((Bound::Unbounded, first), guard).rev();
                down.filter_map(show).take(limit).count()
            }
        })
    }

    fn entries(&self) -> usize {
        self.list.len()
    }
}
