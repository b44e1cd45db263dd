//! The one-line index: buckets of ten six-byte entries, each with a tag and an offset into object
//! memory.
//!
//! A key may be in either of two buckets of its partition; a search begins with the first. An
//! insertion that finds both full moves an entry to its other bucket. From time to time a bucket is
//! split in two (linear hashing), so that the load stays above nine tenths at any number of keys.

pub(crate) mod bucket;
mod coding;
mod insert;
mod search;
mod split;
mod table;

pub(crate) use bucket::TaggedBucket;
pub(crate) use table::TaggedTable;

/// What models and tests need to know to set up their situations.
#[cfg(test)]
impl TaggedTable {
    /// The buckets a key may be in, now and after the next split.
    pub(crate) fn homes_around_split(&self, key: u64) -> [[u64; 2]; 2] {
        let hash = super::hash::Hash::of(key);
        let (number, partition) = self.partitions.of(hash);
        [partition.shape(), partition.shape().after_split()].map(|shape| {
            let homes = table::Homes::of(hash, number, shape);
            [homes.first, homes.second]
        })
    }

    /// Splits the next bucket.
    #[cfg(loom)]
    pub(crate) fn grow(&self, memory: &crate::raw::Memory) {
        self.split(super::hash::Hash::of(0), memory).unwrap();
    }

    /// Keeps the next insertion without room from causing a split.
    pub(crate) fn postpone_split(&self) {
        let hash = super::hash::Hash::of(0);
        let count = || self.partitions.of(hash).1.count_crowded();
        while !count().is_multiple_of(insert::CROWDED_PER_LOOK) {}
    }
}
