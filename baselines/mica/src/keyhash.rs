//! The 64-bit keyhash, and its three portions, which select partition, tag and bucket.

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::Hasher;
use std::str::FromStr;

/// Bits of the largest partition number.
const PARTITION_BITS: u32 = 12;
pub const TAG_BITS: u32 = 16;
const BUCKET_BITS: u32 = 64 - PARTITION_BITS - TAG_BITS;

/// The most partitions that a keyhash can distinguish.
pub const PARTITIONS_MAX: usize = 1 << PARTITION_BITS;
/// The most buckets of a partition over which a keyhash can spread keys.
pub const BUCKETS_MAX: usize = 1 << 32;

// The portions are disjoint and fill the word. The load of buckets is even to one part in sixteen
// or better.
const _: () = assert!(PARTITION_BITS + TAG_BITS + BUCKET_BITS == u64::BITS);
const _: () = assert!(BUCKET_BITS >= BUCKETS_MAX.trailing_zeros() + 4);

/// Which hash function to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyHasher {
    /// A bijective finaliser of two multiplications. It plays the role of the original's
    /// `CityHash`, for 8-byte keys.
    #[default]
    Mix,
    /// The standard library's `SipHash`.
    SipHash,
}

impl KeyHasher {
    /// The keyhash of a key.
    #[inline]
    #[must_use]
    pub fn hash(self, key: u64) -> KeyHash {
        match self {
            Self::Mix => KeyHash(mix(key)),
            Self::SipHash => KeyHash(sip(key)),
        }
    }
}

impl fmt::Display for KeyHasher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Mix => "mix",
            Self::SipHash => "siphash",
        })
    }
}

impl FromStr for KeyHasher {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "mix" => Ok(Self::Mix),
            "siphash" => Ok(Self::SipHash),
            _ => Err(format!("no hash is named `{name}`: there are mix and siphash")),
        }
    }
}

/// ```text
///  63        52 51          36 35                                   0
/// ┌────────────┬──────────────┬──────────────────────────────────────┐
/// │ partition  │     tag      │               bucket                 │
/// └────────────┴──────────────┴──────────────────────────────────────┘
/// ```
///
/// With fewer than 4096 partitions, only the upper bits of the first portion are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash(u64);

impl KeyHash {
    /// The whole keyhash.
    #[inline]
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The number of the partition, one of `1 << partition_bits`: the high-order bits.
    #[inline]
    #[must_use]
    pub fn partition(self, partition_bits: u32) -> usize {
        debug_assert!(partition_bits <= PARTITION_BITS);
        // Shifts up by `partition_bits` instead of down by the difference. Compilers compute that
        // difference in one byte of a register; the other bytes may belong to an earlier operation
        // that has not finished.
        let portion = self.0 >> (TAG_BITS + BUCKET_BITS);
        ((portion << partition_bits) >> PARTITION_BITS) as usize
    }

    /// The tag. It is never 0, which marks an empty entry: 0 becomes 1.
    #[inline]
    #[must_use]
    pub fn tag(self) -> u16 {
        ((self.0 >> BUCKET_BITS) as u16).max(1)
    }

    /// The number of the bucket, one of `buckets`, which need not be a power of two.
    #[inline]
    #[must_use]
    pub fn bucket(self, buckets: usize) -> usize {
        debug_assert!((1..=BUCKETS_MAX).contains(&buckets));
        // The portion at the top of a word, not masked, for the same reason.
        let portion = self.0 << (PARTITION_BITS + TAG_BITS);
        ((u128::from(portion) * buckets as u128) >> u64::BITS) as usize
    }
}

/// A function of its own, so that operations with the other hash stay short.
#[inline(never)]
fn sip(key: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(key);
    hasher.finish()
}

/// A bijection whose every output bit depends on every input bit.
#[inline]
fn mix(key: u64) -> u64 {
    let word = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_do_not_overlap() {
        let ones = |from: u32, to: u32| KeyHash((u64::MAX >> (63 - to)) & (u64::MAX << from));
        let partition = ones(52, 63);
        assert_eq!((partition.partition(12), partition.tag(), partition.bucket(99)), (4095, 1, 0));
        let tag = ones(36, 51);
        assert_eq!((tag.partition(12), tag.tag(), tag.bucket(99)), (0, u16::MAX, 0));
        let bucket = ones(0, 35);
        assert_eq!((bucket.partition(12), bucket.tag(), bucket.bucket(99)), (0, 1, 98));
        assert_eq!(bucket.bucket(BUCKETS_MAX), BUCKETS_MAX - 1);
        assert_eq!(KeyHash(u64::MAX).partition(0), 0);
        assert_eq!(KeyHash(u64::MAX).partition(3), 7);
    }

    #[test]
    fn neighbouring_keys_are_spread_by_every_hash() {
        const KEYS: u64 = 64_000;
        for hasher in [KeyHasher::Mix, KeyHasher::SipHash] {
            assert_eq!(hasher.to_string().parse(), Ok(hasher));
            let (mut partitions, mut buckets) = ([0_u64; 64], [0_u64; 100]);
            let mut tags = std::collections::HashSet::new();
            for key in 0..KEYS {
                let hash = hasher.hash(key);
                partitions[hash.partition(6)] += 1;
                buckets[hash.bucket(100)] += 1;
                tags.insert(hash.tag());
                assert_ne!(hash.tag(), 0);
            }
            // 1000 and 640 are expected, with deviations of about 32 and 25.
            assert!(partitions.iter().all(|count| (800..1200).contains(count)), "{partitions:?}");
            assert!(buckets.iter().all(|count| (500..780).contains(count)), "{buckets:?}");
            assert!(tags.len() > 38_000, "{} tags of 65535 * (1 - 1/e)", tags.len());
        }
    }
}
