//! Growth by one bucket: linear hashing, with two homes for every key.

use super::bucket::{ENTRIES, TaggedBucket};
use super::coding::Entry;
use super::insert::DEPTH;
use super::table::{Homes, TaggedTable};
use crate::index::hash::Hash;
use crate::index::table::IndexFull;
use crate::index::version::Locked;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::raw::Memory;
use crate::sync::{MutexGuard, lock, try_lock};

/// An entry that must leave its bucket.
struct Mover<'index> {
    bucket: &'index TaggedBucket,
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
                    movers.push(Mover { bucket, place, entry, homes });
                }
            }
        }
        // There are rarely more movers than fit into the new bucket. The excess goes to its other
        // homes before anything else has changed, so that everything can stay if one of them cannot
        // move.
        let mut left_over = movers.len().saturating_sub(ENTRIES);
        movers.retain(|mover| {
            let gone = left_over > 0 && self.evict(mover, to, memory, &locks.0);
            left_over -= usize::from(gone);
            !gone
        });
        if left_over > 0 {
            return Ok(());
        }
        for (free, Mover { bucket, place, entry, homes }) in movers.into_iter().enumerate() {
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

    /// Moves an entry to its home other than `to`, making room there if necessary.
    fn evict(&self, mover: &Mover<'_>, to: u64, memory: &Memory, stays: &Locked<'_>) -> bool {
        let number = mover.homes.other(to);
        let other = self.bucket(mover.homes, number);
        let Some(_lock) = other.try_lock() else { return false };
        let free =
            other.vacant().or_else(|| self.relieve(mover.homes, number, memory, stays, DEPTH));
        let Some(free) = free else { return false };
        other.set(free, Some(mover.entry));
        mover.bucket.set(mover.place, None);
        true
    }
}
