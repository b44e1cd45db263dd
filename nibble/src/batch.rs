//! Operations that are executed together, so that their cache misses overlap.

use arrayvec::ArrayVec;

use crate::error::PutError;
use crate::index::hash::Hash;
use crate::session::Put;

/// How many operations are in flight at a time: as many as a core can have misses in flight, and
/// some more.
pub(crate) const IN_FLIGHT: usize = 64;

/// The operations in flight, each with the hash of its key. Each was drawn from the caller's
/// iterator once.
pub(crate) type Group<'value, N> = ArrayVec<(Hash, Operation<'value, N>), IN_FLIGHT>;

/// The answers to the operations of a group.
pub(crate) type Answers = ArrayVec<Answer, IN_FLIGHT>;

/// One operation of a batch. Its key is a word, or a byte string: `&[u8]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'value, K = u64> {
    /// Copy the value of a key to the front of the operation's slot; see [`Buffers`].
    Get {
        /// The key.
        key: K,
    },
    /// Store a value.
    Put {
        /// The key.
        key: K,
        /// The bytes of the value.
        value: &'value [u8],
    },
    /// Remove a key.
    Delete {
        /// The key.
        key: K,
    },
}

impl<K: Copy> Operation<'_, K> {
    /// The key that the operation is about.
    #[must_use]
    pub fn key(&self) -> K {
        match *self {
            Self::Get { key } | Self::Put { key, .. } | Self::Delete { key } => key,
        }
    }
}

/// The result of one operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// GET: the length of the value, whose bytes are at the front of the operation's slot.
    Found(usize),
    /// GET: the key has no value. The contents of the slot are unspecified.
    Absent,
    /// GET: the value is longer than the slot, whose contents are unspecified.
    TooShort {
        /// Length of the value.
        value_bytes: usize,
    },
    /// PUT: the value was stored.
    Stored(Put),
    /// PUT or DELETE: nothing was changed.
    Refused(PutError),
    /// DELETE: whether the key had a value.
    Deleted(bool),
}

/// Where a batch copies the values that its GETs find: slots of equal size, one after the other in
/// one buffer. Operation `i` of the batch has slot `i`, whether it is a GET or not.
#[derive(Debug)]
pub struct Buffers<'bytes> {
    bytes: &'bytes mut [u8],
    slot_bytes: usize,
}

impl<'bytes> Buffers<'bytes> {
    /// Divides `bytes` into slots of `slot_bytes` bytes.
    #[must_use]
    pub fn new(bytes: &'bytes mut [u8], slot_bytes: usize) -> Self {
        Self { bytes, slot_bytes }
    }

    /// An empty slot for every operation: for batches without GETs. A GET finds its slot too short
    /// for any value but an empty one.
    #[must_use]
    pub fn none() -> Self {
        Self { bytes: &mut [], slot_bytes: 0 }
    }

    /// The slot of operation `index`.
    #[inline]
    pub(crate) fn slot(&mut self, index: usize) -> &mut [u8] {
        &mut self.bytes[index * self.slot_bytes..(index + 1) * self.slot_bytes]
    }
}
