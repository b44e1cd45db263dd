//! The hash of a key, whose portions select bucket and tag.

/// Bits of a tag.
pub(crate) const TAG_BITS: u32 = 15;

/// ```text
///  63        49 48                            0
/// ┌────────────┬───────────────────────────────┐
/// │    tag     │            bucket             │
/// └────────────┴───────────────────────────────┘
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyHash(u64);

impl KeyHash {
    /// A bijection whose every output bit depends on every input bit.
    #[inline]
    pub(crate) fn of(key: u64) -> Self {
        let word = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(word ^ (word >> 31))
    }

    /// The tag. It is never 0, which marks an empty entry: 0 becomes 1.
    #[inline]
    pub(crate) fn tag(self) -> u64 {
        (self.0 >> (u64::BITS - TAG_BITS)).max(1)
    }

    /// The number of the bucket, one of `buckets`, which need not be a power of two.
    #[inline]
    pub(crate) fn bucket(self, buckets: usize) -> usize {
        let portion = self.0 << TAG_BITS;
        ((u128::from(portion) * buckets as u128) >> u64::BITS) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_do_not_overlap() {
        let tag = KeyHash(u64::MAX << (u64::BITS - TAG_BITS));
        assert_eq!((tag.tag(), tag.bucket(99)), ((1 << TAG_BITS) - 1, 0));
        let bucket = KeyHash(u64::MAX >> TAG_BITS);
        assert_eq!((bucket.tag(), bucket.bucket(99)), (1, 98));
    }

    #[test]
    fn neighbouring_keys_are_spread() {
        let mut buckets = [0_u64; 64];
        let mut tags = std::collections::HashSet::new();
        for key in 0..64_000 {
            let hash = KeyHash::of(key);
            buckets[hash.bucket(64)] += 1;
            tags.insert(hash.tag());
        }
        // 1000 are expected, with a deviation of about 32.
        assert!(buckets.iter().all(|count| (800..1200).contains(count)), "{buckets:?}");
        assert!(tags.len() > 27_000, "{} tags of 32767 * (1 - 1/e^2)", tags.len());
    }
}
