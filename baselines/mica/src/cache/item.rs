//! An item as stored in the log: three words of header and key, then the value.
//!
//! ```text
//!  word 0   63        32 31          8 7       0
//!          ┌────────────┬─────────────┬─────────┐
//!          │ item bytes │ value bytes │ key len │   item bytes: as first inserted, this header
//!          ├────────────┴─────────────┴─────────┤   included; a multiple of 8
//!  word 1  │ keyhash                            │
//!  word 2  │ key                                │
//!  word 3… │ value, and what an earlier, longer │
//!          │ one has left                       │
//!          └────────────────────────────────────┘
//! ```

use platform::racy::WORD_BYTES;

/// Size of header and key.
pub(crate) const HEADER_BYTES: usize = 24;
/// Words of header and key.
pub(crate) const HEADER_WORDS: usize = HEADER_BYTES / WORD_BYTES;
/// The largest item: two of them fit into the smallest log, and one into the part of a log that is
/// mapped again behind its end.
const ITEM_BYTES_MAX: usize = 1 << 20;
pub(crate) const VALUE_BYTES_MAX: usize = ITEM_BYTES_MAX - HEADER_BYTES;

const KEY_BYTES: u64 = size_of::<u64>() as u64;
const VALUE_SHIFT: u32 = 8;
const ITEM_SHIFT: u32 = 32;

const _: () = assert!(HEADER_BYTES == HEADER_WORDS * WORD_BYTES);
const _: () = assert!(KEY_BYTES < 1 << VALUE_SHIFT);
const _: () = assert!(VALUE_BYTES_MAX < 1 << (ITEM_SHIFT - VALUE_SHIFT));
const _: () = assert!(2 * ITEM_BYTES_MAX as u64 <= super::offsets::GRANULE_BYTES);

/// The key of an item, with its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) keyhash: u64,
    pub(crate) key: u64,
}

/// The first word of an item, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Space that the item has occupied in the log since it was first inserted.
    pub(crate) item_bytes: usize,
    /// The current length of its value.
    pub(crate) value_bytes: usize,
}

impl Sizes {
    /// For a new item with a value of `value_bytes` bytes, at most the longest.
    #[inline]
    pub(crate) fn for_value(value_bytes: usize) -> Self {
        Self { item_bytes: HEADER_BYTES + value_bytes.next_multiple_of(WORD_BYTES), value_bytes }
    }

    /// Decodes a first word; `None` if it cannot be one. A reader that races with a writer may see
    /// part of a value here.
    #[inline]
    pub(crate) fn of(word: u64) -> Option<Self> {
        let item_bytes = (word >> ITEM_SHIFT) as usize;
        let value_bytes = (word as u32 >> VALUE_SHIFT) as usize;
        let sound = word & ((1 << VALUE_SHIFT) - 1) == KEY_BYTES
            && item_bytes.is_multiple_of(WORD_BYTES)
            && item_bytes <= ITEM_BYTES_MAX
            && HEADER_BYTES + value_bytes <= item_bytes;
        sound.then_some(Self { item_bytes, value_bytes })
    }

    /// The encoded first word.
    #[inline]
    pub(crate) fn word(self) -> u64 {
        ((self.item_bytes as u64) << ITEM_SHIFT)
            | ((self.value_bytes as u64) << VALUE_SHIFT)
            | KEY_BYTES
    }

    /// The same item with another value, if that fits into the space of the item as first inserted.
    #[inline]
    pub(crate) fn with_value(self, value_bytes: usize) -> Option<Self> {
        let fits = HEADER_BYTES + value_bytes <= self.item_bytes;
        fits.then_some(Self { value_bytes, ..self })
    }

    /// Size of header, key and value, rounded up to words.
    pub(crate) fn live_bytes(self) -> u64 {
        Self::for_value(self.value_bytes).item_bytes as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_back_and_what_is_no_item_is_not() {
        for value_bytes in [0, 1, 8, 1000, VALUE_BYTES_MAX] {
            let sizes = Sizes::for_value(value_bytes);
            assert_eq!(Sizes::of(sizes.word()), Some(sizes));
            let longer = Sizes { value_bytes: sizes.item_bytes - HEADER_BYTES + 1, ..sizes };
            assert_eq!(Sizes::of(longer.word()), None);
        }
        let huge = Sizes { item_bytes: ITEM_BYTES_MAX + 8, value_bytes: 0 };
        for word in [0, u64::MAX, KEY_BYTES, huge.word(), Sizes::for_value(8).word() + 1] {
            assert_eq!(Sizes::of(word), None, "{word:#x}");
        }
    }

    #[test]
    fn a_value_fits_up_to_the_size_at_first_insertion_whatever_came_between() {
        let first = Sizes::for_value(100);
        let shrunk = first.with_value(10).expect("shorter");
        assert_eq!(shrunk, Sizes { item_bytes: 128, value_bytes: 10 });
        assert_eq!(shrunk.with_value(104), Some(Sizes { item_bytes: 128, value_bytes: 104 }));
        assert_eq!(shrunk.with_value(105), None);
        assert_eq!(shrunk.live_bytes(), 40);
    }
}
