//! Values of any length, and the names by which histories know them.

use crate::common::{Random, fill, made};
use crate::fault;

/// Makes a value for `key`; answers its name. `unique` becomes the name where there is room for it,
/// and must be below 2⁶³.
pub(crate) fn write(value: &mut [u8], key: u64, unique: u64) -> u64 {
    if value.len() >= size_of::<u64>() {
        fill(value, key, unique);
        return unique;
    }
    let bytes = Random(key ^ unique).next().to_le_bytes();
    value.copy_from_slice(&bytes[..value.len()]);
    short(value)
}

/// The name of a value that was found under `key`. That nobody has made it is a fault.
pub(crate) fn name(key: u64, value: &[u8]) -> u64 {
    let Some(version) = value.first_chunk() else { return short(value) };
    let unique = u64::from_le_bytes(*version);
    fault::unless(value == made(key, unique, value.len()), || {
        format!("key {key}: {} bytes that nobody has stored there", value.len())
    });
    unique
}

/// A value without room for a name is its name.
fn short(value: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..value.len()].copy_from_slice(value);
    bytes[7] = 0x80 | value.len() as u8;
    u64::from_le_bytes(bytes)
}
