//! The hash of a key, and the numbers derived from it.

/// A mixed key.
///
/// ```text
///  63 ......... 48 47 ...... 32 31 ........................... 0
///  partition         tag           bucket (grows up)
///                  first entry (wide buckets), second bucket: mixed once more
/// ```
/// Partition bits are taken from the top, bucket bits from the bottom, as many as needed.
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

    /// All 64 bits.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn partition(self, bits: u32) -> u64 {
        // Two shifts, because one by 64 would be undefined for `bits` = 0.
        (self.0 >> 1) >> (63 - bits)
    }

    /// A hash that selects the key's other bucket, in the same partition.
    #[inline]
    pub(crate) fn second(self) -> Self {
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0x9FB2_1C65_1E98_DF25);
        Self(mixed >> 24)
    }

    /// Bits for a tag, independent of those that select partition and bucket.
    #[inline]
    pub(crate) fn tag_bits(self) -> u16 {
        (self.0 >> 32) as u16
    }

    /// Where probing starts among `entries` entries: a smaller number, computed without a division.
    #[inline]
    pub(crate) fn first_entry(self, entries: usize) -> usize {
        let bits = (self.0 >> 16) as u32;
        ((u64::from(bits) * entries as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "many numbers, no memory")]
    fn first_entries_and_partitions_are_even() {
        let mut entries = [0u32; 15];
        let mut partitions = [0u32; 16];
        for key in 0..150_000 {
            let hash = Hash::of(key);
            entries[hash.first_entry(15)] += 1;
            partitions[hash.partition(4) as usize] += 1;
            assert_eq!(hash.partition(0), 0);
        }
        assert!(entries.iter().all(|&count| (9_500..10_500).contains(&count)), "{entries:?}");
        assert!(partitions.iter().all(|&count| (9_000..9_800).contains(&count)), "{partitions:?}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "many numbers, no memory")]
    fn second_buckets_are_even_and_unlike_the_first() {
        let mut buckets = [0u32; 64];
        let mut equal = 0;
        for key in 0..64_000 {
            let hash = Hash::of(key);
            buckets[(hash.second().bits() % 64) as usize] += 1;
            equal += u32::from(hash.second().bits() % 64 == hash.bits() % 64);
        }
        assert!(buckets.iter().all(|&count| (880..1120).contains(&count)), "{buckets:?}");
        assert!((880..1120).contains(&equal), "{equal} of 64000 have one bucket only");
    }
}
