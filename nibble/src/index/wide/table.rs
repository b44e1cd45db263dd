//! A partitioned table of wide buckets.

use std::io;

use super::bucket::{ENTRIES, WideBucket};
use crate::address::{ObjectRef, VirtualAddress};
use crate::index::IndexPlan;
use crate::index::hash::Hash;
use crate::index::partition::Partitions;
use crate::index::table::{Found, Held, IndexFull, Place, Search, Seen, Table, Visit, Want};
use crate::index::version::Locked;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::name::Name;
use crate::raw::buckets::BucketSpace;
use crate::raw::{Header, Memory, Protection};

/// See [`super`].
#[derive(Debug)]
pub(crate) struct WideTable<B> {
    pub(super) space: BucketSpace<B>,
    pub(super) partitions: Partitions,
}

/// The bucket of a key, locked.
struct Home<'index, B> {
    bucket: &'index B,
    locked: Locked<'index>,
}

impl<B: WideBucket> WideTable<B> {
    /// An empty table.
    pub(crate) fn new(plan: &IndexPlan) -> io::Result<Self> {
        // Starts with one page; in models with one bucket.
        let buckets_log2 = if cfg!(loom) { 0 } else { (4096 / size_of::<B>()).trailing_zeros() };
        Ok(Self {
            space: BucketSpace::reserve(plan)?,
            partitions: Partitions::new(plan.partitions, buckets_log2),
        })
    }

    #[inline]
    fn bucket(&self, hash: Hash) -> (u64, &B) {
        let (number, partition) = self.partitions.of(hash);
        let bucket = partition.shape().bucket_of(hash);
        (bucket, self.space.bucket(number, bucket))
    }

    /// Locks the bucket a hash belongs to.
    #[inline]
    fn lock(&self, hash: Hash) -> Home<'_, B> {
        loop {
            let (number, bucket) = self.bucket(hash);
            reach(Point::BucketFound);
            let locked = bucket.version().lock();
            // The bucket may have been split before the lock was taken; it cannot be while we hold
            // it. SHAPE, to: whoever split it stored the shape before unlocking.
            if self.bucket(hash).0 == number || mutated(Mutant::HomeCheckMissing) {
                return Home { bucket, locked };
            }
        }
    }

    pub(super) fn has_room(&self, hash: Hash) -> bool {
        let home = self.lock(hash);
        home.bucket.vacant(hash).is_some()
    }
}

/// An entry of a bucket.
#[derive(Debug)]
pub(crate) struct Slot<'index, B> {
    bucket: &'index B,
    entry: usize,
}

impl<B: WideBucket> Place for Slot<'_, B> {
    fn set(&self, object: Option<ObjectRef>) {
        self.bucket.set(self.entry, object);
    }
}

impl<B: WideBucket> Home<'_, B> {
    /// The wanted entry and what it leads to. Nothing moves while the bucket is locked.
    fn find<N: Name>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
    ) -> Option<(usize, ObjectRef, Header)> {
        match self.bucket.find(hash, want, memory, &self.locked) {
            Search::Found(entry, found) => {
                let object = self.bucket.load(entry).expect("found a moment ago");
                Some((entry, object, found.header))
            }
            Search::Absent => None,
        }
    }
}

impl<B: WideBucket> Table for WideTable<B> {
    const BUCKET_BYTES: u64 = size_of::<B>() as u64;
    const BUCKET_ENTRIES: u64 = ENTRIES as u64;
    type Place<'index>
        = Slot<'index, B>
    where
        Self: 'index;

    #[inline]
    fn prefetch(&self, hash: Hash) {
        let (number, partition) = self.partitions.of(hash);
        self.space.prefetch(number, partition.shape().bucket_of(hash));
    }

    fn hint(&self, hash: Hash, _memory: &Memory) -> Option<VirtualAddress> {
        let (_, bucket) = self.bucket(hash);
        bucket.load(hash.first_entry(ENTRIES)).map(ObjectRef::address)
    }

    fn find<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Option<Seen<'_>> {
        loop {
            let (number, bucket) = self.bucket(hash);
            reach(Point::BucketFound);
            let before = bucket.version().even();
            match bucket.find(hash, want, memory, stays) {
                Search::Found(_, found) => return Some(Seen::new(found, bucket.version(), before)),
                Search::Absent => {
                    reach(Point::Missed);
                    if mutated(Mutant::VersionRecheckMissing) {
                        return None;
                    }
                    if bucket.version().is_still(before) && self.bucket(hash).0 == number {
                        return None;
                    }
                }
            }
        }
    }

    // Not inlined: the registers of an operation belong to the tagged layout.
    #[inline(never)]
    fn hold<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        _touched: usize,
        memory: &Memory,
        _stays: &P,
    ) -> Option<Held<'_, Slot<'_, B>>> {
        let home = self.lock(hash);
        let (entry, object, header) = home.find(hash, want, memory)?;
        let Home { bucket, locked } = home;
        let found = Found { address: object.address(), header };
        Some(Held { found, place: Slot { bucket, entry }, locked })
    }

    #[inline]
    fn publish<N: Name, P: Protection>(
        &self,
        hash: Hash,
        key: N,
        object: ObjectRef,
        memory: &Memory,
        _stays: &P,
        mut replaced: impl FnMut(Option<(ObjectRef, Header)>),
    ) -> Result<bool, IndexFull> {
        loop {
            let home = self.lock(hash);
            if let Some((entry, old, header)) = home.find(hash, Want::Key(key), memory) {
                home.bucket.set(entry, Some(object));
                replaced(Some((old, header)));
                return Ok(true);
            }
            if let Some(entry) = home.bucket.vacant(hash) {
                home.bucket.note_key(entry, key.word());
                home.bucket.set(entry, Some(object));
                replaced(None);
                return Ok(false);
            }
            drop(home);
            self.grow(hash, memory)?;
        }
    }

    fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    fn for_each(&self, _memory: &Memory, visit: Visit<'_>) {
        self.partitions.for_each_bucket(|number, shape, index| {
            let belongs = |key| {
                let hash = Hash::of(key);
                self.partitions.of(hash).0 == number && shape.bucket_of(hash) == index
            };
            let bucket = self.space.bucket(number, index);
            for object in (0..ENTRIES).filter_map(|entry| bucket.load(entry)) {
                visit(object, &belongs);
            }
        });
    }
}
