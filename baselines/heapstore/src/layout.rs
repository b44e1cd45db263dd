//! How an object holds its key: a word in its header, or bytes between header and value.
//!
//! | bytes, with a word | what | bytes, with a byte string |
//! |---|---|---|
//! | 0..4 | length of the value | 0..4 |
//! | | length of the key | 4..6 |
//! | 4..12 | key | 6..6 + length |
//! | 12.. | value | behind the key |

use kit::hash::mix;
use kit::key::{BYTES_MAX, Bytes, Key};

/// Bytes of the value's length, with which every header begins.
pub(crate) const LENGTH_BYTES: usize = size_of::<u32>();

/// A key as objects and slots hold it.
pub trait Layout: Key {
    /// What an object begins with.
    type Header: AsRef<[u8]> + Copy;

    /// Whether the word of a slot is the key, so that slots alone tell keys apart.
    const SLOT_IS_KEY: bool;

    fn header(key: Self::Asked<'_>, value_bytes: u32) -> Self::Header;

    /// The bytes of the key that follow the header.
    fn behind<'k>(key: &'k Self::Asked<'_>) -> &'k [u8];

    /// How many bytes of the key follow a header.
    fn bytes_behind(header: &Self::Header) -> usize;

    /// The key of an object, given its header and the bytes behind that.
    fn key_of<'o>(header: &Self::Header, behind: &'o [u8]) -> Self::Asked<'o>;

    /// The word that a slot has of a key.
    fn slot_of(key: Self::Asked<'_>) -> u64;

    /// What decides where the key of a slot belongs.
    fn home_of(slot: u64) -> u64;
}

const WORD_HEADER_BYTES: usize = LENGTH_BYTES + size_of::<u64>();
const BYTES_HEADER_BYTES: usize = LENGTH_BYTES + size_of::<u16>();

impl Layout for u64 {
    type Header = [u8; WORD_HEADER_BYTES];

    const SLOT_IS_KEY: bool = true;

    fn header(key: Self, value_bytes: u32) -> Self::Header {
        let mut header = [0; WORD_HEADER_BYTES];
        header[..LENGTH_BYTES].copy_from_slice(&value_bytes.to_le_bytes());
        header[LENGTH_BYTES..].copy_from_slice(&key.to_le_bytes());
        header
    }

    fn behind(_: &Self) -> &[u8] {
        &[]
    }

    fn bytes_behind(_: &Self::Header) -> usize {
        0
    }

    fn key_of(header: &Self::Header, _: &[u8]) -> Self {
        Self::from_le_bytes(header[LENGTH_BYTES..].try_into().expect("eight bytes"))
    }

    fn slot_of(key: Self) -> u64 {
        key
    }

    fn home_of(slot: u64) -> u64 {
        mix(slot)
    }
}

impl Layout for Bytes {
    type Header = [u8; BYTES_HEADER_BYTES];

    const SLOT_IS_KEY: bool = false;

    fn header(key: &[u8], value_bytes: u32) -> Self::Header {
        let key_bytes = u16::try_from(key.len()).expect("sessions refuse longer keys");
        let mut header = [0; BYTES_HEADER_BYTES];
        header[..LENGTH_BYTES].copy_from_slice(&value_bytes.to_le_bytes());
        header[LENGTH_BYTES..].copy_from_slice(&key_bytes.to_le_bytes());
        header
    }

    fn behind<'k>(key: &'k &[u8]) -> &'k [u8] {
        key
    }

    fn bytes_behind(header: &Self::Header) -> usize {
        usize::from(u16::from_le_bytes([header[LENGTH_BYTES], header[LENGTH_BYTES + 1]]))
    }

    fn key_of<'o>(_: &Self::Header, behind: &'o [u8]) -> &'o [u8] {
        behind
    }

    fn slot_of(key: &[u8]) -> u64 {
        Self::hashed(key)
    }

    fn home_of(slot: u64) -> u64 {
        slot
    }
}

const _: () = assert!(BYTES_MAX <= u16::MAX as usize, "the header holds the length of any key");
