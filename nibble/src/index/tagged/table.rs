//! A partitioned table of tagged buckets.

use std::io;

use super::bucket::{ENTRIES, Optimistic, TaggedBucket};
use super::coding::Coding;
use crate::address::{ObjectRef, VirtualAddress};
use crate::index::hash::Hash;
use crate::index::partition::{Partitions, Shape};
use crate::index::table::{Change, Found, IndexFull, Search, Stillness, Table, Want};
use crate::index::version::Locked;
use crate::raw::buckets::BucketSpace;
use crate::raw::{Header, Memory, Protection};
use crate::sync::acquire_fence;

/// Buckets a partition starts with.
const BUCKETS_LOG2: u32 = if cfg!(loom) { 1 } else { 5 };

/// See [`super`].
#[derive(Debug)]
pub(crate) struct TaggedTable {
    pub(super) space: BucketSpace<TaggedBucket>,
    pub(super) partitions: Partitions,
    pub(super) coding: Coding,
}

/// The buckets a key may be in, the first choice first; they may be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Homes {
    pub(super) partition: u64,
    pub(super) first: u64,
    pub(super) second: u64,
}

impl Homes {
    #[inline]
    pub(super) fn of(hash: Hash, partition: u64, shape: Shape) -> Self {
        Self {
            partition,
            first: shape.bucket_of(hash),
            second: shape.second_bucket_of(hash.second()),
        }
    }

    pub(super) fn include(self, bucket: u64) -> bool {
        self.first == bucket || self.second == bucket
    }

    /// The home that is not `bucket`.
    pub(super) fn other(self, bucket: u64) -> u64 {
        if self.first == bucket { self.second } else { self.first }
    }
}

impl TaggedTable {
    /// A table of `partitions` (a power of two) partitions of at most `limit_bytes` each, for
    /// objects in `memory`.
    pub(crate) fn new(
        partitions: usize,
        limit_bytes: u64,
        huge_pages: bool,
        memory: &Memory,
    ) -> io::Result<Self> {
        Ok(Self {
            space: BucketSpace::reserve(partitions as u64, limit_bytes, huge_pages)?,
            partitions: Partitions::new(partitions, BUCKETS_LOG2),
            coding: Coding::new(memory.region.start(), memory.region.bytes()),
        })
    }

    #[inline]
    pub(super) fn homes(&self, hash: Hash) -> Homes {
        let (number, partition) = self.partitions.of(hash);
        Homes::of(hash, number, partition.shape())
    }

    #[inline]
    pub(super) fn bucket(&self, homes: Homes, bucket: u64) -> &TaggedBucket {
        self.space.bucket(homes.partition, bucket)
    }

    /// The bucket that holds the entry, unlocked: by the time the answer is used it may have
    /// moved. `None` is certain.
    #[inline]
    fn locate<P: Protection>(
        &self,
        hash: Hash,
        want: Want,
        memory: &Memory,
        stays: &P,
    ) -> Option<(Homes, u64)> {
        loop {
            let homes = self.homes(hash);
            let first = self.bucket(homes, homes.first);
            let still = Optimistic::look(first);
            match first.find(hash, want, self.coding, memory, stays, &still) {
                Search::Found(..) => return Some((homes, homes.first)),
                Search::Moved => continue,
                Search::Absent => {}
            }
            let second = self.bucket(homes, homes.second);
            let second_still = Optimistic::look(second);
            match second.find(hash, want, self.coding, memory, stays, &second_still) {
                Search::Found(..) => return Some((homes, homes.second)),
                Search::Moved => {}
                Search::Absent => {
                    if still.holds() && second_still.holds() && self.homes(hash) == homes {
                        return None;
                    }
                }
            }
        }
    }

    /// What an entry leads to, with the segment it lies in.
    pub(super) fn object(&self, memory: &Memory, address: VirtualAddress) -> ObjectRef {
        ObjectRef::new(memory.segment_of(address), address)
    }
}

impl Table for TaggedTable {
    #[inline]
    fn prefetch(&self, hash: Hash) {
        let homes = self.homes(hash);
        self.space.prefetch(homes.partition, homes.first);
        // A fifth of all keys are in their second home: fetching it too costs less than waiting
        // for it then.
        self.space.prefetch(homes.partition, homes.second);
    }

