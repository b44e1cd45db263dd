//! Address space for all partitions of the index: zeroed memory seen as buckets of atomics.

use std::io;

use platform::{Mapping, Pages};

use crate::constants::BUCKET_BYTES;
use crate::index::bucket::Bucket;

/// One reserved mapping; partition `p` owns buckets `p * limit..(p + 1) * limit`. Only buckets in
/// use are ever touched.
#[derive(Debug)]
pub(crate) struct BucketSpace {
    mapping: Mapping,
    limit: u64,
    partitions: u64,
}

impl BucketSpace {
    /// Reserves room for `limit` buckets in each of `partitions`.
    pub(crate) fn reserve(partitions: u64, limit: u64) -> io::Result<Self> {
        let bytes = partitions * limit * BUCKET_BYTES;
        let mapping = Mapping::anonymous(bytes as usize, Pages::Small)?;
        assert!(mapping.start().addr().get().is_multiple_of(BUCKET_BYTES as usize));
        Ok(Self { mapping, limit, partitions })
    }

    /// Most buckets of a partition.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    #[inline]
    pub(crate) fn bucket(&self, partition: u64, bucket: u64) -> &Bucket {
        assert!(partition < self.partitions && bucket < self.limit);
        let index = (partition * self.limit + bucket) as usize;
        // SAFETY: `index` is below the number of buckets the mapping was made for, just asserted.
        let place = unsafe { self.mapping.start().cast::<Bucket>().add(index) };
        // SAFETY: in bounds, aligned (asserted in `reserve`), and zeroed memory is an empty
        // bucket; all fields are atomics, and the mapping lives as long as `self`.
        unsafe { place.as_ref() }
    }

    /// Fetches both lines of a bucket.
    #[inline]
    pub(crate) fn prefetch(&self, partition: u64, bucket: u64) {
        let start = std::ptr::from_ref(self.bucket(partition, bucket)).cast::<u8>();
        super::region::prefetch(start);
        super::region::prefetch(start.wrapping_add(64));
    }
}
