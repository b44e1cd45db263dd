//! A bucket: 15 entries and their version, in 128 bytes.
//!
//! ```text
//!  word 0    ┌──────────────────────────────────┐
//!            │ version                          │   odd while a writer is at it
//!            ├────────────────┬─────────────────┤
//!  word 1…15 │ tag  63 … 48   │ offset  47 … 0  │   0: no entry; a tag is never 0
//!            └────────────────┴─────────────────┘
//! ```
//!
//! The original's version has 32 bits; 32 more serve the chains of its store mode.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use platform::racy::WORD_BYTES;

use super::wait::Wait;
use crate::Mode;
use crate::keyhash::TAG_BITS;

pub(crate) const BUCKET_WORDS: usize = 16;
pub(crate) const ENTRIES: usize = BUCKET_WORDS - 1;
/// Bytes of a bucket: two cache lines.
pub(crate) const BUCKET_BYTES: usize = BUCKET_WORDS * WORD_BYTES;

const OFFSET_BITS: u32 = u64::BITS - TAG_BITS;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;

const _: () = assert!(BUCKET_BYTES == 128 && ENTRIES == 15);
const _: () = assert!(OFFSET_BITS == 48);

/// A tag and an offset, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(u64);

impl Entry {
    /// No entry.
    pub(crate) const EMPTY: Self = Self(0);

    /// An entry with a tag, which is not 0, and an offset below 2^48.
    #[inline]
    pub(crate) fn new(tag: u16, offset: u64) -> Self {
        debug_assert!(tag != 0 && offset <= OFFSET_MASK);
        Self((u64::from(tag) << OFFSET_BITS) | offset)
    }

    /// Where it leads; `None` if it is empty.
    #[inline]
    pub(crate) fn offset(self) -> Option<u64> {
        (self != Self::EMPTY).then_some(self.0 & OFFSET_MASK)
    }

    /// Its tag; 0 if it is empty.
    pub(crate) fn tag(self) -> u16 {
        (self.0 >> OFFSET_BITS) as u16
    }
}

/// A bucket, for reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket<'index> {
    pub(super) words: &'index [AtomicU64; BUCKET_WORDS],
}

impl<'index> Bucket<'index> {
    fn version_word(self) -> &'index AtomicU64 {
        &self.words[0]
    }

    /// Waits until no writer is in the bucket, and returns the version to read under.
    #[inline]
    pub(crate) fn begin_read(self) -> u64 {
        let mut wait = Wait::default();
        loop {
            // MICA-VERSION, to: acquire pairs with the release of the last writer's guard, whose entries
            // and items are read below.
            let version = self.version_word().load(Ordering::Acquire);
            if version.is_multiple_of(2) {
                return version;
            }
            wait.turn();
        }
    }

    /// Whether everything read since `begin_read` returned `version` belongs to that version.
    #[inline]
    pub(crate) fn is_still(self, version: u64) -> bool {
        // MICA-CHANGE, to: where anything read was a later writer's, its odd version is seen below.
        fence(Ordering::Acquire);
        self.version_word().load(Ordering::Relaxed) == version
    }

    /// Whether a writer is in the bucket.
    pub(crate) fn is_being_written(self) -> bool {
        // Relaxed: called when writers are quiet.
        !self.version_word().load(Ordering::Relaxed).is_multiple_of(2)
    }

    #[inline]
    pub(crate) fn entry(self, slot: usize) -> Entry {
        // Relaxed: MICA-VERSION and MICA-CHANGE order it.
        Entry(self.words[slot + 1].load(Ordering::Relaxed))
    }

    /// The slots of all entries with this tag.
    #[inline]
    pub(crate) fn slots_of(self, tag: u16) -> Slots {
        let pattern = u64::from(tag) << OFFSET_BITS;
        let mut slots = 0;
        for slot in (0..ENTRIES).rev() {
            // Without a branch, because the slot is as good as random.
            slots = (slots << 1) | u32::from(self.entry(slot).0 ^ pattern <= OFFSET_MASK);
        }
        Slots(slots)
    }

    /// Enters the bucket for writing: at once as its only writer, otherwise when no other writer is
    /// in it.
    #[inline]
    pub(crate) fn write<M: Mode>(self) -> BucketWriter<'index, M> {
        let mut wait = Wait::default();
        loop {
            // Relaxed: `write_at` orders it.
            let version = self.version_word().load(Ordering::Relaxed);
            if (version.is_multiple_of(2) || !M::WRITERS_LOCK)
                && let Some(writer) = self.write_at(version)
            {
                return writer;
            }
            wait.turn();
        }
    }

    /// Enters the bucket for writing if it still has this even version.
    #[inline]
    pub(crate) fn write_at<M: Mode>(self, version: u64) -> Option<BucketWriter<'index, M>> {
        debug_assert!(version.is_multiple_of(2), "the only writer met another");
        if M::WRITERS_LOCK {
            // MICA-VERSION, to: as in `begin_read`, for the next writer.
            self.version_word()
                .compare_exchange(version, version + 1, Ordering::Acquire, Ordering::Relaxed)
                .ok()?;
        } else if M::READERS_VALIDATE {
            // Relaxed: there is no other writer, and MICA-CHANGE orders it for readers.
            self.version_word().store(version + 1, Ordering::Relaxed);
        }
        if M::READERS_VALIDATE {
            // MICA-CHANGE, from: nothing written under the guard becomes visible before the odd version.
            fence(Ordering::Release);
        }
        Some(BucketWriter { bucket: self, version, mode: PhantomData })
    }
}

