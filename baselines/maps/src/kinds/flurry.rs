//! `flurry::HashMap`: Java's `ConcurrentHashMap`. Bins of linked nodes; readers take no lock, and
//! writers lock the first node of a bin.
//!
//! Node and value are an allocation each, on the program's global allocator. So a get goes from bin
//! to node, to value, to row: one step more than in `papaya`, two more than in the other maps.
//!
//! A put is the map's `insert`. When the bound is so near that the old value decides, it is
//! `compute_if_present`, which decides under the bin's lock. That call must name a row, or the key
//! is gone. If another thread put a shorter value after the look that found room, the shorter value
//! is put anew, from a copy.
//!
//! The map's own collector frees old rows in batches, on whichever thread ends the last guard that
//! may have seen them. A batch has at least 120 entries of two kinds, values and nodes.

use engine::{Keys, OpenError};
use flurry::{Guard, HashMap};
use kit::hash::Mix;
use kit::key::{self, Key};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{Row, RowRef};

/// `flurry::HashMap`; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct Flurry<K: Key = u64> {
    map: HashMap<K, Row, Mix>,
}

impl<K: Key> Flurry<K> {
    /// Puts the offered row in place of a row, if the bound admits it there.
    #[cold]
    fn replace(&self, key: K::Asked<'_>, offer: &mut impl Offering, guard: &Guard<'_>) -> Placed {
        match self.map.get(K::compared(&key), guard) {
            Some(seen) if offer.admits(Some(seen.view())) => self.decide(key, offer, guard),
            _ => Placed::Refused,
        }
    }

    /// The same, under the lock of the bin, where a row has to be put.
    fn decide(&self, key: K::Asked<'_>, offer: &mut impl Offering, guard: &Guard<'_>) -> Placed {
        let mut placed = Placed::Refused;
        let row_for = |_: &K, old: &Row| {
            let row = offer.row_for(Some(old.view()));
            if row.is_some() {
                placed = Placed::Updated { old_value_bytes: old.value_bytes() };
            }
            Some(row.unwrap_or_else(|| offer.copy_instead(old.view())))
        };
        self.map.compute_if_present(K::compared(&key), row_for, guard);
        placed
    }
}

impl<K: Key> Map for Flurry<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const NAME: &'static str = "flurry";
    const DESCRIPTION: &'static str =
        "flurry::HashMap: Java's ConcurrentHashMap, a lock per bin, values on any heap";
    const GUARDS: bool = true;

    /// The collector tracks threads itself.
    type Thread = ();
    type Guard<'a> = Guard<'a>;

    fn open(config: &Config) -> Result<Self, OpenError> {
        config.refuse_shards()?;
        let capacity = config.capacity_entries()?;
        Ok(Self { map: HashMap::with_capacity_and_hasher(capacity, Mix) })
    }

    fn thread(&self) {}

    #[inline]
    fn guard<'a>(&'a self, (): &'a ()) -> Guard<'a> {
        self.map.guard()
    }

    fn reclaim(&self, guard: &mut Guard<'_>) {
        guard.flush();
        guard.refresh();
    }

    #[inline]
    fn get<R>(
        &self,
        key: K::Asked<'_>,
        guard: &Guard<'_>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Option<R> {
        self.map.get(K::compared(&key), guard).map(|row| read(row.view().value()))
    }

    #[inline]
    fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering, guard: &Guard<'_>) -> Placed {
        if !offer.admits(None) {
            return self.replace(key, offer, guard);
        }
        let Some(row) = offer.row_for(None) else { return Placed::Refused };
        let old = self.map.insert(K::owned(key), row, guard);
        old.map_or(Placed::Inserted, |old| Placed::Updated { old_value_bytes: old.value_bytes() })
    }

    #[inline]
    fn remove(&self, key: K::Asked<'_>, guard: &Guard<'_>) -> Option<usize> {
        self.map.remove(K::compared(&key), guard).map(Row::value_bytes)
    }

    fn for_each(&self, guard: &Guard<'_>, mut visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        self.map.iter(guard).for_each(|(key, row)| visit(key.asked(), row.view()));
    }

    fn entries(&self) -> usize {
        self.map.len()
    }
}

#[cfg(test)]
mod tests {
    use kit::key::EightBytes;
    use kit::testing::TestHeap;

    use super::*;
    use crate::bound::Bound;
    use crate::map::Offer;
    use crate::raw::Rows;
    use engine::ThreadUse;

    /// As after a look that saw a longer value, in place of which the offered row was admitted.
    #[test]
    fn a_shorter_value_that_came_in_between_stays() {
        let heap: &TestHeap = TestHeap::leaked();
        let _use = ThreadUse::of(heap);
        let rows = Rows::new(heap);
        let flurry = Flurry::<u64>::open(&Config::new(heap)).unwrap();
        {
            let guard = flurry.guard(&());
            flurry.map.insert(1, rows.row(b"short").unwrap(), &guard);
            let bound = Bound::new(Some(2));
            let offered = b"longer by more than the bound has";
            let mut offer =
                Offer::new((&rows, &bound), EightBytes, offered, rows.row(offered).unwrap());
            assert_eq!(flurry.decide(1, &mut offer, &guard), Placed::Refused);
            assert_eq!(flurry.decide(2, &mut offer, &guard), Placed::Refused);
            offer.settle(Placed::Refused);
            assert_eq!(bound.unfilled_bytes(), 2);
            assert_eq!(flurry.get(1, &guard, <[u8]>::to_vec).unwrap(), b"short");
            assert_eq!(flurry.entries(), 1);
        }
        drop(flurry);
        drop(rows);
        assert_eq!(heap.allocated_bytes(), 0);
    }
}
