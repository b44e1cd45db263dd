//! The bucket: ten entries and a version in one cache line.

use super::coding::Entry;
use crate::index::version::{Locked, Version};
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU32, Ordering};

/// Entries per bucket.
pub(super) const ENTRIES: usize = 10;
/// Words that hold the upper parts, two parts per word.
const WORDS: usize = ENTRIES / 2;

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
    /// The marks of one bucket, followed by those of another.
    #[inline]
    pub(super) fn then(self, other: Self) -> Self {
        Self(self.0 | other.0 << ENTRIES)
    }
}

impl Iterator for Marks {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let first = self.0.trailing_zeros();
        // If this is 0, it stays 0.
        self.0 &= self.0.wrapping_sub(1);
        (first < u32::BITS).then_some(first as usize)
    }
}

const LANES: u64 = 0x0001_0001_0001_0001;

/// Which of the four lanes of `word` equal `high` under `mask`, one bit each.
#[inline]
fn equal_lanes(word: u64, mask: u16, high: u16) -> u32 {
    let different = (word & (u64::from(mask) * LANES)) ^ (u64::from(high) * LANES);
    let not_highest = 0x7FFF * LANES;
    // The highest bit of each equal lane. It is exact, because the addition cannot carry into the
    // next lane.
    let equal = !(((different & not_highest) + not_highest) | different | not_highest);
    // The multiplication adds copies that move bits 0, 16, 32, 48 to 48, 49, 50, 51.
    ((equal >> 15).wrapping_mul(0x0001_0002_0004_0008) >> 48) as u32 & 0xF
}

impl TaggedBucket {
    pub(super) fn lock(&self) -> Locked<'_> {
        self.version.lock()
    }

    pub(super) fn try_lock(&self) -> Option<Locked<'_>> {
        self.version.try_lock()
    }

    /// The entries whose upper part is `high` under `mask`.
    #[inline]
    pub(super) fn with_upper(&self, mask: u16, high: u16) -> Marks {
        // BUCKET-IN, to: a writer's entry also shows its odd version to a later load.
        let ordering = edge::to(Edge::BucketIn, Ordering::Acquire);
        let word = |number: usize| u64::from(self.upper[number].load(ordering));
        let four = |number: usize| equal_lanes(word(number) | word(number + 1) << 32, mask, high);
        let last = equal_lanes(word(4), mask, high) & 0b11;
        Marks(four(0) | four(2) << 4 | last << 8)
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
    fn equal_lanes_are_exact() {
        let lanes = |a: u64, b: u64, c: u64, d: u64| a | b << 16 | c << 32 | d << 48;
        let word = lanes(0x8000, 0, 1, 0x7FFF);
        let marks = |high: u16| equal_lanes(word, u16::MAX, high);
        assert_eq!([0x8000, 0, 1, 0x7FFF, 2].map(marks), [1, 2, 4, 8, 0]);
        assert_eq!(equal_lanes(word, 0x8000, 0x8000), 1);
        assert_eq!(equal_lanes(word, 0x8000, 0), 0b1110);
        for equal in 0..16u64 {
            let lane = |number: u32| 7 * (equal >> number & 1);
            let word = lanes(lane(0), lane(1), lane(2), lane(3));
            assert_eq!(u64::from(equal_lanes(word, u16::MAX, 7)), equal);
        }
    }

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
