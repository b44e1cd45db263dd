//! What a store does with several keys at one moment: snapshots, and writes in one step. Both are of words.

use crate::{GetError, ScanRange};

/// What a snapshot of a store shows ([`KvSession::with_snapshot`](crate::KvSession::with_snapshot)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshots {
    /// There are none.
    No,
    /// One moment, no earlier than that of any snapshot before. While others write, it may be earlier than
    /// the call: a write that has ended may be missing.
    Consistent,
    /// A moment within the call: it has what was acknowledged before, and nothing that begins afterwards.
    Linearizable,
}

/// The state of a store at one moment.
pub trait SnapshotRead {
    /// As [`KvSession::get`](crate::KvSession::get), at that moment.
    ///
    /// # Errors
    /// [`GetError::BufferTooShort`] with the value's length.
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError>;

    /// As [`KvSession::scan`](crate::KvSession::scan), at that moment.
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize>;
}

/// What is done with a snapshot, which ends with it.
pub type WithSnapshot<'a> = dyn FnMut(&mut dyn SnapshotRead) + 'a;

/// One of several writes that are carried out in one step
/// ([`KvSession::write_in_one_step`](crate::KvSession::write_in_one_step)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write<'value> {
    /// Stores a value.
    Put {
        /// The key.
        key: u64,
        /// The bytes of the value.
        value: &'value [u8],
    },
    /// Removes a key.
    Delete {
        /// The key.
        key: u64,
    },
}

impl Write<'_> {
    /// The key that it is about.
    #[must_use]
    pub fn key(&self) -> u64 {
        match *self {
            Self::Put { key, .. } | Self::Delete { key } => key,
        }
    }

    /// The value that the key has afterwards.
    #[must_use]
    pub fn value(&self) -> Option<&[u8]> {
        match *self {
            Self::Put { value, .. } => Some(value),
            Self::Delete { .. } => None,
        }
    }
}
