//! Growth: a partition whose bucket is full doubles in place, bucket by bucket.

use super::hash::Hash;
use super::{Index, IndexFull};
use crate::raw::Memory;
use crate::sync::lock;

impl Index {
    /// Doubles the partition of `hash`, unless somebody else already has.
    ///
    /// Bucket `i` of `n` is split into `i` and `i + n`, with both locked; operations on other
    /// buckets of the partition go on, and other partitions notice nothing. A reader that came to
    /// bucket `i` too early finds the version moved, one that comes too late finds the shape
    /// moved; both search again.
    #[cold]
    pub(super) fn grow(&self, hash: Hash, memory: &Memory) -> Result<(), IndexFull> {
        let (number, partition) = self.partition(hash);
        let _growing = lock(&partition.growing);
        if self.lock(hash).vacant(hash).is_some() {
            return Ok(());
        }
        let mut shape = partition.shape();
        debug_assert_eq!(shape.split(), 0, "nobody leaves a doubling half done");
        let buckets = 1u64 << shape.log2();
        if 2 * buckets > self.space.limit() {
            return Err(IndexFull);
        }
        for index in 0..buckets {
            let lower = self.space.bucket(number, index).lock();
            let upper = self.space.bucket(number, index + buckets).lock();
            let content = lower.snapshot().map(|entry| {
                entry.map(|object| (Hash::of(memory.header(object, &lower).key), object))
            });
            shape = shape.after_split();
            let half = |bucket: u64| {
                let content = content.into_iter().flatten();
                content.filter(move |&(hash, _)| shape.bucket_of(hash) == bucket)
            };
            upper.refill(half(index + buckets));
            lower.refill(half(index));
            partition.set_shape(shape);
        }
        Ok(())
    }
}
