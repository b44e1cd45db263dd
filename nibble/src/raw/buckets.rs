//! Address space for all partitions of the index: zeroed memory seen as buckets of atomics.

#[cfg(not(loom))]
use std::{io, marker::PhantomData};

#[cfg(not(loom))]
use platform::{Mapping, Pages, mapping::HUGE_PAGE_BYTES};

#[cfg(loom)]
pub(crate) use in_models::BucketSpace;

/// A bucket that zeroed memory is an empty, unlocked value of.
///
/// # Safety
/// All fields are atomics, for which all zeros is a value.
pub(crate) unsafe trait ZeroedBucket: Sync + Default {}

// SAFETY: entries and version are atomic integers.
unsafe impl ZeroedBucket for crate::index::wide::TextBucket {}
// SAFETY: keys, entries and version are atomic integers.
unsafe impl ZeroedBucket for crate::index::wide::KeyedBucket {}
// SAFETY: tags, offsets and version are atomic integers.
unsafe impl ZeroedBucket for crate::index::tagged::TaggedBucket {}

/// One reserved mapping; partition `p` owns buckets `p * limit..(p + 1) * limit`. Only buckets in
/// use are ever touched.
#[cfg(not(loom))]
#[derive(Debug)]
pub(crate) struct BucketSpace<B> {
    mapping: Mapping,
    limit: u64,
    partitions: u64,
    huge_pages: bool,
    buckets: PhantomData<B>,
}

#[cfg(not(loom))]
impl<B: ZeroedBucket> BucketSpace<B> {
    const BYTES: u64 = size_of::<B>() as u64;

    /// Reserves room for at least `limit_bytes` of buckets in each of `partitions`.
    pub(crate) fn reserve(partitions: u64, limit_bytes: u64, huge_pages: bool) -> io::Result<Self> {
        let limit_bytes = limit_bytes.next_power_of_two().max(HUGE_PAGE_BYTES as u64);
        let bytes = (partitions * limit_bytes) as usize;
        let mapping = Mapping::anonymous(bytes, Pages::SmallUntilCollapsed)?;
        assert!(mapping.start().addr().get().is_multiple_of(align_of::<B>()));
        let limit = limit_bytes / Self::BYTES;
        Ok(Self { mapping, limit, partitions, huge_pages, buckets: PhantomData })
    }

    /// Most buckets of a partition.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    #[inline]
    pub(crate) fn bucket(&self, partition: u64, bucket: u64) -> &B {
        assert!(partition < self.partitions && bucket < self.limit);
        let index = (partition * self.limit + bucket) as usize;
        // SAFETY: `index` is below the number of buckets the mapping was made for, just asserted.
        let place = unsafe { self.mapping.start().cast::<B>().add(index) };
        // SAFETY: in bounds, aligned (asserted in `reserve`), and zeroed memory is an empty
        // bucket (`ZeroedBucket`); the mapping lives as long as `self`.
        unsafe { place.as_ref() }
    }

    /// Buckets `from..to` of a partition have come into use: huge pages that are in use as a
    /// whole now become such.
    pub(crate) fn fill(&self, partition: u64, from: u64, to: u64) {
        let huge = HUGE_PAGE_BYTES as u64;
        let [from, to] = [from, to].map(|bucket| bucket * Self::BYTES / huge * huge);
        if self.huge_pages && from < to {
            let start = partition * self.limit * Self::BYTES;
            self.mapping.collapse((start + from) as usize, (to - from) as usize);
        }
    }

    /// Fetches the lines of a bucket that a search begins with.
    #[inline]
    pub(crate) fn prefetch(&self, partition: u64, bucket: u64) {
        let start = std::ptr::from_ref(self.bucket(partition, bucket)).cast::<u8>();
        for line in (0..size_of::<B>()).step_by(64) {
            super::region::prefetch(start.wrapping_add(line));
        }
    }
}

/// Buckets of a model: loom's atomics are no plain words, so zeroed memory is no bucket.
#[cfg(loom)]
mod in_models {
    use std::io;

    use super::ZeroedBucket;

    /// Enough to double twice.
    const LIMIT: u64 = 4;

    #[derive(Debug)]
    pub(crate) struct BucketSpace<B>(Box<[B]>);

    impl<B: ZeroedBucket> BucketSpace<B> {
        pub(crate) fn reserve(partitions: u64, _: u64, _: bool) -> io::Result<Self> {
            Ok(Self((0..partitions * LIMIT).map(|_| B::default()).collect()))
        }

        pub(crate) fn limit(&self) -> u64 {
            LIMIT
        }

        pub(crate) fn bucket(&self, partition: u64, bucket: u64) -> &B {
            assert!(bucket < LIMIT);
            &self.0[(partition * LIMIT + bucket) as usize]
        }

        pub(crate) fn fill(&self, _: u64, _: u64, _: u64) {}

        pub(crate) fn prefetch(&self, _: u64, _: u64) {}
    }
}
