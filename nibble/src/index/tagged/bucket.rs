//! The bucket: ten entries and a version in one cache line.

use super::coding::{Coding, Entry};
use crate::index::hash::Hash;
use crate::index::table::{Found, Search, Stillness, Want};
use crate::index::version::{Locked, Version};
use crate::raw::{Memory, Protection};
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Entries of a bucket.
pub(super) const ENTRIES: usize = 10;
/// Upper parts in a word.
const LANES: usize = 4;

/// ```text
/// offset  size  field    written by
///      0    16  upper    whoever holds the bucket locked: upper parts of entries 0 to 7
///     16     4  last     the same: upper parts of entries 8 and 9
///     20     4  version  odd: locked
///     24    40  lower    as `upper`: lower parts of entries 0 to 9
/// ```
/// | edge    | from           | to               | guarantees                        |
/// |---------|----------------|------------------|-----------------------------------|
/// | PUBLISH | `set`, Release | `lower`, Acquire | an entry shows its object's bytes |
///
/// The two parts of an entry may be seen of different moments; a search follows an entry only
/// when the version says that the bucket was still ([`Stillness`]).
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(crate) struct TaggedBucket {
    upper: [AtomicU64; 2],
    last: AtomicU32,
    version: Version,
    lower: [AtomicU32; ENTRIES],
}
#[cfg(not(loom))]
const _: () = assert!(size_of::<TaggedBucket>() == 64);

/// A reader's view: the bucket was still when its version was this.
pub(super) struct Optimistic<'bucket>(&'bucket Version, pub(super) u32);

impl<'bucket> Optimistic<'bucket> {
    #[inline]
    pub(super) fn look(bucket: &'bucket TaggedBucket) -> Self {
        Self(&bucket.version, bucket.version.even())
    }
}

impl Stillness for Optimistic<'_> {
    #[inline]
    fn holds(&self) -> bool {
        self.0.is_still(self.1)
    }
}

const LOW_BITS: u64 = 0x0001_0001_0001_0001;

/// The lanes of `word` that are equal to those of `pattern` under `mask`: the highest bit of each.
#[inline]
fn equal_lanes(word: u64, mask: u64, pattern: u64) -> u64 {
    let different = (word & mask) ^ pattern;
    let not_highest = 0x7FFF * LOW_BITS;
    // Exact in every lane: the addition cannot carry into the next.
    !(((different & not_highest) + not_highest) | different | not_highest)
}

/// The entries whose lanes are marked, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marked {
    words: [u64; 3],
}

impl Iterator for Marked {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        for (number, word) in self.words.iter_mut().enumerate() {
            if *word != 0 {
                let lane = word.trailing_zeros() as usize / 16;
                *word &= *word - 1;
                return Some(number * LANES + lane);
            }
        }
        None
    }
}

