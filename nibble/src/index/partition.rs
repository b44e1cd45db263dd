//! The shape of a partition: how many buckets it has, and which of them are already split.

use super::hash::Hash;
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering};

/// ```text
///  63              32 31               0
/// +------------------+------------------+
/// |      n - 1       | split so far     |
/// |     32 bits      |     32 bits      |
/// +------------------+------------------+
/// ```
/// A partition at rest has `n` buckets, a power of two, none of them split. While it doubles,
/// buckets `0..split` have given half their hashes to buckets `n..n + split`. Stored as a mask,
/// because every operation derives two bucket numbers from its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape(u64);

const SPLIT_BITS: u32 = 32;
const _: () = assert!(SPLIT_BITS + u32::BITS == u64::BITS);

impl Shape {
    fn new(log2: u32, split: u64) -> Self {
        debug_assert!(log2 < u32::BITS && split < 1 << log2);
        Self((((1 << log2) - 1) << SPLIT_BITS) | split)
    }

    /// `n - 1`.
    #[inline]
    fn mask(self) -> u64 {
        self.0 >> SPLIT_BITS
    }

    pub(super) fn log2(self) -> u32 {
        self.mask().trailing_ones()
    }

    #[inline]
    pub(super) fn split(self) -> u64 {
        self.0 & ((1 << SPLIT_BITS) - 1)
    }

    /// Number of buckets in use.
    pub(super) fn buckets(self) -> u64 {
        self.mask() + 1 + self.split()
    }

    /// The bucket that a hash belongs to.
    #[inline]
    pub(super) fn bucket_of(self, hash: Hash) -> u64 {
        let bucket = hash.bits() & self.mask();
        let wider = hash.bits() & (2 * self.mask() + 1);
        if bucket < self.split() { wider } else { bucket }
    }

    /// The other bucket of a hash, if there are two. It belongs to the same table, split in another
    /// order, from the middle on, so that few buckets have both splits still ahead.
    ///
    /// The number is a Gray code of the hash's low bits. When bucket `n + s` is added, bucket
    /// `s ^ (n / 2)` is the one that shares its hashes with it.
    #[inline]
    pub(super) fn second_bucket_of(self, hash: Hash) -> u64 {
        let gray = |mask| {
            let low = hash.bits() & mask;
            low ^ (low >> 1)
        };
        let (bucket, wider) = (gray(self.mask()), gray(2 * self.mask() + 1));
        if self.second_split_of(bucket) < self.split() { wider } else { bucket }
    }

    /// At which step of a doubling a bucket is split as the second one of its hashes, and vice
    /// versa.
    #[inline]
    pub(super) fn second_split_of(self, bucket: u64) -> u64 {
        bucket ^ (self.mask().wrapping_add(1) >> 1)
    }

    /// The shape after one more bucket is split.
    pub(super) fn after_split(self) -> Self {
        if self.split() == self.mask() {
            Self::new(self.log2() + 1, 0)
        } else {
            Self::new(self.log2(), self.split() + 1)
        }
    }
}

/// One partition, on its own cache lines.
///
/// | edge  | from                          | to               | guarantees                        |
/// |-------|-------------------------------|------------------|-----------------------------------|
/// | SHAPE | `set_shape`, Release          | `shape`, Acquire | who sees a split finds its entries |
///
/// The one thread that doubles the partition holds `growing`. It never waits for anything but
/// bucket locks, and holders of those never wait for it.
#[repr(align(128))]
#[derive(Debug)]
pub(super) struct Partition {
    shape: AtomicU64,
    pub(super) growing: Mutex<()>,
    /// Number of insertions that found no room at first; see `tagged/insert.rs`.
    crowded: AtomicU32,
}

impl Partition {
    fn new(buckets_log2: u32) -> Self {
        let shape = AtomicU64::new(Shape::new(buckets_log2, 0).0);
        Self { shape, growing: Mutex::new(()), crowded: AtomicU32::new(0) }
    }

    /// Counts an insertion without room; returns the number.
    pub(super) fn count_crowded(&self) -> u32 {
        // Relaxed: any count will do.
        self.crowded.fetch_add(1, Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn shape(&self) -> Shape {
        // SHAPE, to: the halves of every bucket counted as split are in place.
        Shape(self.shape.load(edge::to(Edge::Shape, Ordering::Acquire)))
    }

    pub(super) fn set_shape(&self, shape: Shape) {
        // SHAPE, from: stored while both halves are still locked.
        self.shape.store(shape.0, edge::from(Edge::Shape, Ordering::Release));
    }
}

/// All partitions of an index.
#[derive(Debug)]
pub(crate) struct Partitions {
    all: Box<[Partition]>,
    bits: u32,
    buckets_log2: u32,
}

impl Partitions {
    /// `number` partitions, a power of two, with `1 << buckets_log2` buckets each.
    pub(super) fn new(number: usize, buckets_log2: u32) -> Self {
        debug_assert!(number.is_power_of_two());
        let all = (0..number).map(|_| Partition::new(buckets_log2)).collect();
        Self { all, bits: number.trailing_zeros(), buckets_log2 }
    }

    /// The partition of a hash, with its number.
    #[inline]
    pub(super) fn of(&self, hash: Hash) -> (u64, &Partition) {
        let number = hash.partition(self.bits);
        (number, &self.all[number as usize])
    }

    /// Number of buckets in use.
    pub(super) fn buckets(&self) -> u64 {
        self.all.iter().map(|partition| partition.shape().buckets()).sum()
    }

    /// Number of buckets that growth has added.
    pub(super) fn growth(&self) -> u64 {
        self.buckets() - ((self.all.len() as u64) << self.buckets_log2)
    }

    /// Size of the table of partitions.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.all) as u64
    }

    /// Calls `visit` for every bucket in use, with its partition, the partition's shape and its
    /// number.
    pub(super) fn for_each_bucket(&self, mut visit: impl FnMut(u64, Shape, u64)) {
        for (number, partition) in self.all.iter().enumerate() {
            let shape = partition.shape();
            (0..shape.buckets()).for_each(|bucket| visit(number as u64, shape, bucket));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "many numbers, no memory")]
    fn second_buckets_move_to_the_new_bucket_only() {
        let mut shape = Shape::new(3, 0);
        for _ in 0..24 {
            let next = shape.after_split();
            let (split, new) = (shape.second_split_of(shape.split()), shape.buckets());
            let mut moved = 0;
            for key in 0..2000 {
                let hash = Hash::of(key);
                let (before, after) = (shape.second_bucket_of(hash), next.second_bucket_of(hash));
                assert!(after == before || (before == split && after == new));
                moved += u32::from(after != before);
            }
            assert!(moved > 0, "{shape:?}");
            shape = next;
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "many numbers, no memory")]
    fn splitting_moves_a_hash_at_most_once_per_doubling() {
        let mut shape = Shape::new(3, 0);
        for _ in 0..8 {
            let next = shape.after_split();
            for key in 0..1000 {
                let hash = Hash::of(key);
                let (old, new) = (shape.bucket_of(hash), next.bucket_of(hash));
                assert!(new == old || (old == shape.split() && new == old + 8), "{old} -> {new}");
                assert!(new < next.buckets());
            }
            shape = next;
        }
        assert_eq!(shape, Shape::new(4, 0));
    }
}
