//! A chunk of a partition's heap: its tag, and the layout of an item or of list links in it.
//!
//! | word | live chunk: an item | free chunk |
//! |---|---|---|
//! | 0 | tag | tag |
//! | 1 | key | link to the next chunk of its list |
//! | 2 | value … | link to the previous one |
//! | last | … value | its words, once more |
//!
//! The last word is the boundary tag at a chunk's end. Only a free chunk has it: the next chunk's
//! tag says whether this one is live, so nothing looks for it in a live chunk.

use std::sync::atomic::{AtomicU64, Ordering};

use platform::racy::WORD_BYTES;

/// Words of an item before its value: tag and key.
pub(super) const HEADER_WORDS: usize = 2;
/// Size of an item before its value.
pub(super) const HEADER_BYTES: usize = HEADER_WORDS * WORD_BYTES;
/// The smallest chunk: tag, two links, and the length at the end.
pub(super) const CHUNK_WORDS_MIN: usize = 4;

const PREVIOUS_LIVE_BIT: u64 = 1 << 1;
const LIVE_BIT: u64 = 1;
const SIZE_SHIFT: u32 = 2;
const SIZE_BITS: u32 = 35;
const VALUE_SHIFT: u32 = SIZE_SHIFT + SIZE_BITS;
const VALUE_BITS: u32 = 27;

const _: () = assert!(VALUE_SHIFT + VALUE_BITS == u64::BITS);
const _: () = assert!(CHUNK_WORDS_MIN >= HEADER_WORDS);

/// The longest chunk, and so the largest object memory of a partition: 256 GiB.
pub(super) const CHUNK_WORDS_MAX: usize = (1 << SIZE_BITS) - 1;
/// The longest value that a tag can describe.
pub(super) const VALUE_BYTES_MAX: usize = (1 << VALUE_BITS) - 1;

/// A chunk's first word.
///
/// ```text
///  63           37 36            2        1         0
/// ┌───────────────┬───────────────┬───────────────┬──────┐
/// │ value's bytes │ chunk's words │ previous live │ live │
/// └───────────────┴───────────────┴───────────────┴──────┘
/// ```
///
/// A free chunk has no value: its value length is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag(u64);

impl Tag {
    /// The tag of a free chunk. The preceding chunk is live, because free neighbours are merged.
    pub(super) fn free(words: usize) -> Self {
        debug_assert!(words <= CHUNK_WORDS_MAX);
        Self(((words as u64) << SIZE_SHIFT) | PREVIOUS_LIVE_BIT)
    }

    /// The tag of a live chunk behind a live one.
    #[inline]
    pub(super) fn live(words: usize, value_bytes: usize) -> Self {
        debug_assert!(value_bytes <= VALUE_BYTES_MAX);
        Self(Self::free(words).0 | ((value_bytes as u64) << VALUE_SHIFT) | LIVE_BIT)
    }

    #[inline]
    pub(super) fn with_value_bytes(self, value_bytes: usize) -> Self {
        debug_assert!(value_bytes <= VALUE_BYTES_MAX);
        let rest = self.0 & ((1 << VALUE_SHIFT) - 1);
        Self(rest | ((value_bytes as u64) << VALUE_SHIFT))
    }

    #[inline]
    pub(super) fn with_previous_live(self, live: bool) -> Self {
        if live { Self(self.0 | PREVIOUS_LIVE_BIT) } else { Self(self.0 & !PREVIOUS_LIVE_BIT) }
    }

    #[inline]
    pub(super) fn is_live(self) -> bool {
        self.0 & LIVE_BIT != 0
    }

    #[inline]
    pub(super) fn is_previous_live(self) -> bool {
        self.0 & PREVIOUS_LIVE_BIT != 0
    }

    /// Words of the chunk.
    #[inline]
    pub(super) fn words(self) -> usize {
        (self.0 >> SIZE_SHIFT) as usize & CHUNK_WORDS_MAX
    }

    #[inline]
    pub(super) fn value_bytes(self) -> usize {
        (self.0 >> VALUE_SHIFT) as usize
    }

    /// The longest value that fits into the chunk.
    #[inline]
    pub(super) fn value_room_bytes(self) -> usize {
        self.words().saturating_sub(HEADER_WORDS) * WORD_BYTES
    }
}

/// Words that an item takes in a chunk.
#[inline]
pub(super) fn words_of(value_bytes: usize) -> usize {
    (HEADER_WORDS + value_bytes.div_ceil(WORD_BYTES)).max(CHUNK_WORDS_MIN)
}

/// Object memory of one partition, addressed in words from its start.
///
/// All accesses are relaxed: claims and locks settle who may write, and readers that race with a
/// writer validate with the version of a bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arena<'store>(pub(super) &'store [AtomicU64]);

impl<'store> Arena<'store> {
    #[inline]
    pub(super) fn word(self, at: usize) -> u64 {
        // Relaxed: see the type.
        self.0[at].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_word(self, at: usize, word: u64) {
        // Relaxed: see the type.
        self.0[at].store(word, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn tag(self, at: usize) -> Tag {
        Tag(self.word(at))
    }

    #[inline]
    pub(super) fn set_tag(self, at: usize, tag: Tag) {
        self.set_word(at, tag.0);
    }

    /// Tag and key of the item at `at`; `None` if no item can begin there, which happens only to a
    /// reader that races with a writer.
    #[inline]
    pub(super) fn header(self, at: usize) -> Option<(Tag, u64)> {
        let header = self.0.get(at..at + HEADER_WORDS)?;
        // Relaxed: see the type.
        let word = |number: usize| header[number].load(Ordering::Relaxed);
        Some((Tag(word(0)), word(1)))
    }

    /// The words of the value of the item at `at`, behind `prefix_words`; `None` if they would end beyond
    /// the partition.
    #[inline]
    pub(super) fn value(
        self,
        at: usize,
        prefix_words: usize,
        value_bytes: usize,
    ) -> Option<&'store [AtomicU64]> {
        let from = HEADER_WORDS + prefix_words;
        self.0[at..].get(from..from + value_bytes.div_ceil(WORD_BYTES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_keep_their_fields_apart() {
        for (words, value_bytes) in [(4, 0), (4, 16), (CHUNK_WORDS_MAX, VALUE_BYTES_MAX)] {
            let tag = Tag::live(words, value_bytes);
            assert_eq!((tag.words(), tag.value_bytes()), (words, value_bytes));
            assert!(tag.is_live() && tag.is_previous_live());
            let tag = tag.with_previous_live(false);
            assert_eq!((tag.words(), tag.value_bytes()), (words, value_bytes));
            assert!(tag.is_live() && !tag.is_previous_live());
            assert_eq!(tag.with_previous_live(true), Tag::live(words, value_bytes));
            assert_eq!(tag.with_value_bytes(3).with_value_bytes(value_bytes), tag);
            let free = Tag::free(words);
            assert_eq!((free.words(), free.value_bytes(), free.is_live()), (words, 0, false));
        }
    }

    #[test]
    fn items_take_whole_words_and_at_least_the_smallest_chunk() {
        let words: Vec<_> = [0, 16, 17, 24, 25].map(words_of).into();
        assert_eq!(words, [4, 4, 5, 5, 6]);
        assert_eq!(Tag::live(5, 0).value_room_bytes(), 24);
    }
}
