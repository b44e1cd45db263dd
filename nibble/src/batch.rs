//! Operations that are carried out together, so that their cache misses overlap.

use crate::error::PutError;
use crate::session::Put;

/// Operations in flight at a time: as many as a core has misses in flight, and some more.
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
        /// The value.
        value: &'batch [u8],
    },
    /// Remove a key.
    Delete {
        /// The key.
        key: u64,
    },
}

impl Operation<'_> {
    /// The key meant.
    #[must_use]
    pub fn key(&self) -> u64 {
        match *self {
            Self::Get { key } | Self::Put { key, .. } | Self::Delete { key } => key,
        }
    }
}

/// What came of one operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// GET: the length of the value.
    Found(usize),
    /// GET: the key has no value.
    Absent,
    /// GET: the value has so many bytes, more than the buffer, which is unchanged.
    TooShort {
        /// Bytes of the value.
        value_bytes: usize,
    },
    /// PUT: done.
    Stored(Put),
    /// PUT: not done; the old value stays.
    Refused(PutError),
    /// DELETE: whether the key had a value.
    Deleted(bool),
}

/// A batch as its owner keeps it: nothing is copied into another form.
///
/// [`crate::Session::execute`] carries the operations out in their order, so operations on the
/// same key are seen in the order of the batch; all of them run in one epoch, in groups of 64
/// whose index lines and objects are fetched before the first of the group is carried out.
pub trait Batch {
    /// Operations in the batch.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Operation `index`; asked more than once.
    fn operation(&self, index: usize) -> Operation<'_>;

    /// Where the value of GET `index` goes.
    fn buffer(&mut self, index: usize) -> &mut [u8];

    /// Takes the answer to operation `index`.
    fn answer(&mut self, index: usize, answer: Answer);
}
