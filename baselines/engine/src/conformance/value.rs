//! Values whose bytes are derived from key, version and length, and the suite's random numbers.
//!
//! A value is known byte for byte without storing it, and a value found in a store reveals which
//! put it comes from. Layout: key (8 bytes), version (8 bytes), then a stream seeded by key,
//! version and length, which serves as the checksum. Values shorter than [`DESCRIBED_BYTES`] are
//! all stream.

use std::ops::RangeInclusive;

/// The shortest value that contains its key and version.
pub(super) const DESCRIBED_BYTES: usize = 24;

/// The value of one put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Differs between any two puts of one key.
    pub(super) number: u64,
    pub(super) value_bytes: usize,
}

impl Version {
    /// Replaces the contents of `bytes` with this version's value of `key`.
    pub(super) fn write(self, key: u64, bytes: &mut Vec<u8>) {
        bytes.resize(self.value_bytes, 0);
        let seed = key ^ mix(self.number) ^ mix(self.value_bytes as u64).rotate_left(32);
        let mut stream = Random::new(seed);
        let mut words = bytes.chunks_exact_mut(8);
        for word in &mut words {
            word.copy_from_slice(&stream.next().to_le_bytes());
        }
        let tail = words.into_remainder();
        tail.copy_from_slice(&stream.next().to_le_bytes()[..tail.len()]);
        if self.value_bytes >= DESCRIBED_BYTES {
            bytes[..8].copy_from_slice(&key.to_le_bytes());
            bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        }
    }
}

/// The key and version number contained in a value.
pub(super) fn described(value: &[u8]) -> Option<(u64, u64)> {
    if value.len() < DESCRIBED_BYTES {
        return None;
    }
    let word = |at: usize| u64::from_le_bytes(value[at..at + 8].try_into().expect("eight bytes"));
    Some((word(0), word(8)))
}

/// Panics with the difference unless `found` equals `expected`.
pub(super) fn assert_value(key: u64, expected: &[u8], found: &[u8]) {
    if expected == found {
        return;
    }
    let at = expected.iter().zip(found).take_while(|(one, other)| one == other).count();
    panic!(
        "wrong value of key {key:#x}: {} bytes expected, {} found, first difference at {at}; \
         expected (key, version) {:x?}, found {:x?}",
        expected.len(),
        found.len(),
        described(expected),
        described(found),
    );
}

/// `SplitMix64`: small, and every seed is as good as another.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A random number below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// A length from the range; one in eight is the low end, where layouts have edge cases.
    pub(super) fn length(&mut self, range: &RangeInclusive<usize>) -> usize {
        let span = range.end() - range.start() + 1;
        let span = if self.below(8) == 0 { span.min(20) } else { span };
        range.start() + self.below(span as u64) as usize
    }

    /// True with a probability of `percent` per cent.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A bijection that spreads small numbers over all keys.
pub(super) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_differ_with_key_version_and_length_and_describe_themselves() {
        let value = |key, number, value_bytes| {
            let mut bytes = vec![0xaa; 77];
            Version { number, value_bytes }.write(key, &mut bytes);
            bytes
        };
        assert_eq!(value(1, 2, 100), value(1, 2, 100));
        assert_eq!(described(&value(1, 2, 24)), Some((1, 2)));
        assert_eq!(described(&value(1, 2, 23)), None);
        for other in [value(2, 2, 100), value(1, 3, 100), value(1, 2, 101)] {
            assert_ne!(value(1, 2, 100)[16..24], other[16..24]);
        }
        for value_bytes in [0, 1, 7, 8, 9, 23, 24, 25, 3000] {
            assert_eq!(value(5, 6, value_bytes).len(), value_bytes);
        }
    }

    #[test]
    #[should_panic(expected = "first difference at 3")]
    fn a_difference_is_named() {
        assert_value(1, &[0, 1, 2, 3, 4], &[0, 1, 2, 4, 4]);
    }

    #[test]
    fn lengths_stay_in_their_range_and_reach_both_ends() {
        let mut random = Random::new(1);
        let lengths: Vec<_> = (0..2000).map(|_| random.length(&(3..=30))).collect();
        assert_eq!(lengths.iter().min(), Some(&3));
        assert_eq!(lengths.iter().max(), Some(&30));
    }
}
