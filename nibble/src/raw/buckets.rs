//! Address space for all index partitions: zeroed memory viewed as buckets of atomics.

#[cfg(not(loom))]
use std::io;
#[cfg(not(loom))]
use std::marker::PhantomData;
#[cfg(not(loom))]
use std::ops::Range;

#[cfg(not(loom))]
use platform::{Mapping, Pages, mapping::HUGE_PAGE_BYTES};

#[cfg(loom)]
pub(crate) use in_models::BucketSpace;

#[cfg(not(loom))]
use super::region::refused;
#[cfg(not(loom))]
use crate::index::IndexPlan;

/// A bucket for which zeroed memory is an empty, unlocked value.
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
    limit_log2: u32,
    /// The number of buckets of all partitions, a power of two, minus one.
    last: u64,
    partitions: u64,
    huge_pages: bool,
    buckets: PhantomData<B>,
}

#[cfg(not(loom))]
impl<B: ZeroedBucket> BucketSpace<B> {
    const BYTES: u64 = size_of::<B>() as u64;

    /// Reserves room for the plan's partitions, divided equally among its nodes. It is as much as
    /// the plan says, or as the system grants.
    ///
    /// # Errors
    /// The system's, with the smallest size that was tried.
    pub(crate) fn reserve(plan: &IndexPlan) -> io::Result<Self> {
        let IndexPlan { huge_pages, ref nodes, .. } = *plan;
        let partitions = plan.partitions as u64;
        let (mapping, limit_bytes) = map_at_most(partitions, plan.limit_bytes)?;
        for (turn, &node) in nodes.iter().enumerate() {
            let share = share(plan.partitions, nodes.len(), turn);
            let unit = limit_bytes as usize;
            mapping.bind(share.start * unit, share.len() * unit, node)?;
        }
        assert!(mapping.start().addr().get().is_multiple_of(align_of::<B>()));
        let limit = limit_bytes / Self::BYTES;
        assert!(limit.is_power_of_two() && partitions.is_power_of_two());
        Ok(Self {
            mapping,
            limit,
            limit_log2: limit.trailing_zeros(),
            last: limit * partitions - 1,
            partitions,
            huge_pages,
            buckets: PhantomData,
        })
    }

    /// The most buckets of a partition.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    #[inline]
    pub(crate) fn bucket(&self, partition: u64, bucket: u64) -> &B {
        debug_assert!(partition < self.partitions && bucket < self.limit);
        // A mask instead of a comparison, because this is on the path of every operation.
        let index = ((partition << self.limit_log2 | bucket) & self.last) as usize;
        // SAFETY: `last` is the last of the buckets that the mapping was made for.
        let place = unsafe { self.mapping.start().cast::<B>().add(index) };
        // SAFETY: in bounds, aligned (asserted in `reserve`), and zeroed memory is an empty
        // bucket (`ZeroedBucket`); the mapping lives as long as `self`.
        unsafe { place.as_ref() }
    }

    /// Buckets `from..to` of a partition have come into use: makes huge pages of those ranges that
    /// are now completely in use.
    pub(crate) fn fill(&self, partition: u64, from: u64, to: u64) {
        let huge = HUGE_PAGE_BYTES as u64;
        let [from, to] = [from, to].map(|bucket| bucket * Self::BYTES / huge * huge);
        if self.huge_pages && from < to {
            let start = partition * self.limit * Self::BYTES;
            // If this is refused, the pages stay small.
            let _ = self.mapping.collapse((start + from) as usize, (to - from) as usize);
        }
    }

    /// Prefetches the lines of a bucket with which a search begins.
    #[inline]
    pub(crate) fn prefetch(&self, partition: u64, bucket: u64) {
        let start = std::ptr::from_ref(self.bucket(partition, bucket)).cast::<u8>();
        for line in (0..size_of::<B>()).step_by(64) {
            super::region::prefetch(start.wrapping_add(line));
        }
    }
}

/// Into how many parts of its plan an index may have to fit.
#[cfg(not(loom))]
const DIVISOR_MAX: u64 = 8;

/// Maps `limit_bytes` for each partition or, as often as the system refuses, half of that; returns
/// how much it is in the end. An index that finds no more room answers `IndexFull`.
#[cfg(not(loom))]
fn map_at_most(partitions: u64, limit_bytes: u64) -> io::Result<(Mapping, u64)> {
    let least = limit_bytes / DIVISOR_MAX;
    let mut limit_bytes = limit_bytes;
    loop {
        let bytes = partitions * limit_bytes;
        match Mapping::anonymous(bytes as usize, Pages::SmallUntilCollapsed) {
            Ok(mapping) => return Ok((mapping, limit_bytes)),
            Err(_) if limit_bytes > least => limit_bytes /= 2,
            Err(error) => return Err(refused("the index", bytes, &error)),
        }
    }
}

/// The partitions of the `turn`-th of `nodes` nodes.
#[cfg(not(loom))]
fn share(partitions: usize, nodes: usize, turn: usize) -> Range<usize> {
    turn * partitions / nodes..(turn + 1) * partitions / nodes
}

/// Buckets for models: loom's atomics are not plain words, so zeroed memory is not a bucket.
#[cfg(loom)]
mod in_models {
    use std::io;

    use super::ZeroedBucket;
    use crate::index::IndexPlan;

    /// Enough to double twice.
    const LIMIT: u64 = 4;

    #[derive(Debug)]
    pub(crate) struct BucketSpace<B>(Box<[B]>);

    impl<B: ZeroedBucket> BucketSpace<B> {
        pub(crate) fn reserve(plan: &IndexPlan) -> io::Result<Self> {
            Ok(Self((0..plan.partitions as u64 * LIMIT).map(|_| B::default()).collect()))
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn nodes_share_the_partitions_evenly_and_completely() {
        for nodes in 1..20 {
            let shares: Vec<_> = (0..nodes).map(|turn| share(16, nodes, turn)).collect();
            assert_eq!((shares[0].start, shares[nodes - 1].end), (0, 16));
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert!(shares.iter().all(|share| share.len().abs_diff(16 / nodes) <= 1));
        }
    }
}