    #[inline]
    fn hint(&self, hash: Hash, _memory: &Memory) -> Option<VirtualAddress> {
        let homes = self.homes(hash);
        let place = |home| self.bucket(homes, home).first_place(hash, self.coding);
        let entry = place(homes.first).or_else(|| place(homes.second))?;
        Some(self.coding.address(entry))
    }

    #[inline]
    fn read<P: Protection, T>(
        &self,
        hash: Hash,
        want: Want,
        memory: &Memory,
        stays: &P,
        recheck: bool,
        mut take: impl FnMut(Found) -> T,
    ) -> Option<T> {
        'again: loop {
            let homes = self.homes(hash);
            let mut first_version = None;
            for choice in [homes.first, homes.second] {
                let bucket = self.bucket(homes, choice);
                let still = Optimistic::look(bucket);
                match bucket.find(hash, want, self.coding, memory, stays, &still) {
                    Search::Found(_, found) => {
                        let taken = take(found);
                        if recheck {
                            // BUCKET-IN, to: what was copied comes before the look at the
                            // version.
                            acquire_fence();
                            if !still.holds() {
                                continue 'again;
                            }
                        }
                        return Some(taken);
                    }
                    Search::Moved => continue 'again,
                    Search::Absent => match first_version {
                        None => first_version = Some(still),
                        // An entry that moves between the two moves both versions.
                        Some(ref first) => {
                            if first.holds() && still.holds() && self.homes(hash) == homes {
                                return None;
                            }
                        }
                    },
                }
            }
        }
    }

    #[inline]
    fn change<P: Protection>(
        &self,
        hash: Hash,
        want: Want,
        memory: &Memory,
        stays: &P,
        decide: impl FnOnce(ObjectRef, Header, &Locked<'_>) -> Change,
    ) -> bool {
        // Looked for before it is locked: the lines are fetched without a barrier in the way.
        while let Some((homes, choice)) = self.locate(hash, want, memory, stays) {
            let bucket = self.bucket(homes, choice);
            let locked = bucket.lock();
            // SHAPE, to: if the bucket was split meanwhile, the new shape is seen now; it stays
            // while the bucket is locked.
            if !self.homes(hash).include(choice) {
                continue;
            }
            let found = bucket.find(hash, want, self.coding, memory, &locked, &locked);
            let Search::Found(entry, found) = found else { continue };
            let object = self.object(memory, found.address);
            match decide(object, found.header, &locked) {
                Change::Keep => {}
                Change::Replace(other) => {
                    let tag = self.coding.tag(hash);
                    bucket.set(entry, Some(self.coding.entry(tag, other.address())));
                }
                Change::Remove => bucket.set(entry, None),
            }
            return true;
        }
        false
    }

    #[inline]
    fn publish<P: Protection>(
        &self,
        hash: Hash,
        key: u64,
        object: ObjectRef,
        memory: &Memory,
        stays: &P,
        mut replaced: impl FnMut(Option<(ObjectRef, Header)>),
    ) -> Result<bool, IndexFull> {
        let update = |old, header, _: &Locked<'_>| {
            replaced(Some((old, header)));
            Change::Replace(object)
        };
        if self.change(hash, Want::Key(key), memory, stays, update) {
            return Ok(true);
        }
        self.insert(hash, key, object, memory, replaced)
    }

    fn bytes(&self) -> u64 {
        self.partitions.buckets() * size_of::<TaggedBucket>() as u64
    }

    fn table_bytes(&self) -> u64 {
        self.partitions.bytes()
    }

    fn slots(&self) -> u64 {
        self.partitions.buckets() * ENTRIES as u64
    }

    fn growth(&self) -> u64 {
        self.partitions.growth()
    }

    fn for_each(&self, memory: &Memory, visit: &mut dyn FnMut(ObjectRef, &dyn Fn(u64) -> bool)) {
        self.partitions.for_each_bucket(|number, shape, index| {
            let belongs = |key| {
                let hash = Hash::of(key);
                let here = self.partitions.of(hash).0 == number;
                here && Homes::of(hash, number, shape).include(index)
            };
            let bucket = self.space.bucket(number, index);
            for entry in bucket.entries() {
                visit(self.object(memory, self.coding.address(entry)), &belongs);
            }
        });
    }
}
