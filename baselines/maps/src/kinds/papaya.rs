//! `papaya::HashMap`: open addressing over pointers to entries, lock-free; writers share the work
//! of growing.
//!
//! A get reads under a guard and never writes shared memory. A put is the map's `insert`. When the
//! bound is so near that the old value decides, it is `compute`, which swaps an entry only if it is
//! still the one the decision was about. `compute` is not always used, because it takes no part in
//! growth. For each put, the map allocates an entry of key and row on the program's global
//! allocator. That is one more step from table to value than in the other maps, but it is how the
//! crate works.
//!
//! The map's own collector frees old rows in batches, on whichever thread ends the last guard that
//! may have seen them. A batch has at least 32 rows, so up to that much garbage per thread may wait
//! for more; dropping the map frees everything.

use engine::{Keys, OpenError, Rmw};
use kit::hash::Mix;
use kit::key::{self, Key};
use papaya::{Compute, Guard, HashMap, LocalGuard, Operation};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{Row, RowRef};

/// `papaya::HashMap`; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct Papaya<K: Key = u64> {
    map: HashMap<K, Row, Mix>,
}

impl<K: Key> Map for Papaya<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const RMW: Rmw = Rmw::Atomic;
    const NAME: &'static str = "papaya";
    const DESCRIPTION: &'static str =
        "papaya::HashMap: lock-free open addressing over entries, values on any heap";
    const GUARDS: bool = true;

    /// The collector tracks threads itself.
    type Thread = ();
    type Guard<'a> = LocalGuard<'a>;

    fn open(config: &Config) -> Result<Self, OpenError> {
        config.refuse_shards()?;
        let map = HashMap::builder().hasher(Mix).capacity(config.capacity_entries()?).build();
        Ok(Self { map })
    }

    fn thread(&self) {}

    #[inline]
    fn guard<'a>(&'a self, (): &'a ()) -> LocalGuard<'a> {
        self.map.guard()
    }

    fn reclaim(&self, guard: &mut LocalGuard<'_>) {
        guard.flush();
        guard.refresh();
    }

    #[inline]
    fn get<R>(
        &self,
        key: K::Asked<'_>,
        guard: &LocalGuard<'_>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Option<R> {
        self.map.get(K::compared(&key), guard).map(|row| read(row.view().value()))
    }

    #[inline]
    fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering, guard: &LocalGuard<'_>) -> Placed {
        if offer.admits(None) {
            let Some(row) = offer.row_for(None) else { return Placed::Refused };
            let old = self.map.insert(K::owned(key), row, guard);
            return old.map_or(Placed::Inserted, |old| Placed::Updated {
                old_value_bytes: old.value_bytes(),
            });
        }
        // The map keeps a row whose swap failed in case the next attempt finds the same entry or
        // none; otherwise it asks for another row.
        let decide = |old: Option<(_, &Row)>| match offer.row_for(old.map(|(_, row)| row.view())) {
            Some(row) => Operation::Insert(row),
            None => Operation::Abort(()),
        };
        match self.map.compute(K::owned(key), decide, guard) {
            Compute::Inserted(..) => Placed::Inserted,
            Compute::Updated { old: (_, old), .. } => {
                Placed::Updated { old_value_bytes: old.value_bytes() }
            }
            Compute::Aborted(()) => Placed::Refused,
            Compute::Removed(..) => unreachable!("a put removes nothing"),
        }
    }

    #[inline]
    fn remove(&self, key: K::Asked<'_>, guard: &LocalGuard<'_>) -> Option<usize> {
        self.map.remove(K::compared(&key), guard).map(Row::value_bytes)
    }

    fn for_each(&self, guard: &LocalGuard<'_>, mut visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        self.map.iter(guard).for_each(|(key, row)| visit(key.asked(), row.view()));
    }

    fn entries(&self) -> usize {
        self.map.len()
    }
}
