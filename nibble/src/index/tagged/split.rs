//! Growth by one bucket: linear hashing, with two homes for every key.

use super::bucket::{ENTRIES, TaggedBucket};
use super::coding::Entry;
use super::insert::{DEPTH, Vacated};
use super::table::{Homes, TaggedTable};
use crate::index::hash::Hash;
use crate::index::partition::Shape;
use crate::index::table::IndexFull;
use crate::index::version::Locked;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::raw::Memory;
use crate::sync::{MutexGuard, lock, try_lock};

/// How many entries may change places in a ring so that one can leave a bucket of a full table.
const RING_DEPTH: u32 = 3;

/// An entry that must leave its bucket.
struct Mover<'index> {
    bucket: &'index TaggedBucket,
    from: u64,
    place: usize,
    entry: Entry,
    homes: Homes,
}

impl TaggedTable {
    /// Splits the next bucket of the partition of `hash`.
    pub(super) fn split(&self, hash: Hash, memory: &Memory) -> Result<(), IndexFull> {
        let growing = lock(&self.partitions.of(hash).1.growing);
        self.split_next(hash, memory, &growing)
    }

    /// Like [`Self::split`], unless another thread is splitting.
    pub(super) fn try_split(&self, hash: Hash, memory: &Memory) -> Result<(), IndexFull> {
        match try_lock(&self.partitions.of(hash).1.growing) {
            Some(growing) => self.split_next(hash, memory, &growing),
            None => Ok(()),
        }
    }

    /// Adds one bucket. It takes over hashes from two others: from one those that have it as their
    /// first home now, from the other those that have it as their second. All three are locked;
    /// operations on other buckets continue. A reader that came to one of the three too early finds
    /// its version changed; one that comes too late finds the shape changed. Both search again.
    #[cold]
    fn split_next(
        &self,
        hash: Hash,
        memory: &Memory,
        _growing: &MutexGuard<'_, ()>,
    ) -> Result<(), IndexFull> {
        let (number, partition) = self.partitions.of(hash);
        let shape = partition.shape();
        let (first, second) = (shape.split(), shape.second_split_of(shape.split()));
        let to = shape.buckets();
        if to >= self.space.limit() {
            return Err(IndexFull);
        }
        let sources = [first.min(second), first.max(second)];
        let [low, high, target] =
            [sources[0], sources[1], to].map(|bucket| self.space.bucket(number, bucket));
        // In ascending order, as everywhere when a thread waits for a second bucket.
        let locks = (low.lock(), high.lock(), target.lock());
        for entry in [low, high].iter().flat_map(|bucket| bucket.entries()) {
            memory.region.prefetch(self.coding.address(entry));
        }
        let after = shape.after_split();
        let mut movers = Vec::with_capacity(2 * ENTRIES);
        for (bucket, from) in [(low, sources[0]), (high, sources[1])] {
            for place in 0..ENTRIES {
                let Some(entry) = bucket.load(place) else { continue };
                let key = memory.header(self.coding.address(entry), &locks.0).key;
                let homes = Homes::of(Hash::of(key), number, after);
                if !homes.include(from) {
                    movers.push(Mover { bucket, from, place, entry, homes });
                }
            }
        }
        // There are rarely more movers than fit into the new bucket. The excess goes to its other
        // homes before anything else has changed, so that everything can stay if one of them cannot
        // move. In a full table that takes a ring: a mover's place is room for another entry.
        let mut left_over = movers.len().saturating_sub(ENTRIES);
        for shape in [None, Some(after)] {
            movers.retain(|mover| {
                let gone = left_over > 0 && self.evict(mover, to, shape, memory, &locks.0);
                left_over -= usize::from(gone);
                !gone
            });
        }
        if left_over > 0 {
            return Ok(());
        }
        for (free, Mover { bucket, place, entry, homes, .. }) in movers.into_iter().enumerate() {
            debug_assert!(homes.include(to), "an entry moves to the new bucket or not at all");
            if !mutated(Mutant::GrowthLosesKey) {
                target.set(free, Some(entry));
            }
            reach(Point::HalfSplit);
            bucket.set(place, None);
        }
        partition.set_shape(after);
        drop(locks);
        self.space.fill(number, to, to + 1);
        Ok(())
    }

    /// Moves an entry to its home other than `to`, making room there if necessary. With the shape
    /// after the split, its place is room as well.
    fn evict(
        &self,
        mover: &Mover<'_>,
        to: u64,
        after: Option<Shape>,
        memory: &Memory,
        stays: &Locked<'_>,
    ) -> bool {
        let &Mover { bucket, from, place, entry, homes } = mover;
        let number = homes.other(to);
        let other = self.bucket(homes, number);
        let Some(_lock) = other.try_lock() else { return false };
        let vacated = after.map(|after| Vacated { bucket: from, place, after });
        let deepest = if after.is_some() { RING_DEPTH } else { DEPTH };
        let relieve = |depth| self.relieve(homes, number, memory, stays, depth, vacated);
        let Some(free) = other.vacant().or_else(|| (1..=deepest).find_map(relieve)) else {
            return false;
        };
        other.set(free, Some(entry));
        // Unless another entry is there now.
        if bucket.load(place).is_some_and(|now| now == entry) {
            bucket.set(place, None);
        }
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::ENTRIES;
    use crate::index::Index;
    use crate::knobs::{Compaction, IndexLayout};
    use crate::{Config, Store};

    /// Every place is taken, and the twenty entries of the two buckets to be split belong to the new
    /// one, which has ten places: ten of them have to change places with others.
    #[test]
    fn a_full_table_splits_though_more_entries_move_than_a_bucket_holds() {
        let store = Store::open(Config {
            virtual_nodes: 1,
            index: IndexLayout::Tagged,
            index_partitions: 1,
            segment_bytes: 64 << 10,
            block_bytes: 4 << 10,
            compaction: Compaction::Inline,
            ..Config::best(1 << 20)
        })
        .unwrap();
        let Index::Tagged(table) = &store.shared.index else { unreachable!() };
        let session = store.session().unwrap();
        let buckets = table.partitions.buckets();
        let (new, low, high) = (buckets, 0, buckets / 2);
        let mut next = 0u64..;
        let mut put = |number: usize, wanted: &dyn Fn([u64; 2], [u64; 2]) -> bool| {
            for _ in 0..number {
                let key = next.find(|&key| {
                    let [now, then] = table.homes_around_split(key);
                    wanted(now, then)
                });
                table.postpone_split();
                session.put(key.unwrap(), &[]).unwrap();
            }
        };
        put(ENTRIES, &|now, then| now[0] == low && then[0] == new && now[1] != high);
        for bucket in (0..buckets).filter(|&bucket| bucket != low && bucket != high) {
            put(ENTRIES, &|now, _| now[0] == bucket);
        }
        let elsewhere = |bucket| bucket != low && bucket != high;
        put(ENTRIES, &|now, then| elsewhere(now[0]) && now[1] == high && then[1] == new);
        assert_eq!(store.check().unwrap().live_objects, buckets * ENTRIES as u64);
        assert_eq!(table.partitions.buckets(), buckets, "nothing is split yet");

        let last = next.next().unwrap();
        session.put(last, &[]).unwrap();
        assert!(table.partitions.buckets() > buckets, "it is split");
        let census = store.check().unwrap();
        assert_eq!(census.live_objects, buckets * ENTRIES as u64 + 1, "no key is lost");
    }
}
