//! Stores whose keys are byte strings, and one thread's session with one.
//!
//! A key has from 0 bytes to as many as the store's limit ([`Keys::Bytes`](crate::Keys)); every byte
//! counts, NUL too. Keys are ordered as slices are: by their first byte that differs, and a key comes after
//! its prefixes. A word among byte strings is its eight big-endian bytes, so words keep their order
//! ([`Words`](crate::Words)).

use std::time::Duration;

use crate::modify::read_and_decide;
use crate::{
    BytesError, Decide, Decision, DeleteOutcome, GetError, KeyTooLong, KvEngine, Op, Outcome,
    PutError, PutOutcome, ScanRange, SessionError, ValueBuffers, WithBytesSnapshot, Write,
};

/// A store that takes keys of any length. Any thread may access any key.
///
/// It is a [`KvEngine`] too, which takes the words among byte strings. An instance is used with keys of one
/// kind: what a session of words finds of other keys is not defined, except that values are never torn.
pub trait KvBytesEngine: KvEngine {
    /// One thread's use of the store with byte keys.
    type BytesSession<'engine>: BytesSession
    where
        Self: 'engine;

    /// Opens a session for the calling thread, as [`KvEngine::session`] does.
    ///
    /// # Errors
    /// [`SessionError`] if the engine's thread table is full.
    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError>;
}

/// One thread's session with byte keys. It does what [`KvSession`](crate::KvSession) does.
///
/// A key that is longer than the store's limit is refused by every operation, which then changes nothing.
pub trait BytesSession {
    /// As [`KvSession::get`](crate::KvSession::get).
    ///
    /// # Errors
    /// [`GetError::BufferTooShort`] with the value's length; [`KeyTooLong`].
    fn get(&mut self, key: &[u8], buffer: &mut [u8])
    -> Result<Option<usize>, BytesError<GetError>>;

    /// As [`KvSession::put`](crate::KvSession::put).
    ///
    /// # Errors
    /// [`PutError::ValueTooLarge`] if no amount of free space would suffice; [`KeyTooLong`].
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, BytesError<PutError>>;

    /// As [`KvSession::delete`](crate::KvSession::delete).
    ///
    /// # Errors
    /// [`KeyTooLong`].
    fn delete(&mut self, key: &[u8]) -> Result<DeleteOutcome, KeyTooLong>;

    /// As [`KvSession::read_modify_write`](crate::KvSession::read_modify_write).
    ///
    /// # Errors
    /// As for [`Self::put`].
    fn read_modify_write(
        &mut self,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        get_then_put_bytes(self, key, decide)
    }

    /// As [`KvSession::put_if_absent`](crate::KvSession::put_if_absent).
    ///
    /// # Errors
    /// As for [`Self::put`].
    fn put_if_absent(
        &mut self,
        key: &[u8],
        value: &[u8],
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        self.read_modify_write(key, &mut |old, new| {
            if old.is_some() {
                return Decision::Keep;
            }
            new.extend_from_slice(value);
            Decision::Put
        })
    }

    /// As [`KvSession::execute`](crate::KvSession::execute). Operations before one with a key that is too
    /// long may have been executed.
    ///
    /// # Errors
    /// [`KeyTooLong`] for the first such key.
    ///
    /// # Panics
    /// If `outcomes` is shorter than `operations`, or `values` has fewer slots.
    fn execute(
        &mut self,
        operations: &[Op<'_, &[u8]>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) -> Result<(), KeyTooLong> {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        for (index, (operation, outcome)) in operations.iter().zip(outcomes).enumerate() {
            *outcome = match *operation {
                Op::Get { key } => {
                    Outcome::of_get(BytesError::apart(self.get(key, values.slot(index)))?)
                }
                Op::Put { key, value } => Outcome::of_put(BytesError::apart(self.put(key, value))?),
                Op::Delete { key } => Outcome::Deleted(self.delete(key)?),
            };
        }
        Ok(())
    }

    /// As [`KvSession::scan`](crate::KvSession::scan), in the order of byte strings.
    ///
    /// # Errors
    /// [`KeyTooLong`], of the key where it begins.
    fn scan(
        &mut self,
        range: ScanRange<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<Option<usize>, KeyTooLong> {
        let _ = (range, visit);
        Ok(None)
    }

    /// As [`KvSession::with_snapshot`](crate::KvSession::with_snapshot).
    fn with_snapshot(&mut self, read: &mut WithBytesSnapshot<'_>) -> bool {
        let _ = read;
        false
    }

    /// As [`KvSession::write_in_one_step`](crate::KvSession::write_in_one_step).
    ///
    /// # Errors
    /// As for [`Self::put`], of the first key that is too long, else of the first value that is too large.
    fn write_in_one_step(
        &mut self,
        writes: &[Write<'_, &[u8]>],
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        let _ = writes;
        Ok(None)
    }

    /// As [`KvSession::put_for`](crate::KvSession::put_for).
    ///
    /// # Errors
    /// As for [`Self::put`].
    fn put_for(
        &mut self,
        key: &[u8],
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        let _ = (key, value, lifetime);
        Ok(None)
    }
}

/// As [`get_then_put`](crate::get_then_put): another write of the key may come in between, and is lost.
///
/// # Errors
/// As for [`BytesSession::put`].
///
/// # Panics
/// If the value grows each time that it is read.
pub fn get_then_put_bytes<S: BytesSession + ?Sized>(
    session: &mut S,
    key: &[u8],
    decide: &mut Decide<'_>,
) -> Result<Option<PutOutcome>, BytesError<PutError>> {
    let get = |buffer: &mut [u8]| BytesError::apart(session.get(key, buffer));
    match read_and_decide(get, decide)? {
        (Decision::Put, new) => session.put(key, &new).map(Some),
        (Decision::Keep, _) => Ok(None),
    }
}
