//! Growth: a partition whose bucket is full doubles in place, bucket by bucket.

use std::array;

use super::bucket::{ENTRIES, WideBucket};
use super::table::WideTable;
use crate::index::hash::Hash;
use crate::index::table::IndexFull;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::raw::Memory;
use crate::sync::lock;

impl<B: WideBucket> WideTable<B> {
    /// Doubles the partition of `hash`, unless another thread already has.
    ///
    /// Bucket `i` of `n` is split into `i` and `i + n`, with both locked. Operations on other
    /// buckets of the partition continue, and other partitions are not affected. A reader that came
    /// to bucket `i` too early finds the version changed; one that comes too late finds the shape
    /// changed. Both search again.
    #[cold]
    pub(super) fn grow(&self, hash: Hash, memory: &Memory) -> Result<(), IndexFull> {
        let (number, partition) = self.partitions.of(hash);
        let _growing = lock(&partition.growing);
        if self.has_room(hash) {
            return Ok(());
        }
        let mut shape = partition.shape();
        debug_assert_eq!(shape.split(), 0, "nobody leaves a doubling half done");
        let buckets = 1u64 << shape.log2();
        if 2 * buckets > self.space.limit() {
            return Err(IndexFull);
        }
        for index in 0..buckets {
            let lower = self.space.bucket(number, index);
            let upper = self.space.bucket(number, index + buckets);
            let (lower_lock, upper_lock) = (lower.version().lock(), upper.version().lock());
            let content: [_; ENTRIES] = array::from_fn(|entry| {
                lower.load(entry).map(|object| {
                    let key = memory.header(object.address(), &lower_lock).key;
                    (Hash::of(key), key, object)
                })
            });
            shape = shape.after_split();
            let half = |bucket: u64| {
                let content = content.into_iter().flatten();
                content.filter(move |&(hash, _, _)| shape.bucket_of(hash) == bucket)
            };
            let lost = usize::from(mutated(Mutant::GrowthLosesKey));
            upper.refill(half(index + buckets).skip(lost));
            reach(Point::HalfSplit);
            lower.refill(half(index));
            partition.set_shape(shape);
            drop((lower_lock, upper_lock));
        }
        self.space.fill(number, buckets, 2 * buckets);
        Ok(())
    }
}
