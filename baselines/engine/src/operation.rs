//! Operations of a batch as data, and what came of them.

use crate::{GetError, PutError, PutOutcome};

/// One operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op<'a> {
    /// Copy the value out into the operation's slot.
    Get {
        /// The key.
        key: u64,
    },
    /// Store the value.
    Put {
        /// The key.
        key: u64,
        /// The value's bytes.
        value: &'a [u8],
    },
    /// Remove the key.
    Delete {
        /// The key.
        key: u64,
    },
}

/// What came of one operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Found: the value's length; its bytes are in the operation's slot.
    Found(usize),
    /// GET of an absent key.
    Absent,
    /// The slot is shorter than the value, whose length this is.
    BufferTooShort(usize),
    /// PUT: inserted, updated or full.
    Put(PutOutcome),
    /// PUT of a value that no free space would help.
    ValueTooLarge,
    /// DELETE: whether the key was there.
    Deleted(bool),
}

impl Outcome {
    /// The outcome of a single `get`.
    #[must_use]
    pub fn of_get(result: Result<Option<usize>, GetError>) -> Self {
        match result {
            Ok(Some(value_bytes)) => Self::Found(value_bytes),
            Ok(None) => Self::Absent,
            Err(GetError::BufferTooShort { value_bytes, .. }) => Self::BufferTooShort(value_bytes),
        }
    }

    /// The outcome of a single `put`.
    #[must_use]
    pub fn of_put(result: Result<PutOutcome, PutError>) -> Self {
        match result {
            Ok(outcome) => Self::Put(outcome),
            Err(PutError::ValueTooLarge { .. }) => Self::ValueTooLarge,
        }
    }
}

/// Equal slots of one buffer, one per operation of a batch.
#[derive(Debug)]
pub struct ValueBuffers<'a> {
    bytes: &'a mut [u8],
    slot_bytes: usize,
}

impl<'a> ValueBuffers<'a> {
    /// Cuts `bytes` into slots of `slot_bytes`.
    #[must_use]
    pub fn new(bytes: &'a mut [u8], slot_bytes: usize) -> Self {
        Self { bytes, slot_bytes }
    }

    /// The slot of operation `index`.
    ///
    /// # Panics
    /// When the buffer has no such slot.
    pub fn slot(&mut self, index: usize) -> &mut [u8] {
        &mut self.bytes[index * self.slot_bytes..(index + 1) * self.slot_bytes]
    }
}
