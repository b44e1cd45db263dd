//! What a store does with several keys at one moment: snapshots, and writes in one step.

use crate::{BytesError, GetError, KeyTooLong, ScanRange};

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

/// The state of a store of byte strings at one moment.
pub trait BytesSnapshotRead {
    /// As [`BytesSession::get`](crate::BytesSession::get), at that moment.
    ///
    /// # Errors
    /// [`GetError::BufferTooShort`] with the value's length; [`KeyTooLong`].
    fn get(&mut self, key: &[u8], buffer: &mut [u8])
    -> Result<Option<usize>, BytesError<GetError>>;

    /// As [`BytesSession::scan`](crate::BytesSession::scan), at that moment.
    ///
    /// # Errors
    /// [`KeyTooLong`], of the key where it begins.
    fn scan(
        &mut self,
        range: ScanRange<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<Option<usize>, KeyTooLong>;
}

/// What is done with a snapshot of byte strings, which ends with it.
pub type WithBytesSnapshot<'a> = dyn FnMut(&mut dyn BytesSnapshotRead) + 'a;

/// One of several writes that are carried out in one step
/// ([`KvSession::write_in_one_step`](crate::KvSession::write_in_one_step)), of a word or, as
/// `Write<'_, &[u8]>`, of a byte string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write<'value, K = u64> {
    /// Stores a value.
    Put {
        /// The key.
        key: K,
        /// The bytes of the value.
        value: &'value [u8],
    },
    /// Removes a key.
    Delete {
        /// The key.
        key: K,
    },
}

impl<'value, K: Copy> Write<'value, K> {
    /// The key that it is about.
    #[must_use]
    pub fn key(&self) -> K {
        match *self {
            Self::Put { key, .. } | Self::Delete { key } => key,
        }
    }

    /// The same write, of another key.
    #[must_use]
    pub fn of<L>(&self, key: L) -> Write<'value, L> {
        match *self {
            Self::Put { value, .. } => Write::Put { key, value },
            Self::Delete { .. } => Write::Delete { key },
        }
    }

    /// The value that the key has afterwards.
    #[must_use]
    pub fn value(&self) -> Option<&'value [u8]> {
        match *self {
            Self::Put { value, .. } => Some(value),
            Self::Delete { .. } => None,
        }
    }
}
