//! The stages of a prefetch, by which the cache misses of a batch overlap.
//!
//! Single operations prefetch nothing. The processor fetches ahead by itself, as far as its window
//! of instructions reaches, and instructions that only prefetch take room in it.

use kit::bits::bits;
use platform::racy::WORD_BYTES;

use super::Mica;
use super::bucket::{Entry, matches};
use super::chunk::HEADER_WORDS;
use super::named::KeyKind;
use super::operations::Target;
use crate::mode::Mode;

/// How many lines of an item are prefetched: those of 1 KiB at any alignment. For longer items the
/// processor's own prefetchers take over.
const LINES_AHEAD: usize = 17;
/// How many lines of an item are prefetched before its length is known.
const LINES_BLIND: usize = 2;
const LINE_WORDS: usize = 64 / WORD_BYTES;
const BLIND_WORDS: usize = LINES_BLIND * LINE_WORDS;

impl<M: Mode, K: KeyKind + ?Sized> Mica<M, K> {
    /// Stage 1: the key's main bucket.
    #[inline]
    pub(super) fn prefetch_bucket<N>(&self, target: Target<N>) {
        self.index.prefetch(target.partition, target.bucket);
    }

    /// Stage 2: the first lines of the item that the main bucket leads to; returns its offset. It
    /// does no harm if the item is another key's, or gone by then.
    #[inline]
    pub(super) fn prefetch_item<N: Copy>(&self, target: Target<N>) -> Option<usize> {
        let main = self.main(target);
        let number = bits(matches(main, target.tag)).next()?;
        let offset = Entry::load(&main[1 + number]).offset();
        let at = self.word_of(target, offset);
        (0..LINES_BLIND).for_each(|line| self.objects.prefetch(at + line * LINE_WORDS));
        Some(offset)
    }

    /// Stage 3: the further lines that the item's length calls for.
    #[inline]
    pub(super) fn prefetch_rest<N: Copy>(&self, target: Target<N>, offset: usize) {
        let Some((tag, _)) = self.arena(target.partition).header(offset) else { return };
        let words = HEADER_WORDS + tag.value_bytes().div_ceil(WORD_BYTES);
        if words > BLIND_WORDS {
            let at = self.word_of(target, offset) + BLIND_WORDS;
            self.objects.prefetch_lines(at, words - BLIND_WORDS, LINES_AHEAD - LINES_BLIND);
        }
    }

    /// The word of object memory at an offset in the target's partition.
    #[inline]
    fn word_of<N>(&self, target: Target<N>, offset: usize) -> usize {
        target.partition * self.sizes.arena_words + offset
    }
}
