//! The hash of a key and the numbers cut from it.

use crate::constants::BUCKET_ENTRIES;

/// A mixed key.
///
/// ```text
///  63 ......... 48 47 ............. 16 15 .............. 0
///  partition       first entry          bucket (grows up)
/// ```
/// Partition bits are taken from the top as needed, bucket bits from the bottom as needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(u64);

impl Hash {
    /// The finaliser of SplitMix64: a bijection, so different keys never have equal hashes.
    #[inline]
    pub(crate) fn of(key: u64) -> Self {
        let mut mixed = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(mixed ^ (mixed >> 31))
    }

    #[inline]
    pub(crate) fn partition(self, bits: u32) -> u64 {
        // Two shifts: one by 64 would be undefined for `bits` = 0.
        (self.0 >> 1) >> (63 - bits)
    }

    #[inline]
    pub(crate) fn low(self, bits: u32) -> u64 {
        self.0 & ((1 << bits) - 1)
    }

    /// The entry where probing starts: a number below [`BUCKET_ENTRIES`] without a division.
    #[inline]
    pub(crate) fn first_entry(self) -> usize {
        let bits = (self.0 >> 16) as u32;
        ((u64::from(bits) * BUCKET_ENTRIES as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_entries_and_partitions_are_even() {
        let mut entries = [0u32; BUCKET_ENTRIES];
        let mut partitions = [0u32; 16];
        for key in 0..150_000 {
            let hash = Hash::of(key);
            entries[hash.first_entry()] += 1;
            partitions[hash.partition(4) as usize] += 1;
            assert_eq!(hash.partition(0), 0);
        }
        assert!(entries.iter().all(|&count| (9_500..10_500).contains(&count)), "{entries:?}");
        assert!(partitions.iter().all(|&count| (9_000..9_800).contains(&count)), "{partitions:?}");
    }
}
