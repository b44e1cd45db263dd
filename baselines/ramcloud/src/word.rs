//! A word of the hash table.
//!
//! ```text
//! 63    48   47   46                       0
//! +--------+------+-------------------------+
//! |  tag   | mark | reference, 0: empty     |
//! +--------+------+-------------------------+
//! ```
//!
//! In the first word of a head bucket, the mark is the bucket's lock. In the last word of any
//! bucket, it says that the word is a chain: its reference is then the number of the next bucket,
//! from 1.

use std::num::NonZeroU64;

use crate::log::{REFERENCE_BITS, Reference};

/// A word without its lock bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

const REFERENCE_MASK: u64 = (1 << REFERENCE_BITS) - 1;
const TAG_SHIFT: u32 = 48;
/// The bit that marks a lock or a chain.
pub(crate) const MARK: u64 = 1 << REFERENCE_BITS;

const _: () = assert!(MARK << 1 == 1 << TAG_SHIFT, "tag, mark and reference make a word");

impl Word {
    pub(crate) const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) fn new(tag: u64, reference: Reference) -> Self {
        debug_assert!(tag < 1 << 16 && reference.0.get() <= REFERENCE_MASK);
        Self(tag << TAG_SHIFT | reference.0.get())
    }

    /// A word that leads to the overflow bucket `index`.
    pub(crate) fn chain(index: usize) -> Self {
        Self(MARK | (index as u64 + 1))
    }

    #[inline]
    pub(crate) fn of_bits(bits: u64) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn tag(self) -> u64 {
        self.0 >> TAG_SHIFT
    }

    /// The entry it leads to; `None` if it is empty or a chain.
    #[inline]
    pub(crate) fn reference(self) -> Option<Reference> {
        if self.0 & MARK != 0 {
            return None;
        }
        NonZeroU64::new(self.0 & REFERENCE_MASK).map(Reference)
    }

    /// The overflow bucket it leads to, if it is a chain.
    #[inline]
    pub(crate) fn next(self) -> Option<usize> {
        (self.0 & MARK != 0).then(|| (self.0 & REFERENCE_MASK) as usize - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_tag_and_reference_apart_from_the_mark() {
        let reference = Reference(NonZeroU64::new(REFERENCE_MASK).unwrap());
        let word = Word::new(0xffff, reference);
        assert_eq!((word.tag(), word.reference(), word.next()), (0xffff, Some(reference), None));
        assert_eq!(word.bits() & MARK, 0);
        assert_eq!((Word::chain(0).next(), Word::chain(0).reference()), (Some(0), None));
        assert_eq!((Word::EMPTY.next(), Word::EMPTY.reference()), (None, None));
    }
}
