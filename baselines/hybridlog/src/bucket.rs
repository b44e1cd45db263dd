//! A bucket of the index: one cache line of seven entries and a link to an overflow bucket.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::address::{ADDRESS_BITS, Address};
use crate::hash::TAG_BITS;

pub(crate) const BUCKET_WORDS: usize = 8;
pub(crate) const BUCKET_ENTRIES: usize = BUCKET_WORDS - 1;
/// The word that links the overflow bucket: its number, counted from 1.
pub(crate) const OVERFLOW: usize = BUCKET_ENTRIES;

const _: () = assert!(BUCKET_WORDS * size_of::<u64>() == 64);

pub(crate) type Bucket = [AtomicU64; BUCKET_WORDS];

/// An entry: where the chain of records begins whose keys have this tag.
///
/// ```text
///     63     62    48 47                    0
/// ┌───────────┬──────┬───────────────────────┐
/// │ tentative │ tag  │        address        │
/// └───────────┴──────┴───────────────────────┘
/// ```
///
/// No tag is 0, so only an empty entry is 0. A tentative entry is invisible to all but those who
/// insert the same tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(u64);

const TENTATIVE: u64 = 1 << (ADDRESS_BITS + TAG_BITS);

const _: () = assert!(ADDRESS_BITS + TAG_BITS + 1 == u64::BITS);

impl Entry {
    pub(crate) const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) fn new(tag: u64, address: Address) -> Self {
        debug_assert!(tag > 0 && tag < 1 << TAG_BITS && address != Address::NONE);
        Self((tag << ADDRESS_BITS) | address.word())
    }

    #[inline]
    pub(crate) fn from_word(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    pub(crate) fn tentative(self) -> Self {
        Self(self.0 | TENTATIVE)
    }

    pub(crate) fn is_tentative(self) -> bool {
        self.0 & TENTATIVE != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    #[inline]
    pub(crate) fn tag(self) -> u64 {
        (self.0 & !TENTATIVE) >> ADDRESS_BITS
    }

    /// Whether it is the final entry of a tag.
    #[inline]
    pub(crate) fn is_of(self, tag: u64) -> bool {
        self.0 >> ADDRESS_BITS == tag
    }

    #[inline]
    pub(crate) fn address(self) -> Address {
        Address::from_word(self.0)
    }

    /// The entry of the same tag with another address.
    #[inline]
    pub(crate) fn with_address(self, address: Address) -> Self {
        Self::new(self.tag(), address)
    }
}

/// The final entries of a bucket with this tag, as bits. It is no proof: others write meanwhile.
#[inline]
pub(crate) fn matches(bucket: &Bucket, tag: u64) -> u32 {
    let mut found = 0;
    for (number, word) in bucket[..BUCKET_ENTRIES].iter().enumerate() {
        // Relaxed: whoever follows an entry loads it again.
        let entry = Entry(word.load(Ordering::Relaxed));
        found |= u32::from(entry.is_of(tag)) << number;
    }
    found
}

#[cfg(test)]
mod tests {
    use kit::bits::bits;

    use super::*;

    #[test]
    fn entries_keep_tag_address_and_mark_apart() {
        for (tag, address) in [(1, 1), ((1 << TAG_BITS) - 1, (1 << ADDRESS_BITS) - 1), (7, 1 << 40)]
        {
            let address = Address::from_word(address);
            let entry = Entry::new(tag, address);
            assert_eq!((entry.tag(), entry.address(), entry.is_empty()), (tag, address, false));
            assert!(entry.is_of(tag) && !entry.is_tentative());
            let marked = entry.tentative();
            assert_eq!((marked.tag(), marked.address()), (tag, address));
            assert!(!marked.is_of(tag) && marked.is_tentative());
            let other = Address::from_word(5);
            assert_eq!(entry.with_address(other), Entry::new(tag, other));
        }
    }

    #[test]
    fn a_scan_finds_final_entries_of_a_tag() {
        let bucket = [const { AtomicU64::new(0) }; BUCKET_WORDS];
        let five = Entry::new(5, Address::from_word(9));
        for (number, entry) in [(0, five), (2, five.tentative()), (6, five), (OVERFLOW, five)] {
            bucket[number].store(entry.word(), Ordering::Relaxed);
        }
        let found = |tag| bits(matches(&bucket, tag)).collect::<Vec<_>>();
        assert_eq!(found(5), [0, 6], "neither the tentative one nor the link");
        assert_eq!(found(4), [0; 0]);
    }
}
