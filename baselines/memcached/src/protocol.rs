//! Commands and replies of the meta protocol as bytes.
//!
//! | operation | command | replies |
//! |---|---|---|
//! | get | `mg KEY b v` | `VA BYTES`, then the value; `EN` |
//! | whether a key is present | `mg KEY b` | `HD`; `EN` |
//! | put | `ms KEY BYTES b`, then the value | `HD`; an error |
//! | delete | `md KEY b` | `HD`; `NF` |
//!
//! `b` says that a key is its eight bytes in base64; the server stores the eight bytes.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The end of every line, and of every value.
pub(crate) const LINE_END: &[u8] = b"\r\n";
/// Letters of a key.
const KEY_LETTERS: usize = 12;
/// More than any command has beside its value.
pub(crate) const COMMAND_BYTES_MAX: usize = 64;

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

fn letters(key: u64) -> [u8; KEY_LETTERS] {
    let mut letters = [0; KEY_LETTERS];
    let written = STANDARD.encode_slice(key.to_le_bytes(), &mut letters);
    debug_assert_eq!(written, Ok(KEY_LETTERS));
    letters
}

/// Appends the command that fetches a value.
pub(crate) fn get(to: &mut Vec<u8>, key: u64) {
    to.extend_from_slice(b"mg ");
    to.extend_from_slice(&letters(key));
    to.extend_from_slice(b" b v\r\n");
}

/// Appends the command that asks whether a key is present.
pub(crate) fn ask(to: &mut Vec<u8>, key: u64) {
    to.extend_from_slice(b"mg ");
    to.extend_from_slice(&letters(key));
    to.extend_from_slice(b" b\r\n");
}

/// Appends the command that stores a value.
pub(crate) fn put(to: &mut Vec<u8>, key: u64, value: &[u8]) {
    to.extend_from_slice(b"ms ");
    to.extend_from_slice(&letters(key));
    write!(to, " {} b", value.len()).expect("memory takes all that is written");
    to.extend_from_slice(LINE_END);
    to.extend_from_slice(value);
    to.extend_from_slice(LINE_END);
}

/// Appends the command that removes a key.
pub(crate) fn delete(to: &mut Vec<u8>, key: u64) {
    to.extend_from_slice(b"md ");
    to.extend_from_slice(&letters(key));
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
        assert_eq!(written(|to| get(to, 0)), "mg AAAAAAAAAAA= b v\r\n");
        assert_eq!(written(|to| ask(to, u64::MAX)), "mg //////////8= b\r\n");
        assert_eq!(written(|to| delete(to, 1)), "md AQAAAAAAAAA= b\r\n");
        assert_eq!(written(|to| put(to, 1, b"value")), "ms AQAAAAAAAAA= 5 b\r\nvalue\r\n");
        let long = written(|to| put(to, u64::MAX, &vec![b'x'; 1 << 20]));
        assert!(long.len() - (1 << 20) < COMMAND_BYTES_MAX);
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
