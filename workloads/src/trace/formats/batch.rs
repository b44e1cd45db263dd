//! The operations that one line or record of a trace produces.

use super::Skipped;
use super::error::Fault;
use crate::trace::file::KEY_TEXT_BYTES_MAX;
use crate::trace::{OperationKind, key_of_bytes};

/// A key as stores address it, and its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) hash: u64,
    /// The length that the client's key had; 0 of a number.
    pub(super) bytes: u64,
    /// Where its text begins and ends in the texts of the batch.
    pub(super) text: Option<(usize, usize)>,
}

impl Key {
    /// A numbered object: a bijection.
    pub(super) fn of_number(number: u64) -> Self {
        Self::of_object(&number.to_le_bytes())
    }

    /// An object that has no text of its own.
    pub(super) fn of_object(name: &[u8]) -> Self {
        Self { hash: key_of_bytes(name), bytes: 0, text: None }
    }
}

/// An operation without a time yet, and with a size that may be too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) kind: OperationKind,
    pub(super) key: Key,
    pub(super) value_bytes: u64,
    /// How often it repeats in a row, at least once.
    pub(super) times: u32,
}

/// Filled by a parser, emptied by the reader.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// When the operations were sent, relative to any epoch the format chooses. 0 in formats
    /// without times.
    pub(super) stamp_ns: u128,
    pub(super) pending: Vec<Pending>,
    /// The texts of their keys.
    pub(super) texts: Vec<u8>,
    pub(super) skipped: Skipped,
}

impl Batch {
    /// A key whose text is `text`. The file may hold another text than the client's and tell that the
    /// client's has `bytes` bytes: where those are more, as many zeros follow the text.
    pub(super) fn text(&mut self, text: &[u8], bytes: u64) -> Key {
        let start = self.texts.len();
        self.texts.extend_from_slice(text);
        // A text that is too long is refused where it is kept, however long it is.
        let length = text.len().max(bytes.min(KEY_TEXT_BYTES_MAX as u64 + 1) as usize);
        self.texts.resize(start + length, 0);
        Key { hash: key_of_bytes(text), bytes, text: Some((start, start + length)) }
    }

    /// Lengthens the text of the last key.
    pub(super) fn append(&mut self, key: &mut Key, more: &[u8]) {
        self.texts.extend_from_slice(more);
        key.text = key.text.map(|(start, _)| (start, self.texts.len()));
    }

    pub(super) fn get(&mut self, key: Key, value_bytes: u64) {
        self.pending.push(Pending { kind: OperationKind::Get, key, value_bytes, times: 1 });
    }

    pub(super) fn put(&mut self, key: Key, value_bytes: u64) {
        self.pending.push(Pending { kind: OperationKind::Put, key, value_bytes, times: 1 });
    }

    pub(super) fn delete(&mut self, key: Key) {
        self.pending.push(Pending { kind: OperationKind::Delete, key, value_bytes: 0, times: 1 });
    }
}

/// Parses one format.
pub(super) trait Parser {
    /// Turns a line (without its end) or a record into operations.
    fn parse(&mut self, item: &[u8], batch: &mut Batch) -> Result<(), Fault>;

    /// Checks that the trace may end here.
    fn finish(&self) -> Result<(), Fault> {
        Ok(())
    }
}
