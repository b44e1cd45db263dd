//! One hash of a key, divided into the parts that select instance, bucket and tag.

/// The hash of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(u64);

impl Hash {
    /// Folds the 128-bit product of key and a constant.
    #[inline]
    pub(crate) fn of(key: u64) -> Self {
        let spread = u128::from(key ^ 0x9e37_79b9_7f4a_7c15);
        let product = spread * u128::from(0xd6e8_feb8_6659_fd93_u64);
        Self(product as u64 ^ (product >> 64) as u64)
    }

    /// The low bits: a bucket of a table whose size is a power of two.
    #[inline]
    pub(crate) fn bucket(self, mask: usize) -> usize {
        self.0 as usize & mask
    }

    /// The top 16 bits, which are stored beside a reference.
    #[inline]
    pub(crate) fn tag(self) -> u64 {
        self.0 >> 48
    }

    /// One of at most 2¹⁶ instances, selected by the 16 bits below the tag.
    #[inline]
    pub(crate) fn instance(self, instances: usize) -> usize {
        ((self.0 >> 32 & 0xffff) as usize * instances) >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_come_far_apart() {
        let mut buckets = vec![0; 256];
        let mut instances = vec![0; 7];
        for key in 0..25_600 {
            buckets[Hash::of(key).bucket(255)] += 1;
            instances[Hash::of(key).instance(7)] += 1;
        }
        assert!(buckets.iter().all(|&keys| (40..180).contains(&keys)), "{buckets:?}");
        assert!(instances.iter().all(|&keys| (3000..4400).contains(&keys)), "{instances:?}");
    }
}
