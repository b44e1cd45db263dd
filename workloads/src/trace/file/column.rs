//! A column of numbers, split into byte planes.
//!
//! ```text
//! u8        width: bytes that the largest number needs, 0..=8
//! [u8; n]   the lowest byte of each of the n numbers    ┐ planes: as many
//! [u8; n]   the next byte of each …                     ┘ as the width, if below 8
//! [u64; n]  the n numbers as they are, if the width is 8
//! ```
//!
//! High bytes hardly vary, and on their own they compress to almost nothing, so a single large
//! number costs little. Reassembling the numbers needs neither branches nor a byte-by-byte walk.
//! Numbers that need all eight bytes are mostly hashes; splitting them would gain nothing.

use super::record::Malformed;

/// How many numbers are reassembled at a time, so that they stay in the first-level cache.
pub(super) const CHUNK: usize = 512;

/// The width at which numbers are not split.
const WORD: usize = size_of::<u64>();

/// Appends `numbers` as a column.
pub(super) fn write(numbers: &[u64], out: &mut Vec<u8>) {
    let all = numbers.iter().fold(0, |all, number| all | number);
    let width = (u64::BITS - all.leading_zeros()).div_ceil(8) as usize;
    out.push(width as u8);
    if width == WORD {
        out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        return;
    }
    for plane in 0..width {
        out.extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
    }
}

/// Takes `length` bytes from the front of `input`.
pub(super) fn take<'a>(
    input: &mut &'a [u8],
    length: usize,
    what: &'static str,
) -> Result<&'a [u8], Malformed> {
    let (front, rest) = input.split_at_checked(length).ok_or(Malformed(what))?;
    *input = rest;
    Ok(front)
}

/// A column as stored in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    bytes: &'a [u8],
    width: usize,
    count: usize,
}

impl<'a> Column<'a> {
    /// Takes a column of `count` numbers of at most `width_max` bytes each from the front of
    /// `input`.
    pub(super) fn take(
        input: &mut &'a [u8],
        count: usize,
        width_max: usize,
    ) -> Result<Self, Malformed> {
        let width = usize::from(take(input, 1, "a column is missing")?[0]);
        if width > width_max {
            return Err(Malformed("a column is wider than its numbers can be"));
        }
        Ok(Self { bytes: take(input, width * count, "a column is cut short")?, width, count })
    }

    /// Reassembles the numbers from `start` on.
    #[inline]
    pub(super) fn read(&self, start: usize, into: &mut [u64]) {
        if self.width == WORD {
            let words = self.bytes[start * WORD..].chunks_exact(WORD);
            for (number, word) in into.iter_mut().zip(words) {
                *number = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            }
            return;
        }
        into.fill(0);
        if self.count == 0 {
            return;
        }
        for (rank, plane) in self.bytes.chunks_exact(self.count).enumerate() {
            let bytes = &plane[start..start + into.len()];
            for (number, &byte) in into.iter_mut().zip(bytes) {
                *number |= u64::from(byte) << (8 * rank);
            }
        }
    }

    pub(super) fn to_vec(self) -> Vec<u64> {
        let mut numbers = vec![0; self.count];
        for (chunk, start) in numbers.chunks_mut(CHUNK).zip((0..).step_by(CHUNK)) {
            self.read(start, chunk);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn written(numbers: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(numbers, &mut bytes);
        bytes
    }

    #[test]
    fn numbers_of_every_width_come_back() {
        let mut rng = Seed(1).rng();
        for bits in 0..=u64::BITS {
            let mask = u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0);
            let numbers: Vec<u64> = (0..1300).map(|_| rng.next_u64() & mask).collect();
            let bytes = written(&numbers);
            assert_eq!(bytes.len(), 1 + 1300 * bits.div_ceil(8) as usize);
            let mut input = &bytes[..];
            let column = Column::take(&mut input, 1300, 8).unwrap();
            assert!(input.is_empty());
            assert_eq!(column.to_vec(), numbers);
            let mut some = [7; 5];
            column.read(1290, &mut some);
            assert_eq!(some, numbers[1290..1295]);
        }
    }

    #[test]
    fn an_empty_column_is_one_byte() {
        assert_eq!(written(&[]), [0]);
        assert!(Column::take(&mut &[3][..], 0, 8).unwrap().to_vec().is_empty());
    }

    #[test]
    fn columns_that_cannot_be_are_refused() {
        let refusal = |bytes: &[u8], count| Column::take(&mut &bytes[..], count, 4).unwrap_err();
        assert_eq!(refusal(&[], 1), Malformed("a column is missing"));
        assert_eq!(refusal(&[1, 0], 2), Malformed("a column is cut short"));
        assert_eq!(
            refusal(&[5, 0, 0, 0, 0, 0], 1),
            Malformed("a column is wider than its numbers can be")
        );
    }
}
