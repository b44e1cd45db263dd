//! `scc::HashMap`: buckets of up to 32 entries, each behind its own lock in the table's line; grows
//! and shrinks bucket by bucket.
//!
//! A get copies under a bucket's shared lock. A put decides and swaps the row under the exclusive
//! lock, and frees the old row afterwards. The crate's epochs defer emptied tables but never
//! entries, so no row is deferred.

use engine::{Keys, OpenError, Rmw};
use kit::hash::Mix;
use kit::key::{self, Key};
use scc::HashMap;
use scc::hash_map::Entry;

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{Row, RowRef};

/// `scc::HashMap`; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct Scc<K: Key = u64> {
    map: HashMap<K, Row, Mix>,
}

impl<K: Key> Map for Scc<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const RMW: Rmw = Rmw::Atomic;
    const NAME: &'static str = "scc";
    const DESCRIPTION: &'static str =
        "scc::HashMap: buckets with a lock each, incremental growth, values on any heap";

    type Thread = ();
    type Guard<'a> = ();

    fn open(config: &Config) -> Result<Self, OpenError> {
        config.refuse_shards()?;
        let capacity = config.capacity_entries()?;
        Ok(Self { map: HashMap::with_capacity_and_hasher(capacity, Mix) })
    }

    fn thread(&self) {}

    #[inline]
    fn guard(&self, (): &()) {}

    #[inline]
    fn get<R>(&self, key: K::Asked<'_>, (): &(), read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.map.read_sync(K::compared(&key), |_, row| read(row.view().value()))
    }

    #[inline]
    fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering, (): &()) -> Placed {
        // The entry, and with it the lock, ends within the match arm.
        let old = match self.map.entry_sync(K::owned(key)) {
            Entry::Occupied(mut entry) => match offer.row_for(Some(entry.get().view())) {
                Some(row) => entry.insert(row),
                None => return Placed::Refused,
            },
            Entry::Vacant(entry) => match offer.row_for(None) {
                Some(row) => {
                    entry.insert_entry(row);
                    return Placed::Inserted;
                }
                None => return Placed::Refused,
            },
        };
        Placed::Updated { old_value_bytes: old.value_bytes() }
    }

    #[inline]
    fn remove(&self, key: K::Asked<'_>, (): &()) -> Option<usize> {
        self.map.remove_sync(K::compared(&key)).map(|(_, row)| row.value_bytes())
    }

    fn for_each(&self, (): &(), mut visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        self.map.iter_sync(|key, row| {
            visit(key.asked(), row.view());
            true
        });
    }

    fn entries(&self) -> usize {
        self.map.len()
    }

    fn capacity_entries(&self) -> Option<usize> {
        Some(self.map.capacity())
    }
}
