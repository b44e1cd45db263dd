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

use crossbeam_epoch::{Collector, Guard, LocalHandle};
use engine::{Hashing, OpenError, ScanOrder, ScanRange, Scans};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{self, EPOCHS_TO_FREE, List, RowRef};

/// `crossbeam_skiplist::base::SkipList`; see [`MapStore`](crate::MapStore).
pub struct Skiplist {
    list: List,
    collector: Collector,
}

impl std::fmt::Debug for Skiplist {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Skiplist").field("entries", &self.list.len()).finish()
    }
}

impl Map for Skiplist {
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
    fn get<R>(&self, key: u64, guard: &Guard, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let entry = self.list.get(&key, guard)?;
        raw::view(&entry).map(|row| read(row.value()))
    }

    #[inline]
    fn put(&self, key: u64, offer: &mut impl Offering, guard: &Guard) -> Placed {
        raw::put(&self.list, key, offer, guard)
    }

    #[inline]
    fn remove(&self, key: u64, guard: &Guard) -> Option<usize> {
        raw::remove(&self.list, key, guard)
    }

    fn for_each(&self, guard: &Guard, mut visit: impl FnMut(u64, RowRef<'_>)) {
        for entry in self.list.iter(guard) {
            if let Some(row) = raw::view(&entry) {
                visit(*entry.key(), row);
            }
        }
    }

    fn scan(
        &self,
        range: ScanRange,
        guard: &Guard,
        visit: &mut dyn FnMut(u64, &[u8]),
    ) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let row = |entry| raw::view(&entry).map(|row| (*entry.key(), row));
        let show = |(key, row): (u64, RowRef<'_>)| visit(key, row.value());
        Some(match order {
            ScanOrder::Ascending => {
                self.list.range(first.., guard).filter_map(row).take(limit).map(show).count()
            }
            ScanOrder::Descending => {
                let down = self.list.range(..=first, guard).rev();
                down.filter_map(row).take(limit).map(show).count()
            }
        })
    }

    fn entries(&self) -> usize {
        self.list.len()
    }
}
