//! A word of the index: where an object is and how long its value is, or nothing.

use platform::racy::WORD_BYTES;

/// Bits of a value's length.
const LENGTH_BITS: u32 = 24;

/// The longest value that a place can describe.
pub(crate) const VALUE_BYTES_MAX: usize = (1 << LENGTH_BITS) - 1;
/// The most words of object memory that a place can address: 8 TiB.
pub(crate) const OBJECT_WORDS_MAX: usize = (1 << (64 - LENGTH_BITS)) - 1;

/// What the index holds for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The object's first word, below [`OBJECT_WORDS_MAX`].
    pub(crate) at: usize,
    /// The value's length, up to [`VALUE_BYTES_MAX`].
    pub(crate) value_bytes: usize,
}

impl Place {
    /// The index word of a key that is absent.
    pub(crate) const ABSENT: u64 = 0;

    /// Decodes an index word; `None` for [`ABSENT`](Self::ABSENT).
    #[inline]
    pub(crate) fn of(word: u64) -> Option<Self> {
        // Words are counted from 1, so that no object looks like none.
        let at = ((word >> LENGTH_BITS) as usize).checked_sub(1)?;
        Some(Self { at, value_bytes: word as usize & VALUE_BYTES_MAX })
    }

    /// The index word of this place.
    #[inline]
    pub(crate) fn word(self) -> u64 {
        ((self.at as u64 + 1) << LENGTH_BITS) | self.value_bytes as u64
    }

    /// The object's length in words.
    #[inline]
    pub(crate) fn words(self) -> usize {
        self.value_bytes.div_ceil(WORD_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_back_to_both_ends() {
        for at in [0, 1, 77, OBJECT_WORDS_MAX - 1] {
            for value_bytes in [0, 1, 8, VALUE_BYTES_MAX] {
                let place = Place { at, value_bytes };
                assert_eq!(Place::of(place.word()), Some(place));
            }
        }
        assert_eq!(Place::of(Place::ABSENT), None);
    }
}
