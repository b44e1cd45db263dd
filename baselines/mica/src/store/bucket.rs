//! A bucket of the index: one cache line with a header and seven entries.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::keyhash::TAG_BITS;

pub(super) const BUCKET_WORDS: usize = 8;
pub(super) const BUCKET_ENTRIES: usize = BUCKET_WORDS - 1;

const _: () = assert!(BUCKET_WORDS * size_of::<u64>() == 64);

const NEXT_BITS: u32 = 32;
const VERSION_ONE: u64 = 1 << NEXT_BITS;

/// The most spare buckets of a partition.
pub(super) const SPARES_MAX: usize = (1 << NEXT_BITS) - 1;

/// The first word of a bucket.
///
/// ```text
///  63            32 31            0
/// ┌────────────────┬───────────────┐
/// │    version     │  next spare   │
/// └────────────────┴───────────────┘
/// ```
///
/// The version of a main bucket guards its whole chain and is odd while the chain is being written;
/// that of a spare bucket stays 0. Spare buckets are counted from 1, and 0 ends a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header(u64);

impl Header {
    #[inline]
    pub(super) fn load(word: &AtomicU64, order: Ordering) -> Self {
        Self(word.load(order))
    }

    /// The header with the next version: odd after even, even after odd.
    #[inline]
    pub(super) fn stepped(self) -> Self {
        // The version is at the top, so its carry is lost.
        Self(self.0.wrapping_add(VERSION_ONE))
    }

    #[inline]
    pub(super) fn with_next(self, next: Option<usize>) -> Self {
        let next = next.map_or(0, |spare| spare as u64 + 1);
        debug_assert!(next <= SPARES_MAX as u64);
        Self((self.0 >> NEXT_BITS << NEXT_BITS) | next)
    }

    #[inline]
    pub(super) fn is_being_written(self) -> bool {
        self.0 & VERSION_ONE != 0
    }

    /// The spare bucket that follows, if any.
    #[inline]
    pub(super) fn next(self) -> Option<usize> {
        ((self.0 & (VERSION_ONE - 1)) as usize).checked_sub(1)
    }

    #[inline]
    pub(super) fn word(self) -> u64 {
        self.0
    }
}

const OFFSET_BITS: u32 = 48;

/// An entry of a bucket.
///
/// ```text
///  63                                   16 15         0
/// ┌───────────────────────────────────────┬────────────┐
/// │   item, in words of its partition     │    tag     │
/// └───────────────────────────────────────┴────────────┘
/// ```
///
/// No tag is 0, so the whole word is 0 only if the entry is empty. The offset is at the top, where
/// a shift reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(u64);

const _: () = assert!(OFFSET_BITS + TAG_BITS == u64::BITS);
const _: () = assert!(TAG_BITS == u16::BITS);
const _: () = assert!(super::chunk::CHUNK_WORDS_MAX < 1 << OFFSET_BITS);

impl Entry {
    pub(super) const EMPTY: Self = Self(0);

    #[inline]
    pub(super) fn new(tag: u16, offset: usize) -> Self {
        debug_assert!(tag != 0 && offset < 1 << OFFSET_BITS);
        Self(((offset as u64) << TAG_BITS) | u64::from(tag))
    }

    #[inline]
    pub(super) fn load(word: &AtomicU64) -> Self {
        // Relaxed: ordered by the version of the main bucket, or needs no order.
        Self(word.load(Ordering::Relaxed))
    }

    #[inline]
    pub(super) fn store(self, word: &AtomicU64) {
        // Relaxed: as above.
        word.store(self.0, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn tag(self) -> u16 {
        self.0 as u16
    }

    #[inline]
    pub(super) fn offset(self) -> usize {
        (self.0 >> TAG_BITS) as usize
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

/// The entries of a bucket with this tag, as bits; tag 0 finds the empty ones.
#[inline]
pub(super) fn matches(bucket: &[AtomicU64; BUCKET_WORDS], tag: u16) -> u32 {
    let mut found = 0;
    for (number, word) in bucket[1..].iter().enumerate() {
        found |= u32::from(Entry::load(word).tag() == tag) << number;
    }
    found
}

#[cfg(test)]
mod tests {
    use kit::bits::bits;

    use super::*;

    #[test]
    fn versions_step_around_without_touching_the_chain() {
        let header = Header(0).with_next(Some(SPARES_MAX - 1));
        assert_eq!(header.next(), Some(SPARES_MAX - 1));
        assert!(!header.is_being_written() && header.stepped().is_being_written());
        let last = Header(u64::MAX);
        assert!(last.is_being_written());
        assert_eq!(last.stepped(), Header(u64::from(u32::MAX)), "the version is 0 again");
        assert_eq!(last.with_next(None).next(), None);
        assert!(last.with_next(None).is_being_written());
    }

    #[test]
    fn entries_keep_tag_and_offset_and_are_never_empty() {
        for (tag, offset) in [(1, 0), (u16::MAX, (1 << OFFSET_BITS) - 1), (7, 1 << 40)] {
            let entry = Entry::new(tag, offset);
            assert_eq!((entry.tag(), entry.offset(), entry.is_empty()), (tag, offset, false));
        }
    }

    #[test]
    fn a_scan_finds_all_entries_of_a_tag_and_the_empty_ones() {
        let bucket = [const { AtomicU64::new(u64::MAX) }; BUCKET_WORDS];
        for (number, tag) in [(1, 5), (2, 9), (3, 0), (4, 5), (5, 0), (6, 3), (7, 5)] {
            let entry = if tag == 0 { Entry::EMPTY } else { Entry::new(tag, number) };
            entry.store(&bucket[number]);
        }
        let found = |tag| bits(matches(&bucket, tag)).collect::<Vec<_>>();
        assert_eq!(found(5), [0, 3, 6]);
        assert_eq!(found(0), [2, 4]);
        assert_eq!(found(u16::MAX), []);
    }
}
