//! Commands and replies of the meta protocol as bytes.
//!
//! | operation | command | replies |
//! |---|---|---|
//! | get | `mg KEY b v` | `VA BYTES`, then the value; `EN` |
//! | whether a key is present | `mg KEY b` | `HD`; `EN` |
//! | put | `ms KEY BYTES b`, then the value | `HD`; an error |
//! | put with a lifetime | `ms KEY BYTES b TSECONDS`, then the value | `HD`; an error |
//! | delete | `md KEY b` | `HD`; `NF` |
//!
//! `b` says that a key is in base64; the server stores its bytes. Those of a word are eight. A byte string is
//! sent with a zero before it, because the server takes no empty key. A key has 250 letters at most.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kit::key::{Bytes, Key};

/// The end of every line, and of every value.
pub(crate) const LINE_END: &[u8] = b"\r\n";
/// Letters of a word.
const WORD_LETTERS: usize = 12;
/// The most letters of a key that the server takes, as far as base64 writes them.
const LETTERS_MAX: usize = 248;
/// The longest byte string: what so many letters hold, without the zero before it.
pub(crate) const KEY_BYTES_MAX: usize = LETTERS_MAX / 4 * 3 - 1;
/// More than any command has beside its value and the letters of its key.
const COMMAND_BYTES_BASE: usize = 52;
/// The longest lifetime in seconds that the server takes for one: longer ones are points in time to it.
pub(crate) const LIFETIME_S_MAX: u64 = 30 * 24 * 60 * 60;

/// What the server says to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It is done, or the key is present.
    Done,
    /// A value of this many bytes follows.
    Value(usize),
    /// The key is absent.
    Absent,
    /// There is no memory for the value. An old one of the key is gone.
    Full,
    /// What none of our commands expects.
    Other(String),
}

impl Reply {
    /// Reads the first line of a reply, without its end.
    pub(crate) fn parse(line: &[u8]) -> Self {
        match line {
            [b'H', b'D', ..] => Self::Done,
            [b'E', b'N'] | [b'N', b'F', ..] => Self::Absent,
            [b'V', b'A', b' ', rest @ ..] => {
                number(rest).map_or_else(|| Self::other(line), Self::Value)
            }
            _ if line.starts_with(b"SERVER_ERROR out of memory") => Self::Full,
            _ => Self::other(line),
        }
    }

    #[cold]
    fn other(line: &[u8]) -> Self {
        Self::Other(String::from_utf8_lossy(line).into_owned())
    }
}

/// The number at the start of `text`.
fn number(text: &[u8]) -> Option<usize> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    str::from_utf8(&text[..end]).ok()?.parse().ok()
}

/// A key as the server is sent it.
pub trait Lettered: Key {
    /// The most bytes that a command has beside its value.
    const COMMAND_BYTES_MAX: usize;

    /// Its letters.
    type Letters: AsRef<[u8]>;

    fn letters(asked: Self::Asked<'_>) -> Self::Letters;
}

impl Lettered for u64 {
    const COMMAND_BYTES_MAX: usize = COMMAND_BYTES_BASE + WORD_LETTERS;

    type Letters = [u8; WORD_LETTERS];

    fn letters(asked: Self) -> Self::Letters {
        let mut letters = [0; WORD_LETTERS];
        let written = STANDARD.encode_slice(asked.to_le_bytes(), &mut letters);
        debug_assert_eq!(written, Ok(WORD_LETTERS));
        letters
    }
}

/// The letters of a byte string.
#[derive(Debug)]
pub struct Letters {
    letters: [u8; LETTERS_MAX],
    used: usize,
}

impl AsRef<[u8]> for Letters {
    fn as_ref(&self) -> &[u8] {
        &self.letters[..self.used]
    }
}

impl Lettered for Bytes {
    const COMMAND_BYTES_MAX: usize = COMMAND_BYTES_BASE + LETTERS_MAX;

    type Letters = Letters;