impl TaggedBucket {
    pub(super) fn lock(&self) -> Locked<'_> {
        self.version.lock()
    }

    pub(super) fn try_lock(&self) -> Option<Locked<'_>> {
        self.version.try_lock()
    }

    #[inline]
    fn upper_words(&self) -> [u64; 3] {
        // BUCKET-IN, to: a writer's entry also shows its odd version to a later load.
        let ordering = edge::to(Edge::BucketIn, Ordering::Acquire);
        let last = u64::from(self.last.load(ordering));
        // BUCKET-IN, to: as above.
        let [first, second] = [0, 1].map(|word| self.upper[word].load(ordering));
        [first, second, last]
    }

    /// The entries whose upper part is `high` under `mask`.
    #[inline]
    fn with_upper(&self, mask: u16, high: u16) -> Marked {
        let (mask, pattern) = (u64::from(mask) * LOW_BITS, u64::from(high) * LOW_BITS);
        let mut words = self.upper_words().map(|word| equal_lanes(word, mask, pattern));
        // Two lanes of the last word are no entries.
        words[2] &= (1 << 32) - 1;
        Marked { words }
    }

    /// A free entry.
    #[inline]
    pub(super) fn vacant(&self) -> Option<usize> {
        self.with_upper(u16::MAX, 0).next()
    }

    /// The entry, or nothing, as of now.
    #[inline]
    pub(super) fn load(&self, entry: usize) -> Option<Entry> {
        let upper = self.upper_words()[entry / LANES];
        let high = (upper >> (16 * (entry % LANES))) as u16;
        (high != 0).then(|| Entry { high, low: self.low(entry) })
    }

    /// All entries, as of now.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..ENTRIES).filter_map(|entry| self.load(entry))
    }

    #[inline]
    fn low(&self, entry: usize) -> u32 {
        // PUBLISH, to: the object's bytes are there.
        // BUCKET-IN, to: as in `upper_words`.
        self.lower[entry].load(edge::to(Edge::Publish, Ordering::Acquire))
    }

    /// Changes an entry. The bucket is locked.
    #[inline]
    pub(super) fn set(&self, entry: usize, content: Option<Entry>) {
        let Entry { high, low } = content.unwrap_or(Entry { high: 0, low: 0 });
        // PUBLISH, from: the object was written before.
        // BUCKET-IN, from: the version became odd before.
        self.lower[entry].store(low, edge::from(Edge::Publish, Ordering::Release));
        let ordering = edge::from(Edge::BucketIn, Ordering::Release);
        let shift = 16 * (entry % LANES);
        let (clear, lane) = (!(0xFFFF_u64 << shift), u64::from(high) << shift);
        if entry < 2 * LANES {
            let word = &self.upper[entry / LANES];
            // Relaxed: nobody else writes. BUCKET-IN, from: as above.
            word.store(word.load(Ordering::Relaxed) & clear | lane, ordering);
        } else {
            let word = u64::from(self.last.load(Ordering::Relaxed)); // Relaxed: as above.
            // BUCKET-IN, from: as above.
            self.last.store((word & clear | lane) as u32, ordering);
        }
    }

    /// Where the first entry with the tag of a hash leads, as of now.
    #[inline]
    pub(super) fn first_place(&self, hash: Hash, coding: Coding) -> Option<Entry> {
        let tag = coding.tag(hash);
        self.with_upper(coding.mask(), tag).next().and_then(|entry| self.load(entry))
    }

    /// Searches for an entry, comparing keys in the log.
    #[inline]
    pub(super) fn find<P: Protection, S: Stillness>(
        &self,
        hash: Hash,
        want: Want,
        coding: Coding,
        memory: &Memory,
        stays: &P,
        still: &S,
    ) -> Search {
        for entry in self.with_upper(coding.mask(), coding.tag(hash)) {
            let Some(content) = self.load(entry) else { return Search::Moved };
            if !still.holds() {
                return Search::Moved;
            }
            let address = coding.address(content);
            match want {
                Want::Place(place) if place != address => {}
                Want::Place(_) => {
                    let header = memory.header(address, stays);
                    return Search::Found(entry, Found { address, header });
                }
                Want::Key(key) => {
                    let header = memory.header(address, stays);
                    if header.key == key {
                        return Search::Found(entry, Found { address, header });
                    }
                }
            }
        }
        Search::Absent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lanes_are_exact() {
        let lanes = |a: u64, b: u64, c: u64, d: u64| a | b << 16 | c << 32 | d << 48;
        let word = lanes(0x8000, 0, 1, 0x7FFF);
        let marks = |high: u64| equal_lanes(word, u64::MAX, high * LOW_BITS);
        assert_eq!(marks(0x8000), 1 << 15);
        assert_eq!(marks(0), 1 << 31);
        assert_eq!(marks(1), 1 << 47);
        assert_eq!(marks(0x7FFF), 1 << 63);
        assert_eq!(marks(2), 0);
        assert_eq!(equal_lanes(word, 0x8000 * LOW_BITS, 0x8000 * LOW_BITS), 1 << 15);
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
