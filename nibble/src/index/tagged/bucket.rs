//! The bucket: ten entries and a version in one cache line.

use super::coding::Entry;
use crate::index::version::{Locked, Version};
use crate::raw::lanes::{self, LANES, WORDS};
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU32, Ordering};

/// Entries per bucket.
pub(super) const ENTRIES: usize = 10;
const _: () = assert!(ENTRIES == LANES, "an upper part is a lane");

/// ```text
/// offset  size  field    written by
///      0    20  upper    whoever holds the bucket locked: upper parts of entries 0 to 9
///     20     4  version  odd: locked
///     24    40  lower    as `upper`: lower parts of entries 0 to 9
/// ```
/// | edge    | from           | to               | guarantees                        |
/// |---------|----------------|------------------|-----------------------------------|
/// | PUBLISH | `set`, Release | `entry`, Acquire | an entry shows its object's bytes |
///
/// The two parts of an entry may be read at different moments. A search follows an entry only if
/// the version says that the bucket was unchanged.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(crate) struct TaggedBucket {
    upper: [AtomicU32; WORDS],
    pub(super) version: Version,
    lower: [AtomicU32; ENTRIES],
}
#[cfg(not(loom))]
const _: () = assert!(size_of::<TaggedBucket>() == 64);

/// A set of entries, one bit each.
///
/// It is computed without branches. Where in a bucket a key lies cannot be predicted, and a
/// misprediction would discard what the processor has begun of the next operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u32);

impl Marks {
    /// The entries of two buckets, those of the first in front, whose upper part is `high` under `mask`.
    #[inline(always)]
    pub(super) fn of_both(buckets: [&TaggedBucket; 2], mask: u16, high: u16) -> Self {
        Self(lanes::equal(buckets, mask, high))
    }

    /// Those of the first bucket alone.
    pub(super) fn of_first(self) -> Self {
        Self(self.0 & ((1 << ENTRIES) - 1))
    }

    /// The foremost.
    #[inline(always)]
    pub(super) fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }
}

impl Iterator for Marks {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let first = self.first();
        // If this is 0, it stays 0.
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

impl TaggedBucket {
    pub(super) fn lock(&self) -> Locked<'_> {
        self.version.lock()
    }

    pub(super) fn try_lock(&self) -> Option<Locked<'_>> {
        self.version.try_lock()
    }

    /// The words of the upper parts.
    #[inline(always)]
    pub(crate) fn uppers(&self) -> &[AtomicU32; WORDS] {
        &self.upper
    }

    /// The entries whose upper part is `high` under `mask`.
    #[inline]
    pub(super) fn with_upper(&self, mask: u16, high: u16) -> Marks {
        Marks(lanes::equal_in_one(self, mask, high))
    }

    /// The position of a free entry.
    #[inline]
    pub(super) fn vacant(&self) -> Option<usize> {
        self.with_upper(u16::MAX, 0).next()
    }

    /// Number of entries in use.
    pub(super) fn in_use(&self) -> u64 {
        ENTRIES as u64 - u64::from(self.with_upper(u16::MAX, 0).0.count_ones())
    }

    /// Both parts of an entry, as of now; the upper part is 0 if the entry is free.
    #[inline]
    pub(super) fn entry(&self, place: usize) -> Entry {
        // BUCKET-IN, to: as in `with_upper`.
        let upper = self.upper[place / 2].load(edge::to(Edge::BucketIn, Ordering::Acquire));
        // PUBLISH, to: the object's bytes are there. BUCKET-IN, to: as above.
        let low = self.lower[place].load(edge::to(Edge::Publish, Ordering::Acquire));
        Entry { high: (upper >> (16 * (place % 2))) as u16, low }
    }

    /// The entry, as of now; `None` if it is free.
    #[inline]
    pub(super) fn load(&self, place: usize) -> Option<Entry> {
        let entry = self.entry(place);
        (entry.high != 0).then_some(entry)
    }

    /// All entries in use, as of now.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..ENTRIES).filter_map(|place| self.load(place))
    }

    /// Changes an entry. The bucket must be locked.
    #[inline]
    pub(super) fn set(&self, place: usize, content: Option<Entry>) {
        let Entry { high, low } = content.unwrap_or(Entry { high: 0, low: 0 });
        // PUBLISH, from: the object was written before.
        // BUCKET-IN, from: the version became odd before.
        self.lower[place].store(low, edge::from(Edge::Publish, Ordering::Release));
        let shift = 16 * (place % 2);
        let word = &self.upper[place / 2];
        // Relaxed: nobody else writes.
        let others = word.load(Ordering::Relaxed) & !(0xFFFF << shift);
        // BUCKET-IN, from: as above.
        let ordering = edge::from(Edge::BucketIn, Ordering::Release);
        word.store(others | u32::from(high) << shift, ordering);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_entries_and_no_eleventh() {
        let bucket = TaggedBucket::default();
        for number in 0..ENTRIES {
            let entry = bucket.vacant().unwrap();
            assert_eq!(entry, number);
            bucket.set(entry, Some(Entry { high: 7 + number as u16 % 2, low: number as u32 }));
        }
        assert_eq!(bucket.vacant(), None);
        assert_eq!(bucket.with_upper(u16::MAX, 7).collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        assert_eq!(bucket.with_upper(u16::MAX, u16::MAX).count(), 0);
        for number in 0..ENTRIES {
            assert_eq!(bucket.load(number).unwrap().low, number as u32);
        }
        bucket.set(9, None);
        assert_eq!((bucket.vacant(), bucket.load(9)), (Some(9), None));
    }
}
