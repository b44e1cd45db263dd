//! The index: from key to place, partitioned, optimistic, growing in place.
//!
//! A key's hash names a partition (high bits), a bucket in it (low bits) and the entry where
//! probing starts (bits between). No entry holds a key or a tag: the key is compared in the log.

pub(crate) mod bucket;
mod grow;
pub(crate) mod hash;
mod partition;

use std::io;

use crate::address::ObjectRef;
use crate::raw::buckets::BucketSpace;
use crate::raw::{Header, Memory, Protection};
use crate::segment::SegmentTable;

use bucket::{Bucket, LockedBucket};
use hash::Hash;
use partition::Partition;

/// The index has no address space left for a partition that must grow.
#[derive(Debug)]
pub(crate) struct IndexFull;

/// What a reader found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) object: ObjectRef,
    pub(crate) header: Header,
}

/// All partitions.
#[derive(Debug)]
pub(crate) struct Index {
    space: BucketSpace,
    partitions: Box<[Partition]>,
    partition_bits: u32,
}

impl Index {
    /// An index of `partitions` (a power of two) partitions of at most `limit` buckets each.
    pub(crate) fn new(partitions: usize, limit: u64) -> io::Result<Self> {
        debug_assert!(partitions.is_power_of_two());
        Ok(Self {
            space: BucketSpace::reserve(partitions as u64, limit)?,
            partitions: (0..partitions).map(|_| Partition::default()).collect(),
            partition_bits: partitions.trailing_zeros(),
        })
    }

    #[inline]
    fn partition(&self, hash: Hash) -> (u64, &Partition) {
        let number = hash.partition(self.partition_bits);
        (number, &self.partitions[number as usize])
    }

    #[inline]
    fn bucket(&self, hash: Hash) -> (u64, &Bucket) {
        let (number, partition) = self.partition(hash);
        let bucket = partition.shape().bucket_of(hash);
        (bucket, self.space.bucket(number, bucket))
    }

    /// Fetches the lines an operation on this hash needs first.
    #[inline]
    pub(crate) fn prefetch(&self, hash: Hash) {
        let (number, partition) = self.partition(hash);
        self.space.prefetch(number, partition.shape().bucket_of(hash));
    }

    /// Locks the bucket a hash belongs to.
    #[inline]
    fn lock(&self, hash: Hash) -> LockedBucket<'_> {
        loop {
            let (number, bucket) = self.bucket(hash);
            let locked = bucket.lock();
            // The bucket may have been split before we got the lock; it cannot be while we hold
            // it. SHAPE, to: whoever split it stored the shape before it unlocked.
            if self.bucket(hash).0 == number {
                return locked;
            }
        }
    }

    /// Runs `search` on the bucket of `hash` until it finds something or the bucket is known to
    /// have been still, and the right one, throughout.
    ///
    /// A hit needs no such proof: the entry was in the bucket when it was loaded, and published
    /// objects never change.
    #[inline]
    fn read<T>(&self, hash: Hash, mut search: impl FnMut(&Bucket) -> Option<T>) -> Option<T> {
        loop {
            let (number, bucket) = self.bucket(hash);
            let before = bucket.even_version();
            if let Some(found) = search(bucket) {
                return Some(found);
            }
            if bucket.is_still(before) && self.bucket(hash).0 == number {
                return None;
            }
        }
    }

    /// Finds a key.
    #[inline]
    pub(crate) fn get<P: Protection>(
        &self,
        hash: Hash,
        key: u64,
        memory: &Memory,
        stays: &P,
    ) -> Option<Found> {
        self.read(hash, |bucket| {
            bucket
                .find(hash, key, memory, stays)
                .map(|(_, object, header)| Found { object, header })
        })
    }

    /// Whether the index leads to exactly this object.
    pub(crate) fn holds(&self, hash: Hash, object: ObjectRef) -> bool {
        self.read(hash, |bucket| bucket.entry_of(hash, object)).is_some()
    }

    /// Publishes `object` under its key and accounts for it; answers whether the key was there.
    pub(crate) fn publish<P: Protection>(
        &self,
        hash: Hash,
        object: ObjectRef,
        header: Header,
        memory: &Memory,
        segments: &SegmentTable,
        _pinned: &P,
    ) -> Result<bool, IndexFull> {
        loop {
            let bucket = self.lock(hash);
            if let Some((entry, old, old_header)) = bucket.find(hash, header.key, memory, &bucket) {
                bucket.set(entry, Some(object));
                segments[object.segment()].gain(header.object_bytes());
                segments[old.segment()].lose(old_header.object_bytes());
                return Ok(true);
            }
            if let Some(entry) = bucket.vacant(hash) {
                bucket.set(entry, Some(object));
                segments[object.segment()].gain(header.object_bytes());
                return Ok(false);
            }
            drop(bucket);
            self.grow(hash, memory)?;
        }
    }

    /// Removes a key; answers whether it was there.
    pub(crate) fn remove(
        &self,
        hash: Hash,
        key: u64,
        memory: &Memory,
        segments: &SegmentTable,
    ) -> bool {
        let bucket = self.lock(hash);
        let Some((entry, old, header)) = bucket.find(hash, key, memory, &bucket) else {
            return false;
        };
        bucket.set(entry, None);
        segments[old.segment()].lose(header.object_bytes());
        true
    }

    /// Replaces `from` by its copy `to`, unless `from` has died meanwhile.
    pub(crate) fn relocate(
        &self,
        hash: Hash,
        from: ObjectRef,
        to: ObjectRef,
        bytes: u64,
        segments: &SegmentTable,
    ) -> bool {
        let bucket = self.lock(hash);
        let Some(entry) = bucket.entry_of(hash, from) else {
            return false;
        };
        bucket.set(entry, Some(to));
        segments[to.segment()].gain(bytes);
        segments[from.segment()].lose(bytes);
        true
    }

    /// Bytes of buckets in use.
    pub(crate) fn bytes(&self) -> u64 {
        let buckets: u64 =
            self.partitions.iter().map(|partition| partition.shape().buckets()).sum();
        buckets * crate::constants::BUCKET_BYTES
    }

    /// Bytes of the table of partitions.
    pub(crate) fn table_bytes(&self) -> u64 {
        size_of_val(&*self.partitions) as u64
    }

    /// Calls `visit` with every entry, the bucket that holds it and where that is. For `check`.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(ObjectRef, &dyn Fn(u64) -> bool)) {
        for (number, partition) in self.partitions.iter().enumerate() {
            let shape = partition.shape();
            for index in 0..shape.buckets() {
                let belongs = |key| {
                    let hash = Hash::of(key);
                    hash.partition(self.partition_bits) == number as u64
                        && shape.bucket_of(hash) == index
                };
                for object in self.space.bucket(number as u64, index).entries() {
                    visit(object, &belongs);
                }
            }
        }
    }

    /// How many buckets are in use. For `check`.
    pub(crate) fn buckets(&self) -> u64 {
        self.bytes() / crate::constants::BUCKET_BYTES
    }
}
