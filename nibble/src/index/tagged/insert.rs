//! Insertion of a key that is new, or seemed so: both its buckets are locked, and if both are
//! full, one of their entries moves to its own other bucket.

use super::bucket::{ENTRIES, TaggedBucket};
use super::table::{Homes, TaggedTable};
use crate::address::ObjectRef;
use crate::index::hash::Hash;
use crate::index::table::{IndexFull, Search, Want};
use crate::index::version::Locked;
use crate::raw::{Header, Memory};

/// A bucket is split for every so many insertions that find both buckets full. The more, the
/// fuller the table and the dearer an insertion: three hold a load of about 0.94.
const CROWDED_PER_SPLIT: u32 = 3;

/// Both homes of a key, locked in the order of their numbers.
struct Pair<'index> {
    homes: Homes,
    buckets: [(&'index TaggedBucket, u64); 2],
    first: Locked<'index>,
    _second: Option<Locked<'index>>,
}

impl TaggedTable {
    fn lock_both(&self, hash: Hash) -> Pair<'_> {
        loop {
            let homes = self.homes(hash);
            let [first, second] = [homes.first, homes.second].map(|home| self.bucket(homes, home));
            // The lower number first, as everybody does who waits for a second bucket.
            let (low, high) =
                if homes.first <= homes.second { (first, second) } else { (second, first) };
            let low_lock = low.lock();
            let high_lock = (homes.first != homes.second).then(|| high.lock());
            if self.homes(hash) == homes {
                return Pair {
                    homes,
                    buckets: [(first, homes.first), (second, homes.second)],
                    first: low_lock,
                    _second: high_lock,
                };
            }
        }
    }

    /// Leads `key` to `object`; answers whether it was there after all.
    #[cold]
    pub(super) fn insert(
        &self,
        hash: Hash,
        key: u64,
        object: ObjectRef,
        memory: &Memory,
        mut replaced: impl FnMut(Option<(ObjectRef, Header)>),
    ) -> Result<bool, IndexFull> {
        let entry = Some(self.coding.entry(self.coding.tag(hash), object.address()));
        let mut split = false;
        let was_there = loop {
            let pair = self.lock_both(hash);
            if let Some((bucket, place, old, header)) = self.find(&pair, hash, key, memory) {
                bucket.set(place, entry);
                replaced(Some((old, header)));
                break true;
            }
            let vacant =
                pair.buckets.iter().find_map(|&(bucket, _)| Some((bucket, bucket.vacant()?)));
            let place = vacant.or_else(|| {
                let (_, partition) = self.partitions.of(hash);
                split |= partition.count_crowded().is_multiple_of(CROWDED_PER_SPLIT);
                self.make_room(&pair, memory)
            });
            if let Some((bucket, place)) = place {
                bucket.set(place, entry);
                replaced(None);
                break false;
            }
            drop(pair);
            self.split(hash, memory)?;
        };
        if split {
            // The key is in; a table that cannot grow any more says so when it is full.
            let _ = self.try_split(hash, memory);
        }
        Ok(was_there)
    }

    fn find<'index>(
        &self,
        pair: &Pair<'index>,
        hash: Hash,
        key: u64,
        memory: &Memory,
    ) -> Option<(&'index TaggedBucket, usize, ObjectRef, Header)> {
        pair.buckets.iter().find_map(|&(bucket, _)| {
            let want = Want::Key(key);
            match bucket.find(hash, want, self.coding, memory, &pair.first, &pair.first) {
                Search::Found(place, found) => {
                    Some((bucket, place, self.object(memory, found.address), found.header))
                }
                Search::Absent | Search::Moved => None,
            }
        })
    }

    /// Moves one entry of two full buckets to its other bucket; answers the place that is free
    /// for it now.
    ///
    /// The other bucket is only tried, never waited for: it may have any number.
    fn make_room<'index>(
        &'index self,
        pair: &Pair<'index>,
        memory: &Memory,
    ) -> Option<(&'index TaggedBucket, usize)> {
        let entries = || {
            let of = |(bucket, number)| (0..ENTRIES).map(move |place| (bucket, number, place));
            pair.buckets.into_iter().flat_map(of)
        };
        for (bucket, _, place) in entries() {
            if let Some(entry) = bucket.load(place) {
                memory.region.prefetch(self.coding.address(entry));
            }
        }
        for (bucket, number, place) in entries() {
            let Some(entry) = bucket.load(place) else { continue };
            let header = memory.header(self.coding.address(entry), &pair.first);
            let hash = Hash::of(header.key);
            let other = self.homes(hash).other(number);
            if pair.homes.include(other) {
                continue;
            }
            let target = self.bucket(pair.homes, other);
            let Some(_target_lock) = target.try_lock() else { continue };
            // It may have been split before it was locked.
            if self.homes(hash).other(number) != other {
                continue;
            }
            if let Some(free) = target.vacant() {
                target.set(free, Some(entry));
                return Some((bucket, place));
            }
        }
        None
    }
}
