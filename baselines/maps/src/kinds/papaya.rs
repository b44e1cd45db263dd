//! `papaya::HashMap`: open addressing over pointers to entries, lock-free, growth shared by the
//! writers.
//!
//! A get reads under a guard and never writes what others read. A put is the map's `insert`. Only
//! when the bound is so near that the old value decides, it is `compute`, which swaps an entry if
//! it is still the one decided about; not always, because `compute` takes no part in growth. The
//! map allocates an entry of key and row for each put, on the program's global allocator: one more
//! step from table to value than in the other maps, and as the crate is.
//!
//! Old rows are freed in batches by the map's own collector: by whichever thread ends the last
//! guard that may have seen them. A batch has at least 32 rows, so that much of each thread's
//! garbage may wait for more; dropping the map frees all.

use engine::OpenError;
use papaya::{Compute, Guard, HashMap, LocalGuard, Operation};

use crate::config::Config;
use crate::hash::Mix;
use crate::map::{Map, Offer, Placed};
use crate::raw::{Row, RowRef};

/// `papaya::HashMap`; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct Papaya {
    map: HashMap<u64, Row, Mix>,
}

impl Map for Papaya {
    const NAME: &'static str = "papaya";
    const DESCRIPTION: &'static str =
        "papaya::HashMap: lock-free open addressing over entries, values on any heap";
    const GUARDS: bool = true;

    /// The collector knows threads by itself.
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
    fn get<R>(&self, key: u64, guard: &LocalGuard<'_>, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.map.get(&key, guard).map(|row| read(row.view().value()))
    }

    #[inline]
    fn put(&self, key: u64, offer: &mut Offer<'_>, guard: &LocalGuard<'_>) -> Placed {
        if offer.admits(None) {
            let Some(row) = offer.row_for(None) else { return Placed::Refused };
            let old = self.map.insert(key, row, guard);
            return old.map_or(Placed::Inserted, |old| Placed::Updated {
                old_value_bytes: old.value_bytes(),
            });
        }
        // The map keeps a row whose swap failed, for the case that the same entry or none is
        // there at the next attempt, and asks for another otherwise.
        let decide = |old: Option<(_, &Row)>| match offer.row_for(old.map(|(_, row)| row.view())) {
            Some(row) => Operation::Insert(row),
            None => Operation::Abort(()),
        };
        match self.map.compute(key, decide, guard) {
            Compute::Inserted(..) => Placed::Inserted,
            Compute::Updated { old: (_, old), .. } => {
                Placed::Updated { old_value_bytes: old.value_bytes() }
            }
            Compute::Aborted(()) => Placed::Refused,
            Compute::Removed(..) => unreachable!("a put removes nothing"),
        }
    }

    #[inline]
    fn remove(&self, key: u64, guard: &LocalGuard<'_>) -> Option<usize> {
        self.map.remove(&key, guard).map(Row::value_bytes)
    }

    fn for_each(&self, guard: &LocalGuard<'_>, mut visit: impl FnMut(u64, RowRef<'_>)) {
        self.map.iter(guard).for_each(|(&key, row)| visit(key, row.view()));
    }

    fn entries(&self) -> usize {
        self.map.len()
    }
}
