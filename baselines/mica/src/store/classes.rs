//! Size classes: which list a free chunk is in.

use super::chunk::{CHUNK_WORDS_MAX, CHUNK_WORDS_MIN};

/// Number of classes with a single size each, 8 bytes apart.
pub(super) const EXACT_CLASSES: usize = 8192;
/// Classes per doubling of the size for larger chunks, as a shift.
const RANGES_BITS: u32 = 5;
const RANGES: usize = 1 << RANGES_BITS;
const EXACT_BITS: u32 = EXACT_CLASSES.trailing_zeros();
/// Sizes are below 2 to this power.
const SIZE_BITS: u32 = CHUNK_WORDS_MAX.ilog2() + 1;

pub(super) const CLASSES: usize = EXACT_CLASSES + (SIZE_BITS - EXACT_BITS) as usize * RANGES;

const _: () = assert!(EXACT_CLASSES.is_power_of_two() && EXACT_CLASSES > RANGES);

/// The size classes of a heap.
///
/// Class `i` below [`EXACT_CLASSES`] holds the chunks of `first_words + i` words; class 0 also
/// holds all smaller ones, if any. Above that, each doubling of the size has [`RANGES`] classes of
/// equal width, counted as if they began at [`EXACT_CLASSES`] words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    first_words: usize,
}

impl Classes {
    /// Classes of which the first holds chunks of `first_words` words.
    ///
    /// # Panics
    /// If that is less than the smallest chunk, or more than the exact classes span.
    pub(super) fn from_words(first_words: usize) -> Self {
        assert!((CHUNK_WORDS_MIN..EXACT_CLASSES).contains(&first_words), "{first_words} words");
        Self { first_words }
    }

    /// Length in words of the chunks in the first class.
    pub(super) fn first_words(self) -> usize {
        self.first_words
    }

    /// The class of a chunk with this many words.
    #[inline]
    pub(super) fn of_chunk(self, words: usize) -> usize {
        let above = words.saturating_sub(self.first_words);
        if above < EXACT_CLASSES {
            return above;
        }
        let doubling = above.ilog2();
        let range = (above >> (doubling - RANGES_BITS)) & (RANGES - 1);
        EXACT_CLASSES + (doubling - EXACT_BITS) as usize * RANGES + range
    }

    /// The first class whose chunks all have at least `words` words.
    #[inline]
    pub(super) fn all_fit(self, words: usize) -> usize {
        let Some(above) = words.checked_sub(self.first_words) else { return 1 };
        if above == 0 {
            return usize::from(self.first_words > CHUNK_WORDS_MIN);
        }
        if above < EXACT_CLASSES {
            return above;
        }
        let width = 1 << (above.ilog2() - RANGES_BITS);
        self.of_chunk(self.first_words + above + width - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> impl Iterator<Item = usize> {
        let doublings = (3..SIZE_BITS).flat_map(|bits| {
            let size = 1_usize << bits;
            [size - 1, size, size + 1, size + size / 3]
        });
        (CHUNK_WORDS_MIN..40_000).chain(doublings.filter(|&size| size >= CHUNK_WORDS_MIN))
    }

    #[test]
    fn classes_grow_with_sizes_and_end_where_sizes_do() {
        for first_words in [CHUNK_WORDS_MIN, 32] {
            let classes = Classes::from_words(first_words);
            let mut sizes: Vec<_> = sizes().collect();
            sizes.sort_unstable();
            let of_sizes: Vec<_> = sizes.iter().map(|&size| classes.of_chunk(size)).collect();
            assert!(of_sizes.is_sorted());
            assert!(classes.of_chunk(CHUNK_WORDS_MAX) < CLASSES);
            assert_eq!(classes.of_chunk(first_words + 100), 100);
            assert_eq!(classes.of_chunk(CHUNK_WORDS_MIN), 0);
        }
    }

    #[test]
    fn every_chunk_of_a_class_that_fits_is_large_enough() {
        for first_words in [CHUNK_WORDS_MIN, 32] {
            let classes = Classes::from_words(first_words);
            let mut smallest = vec![usize::MAX; CLASSES];
            for size in sizes() {
                let class = &mut smallest[classes.of_chunk(size)];
                *class = size.min(*class);
            }
            for size in sizes() {
                let class = classes.all_fit(size);
                assert!(class >= CLASSES || smallest[class] >= size, "{size}: class {class}");
                let own = classes.of_chunk(size);
                assert!((own..=own + 1).contains(&class), "{size}: {own} and {class}");
            }
        }
    }
}
