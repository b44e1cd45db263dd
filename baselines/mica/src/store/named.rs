//! What an item is found by: a word, or a byte string, which then is in the item before its value.
//!
//! | word of an item | found by a word | found by a byte string |
//! |---|---|---|
//! | 0 | tag | tag |
//! | 1 | key | hash of the key |
//! | 2 … | value | length of the key in 16 bits, the key, zeros up to a whole word |
//! | … | | value |
//!
//! The value's bytes in the tag are those of all that begins at word 2. Operations are compiled once for
//! either, so a store of words does nothing for byte strings.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{KvSession, Words};
use kit::hash::mix_bytes;
use kit::key::BYTES_MAX;
use platform::racy::WORD_BYTES;

use super::chunk::{Arena, HEADER_WORDS};
use super::session::MicaSession;
use crate::mode::Mode;

/// Bytes of a key's length.
const LENGTH_BYTES: usize = size_of::<u16>();

// The longest key's length has room.
const _: () = assert!(BYTES_MAX <= u16::MAX as usize);

/// What keys of a store are: `u64`, or `[u8]`.
pub trait KeyKind: 'static {
    /// The contract's session.
    type Session<'store, M: Mode>: KvSession;

    /// Whether items begin with their keys.
    const IN_ITEMS: bool;

    /// Makes of a session what the contract asks for.
    fn session<M: Mode>(session: MicaSession<'_, M, Self>) -> Self::Session<'_, M>;
}

impl KeyKind for u64 {
    type Session<'store, M: Mode> = MicaSession<'store, M>;

    const IN_ITEMS: bool = false;

    fn session<M: Mode>(session: MicaSession<'_, M>) -> MicaSession<'_, M> {
        session
    }
}

impl KeyKind for [u8] {
    type Session<'store, M: Mode> = Words<MicaSession<'store, M, [u8]>>;

    const IN_ITEMS: bool = true;

    fn session<M: Mode>(session: MicaSession<'_, M, [u8]>) -> Words<MicaSession<'_, M, [u8]>> {
        Words(session)
    }
}

/// A key as operations take it.
pub(super) trait Named: Copy + Default + fmt::Debug {
    /// What items hold, and the keyhash is computed from: equal for equal keys.
    fn word(self) -> u64;

    /// How many words come before the value.
    fn prefix_words(self) -> usize;

    /// The word of that number before the value.
    fn prefix_word(self, number: usize) -> u64;

    /// Whether the item at `at`, which holds `word`, is the key's. While racing with a writer, the answer
    /// may be anything.
    fn is_of(self, arena: Arena<'_>, at: usize, word: u64) -> bool;

    /// Bytes of an item of this key and a value, without tag and word.
    #[inline(always)]
    fn room_bytes(self, value: &[u8]) -> usize {
        self.prefix_words() * WORD_BYTES + value.len()
    }
}

impl Named for u64 {
    #[inline(always)]
    fn word(self) -> u64 {
        self
    }

    #[inline(always)]
    fn prefix_words(self) -> usize {
        0
    }

    #[inline(always)]
    fn prefix_word(self, _: usize) -> u64 {
        0
    }

    #[inline(always)]
    fn is_of(self, _: Arena<'_>, _: usize, word: u64) -> bool {
        word == self
    }
}

/// A byte string with its hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByteName<'key> {
    hash: u64,
    key: &'key [u8],
}

impl<'key> ByteName<'key> {
    /// Names the item of a key of at most [`BYTES_MAX`] bytes.
    #[inline]
    pub(super) fn of(key: &'key [u8]) -> Self {
        debug_assert!(key.len() <= BYTES_MAX);
        Self { hash: mix_bytes(key), key }
    }
}

impl Named for ByteName<'_> {
    #[inline]
    fn word(self) -> u64 {
        self.hash
    }

    #[inline]
    fn prefix_words(self) -> usize {
        prefix_words_of(self.key.len())
    }

    #[inline]
    fn prefix_word(self, number: usize) -> u64 {
        let mut bytes = [0; WORD_BYTES];
        let (own, from) = match number {
            0 => {
                let (length, rest) = bytes.split_at_mut(LENGTH_BYTES);
                length.copy_from_slice(&(self.key.len() as u16).to_le_bytes());
                (rest, 0)
            }
            _ => (&mut bytes[..], number * WORD_BYTES - LENGTH_BYTES),
        };
        let part = &self.key[from..self.key.len().min(from + own.len())];
        own[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(bytes)
    }

    #[inline]
    fn is_of(self, arena: Arena<'_>, at: usize, word: u64) -> bool {
        let from = at + HEADER_WORDS;
        // Relaxed: see `Arena`.
        let is_word = |number| {
            arena.0.get(from + number).map(|stored: &AtomicU64| stored.load(Ordering::Relaxed))
                == Some(self.prefix_word(number))
        };
        word == self.hash && (0..self.prefix_words()).all(is_word)
    }
}

/// Words before the value in an item of a key of that many bytes.
fn prefix_words_of(key_bytes: usize) -> usize {
    (LENGTH_BYTES + key_bytes).div_ceil(WORD_BYTES)
}

/// Bytes before the value of the item at `at`, in a store of byte strings.
pub(super) fn prefix_bytes_at(arena: Arena<'_>, at: usize) -> usize {
    let length = arena.word(at + HEADER_WORDS) as u16;
    prefix_words_of(usize::from(length)) * WORD_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_one_hash_are_told_apart_by_every_byte_and_their_length() {
        let keys: [&[u8]; 9] = [
            b"",
            b"\0",
            b"a",
            b"a\0",
            b"abcdef",
            b"abcdef\0",
            b"abcdefg",
            b"abcdefgh",
            b"abcdefgX",
        ];
        for stored in keys {
            let stored = ByteName { hash: 7, key: stored };
            let mut words = vec![0, 7];
            words.extend((0..stored.prefix_words()).map(|number| stored.prefix_word(number)));
            words.push(u64::from_le_bytes(*b"thevalue"));
            let words: Vec<_> = words.into_iter().map(AtomicU64::new).collect();
            for asked in keys {
                let is_of = ByteName { hash: 7, key: asked }.is_of(Arena(&words), 0, 7);
                assert_eq!(is_of, asked == stored.key, "{asked:?} of {:?}", stored.key);
                assert!(!ByteName { hash: 8, key: asked }.is_of(Arena(&words), 0, 7));
            }
            assert_eq!(prefix_bytes_at(Arena(&words), 0), stored.prefix_words() * WORD_BYTES);
        }
    }
}
