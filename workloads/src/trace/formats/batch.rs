//! The operations that one line or record of a trace produces.

use super::Skipped;
use super::error::Fault;
use crate::trace::{OperationKind, key_of_bytes};

/// A key as stores address it, and the length of its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) hash: u64,
    /// 0 of a number.
    pub(super) bytes: u64,
}

impl Key {
    pub(super) fn of_text(text: &[u8]) -> Self {
        Self { hash: key_of_bytes(text), bytes: text.len() as u64 }
    }

    /// A numbered object: a bijection.
    pub(super) fn of_number(number: u64) -> Self {
        Self { hash: key_of_bytes(&number.to_le_bytes()), bytes: 0 }
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
    pub(super) skipped: Skipped,
}

impl Batch {
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