    fn letters(asked: &[u8]) -> Letters {
        let mut prefixed = [0; KEY_BYTES_MAX + 1];
        prefixed[1..=asked.len()].copy_from_slice(asked);
        let mut letters = [0; LETTERS_MAX];
        let used = STANDARD.encode_slice(&prefixed[..=asked.len()], &mut letters);
        Letters { letters, used: used.expect("sessions refuse longer keys") }
    }
}

/// Appends the command that fetches a value.
pub(crate) fn get<K: Lettered>(to: &mut Vec<u8>, key: K::Asked<'_>) {
    to.extend_from_slice(b"mg ");
    to.extend_from_slice(K::letters(key).as_ref());
    to.extend_from_slice(b" b v\r\n");
}

/// Appends the command that asks whether a key is present.
pub(crate) fn ask<K: Lettered>(to: &mut Vec<u8>, key: K::Asked<'_>) {
    to.extend_from_slice(b"mg ");
    to.extend_from_slice(K::letters(key).as_ref());
    to.extend_from_slice(b" b\r\n");
}

/// Appends the command that stores a value.
pub(crate) fn put<K: Lettered>(to: &mut Vec<u8>, key: K::Asked<'_>, value: &[u8]) {
    begin_put::<K>(to, key, value);
    end_put(to, value);
}

/// Appends the command that stores a value for so many seconds.
pub(crate) fn put_for<K: Lettered>(
    to: &mut Vec<u8>,
    key: K::Asked<'_>,
    value: &[u8],
    seconds: u64,
) {
    begin_put::<K>(to, key, value);
    write!(to, " T{}", seconds.min(LIFETIME_S_MAX)).expect("memory takes all that is written");
    end_put(to, value);
}

#[inline]
fn begin_put<K: Lettered>(to: &mut Vec<u8>, key: K::Asked<'_>, value: &[u8]) {
    to.extend_from_slice(b"ms ");
    to.extend_from_slice(K::letters(key).as_ref());
    write!(to, " {} b", value.len()).expect("memory takes all that is written");
}

#[inline]
fn end_put(to: &mut Vec<u8>, value: &[u8]) {
    to.extend_from_slice(LINE_END);
    to.extend_from_slice(value);
    to.extend_from_slice(LINE_END);
}

/// Appends the command that removes a key.
pub(crate) fn delete<K: Lettered>(to: &mut Vec<u8>, key: K::Asked<'_>) {
    to.extend_from_slice(b"md ");
    to.extend_from_slice(K::letters(key).as_ref());
    to.extend_from_slice(b" b\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(append: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut bytes = Vec::new();
        append(&mut bytes);
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn commands_are_lines_with_keys_in_base64() {
        assert_eq!(written(|to| get::<u64>(to, 0)), "mg AAAAAAAAAAA= b v\r\n");
        assert_eq!(written(|to| ask::<u64>(to, u64::MAX)), "mg //////////8= b\r\n");
        assert_eq!(written(|to| delete::<u64>(to, 1)), "md AQAAAAAAAAA= b\r\n");
        assert_eq!(written(|to| put::<u64>(to, 1, b"value")), "ms AQAAAAAAAAA= 5 b\r\nvalue\r\n");
        let brief = written(|to| put_for::<u64>(to, 1, b"value", 7));
        assert_eq!(brief, "ms AQAAAAAAAAA= 5 b T7\r\nvalue\r\n");
        let longest = written(|to| put_for::<u64>(to, 1, b"", u64::MAX));
        assert_eq!(longest, "ms AQAAAAAAAAA= 0 b T2592000\r\n\r\n");
        let long = written(|to| put::<u64>(to, u64::MAX, &vec![b'x'; 1 << 20]));
        assert!(long.len() - (1 << 20) < u64::COMMAND_BYTES_MAX);
        assert_eq!(written(|to| get::<Bytes>(to, b"")), "mg AA== b v\r\n");
        assert_eq!(written(|to| delete::<Bytes>(to, b"key")), "md AGtleQ== b\r\n");
        let longest = vec![0xff; KEY_BYTES_MAX];
        let long = written(|to| put::<Bytes>(to, &longest, &vec![b'x'; 1 << 20]));
        assert!(long.len() - (1 << 20) < Bytes::COMMAND_BYTES_MAX);
    }

    #[test]
    fn replies_are_told_apart() {
        for (line, reply) in [
            (&b"HD"[..], Reply::Done),
            (b"EN", Reply::Absent),
            (b"NF", Reply::Absent),
            (b"VA 0", Reply::Value(0)),
            (b"VA 1048064 b", Reply::Value(1_048_064)),
            (b"SERVER_ERROR out of memory storing object", Reply::Full),
        ] {
            assert_eq!(Reply::parse(line), reply);
        }
        for line in ["", "H", "VA ", "VA x", "END", "ERROR", "VA 99999999999999999999999"] {
            assert_eq!(Reply::parse(line.as_bytes()), Reply::Other(line.to_owned()));
        }
    }
}
