//! Keys as LMDB has them: native integers, or byte strings behind a byte of ours.
//!
//! LMDB refuses keys without any byte, and those of more than 511. So a byte string has one zero before it,
//! which leaves the order as it is.

use std::ffi::c_uint;

use kit::key::{Bytes, Key};

use super::api::constants;

/// The longest key of LMDB as it is built by default.
const STORED_BYTES_MAX: usize = 511;
/// The longest byte string.
pub const LMDB_KEY_BYTES_MAX: usize = STORED_BYTES_MAX - 1;

/// A key of a store of LMDB.
pub trait Stored: Key {
    /// Flags of the tree.
    const FLAGS: c_uint;
    /// The same for people.
    const SETTING: &'static str;

    /// The key as LMDB takes it.
    type Form: AsRef<[u8]>;

    fn form(asked: Self::Asked<'_>) -> Self::Form;

    fn asked_of(form: &[u8]) -> Self::Asked<'_>;

    /// The key before all others.
    fn least() -> Self::Asked<'static>;
}

/// A native integer, as LMDB reads it: from where integers may be.
#[repr(align(8))]
#[derive(Debug)]
pub struct Integer([u8; 8]);

impl AsRef<[u8]> for Integer {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A byte string behind a zero.
#[derive(Debug)]
pub struct Prefixed {
    bytes: [u8; STORED_BYTES_MAX],
    used: usize,
}

impl AsRef<[u8]> for Prefixed {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.used]
    }
}

impl Stored for u64 {
    const FLAGS: c_uint = constants::INTEGERKEY;
    const SETTING: &'static str = "MDB_INTEGERKEY";

    type Form = Integer;

    #[inline]
    fn form(asked: Self) -> Integer {
        Integer(asked.to_ne_bytes())
    }

    #[inline]
    fn asked_of(form: &[u8]) -> Self {
        Self::from_ne_bytes(form.try_into().expect("every word has eight bytes"))
    }

    fn least() -> Self {
        0
    }
}

impl Stored for Bytes {
    const FLAGS: c_uint = 0;
    const SETTING: &'static str = "byte strings behind a zero";

    type Form = Prefixed;

    #[inline]
    fn form(asked: &[u8]) -> Prefixed {
        let mut bytes = [0; STORED_BYTES_MAX];
        bytes[1..=asked.len()].copy_from_slice(asked);
        Prefixed { bytes, used: 1 + asked.len() }
    }

    #[inline]
    fn asked_of(form: &[u8]) -> &[u8] {
        form.get(1..).expect("every byte string is behind a zero")
    }

    fn least() -> &'static [u8] {
        &[]
    }
}
