//! Growth by one bucket: linear hashing, with two homes for every key.

use super::bucket::ENTRIES;
use super::table::{Homes, TaggedTable};
use crate::index::hash::Hash;
use crate::index::table::IndexFull;
use crate::raw::Memory;
use crate::sync::{MutexGuard, lock, try_lock};

impl TaggedTable {
    /// Splits the next bucket of the partition of `hash`.
    pub(super) fn split(&self, hash: Hash, memory: &Memory) -> Result<(), IndexFull> {
        let growing = lock(&self.partitions.of(hash).1.growing);
        self.split_next(hash, memory, &growing)
    }

    /// As [`Self::split`], unless somebody else is at it.
    pub(super) fn try_split(&self, hash: Hash, memory: &Memory) -> Result<(), IndexFull> {
        match try_lock(&self.partitions.of(hash).1.growing) {
            Some(growing) => self.split_next(hash, memory, &growing),
            None => Ok(()),
        }
    }

    /// Bucket `i` of `n` is split into `i` and `i + n`, with both locked. An entry goes where its
    /// key's homes are under the new shape. Operations on other buckets go on; a reader that came
    /// to bucket `i` too early finds the version moved, one that comes too late finds the shape
    /// moved; both search again.
    #[cold]
    fn split_next(
        &self,
        hash: Hash,
        memory: &Memory,
        _growing: &MutexGuard<'_, ()>,
    ) -> Result<(), IndexFull> {
        let (number, partition) = self.partitions.of(hash);
        let shape = partition.shape();
        let (from, to) = (shape.split(), shape.buckets());
        if to >= self.space.limit() {
            return Err(IndexFull);
        }
        let lower = self.space.bucket(number, from);
        let upper = self.space.bucket(number, to);
        let lower_lock = lower.lock();
        let upper_lock = upper.lock();
        for entry in (0..ENTRIES).filter_map(|place| lower.load(place)) {
            memory.region.prefetch(self.coding.address(entry));
        }
        let after = shape.after_split();
        let mut moved = 0;
        for place in 0..ENTRIES {
            let Some(entry) = lower.load(place) else { continue };
            let key = memory.header(self.coding.address(entry), &lower_lock).key;
            let homes = Homes::of(Hash::of(key), number, after);
            if !homes.include(from) {
                debug_assert!(homes.include(to), "a split sends an entry here or there");
                upper.set(moved, Some(entry));
                lower.set(place, None);
                moved += 1;
            }
        }
        partition.set_shape(after);
        drop((lower_lock, upper_lock));
        self.space.fill(number, to, to + 1);
        Ok(())
    }
}
