//! `DashMap`: shards of `hashbrown` tables, each behind its own reader-writer lock.
//!
//! A get copies under a shard's shared lock. A put decides and swaps the row under the exclusive
//! lock, and frees the old row afterwards. There are four shards per CPU, unless configured
//! otherwise.

use std::thread;

use dashmap::{DashMap, Entry};
use engine::{Keys, OpenError, Rmw};
use kit::hash::Mix;
use kit::key::{self, Key};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{Row, RowRef};

/// `dashmap::DashMap`; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct Dashmap<K: Key = u64> {
    map: DashMap<K, Row, Mix>,
    shards: usize,
}

impl<K: Key> Map for Dashmap<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const RMW: Rmw = Rmw::Atomic;
    const NAME: &'static str = "dashmap";
    const DESCRIPTION: &'static str =
        "DashMap: shards of hash tables behind reader-writer locks, values on any heap";

    type Thread = ();
    type Guard<'a> = ();

    fn open(config: &Config) -> Result<Self, OpenError> {
        // `DashMap`'s own default, which it does not export.
        let cpus = thread::available_parallelism().map_or(1, usize::from);
        let shards = config.shards_or((4 * cpus).next_power_of_two(), 2)?;
        let capacity = config.capacity_entries()?;
        let map = DashMap::with_capacity_and_hasher_and_shard_amount(capacity, Mix, shards);
        Ok(Self { map, shards })
    }

    fn thread(&self) {}

    #[inline]
    fn guard(&self, (): &()) {}

    fn shrink(&self) {
        self.map.shrink_to_fit();
    }

    #[inline]
    fn get<R>(&self, key: K::Asked<'_>, (): &(), read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.map.get(K::compared(&key)).map(|row| read(row.view().value()))
    }

    #[inline]
    fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering, (): &()) -> Placed {
        // The entry, and with it the lock, ends within the match arm.
        let old = match self.map.entry(K::owned(key)) {
            Entry::Occupied(mut entry) => match offer.row_for(Some(entry.get().view())) {
                Some(row) => entry.insert(row),
                None => return Placed::Refused,
            },
            Entry::Vacant(entry) => match offer.row_for(None) {
                Some(row) => {
                    entry.insert(row);
                    return Placed::Inserted;
                }
                None => return Placed::Refused,
            },
        };
        Placed::Updated { old_value_bytes: old.value_bytes() }
    }

    #[inline]
    fn remove(&self, key: K::Asked<'_>, (): &()) -> Option<usize> {
        self.map.remove(K::compared(&key)).map(|(_, row)| row.value_bytes())
    }

    fn for_each(&self, (): &(), mut visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        self.map.iter().for_each(|entry| visit(entry.key().asked(), entry.value().view()));
    }

    fn entries(&self) -> usize {
        self.map.len()
    }

    fn capacity_entries(&self) -> Option<usize> {
        Some(self.map.capacity())
    }

    fn shards(&self) -> Option<usize> {
        Some(self.shards)
    }
}
