//! Operations that are executed together, so that their cache misses overlap.

use crate::error::PutError;
use crate::session::Put;

/// How many operations are in flight at a time: as many as a core can have misses in flight, and
/// some more.
pub(crate) const IN_FLIGHT: usize = 64;

/// One operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'batch> {
    /// Copy the value of a key to the front of [`Batch::buffer`].
    Get {
        /// The key.
        key: u64,
    },
    /// Store a value.
    Put {
        /// The key.
        key: u64,
        /// The bytes of the value.
        value: &'batch [u8],
    },
    /// Remove a key.
    Delete {
        /// The key.
        key: u64,
    },
}

impl Operation<'_> {
    /// The key that the operation is about.
    #[must_use]
    pub fn key(&self) -> u64 {
        match *self {
            Self::Get { key } | Self::Put { key, .. } | Self::Delete { key } => key,
        }
    }
}

/// The result of one operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// GET: the length of the value.
    Found(usize),
    /// GET: the key has no value.
    Absent,
    /// GET: the value is longer than the buffer, which is unchanged.
    TooShort {
        /// Length of the value.
        value_bytes: usize,
    },
    /// PUT: the value was stored.
    Stored(Put),
    /// PUT: the value was not stored; the old value stays.
    Refused(PutError),
    /// DELETE: whether the key had a value.
    Deleted(bool),
}

/// A batch in its owner's own representation: nothing is converted.
///
/// [`crate::Session::execute`] executes the operations in order, so operations on the same key take
/// effect in the order of the batch. Operations run in groups of 64, within one epoch. The index
/// lines and objects of a group are fetched before its first operation is executed.
pub trait Batch {
    /// Number of operations in the batch.
    fn len(&self) -> usize;

    /// Whether the batch is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Operation `index`; called more than once per operation.
    fn operation(&self, index: usize) -> Operation<'_>;

    /// The buffer for the value of GET `index`.
    fn buffer(&mut self, index: usize) -> &mut [u8];

    /// Receives the answer to operation `index`.
    fn answer(&mut self, index: usize, answer: Answer);
}
