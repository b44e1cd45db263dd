//! The texts of keys, and how a frame of them becomes bytes.
//!
//! ```text
//! column   the keys
//! column   bytes of each text
//! [u8]     the texts, one behind the other
//! ```
//!
//! A trace holds each text once, in front of the block in which its key first appears. Texts are in the
//! order in which their keys appear, so the n-th text of a trace is that of its n-th different key.

use super::column::{self, Column};
use super::record::Malformed;

/// The longest text of a key: what stores take.
pub const KEY_TEXT_BYTES_MAX: usize = u16::MAX as usize;

/// Keys and their texts, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    keys: Vec<u64>,
    /// Where each text ends in `bytes`.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl Texts {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Each key with its text.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut start = 0;
        self.keys.iter().zip(&self.ends).map(move |(&key, &end)| {
            let text = &self.bytes[start..end];
            start = end;
            (key, text)
        })
    }

    /// The key at `place`, if there are so many.
    pub(super) fn key(&self, place: usize) -> Option<u64> {
        self.keys.get(place).copied()
    }

    /// Bytes of all texts together.
    pub(super) fn text_bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.ends.clear();
        self.bytes.clear();
    }

    pub(super) fn push(&mut self, key: u64, text: &[u8]) {
        self.keys.push(key);
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        column::write(&self.keys, out);
        let lengths: Vec<u64> = self.iter().map(|(_, text)| text.len() as u64).collect();
        column::write(&lengths, out);
        out.extend_from_slice(&self.bytes);
    }

    /// Appends the `count` texts that `raw` encodes.
    ///
    /// # Errors
    /// [`Malformed`] if `raw` is no such encoding; nothing is then appended.
    pub(super) fn decode(&mut self, mut raw: &[u8], count: usize) -> Result<(), Malformed> {
        let input = &mut raw;
        let keys = Column::take(input, count, 8)?.to_vec();
        let lengths = Column::take(input, count, 2)?.to_vec();
        if lengths.iter().sum::<u64>() != input.len() as u64 {
            return Err(Malformed("texts of keys that are not as long as they say"));
        }
        let mut end = self.bytes.len();
        self.keys.extend(keys);
        self.ends.extend(lengths.iter().map(|&bytes| {
            end += bytes as usize;
            end
        }));
        self.bytes.extend_from_slice(input);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Texts {
        let mut texts = Texts::default();
        for (key, text) in [(7, &b"seven"[..]), (u64::MAX, b""), (9, &[0xFF; KEY_TEXT_BYTES_MAX])] {
            texts.push(key, text);
        }
        texts
    }

    #[test]
    fn texts_come_back_behind_those_that_are_there() {
        let (texts, mut raw) = (texts(), Vec::new());
        texts.encode(&mut raw);
        let mut decoded = Texts::default();
        decoded.push(1, b"one");
        decoded.decode(&raw, 3).unwrap();
        let all: Vec<(u64, &[u8])> = decoded.iter().collect();
        assert_eq!(all[0], (1, &b"one"[..]));
        assert_eq!(all[1..], texts.iter().collect::<Vec<_>>());
    }

    #[test]
    fn what_is_no_encoding_leaves_nothing_behind() {
        let mut raw = Vec::new();
        texts().encode(&mut raw);
        let mut decoded = Texts::default();
        for length in 0..raw.len().min(60) {
            assert!(decoded.decode(&raw[..length], 3).is_err(), "{length}");
        }
        raw.push(0);
        let what = "texts of keys that are not as long as they say";
        assert_eq!(decoded.decode(&raw, 3), Err(Malformed(what)));
        assert_eq!(decoded, Texts::default());
    }
}
