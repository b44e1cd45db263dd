//! The operations of a batch as data, and their outcomes.

use crate::{DeleteOutcome, GetError, PutError, PutOutcome};

/// One operation of a batch, on a word or, as `Op<'_, &[u8]>`, on a byte string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op<'a, K = u64> {
    /// Copy the value into the operation's slot.
    Get {
        /// The key.
        key: K,
    },
    /// Store the value.
    Put {
        /// The key.
        key: K,
        /// The bytes of the value.
        value: &'a [u8],
    },
    /// Remove the key.
    Delete {
        /// The key.
        key: K,
    },
}

/// The outcome of one operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// GET: the key was found. Contains the length of the value, whose bytes are in the operation's
    /// slot.
    Found(usize),
    /// GET: the key is absent.
    Absent,
    /// GET: the slot is shorter than the value. Contains the length of the value.
    BufferTooShort(usize),
    /// PUT: inserted, updated, stored or full.
    Put(PutOutcome),
    /// PUT: the value is too large for an empty store.
    ValueTooLarge,
    /// DELETE: whether the key was present, or not told.
    Deleted(DeleteOutcome),
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

/// Slots of equal size in one buffer, one per operation of a batch.
#[derive(Debug)]
pub struct ValueBuffers<'a> {
    bytes: &'a mut [u8],
    slot_bytes: usize,
}

impl<'a> ValueBuffers<'a> {
    /// Divides `bytes` into slots of `slot_bytes`.
    #[must_use]
    pub fn new(bytes: &'a mut [u8], slot_bytes: usize) -> Self {
        Self { bytes, slot_bytes }
    }

    /// All slots, one after the other, and the size of each: for stores that take them together.
    pub fn slots(&mut self) -> (&mut [u8], usize) {
        (self.bytes, self.slot_bytes)
    }

    /// The slot of operation `index`.
    ///
    /// # Panics
    /// If the buffer has no such slot.
    pub fn slot(&mut self, index: usize) -> &mut [u8] {
        &mut self.bytes[index * self.slot_bytes..(index + 1) * self.slot_bytes]
    }
}
