//! A partition: one circular log and one lossy index, and the operations on them.
//!
//! A writer enters the key's bucket and then, to write to the log, the log. A reader enters
//! nothing: it copies, and then checks that the bucket's version is unchanged and the item is still
//! there.

use engine::{GetError, PutOutcome};

use super::bucket::{Bucket, BucketWriter, ENTRIES, Entry};
use super::counters::{Counter, Counters};
use super::eviction::Eviction;
use super::index::Index;
use super::item::{Identity, Sizes};
use super::log::{Found, Log};
use super::scrub::{Scrub, scrub};
use crate::Mode;
use crate::keyhash::KeyHash;

/// A partition whose offsets have `BITS` bits.
#[derive(Debug)]
pub(crate) struct Partition<const BITS: u32> {
    pub(crate) log: Log<BITS>,
    pub(crate) index: Index,
    scrub: Scrub,
}

/// The key that an operation is about, with its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) hash: KeyHash,
    pub(crate) key: u64,
}

impl Target {
    #[inline]
    fn identity(self) -> Identity {
        Identity { keyhash: self.hash.bits(), key: self.key }
    }
}

/// Where a key's item is.
#[derive(Clone, Copy, Debug)]
struct Hit {
    slot: usize,
    offset: u64,
    found: Found,
}

impl<const BITS: u32> Partition<BITS> {
    /// A partition without items.
    pub(crate) fn new(log: Log<BITS>, index: Index) -> Self {
        Self { log, index, scrub: Scrub::default() }
    }

    /// Copies a value out. If the eviction policy says so, appends the item again.
    #[inline]
    pub(crate) fn get<M: Mode>(
        &self,
        target: Target,
        buffer: &mut [u8],
        eviction: Option<Eviction>,
        counters: &Counters,
    ) -> Result<Option<usize>, GetError> {
        let bucket = self.index.bucket(self.index.bucket_of(target.hash));
        loop {
            let version = if M::READERS_VALIDATE { bucket.begin_read() } else { 0 };
            let hit = self.read::<M>(bucket, target, buffer, counters);
            if M::READERS_VALIDATE && !bucket.is_still(version) {
                counters.count(Counter::ReaderRestarts);
                continue;
            }
            let Some(hit) = hit else {
                counters.count(Counter::GetMisses);
                return Ok(None);
            };
            let sizes = hit.found.sizes;
            let (value_bytes, buffer_bytes) = (sizes.value_bytes, buffer.len());
            let Some(value) = buffer.get(..value_bytes) else {
                counters.count(Counter::GetHits);
                return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
            };
            let due = eviction.is_some_and(|eviction| {
                let (offsets, tail) = (self.log.offsets(), self.log.tail());
                eviction.reinserts(offsets, tail, hit.offset, sizes.item_bytes)
            });
            if due {
                // The bucket still has this version, so the value is still the copied one.
                let Some(bucket) = bucket.write_at::<M>(version) else {
                    counters.count(Counter::ReaderRestarts);
                    continue;
                };
                self.append(bucket, hit.slot, target, sizes, value, counters);
                counters.count(Counter::Reinserted);
            }
            counters.count(Counter::GetHits);
            return Ok(Some(value_bytes));
        }
    }

