//! Which write made a value.

use std::fmt;

const WRITER_BITS: u32 = 16;
const SEQUENCE_BITS: u32 = 48;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

// The two fields tile the word: no gap, no overlap.
const _: () = assert!(WRITER_BITS + SEQUENCE_BITS == u64::BITS);
const _: () = assert!(WRITER_BITS == u16::BITS, "a writer is a u16");

/// Identifies the write that made a value: the writer, and which of its writes.
///
/// ```text
///  63            48 47                                           0
/// +----------------+----------------------------------------------+
/// |     writer     |                   sequence                   |
/// |    16 bits     |                   48 bits                    |
/// +----------------+----------------------------------------------+
/// ```
///
/// At three million values a second, 48 bits last a writer three years.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp(u64);

impl Stamp {
    pub const SEQUENCE_MAX: u64 = SEQUENCE_MASK;

    /// # Panics
    ///
    /// If `sequence` needs more than 48 bits.
    #[inline]
    pub const fn new(writer: u16, sequence: u64) -> Self {
        assert!(sequence <= Self::SEQUENCE_MAX, "sequence needs more than 48 bits");
        Self((writer as u64) << SEQUENCE_BITS | sequence)
    }

    /// The writer's id.
    #[inline]
    pub const fn writer(self) -> u16 {
        (self.0 >> SEQUENCE_BITS) as u16
    }

    /// How many values this writer had made before.
    #[inline]
    pub const fn sequence(self) -> u64 {
        self.0 & SEQUENCE_MASK
    }

    /// The packed word, as it is stored.
    #[inline]
    pub const fn to_word(self) -> u64 {
        self.0
    }

    /// The stamp with this word. Any word is a stamp.
    #[inline]
    pub const fn from_word(word: u64) -> Self {
        Self(word)
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "w{}#{}", self.writer(), self.sequence())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_spill() {
        for writer in [0, 1, 2, 0x8000, u16::MAX] {
            for sequence in [0, 1, 2, 1 << 47, Stamp::SEQUENCE_MAX] {
                let stamp = Stamp::new(writer, sequence);
                assert_eq!((stamp.writer(), stamp.sequence()), (writer, sequence));
                assert_eq!(Stamp::from_word(stamp.to_word()), stamp);
            }
        }
        assert_eq!(format!("{:?}", Stamp::new(3, 7)), "w3#7");
    }

    #[test]
    #[should_panic(expected = "48 bits")]
    fn a_sequence_that_does_not_fit_is_a_bug() {
        Stamp::new(0, Stamp::SEQUENCE_MAX + 1);
    }
}
