//! One multiplication instead of `SipHash`: keys are `u64`, and nobody attacks a benchmark.

use std::hash::{BuildHasher, Hasher};

const SALT: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// Folds the 128-bit product of key and factor. Every bit of the result depends on many bits of the
/// key, so shards (middle bits), buckets (low bits) and tags (high bits) are all well distributed.
pub fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ SALT) * u128::from(FACTOR);
    (product as u64) ^ (product >> 64) as u64
}

/// Builds [`Mixer`]s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mix;

impl BuildHasher for Mix {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer(0)
    }
}

/// A hasher of one `u64`.
#[derive(Clone, Copy, Debug)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn write_u64(&mut self, key: u64) {
        self.0 = mix(key);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
