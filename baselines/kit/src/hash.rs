//! One multiplication for a word instead of `SipHash`: nobody attacks a benchmark, so the default of `std`
//! would be a handicap.

use std::hash::{BuildHasher, Hasher};

const SALT: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// Folds the 128-bit product of key and factor: every bit of the result depends on many bits of the
/// key. Stores use different bits: `std`, `dashmap` and `papaya` take buckets from the low bits and
/// tags from the seven highest; `flurry` takes bins from the low bits; `dashmap` takes its shards
/// from the bits below those; `hashmap`, `heapstore` and `striped` take theirs from the middle; `scc`
/// takes buckets from the high bits and tags from the low.
#[inline]
#[must_use]
pub fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ SALT) * u128::from(FACTOR);
    (product as u64) ^ (product >> 64) as u64
}

/// The hash of a byte string, as a [`Mixer`] computes it: a multiplication for every eight bytes.
#[inline]
#[must_use]
pub fn mix_bytes(key: &[u8]) -> u64 {
    extend(start(key.len()), key)
}

/// The state before any byte: the length, so that zeros at the end count. It is never the salt, of which
/// [`mix`] would make nothing.
#[inline]
fn start(bytes: usize) -> u64 {
    (bytes as u64).wrapping_mul(FACTOR)
}

#[inline]
fn extend(state: u64, bytes: &[u8]) -> u64 {
    let (words, tail) = bytes.as_chunks();
    let state = words.iter().fold(state, |state, word| mix(state ^ u64::from_le_bytes(*word)));
    if tail.is_empty() {
        return state;
    }
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    mix(state ^ u64::from_le_bytes(last))
}

/// Builds [`Mixer`]s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mix;

impl BuildHasher for Mix {
    type Hasher = Mixer;

    #[inline]
    fn build_hasher(&self) -> Mixer {
        Mixer(0)
    }
}

/// A hasher of one word or one byte string.
#[derive(Clone, Copy, Debug)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    #[inline]
    fn write_u64(&mut self, key: u64) {
        self.0 = mix(key);
    }

    /// The length of a byte string, which comes first.
    #[inline]
    fn write_usize(&mut self, bytes: usize) {
        self.0 = start(bytes);
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0 = extend(self.0, bytes);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
