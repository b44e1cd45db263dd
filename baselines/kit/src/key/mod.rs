//! Keys of stores that are compiled once for words and once for byte strings.
//!
//! Such a store is generic over its [`Key`], and its session does [`Operations`] on keys of that kind.
//! [`Key::Session`] makes of it what the contract asks for: with words the session itself, with byte
//! strings one that refuses keys that are too long.

mod session;

use std::borrow::Borrow;
use std::fmt::Debug;
use std::hash::Hash;

use engine::{KvSession, Words, word_of};

use crate::hash::{mix, mix_bytes};

pub use session::{ByteSession, Operations, WordSession, get_then_put};

/// A byte string that a store owns.
pub type Bytes = Box<[u8]>;

/// The longest byte string that the stores here take as a key, where nothing else limits them.
pub const BYTES_MAX: usize = u16::MAX as usize;

/// A key as a store holds it: a word, or a byte string of its own.
pub trait Key: Borrow<Self::Compared> + Hash + Ord + Clone + Debug + Send + Sync + 'static {
    /// A key as an operation is given it.
    type Asked<'k>: Copy + Debug;
    /// What maps compare and hash.
    type Compared: Hash + Ord + ?Sized;
    /// The length of a key.
    type Length: Length;
    /// A key as bytes, with the order of keys.
    type Spelled<'k>: AsRef<[u8]>;
    /// The contract's session over a session of this kind.
    type Session<S: Operations<Self>>: KvSession;

    /// Bytes of it within the memory of a map.
    const IN_PLACE_BYTES: u64;

    fn compared<'a>(asked: &'a Self::Asked<'_>) -> &'a Self::Compared;

    /// A copy for the store.
    fn owned(asked: Self::Asked<'_>) -> Self;

    fn asked(&self) -> Self::Asked<'_>;

    fn length(asked: Self::Asked<'_>) -> Self::Length;

    fn spelled<'a>(asked: &'a Self::Asked<'_>) -> Self::Spelled<'a>;

    /// The key that these bytes spell.
    ///
    /// # Panics
    /// If they spell none: those of no word.
    fn read(spelled: &[u8]) -> Self::Asked<'_>;

    /// Every bit of it depends on the whole key.
    fn hashed(asked: Self::Asked<'_>) -> u64;

    fn session<S: Operations<Self>>(session: S) -> Self::Session<S>;

    /// The bytes of all these keys.
    fn sum_bytes<'k>(keys: impl ExactSizeIterator<Item = &'k Self>) -> u64;
}

/// A number of bytes, which takes no memory where all keys have the same.
pub trait Length: Copy + Debug {
    fn bytes(self) -> u64;
}

/// The length of a word.
#[derive(Clone, Copy, Debug)]
pub struct EightBytes;

impl Length for EightBytes {
    #[inline]
    fn bytes(self) -> u64 {
        8
    }
}

impl Length for usize {
    #[inline]
    fn bytes(self) -> u64 {
        self as u64
    }
}

impl Key for u64 {
    type Asked<'k> = Self;
    type Compared = Self;
    type Length = EightBytes;
    type Spelled<'k> = [u8; 8];
    type Session<S: Operations<Self>> = WordSession<S>;

    const IN_PLACE_BYTES: u64 = 8;

    #[inline]
    fn compared(asked: &Self) -> &Self {
        asked
    }

    #[inline]
    fn owned(asked: Self) -> Self {
        asked
    }

    #[inline]
    fn asked(&self) -> Self {
        *self
    }

    #[inline]
    fn length(_: Self) -> EightBytes {
        EightBytes
    }

    #[inline]
    fn spelled(asked: &Self) -> [u8; 8] {
        asked.to_be_bytes()
    }

    #[inline]
    fn read(spelled: &[u8]) -> Self {
        word_of(spelled)
    }

    #[inline]
    fn hashed(asked: Self) -> u64 {
        mix(asked)
    }

    fn session<S: Operations<Self>>(session: S) -> WordSession<S> {
        WordSession(session)
    }

    fn sum_bytes<'k>(keys: impl ExactSizeIterator<Item = &'k Self>) -> u64 {
        8 * keys.len() as u64
    }
}

impl Key for Bytes {
    type Asked<'k> = &'k [u8];
    type Compared = [u8];
    type Length = usize;
    type Spelled<'k> = &'k [u8];
    type Session<S: Operations<Self>> = Words<ByteSession<S>>;

    const IN_PLACE_BYTES: u64 = 0;

    #[inline]
    fn compared<'a>(asked: &'a &[u8]) -> &'a [u8] {
        asked
    }

    #[inline]
    fn owned(asked: &[u8]) -> Self {
        asked.into()
    }

    #[inline]
    fn asked(&self) -> &[u8] {
        self
    }

    #[inline]
    fn length(asked: &[u8]) -> usize {
        asked.len()
    }

    #[inline]
    fn spelled<'a>(asked: &'a &[u8]) -> &'a [u8] {
        asked
    }

    #[inline]
    fn read(spelled: &[u8]) -> &[u8] {
        spelled
    }

    #[inline]
    fn hashed(asked: &[u8]) -> u64 {
        mix_bytes(asked)
    }

    fn session<S: Operations<Self>>(session: S) -> Words<ByteSession<S>> {
        Words(ByteSession(session))
    }

    fn sum_bytes<'k>(keys: impl ExactSizeIterator<Item = &'k Self>) -> u64 {
        keys.map(|key| key.len() as u64).sum()
    }
}