    /// Stores a value, at most the longest.
    #[inline]
    pub(crate) fn put<M: Mode>(
        &self,
        target: Target,
        value: &[u8],
        counters: &Counters,
    ) -> PutOutcome {
        let bucket = self.index.bucket(self.index.bucket_of(target.hash)).write::<M>();
        let hit = self.lookup(*bucket, target, counters);
        if let Some(Hit { offset, found, .. }) = hit
            && let Some(sizes) = found.sizes.with_value(value.len())
        {
            let mut log = self.log.writer::<M>();
            // Another session may have appended until now.
            if !M::WRITERS_LOCK || !self.log.dangles(offset) {
                log.update(found, sizes, value);
                counters.count(Counter::InPlaceUpdates);
                return PutOutcome::Updated;
            }
        }
        let slot = hit.map_or_else(|| self.slot_for_new(*bucket, counters), |hit| hit.slot);
        self.append(bucket, slot, target, Sizes::for_value(value.len()), value, counters);
        if hit.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted }
    }

    /// Removes a key; returns whether it was present.
    #[inline]
    pub(crate) fn delete<M: Mode>(&self, target: Target, counters: &Counters) -> bool {
        let mut bucket = self.index.bucket(self.index.bucket_of(target.hash)).write::<M>();
        let hit = self.lookup(*bucket, target, counters);
        if let Some(hit) = hit {
            bucket.set(hit.slot, Entry::EMPTY);
        }
        hit.is_some()
    }

    /// Prefetches a key's bucket.
    #[inline]
    pub(crate) fn prefetch_bucket(&self, target: Target) {
        self.index.prefetch(self.index.bucket_of(target.hash));
    }

    /// Prefetches the items that a key's entry may lead to.
    #[inline]
    pub(crate) fn prefetch_items(&self, target: Target) {
        let bucket = self.index.bucket(self.index.bucket_of(target.hash));
        for slot in bucket.slots_of(target.hash.tag()) {
            if let Some(offset) = bucket.entry(slot).offset() {
                self.log.prefetch(offset);
            }
        }
    }

    /// Finds a key's item, if any.
    #[inline]
    fn lookup(&self, bucket: Bucket<'_>, target: Target, counters: &Counters) -> Option<Hit> {
        for slot in bucket.slots_of(target.hash.tag()) {
            let Some(offset) = bucket.entry(slot).offset() else { continue };
            if self.log.dangles(offset) {
                counters.count(Counter::DanglingFound);
                continue;
            }
            if let Some(found) = self.log.find(offset)
                && found.identity == target.identity()
            {
                return Some(Hit { slot, offset, found });
            }
        }
        None
    }

    /// Finds a key and copies its value, if `buffer` can hold all of it. The result is valid if the
    /// bucket's version is still the same.
    #[inline]
    fn read<M: Mode>(
        &self,
        bucket: Bucket<'_>,
        target: Target,
        buffer: &mut [u8],
        counters: &Counters,
    ) -> Option<Hit> {
        let hit = self.lookup(bucket, target, counters)?;
        if let Some(front) = buffer.get_mut(..hit.found.sizes.value_bytes) {
            self.log.copy_value(hit.found, front);
        }
        if M::READERS_VALIDATE && self.log.was_overwritten(hit.offset) {
            counters.count(Counter::DanglingFound);
            return None;
        }
        Some(hit)
    }

    /// Appends an item, makes a slot lead to it, leaves the bucket, and then does the index's share
    /// of scrubbing.
    #[inline]
    fn append<M: Mode>(
        &self,
        mut bucket: BucketWriter<'_, M>,
        slot: usize,
        target: Target,
        sizes: Sizes,
        value: &[u8],
        counters: &Counters,
    ) {
        let mut log = self.log.writer::<M>();
        let offset = log.append(target.identity(), sizes, value, counters);
        let due = self.scrub.due(&log, sizes.item_bytes, &self.index, &self.log);
        drop(log);
        bucket.set(slot, Entry::new(target.hash.tag(), offset));
        drop(bucket);
        scrub::<M, BITS>(due, &self.index, &self.log, counters);
    }

    /// An empty slot, or the slot of the entry furthest behind the tail.
    #[inline]
    fn slot_for_new(&self, bucket: Bucket<'_>, counters: &Counters) -> usize {
        let (tail, offsets) = (self.log.tail(), self.log.offsets());
        let mut oldest = (0, 0);
        for slot in 0..ENTRIES {
            let Some(offset) = bucket.entry(slot).offset() else { return slot };
            oldest = oldest.max((offsets.behind(tail, offset), slot));
        }
        let (behind, slot) = oldest;
        let dangling = behind > offsets.log_bytes();
        counters.count(if dangling { Counter::DanglingFound } else { Counter::EvictedFromIndex });
        slot
    }
}
