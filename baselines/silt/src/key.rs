//! Keys: hashes of 160 bits, and what each part of them is for.
//!
//! ```text
//! bytes  0 … 7     order, buckets and tries of the SortedStore (most significant bit first)
//!        8 … 11    instance
//!       16 … 19    the two buckets of the cuckoo table
//! ```
//!
//! The parts do not overlap, so every instance has keys that are uniform in each.

/// Bytes of a key.
pub const KEY_BYTES: usize = 20;

/// A key: a uniform hash (SHA-1 in the original).
pub type Key = [u8; KEY_BYTES];

/// The hash of a word. Its first eight bytes are a permutation of words, so two words never have
/// the same hash.
#[must_use]
pub fn of_word(word: u64) -> Key {
    let first = mix(word ^ 0x5117_5117_5117_5117);
    let second = mix(first);
    let third = mix(second);
    let mut key = [0; KEY_BYTES];
    key[..8].copy_from_slice(&first.to_be_bytes());
    key[8..16].copy_from_slice(&second.to_be_bytes());
    key[16..].copy_from_slice(&third.to_be_bytes()[..4]);
    key
}

/// A permutation of words, SplitMix64's last steps.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

fn part(key: &Key, from: usize) -> u32 {
    u32::from_be_bytes([key[from], key[from + 1], key[from + 2], key[from + 3]])
}

/// Which of `instances` has the key.
pub(crate) fn instance_of(key: &Key, instances: usize) -> usize {
    ((u64::from(part(key, 8)) * instances as u64) >> 32) as usize
}

/// Where in the order of keys it lies: its first 32 bits.
pub(crate) fn order_of(key: &Key) -> u32 {
    part(key, 0)
}

/// A key's two buckets in a cuckoo table. In each, the other is its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buckets {
    pub(crate) one: u16,
    pub(crate) other: u16,
}

impl Buckets {
    /// `bits`, at most 15, choose a bucket.
    pub(crate) fn of(key: &Key, bits: u32) -> Self {
        let (low, mask) = (part(key, 16), (1 << bits) - 1);
        Self { one: (low & mask) as u16, other: (low >> 16 & mask) as u16 }
    }

    /// Buckets with the tag that the key has there; one if both are the same.
    pub(crate) fn with_tags(self) -> impl Iterator<Item = (u16, u16)> {
        let Self { one, other } = self;
        [(one, other), (other, one)].into_iter().take(if one == other { 1 } else { 2 })
    }
}
