//! Sums over words: checksums of records and of the header, and hashes of keys.

/// A digest of words, of which every bit depends on all of them.
pub(crate) fn digest(words: &[u64]) -> u64 {
    words.iter().fold(1, |sum, &word| fold(sum, word))
}

/// Adds a word to a sum.
#[inline]
pub(crate) fn fold(sum: u64, word: u64) -> u64 {
    let mixed = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// The hash of a key: buckets follow its high bits, and what else is striped by key its low ones.
#[inline]
pub(crate) fn hash(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product as u64) ^ (product >> 64) as u64
}

/// Which of `buckets` buckets a hash belongs to.
#[inline]
pub(crate) fn bucket_of(hash: u64, buckets: u64) -> u64 {
    ((u128::from(hash) * u128::from(buckets)) >> 64) as u64
}
