//! Maps a record's index to its key: a fixed bijection of `u64`.
//!
//! Workloads count records `0..records`; stores see keys. Dense keys would flatter an index that
//! uses their low bits directly, so keys are spread over all of `u64`. No two indices share a key.
//! [`index_of`] is the inverse, used when a foreign key turns up in a value.

use crate::mix::{GOLDEN, mix, unmix};

/// The length of every key, in bytes.
pub(crate) const KEY_BYTES: usize = size_of::<u64>();

/// The key of record `index`: one SplitMix64 step.
///
/// No index below 2^61 has the key 0 or `u64::MAX`, which some stores reserve.
#[inline]
pub const fn key_of(index: u64) -> u64 {
    mix(index.wrapping_add(GOLDEN))
}

/// The record whose key is `key`; the inverse of [`key_of`].
#[inline]
pub const fn index_of(key: u64) -> u64 {
    unmix(key).wrapping_sub(GOLDEN)
}

const _: () = assert!(index_of(0) >= 1 << 61 && index_of(u64::MAX) >= 1 << 61);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_exact() {
        let indices = (0..10_000).chain((0..64).map(|bit| 1 << bit)).chain([u64::MAX]);
        for index in indices {
            assert_eq!(index_of(key_of(index)), index);
        }
    }

    #[test]
    fn neighbours_are_far_apart() {
        // 2^16 consecutive indices over 256 bins, by the top byte and by the bottom byte: 256
        // expected in each, with a standard deviation of 16.
        let mut top = [0u32; 256];
        let mut bottom = [0u32; 256];
        for index in 0..1 << 16 {
            let key = key_of(index);
            top[(key >> 56) as usize] += 1;
            bottom[(key & 0xFF) as usize] += 1;
        }
        for bin in top.into_iter().chain(bottom) {
            assert!((176..336).contains(&bin), "{bin}");
        }
    }

    #[test]
    fn keys_are_fixed_for_ever() {
        assert_eq!(key_of(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(key_of(1), 0x910A_2DEC_8902_5CC1);
    }
}