/// A set of slots of a bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots(u32);

impl Iterator for Slots {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let slot = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (slot < ENTRIES).then_some(slot)
    }
}

/// A bucket, for writing. Until this is dropped its version is odd, unless nobody reads the
/// version.
#[derive(Debug)]
pub(crate) struct BucketWriter<'index, M: Mode> {
    bucket: Bucket<'index>,
    version: u64,
    mode: PhantomData<M>,
}

impl<M: Mode> BucketWriter<'_, M> {
    /// Replaces an entry.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, entry: Entry) {
        // Relaxed: MICA-VERSION and MICA-CHANGE order it.
        self.bucket.words[slot + 1].store(entry.0, Ordering::Relaxed);
    }
}

impl<'index, M: Mode> Deref for BucketWriter<'index, M> {
    type Target = Bucket<'index>;

    #[inline]
    fn deref(&self) -> &Bucket<'index> {
        &self.bucket
    }
}

impl<M: Mode> Drop for BucketWriter<'_, M> {
    #[inline]
    fn drop(&mut self) {
        if M::READERS_VALIDATE {
            // MICA-VERSION, from: who reads this version sees all that was written under the guard.
            self.bucket.version_word().store(self.version + 2, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use platform::Pages;

    use super::super::index::Index;
    use super::*;
    use crate::{Crcw, Crew, Erew};

    #[test]
    fn entries_are_found_by_their_tags_in_every_slot() {
        let indexes = Index::open(3, 3, Pages::Small, false).unwrap();
        let bucket = indexes[1].bucket(1);
        assert_eq!(bucket.slots_of(1).count(), 0);
        let mut writer = bucket.write::<Erew>();
        for slot in 0..ENTRIES {
            writer.set(slot, Entry::new(1 + slot as u16 % 5, OFFSET_MASK - slot as u64));
        }
        drop(writer);
        for tag in 1..=5 {
            let slots: Vec<_> = bucket.slots_of(tag).collect();
            assert_eq!(slots, [0, 5, 10].map(|slot| slot + usize::from(tag) - 1));
            for slot in slots {
                assert_eq!(bucket.entry(slot).offset(), Some(OFFSET_MASK - slot as u64));
                assert_eq!(bucket.entry(slot).tag(), tag);
            }
        }
        assert_eq!((Entry::EMPTY.offset(), Entry::EMPTY.tag()), (None, 0));
        let others = [(0, 2), (1, 0), (1, 2), (2, 0)];
        let others = others.map(|(index, bucket): (usize, _)| indexes[index].bucket(bucket));
        assert!(others.iter().all(|other| other.entry(0) == Entry::EMPTY));
    }

    #[test]
    fn a_version_changes_with_every_write_where_anybody_reads() {
        fn changes<M: Mode>() -> bool {
            let index = Index::open(1, 1, Pages::Small, false).unwrap();
            let bucket = index[0].bucket(0);
            let version = bucket.begin_read();
            assert!(bucket.is_still(version));
            let writer = bucket.write::<M>();
            let odd = bucket.is_being_written();
            drop(writer);
            assert!(!bucket.is_being_written());
            odd && !bucket.is_still(version)
        }
        assert_eq!([changes::<Erew>(), changes::<Crew>(), changes::<Crcw>()], [false, true, true]);
    }

    #[test]
    fn a_writer_that_shares_takes_only_the_version_it_has_read() {
        let index = Index::open(1, 1, Pages::Small, false).unwrap();
        let bucket = index[0].bucket(0);
        let version = bucket.begin_read();
        let writer = bucket.write_at::<Crcw>(version).expect("nobody was there");
        assert!(bucket.write_at::<Crcw>(version).is_none(), "another is there");
        drop(writer);
        assert!(bucket.write_at::<Crcw>(version).is_none(), "another was there");
        assert!(bucket.write_at::<Crcw>(bucket.begin_read()).is_some());
    }
}
