//! One multiplication instead of `SipHash`, for every map that hashes. Keys are `u64` and nobody
//! attacks a benchmark, so the default of `std` would be a handicap.

use std::hash::{BuildHasher, Hasher};

const SALT: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// Folds the 128-bit product of key and factor: every bit of the result depends on many bits of the
/// key. Maps use different bits: `std`, `dashmap` and `papaya` take buckets from the low bits and
/// tags from the seven highest; `flurry` takes bins from the low bits; `dashmap` takes its shards
/// from the bits below those, `striped` its stripes from the middle; `scc` takes buckets from the
/// high bits and tags from the low.
#[inline]
pub(crate) fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ SALT) * u128::from(FACTOR);
    (product as u64) ^ (product >> 64) as u64
}

/// Builds [`Mixer`]s.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mix;

impl BuildHasher for Mix {
    type Hasher = Mixer;

    #[inline]
    fn build_hasher(&self) -> Mixer {
        Mixer(0)
    }
}

/// A hasher of one `u64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    #[inline]
    fn write_u64(&mut self, key: u64) {
        self.0 = mix(key);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_key_patterns_spread_over_low_middle_and_high_bits() {
        for stride in [1_u64, 8, 64, 4096, 1 << 20, 1 << 32, 1 << 48, 0x1_0001] {
            for shift in [0, 16, 32, 56] {
                let mut counts = [0_u32; 256];
                (0..65_536_u64).for_each(|key| {
                    counts[(mix(key.wrapping_mul(stride)) >> shift) as u8 as usize] += 1
                });
                let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
                assert!(*least > 128 && *most < 512, "{stride:#x} >> {shift}: {least}..{most}");
            }
        }
    }
}
