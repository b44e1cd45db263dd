//! A partitioned table of tagged buckets.

use std::io;

use super::bucket::{ENTRIES, TaggedBucket};
use super::coding::Coding;
use super::search::{Ending, Slot, again};
use crate::address::{ObjectRef, VirtualAddress};
use crate::constants::HEADER_BYTES;
use crate::index::IndexPlan;
use crate::index::hash::Hash;
use crate::index::partition::{Partitions, Shape};
use crate::index::table::{Found, Held, IndexFull, Seen, Table, Visit, Want};
use crate::instrument::{Mutant, mutated};
use crate::name::Name;
use crate::raw::buckets::BucketSpace;
use crate::raw::{Header, Memory, Protection};

/// Initial number of buckets per partition, as a shift.
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
    /// An empty table for objects in `memory`.
    pub(crate) fn new(plan: &IndexPlan, memory: &Memory) -> io::Result<Self> {
        Ok(Self {
            space: BucketSpace::reserve(plan)?,
            partitions: Partitions::new(plan.partitions, BUCKETS_LOG2),
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

    /// Searches all of both homes, until nobody interferes.
    #[cold]
    #[inline(never)]
    fn find_again<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Option<Seen<'_>> {
        again(|| self.search(hash, want, memory, stays))
    }

    /// Like [`Self::find_again`], and locks the bucket.
    #[cold]
    #[inline(never)]
    fn hold_again<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        touched: usize,
        memory: &Memory,
        stays: &P,
    ) -> Option<Held<'_, Slot<'_>>> {
        again(|| self.search_and_lock(hash, want, touched, memory, stays))
    }

    /// What an entry leads to, with the segment that contains it.
    pub(super) fn object(&self, memory: &Memory, address: VirtualAddress) -> ObjectRef {
        ObjectRef::new(memory.segment_of(address), address)
    }
}

impl Table for TaggedTable {
    const BUCKET_BYTES: u64 = size_of::<TaggedBucket>() as u64;
    const BUCKET_ENTRIES: u64 = ENTRIES as u64;
    type Place<'index> = Slot<'index>;

    #[inline]
    fn prefetch(&self, hash: Hash) {
        let homes = self.homes(hash);
        self.space.prefetch(homes.partition, homes.first);
        // Many keys are in their second home, and searches examine both.
        self.space.prefetch(homes.partition, homes.second);
    }

    #[inline]
    fn hint(&self, hash: Hash, _memory: &Memory) -> Option<VirtualAddress> {
        self.first_place(hash)
    }

    #[inline(always)]
    fn find<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Option<Seen<'_>> {
        match self.glance(hash, want, memory, stays) {
            Ending::Found(seen) => Some(seen),
            Ending::Absent => None,
            Ending::Another if mutated(Mutant::OneTagLookedAt) => None,
            Ending::Another | Ending::Moved => self.find_again(hash, want, memory, stays),
        }
    }

    #[inline(always)]
    fn hold<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        touched: usize,
        memory: &Memory,
        stays: &P,
    ) -> Option<Held<'_, Slot<'_>>> {
        match self.glance_and_lock(hash, want, touched, memory, stays) {
            Ending::Found(held) => Some(held),
            Ending::Absent => None,
            Ending::Another | Ending::Moved => self.hold_again(hash, want, touched, memory, stays),
        }
    }

    #[inline]
    fn publish<N: Name, P: Protection>(
        &self,
        hash: Hash,
        key: N,
        object: ObjectRef,
        memory: &Memory,
        stays: &P,
        mut replaced: impl FnMut(Option<(ObjectRef, Header)>),
    ) -> Result<bool, IndexFull> {
        let touched = HEADER_BYTES as usize;
        if let Some(held) = self.hold(hash, Want::Key(key), touched, memory, stays) {
            let Found { address, header } = held.found;
            replaced(Some((self.object(memory, address), header)));
            held.replace(object);
            return Ok(true);
        }
        self.insert(hash, key, object, memory, replaced)
    }

    fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    fn for_each(&self, memory: &Memory, visit: Visit<'_>) {
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
