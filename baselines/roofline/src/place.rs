//! A word of the index: where an object is and how long its value is, or nothing.

use platform::racy::WORD_BYTES;

/// Bits of a value's length.
const LENGTH_BITS: u32 = 24;

/// The longest value that a place can describe.
pub const VALUE_BYTES_MAX: usize = (1 << LENGTH_BITS) - 1;
/// The most words of object memory that a place can address: 8 TiB.
pub const OBJECT_WORDS_MAX: usize = (1 << (64 - LENGTH_BITS)) - 1;

/// What the index holds for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The object's first word, below [`OBJECT_WORDS_MAX`].
    pub at: usize,
    /// The value's length, up to [`VALUE_BYTES_MAX`].
    pub value_bytes: usize,
}

impl Place {
    /// The index word of a key that is absent.
    pub const ABSENT: u64 = 0;

    /// Decodes an index word; `None` for [`ABSENT`](Self::ABSENT).
    #[inline]
    pub fn of(word: u64) -> Option<Self> {
        // Words are counted from 1, so that no object looks like none.
        let at = ((word >> LENGTH_BITS) as usize).checked_sub(1)?;
        Some(Self { at, value_bytes: word as usize & VALUE_BYTES_MAX })
    }

    /// The index word of this place.
    #[inline]
    pub fn word(self) -> u64 {
        ((self.at as u64 + 1) << LENGTH_BITS) | self.value_bytes as u64
    }

    /// The object's length in words.
    #[inline]
    pub fn words(self) -> usize {
        self.value_bytes.div_ceil(WORD_BYTES)
    }
}
