//! What writer and checker agree on: header, short form, pool, and where a body begins.

use super::Stamp;
use crate::mix::{GOLDEN, inverse, mix, unmix};
use crate::{Rng, Seed};

/// Values shorter than this carry no stamp.
pub const HEADER_BYTES: usize = 24;

/// The number of offsets in the pool at which a body may begin.
pub(super) const OFFSETS: usize = 4096;
const _: () = assert!(OFFSETS.is_power_of_two());

/// Odd, so that 4096 consecutive sequences begin at 4096 different offsets, and far from 0 and
/// 4096, so that neighbours do not share a cache line.
const OFFSET_STEP: u64 = 2531;
const _: () = assert!(OFFSET_STEP % 2 == 1);

/// Odd, so that the length can be divided out again.
const LENGTH_FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;
const _: () = assert!(LENGTH_FACTOR.wrapping_mul(inverse(LENGTH_FACTOR)) == 1);

/// The first 24 bytes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) key: u64,
    pub(super) stamp: Stamp,
    pub(super) checksum: u64,
}

impl Header {
    #[inline]
    pub(super) const fn new(key: u64, stamp: Stamp, bytes: usize) -> Self {
        let length = (bytes as u64).wrapping_mul(LENGTH_FACTOR);
        Self { key, stamp, checksum: seal(key, stamp).wrapping_add(length) }
    }

    /// The length that makes the checksum true. If the header is damaged, this is a huge random
    /// number.
    #[inline]
    pub(super) const fn written_bytes(&self) -> u64 {
        self.checksum.wrapping_sub(seal(self.key, self.stamp)).wrapping_mul(inverse(LENGTH_FACTOR))
    }

    #[inline]
    pub(super) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        words_to_bytes([self.key, self.stamp.to_word(), self.checksum])
    }

    #[inline]
    pub(super) fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Self {
        let (words, _) = bytes.as_chunks();
        let word = |at: usize| u64::from_le_bytes(words[at]);
        Self { key: word(0), stamp: Stamp::from_word(word(1)), checksum: word(2) }
    }
}

#[inline]
const fn seal(key: u64, stamp: Stamp) -> u64 {
    mix(mix(key.wrapping_add(GOLDEN)).wrapping_add(stamp.to_word()))
}

/// A value shorter than [`HEADER_BYTES`] is a prefix of these bytes. The first word is a bijection
/// of the key (for a given length); the others follow from it.
// Not inlined, so that the path for longer values stays small enough to be.
#[inline(never)]
pub(super) fn short_value(key: u64, bytes: usize) -> [u8; HEADER_BYTES] {
    let first = mix(key ^ short_length(bytes));
    let second = mix(first.wrapping_add(GOLDEN));
    words_to_bytes([first, second, mix(second.wrapping_add(GOLDEN))])
}

/// The key of a short value whose first word is `first`.
pub(super) const fn short_key(first: u64, bytes: usize) -> u64 {
    unmix(first) ^ short_length(bytes)
}

const fn short_length(bytes: usize) -> u64 {
    (bytes as u64 + 1).wrapping_mul(LENGTH_FACTOR)
}

fn words_to_bytes(words: [u64; 3]) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    for (target, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *target = word.to_le_bytes();
    }
    bytes
}

/// The offset in the pool at which the value with this stamp begins.
#[inline]
pub(super) const fn offset(stamp: Stamp) -> usize {
    offset_from(first_offset(stamp.writer()), stamp)
}

/// The offset of a writer's first value if the pool had no end.
#[inline]
pub(super) const fn first_offset(writer: u16) -> u64 {
    mix(writer as u64 + 1)
}

/// [`offset`] for a writer whose [`first_offset`] is known.
#[inline]
pub(super) const fn offset_from(first: u64, stamp: Stamp) -> usize {
    first.wrapping_add(stamp.sequence().wrapping_mul(OFFSET_STEP)) as usize % OFFSETS
}

/// Bodies of up to `value_bytes_max` bytes are slices of this buffer, which is the same for
/// everyone.
pub(super) fn pool(value_bytes_max: usize) -> Box<[u8]> {
    const POOL: Seed = Seed(0).stream("value pool");
    let mut rng = Rng::new(POOL);
    let bytes = OFFSETS + value_bytes_max.max(HEADER_BYTES);
    let words = bytes.div_ceil(size_of::<u64>());
    let mut pool: Vec<u8> = Vec::with_capacity(words * size_of::<u64>());
    for _ in 0..words {
        pool.extend_from_slice(&rng.next_u64().to_le_bytes());
    }
    pool.truncate(bytes);
    pool.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip_and_know_their_length() {
        for bytes in [24, 25, 1000, 600 << 10] {
            let header = Header::new(7, Stamp::new(2, 5), bytes);
            assert_eq!(Header::from_bytes(&header.to_bytes()), header);
            assert_eq!(header.written_bytes(), bytes as u64);
        }
    }

    #[test]
    fn short_values_know_their_key() {
        for key in [0, 1, 42, u64::MAX] {
            for bytes in 8..HEADER_BYTES {
                let value = short_value(key, bytes);
                let first = u64::from_le_bytes(*value.first_chunk().unwrap());
                assert_eq!(short_key(first, bytes), key);
            }
        }
    }

    #[test]
    fn consecutive_values_begin_at_different_places() {
        let mut seen = [false; OFFSETS];
        for sequence in 1000..1000 + OFFSETS as u64 {
            let offset = offset(Stamp::new(9, sequence));
            assert!(!std::mem::replace(&mut seen[offset], true));
        }
    }

    #[test]
    fn a_larger_pool_begins_like_a_smaller_one() {
        let (small, large) = (pool(100), pool(1001));
        assert_eq!(small[..], large[..small.len()]);
        assert_eq!(large.len(), OFFSETS + 1001);
    }
}
