//! Values that prove themselves: a torn, foreign or damaged one shows.

use super::mix;

/// Fills `value` with the bytes of a version of a key: both of them, then a stream of both.
pub fn fill(key: u64, version: u64, value: &mut [u8]) {
    let seed = mix(key) ^ version;
    for (number, chunk) in (0..).zip(value.chunks_mut(8)) {
        let word = match number {
            0 => key,
            1 => version,
            _ => mix(seed.wrapping_add(number)),
        };
        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
    }
}

/// A value of [`fill`].
#[must_use]
pub fn made(key: u64, version: u64, bytes: usize) -> Vec<u8> {
    let mut value = vec![0; bytes];
    fill(key, version, &mut value);
    value
}

/// The version of a value of `key`, of at least 16 bytes.
///
/// # Panics
/// If it is another key's, or made of two.
pub fn version_of(key: u64, value: &[u8]) -> u64 {
    let word = |at: usize| u64::from_le_bytes(value[at..at + 8].try_into().expect("eight bytes"));
    assert_eq!(word(0), key, "another key's value");
    let version = word(8);
    assert!(value == made(key, version, value.len()), "a torn value of key {key}, {version}");
    version
}
