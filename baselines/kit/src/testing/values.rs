//! Values that prove themselves: a torn, foreign or damaged one shows.

use super::mix;

/// The words of a version of a key: both of them, then a stream of both.
fn words(key: u64, version: u64) -> impl Iterator<Item = u64> {
    let seed = mix(key) ^ version;
    [key, version].into_iter().chain((2..).map(move |number| mix(seed.wrapping_add(number))))
}

/// Fills `value` with the bytes of a version of a key.
pub fn fill(key: u64, version: u64, value: &mut [u8]) {
    for (word, chunk) in words(key, version).zip(value.chunks_mut(8)) {
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
/// # Errors
/// What it is instead: too short, another key's, or made of two.
pub fn read_version(key: u64, value: &[u8]) -> Result<u64, String> {
    let word = |at: usize| Some(u64::from_le_bytes(value.get(at..at + 8)?.try_into().ok()?));
    let (Some(of_key), Some(version)) = (word(0), word(8)) else {
        return Err(format!("a value of {} bytes, which nobody wrote, at key {key}", value.len()));
    };
    if of_key != key {
        return Err(format!("another key's value: {of_key}'s at key {key}"));
    }
    let is_whole = words(key, version)
        .zip(value.chunks(8))
        .all(|(word, chunk)| word.to_le_bytes()[..chunk.len()] == *chunk);
    if is_whole { Ok(version) } else { Err(format!("a torn value of key {key}, {version}")) }
}

/// The version of a value of `key`, of at least 16 bytes.
///
/// # Panics
/// If it is another key's, or made of two.
pub fn version_of(key: u64, value: &[u8]) -> u64 {
    read_version(key, value).unwrap_or_else(|wrong| panic!("{wrong}"))
}
