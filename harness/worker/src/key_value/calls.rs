//! A store's operations as loops call them: compiled once for each store, with outcomes in registers.
//!
//! Inlined, the same operation becomes different code in every loop, and its branches may become moves
//! that wait for memory, or the other way round. Loops then differ by up to 1.7 times in what they reach
//! on one store, for no reason of their own. A call costs about a nanosecond.

use engine::{GetError, KvEngine, KvSession, PutOutcome};

/// What came of a GET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A value of so many bytes.
    Value(usize),
    Absent,
    /// A value that the buffer does not hold.
    TooLong,
}

/// What came of a PUT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Inserted,
    Updated,
    Full,
    /// The value is longer than the store can ever hold.
    TooLong,
}

impl Stored {
    #[inline(always)]
    pub(super) fn is_stored(self) -> bool {
        matches!(self, Self::Inserted | Self::Updated)
    }
}

#[inline(never)]
pub(super) fn get<E: KvEngine>(session: &mut E::Session<'_>, key: u64, buffer: &mut [u8]) -> Found {
    match session.get(key, buffer) {
        Ok(Some(value_bytes)) => Found::Value(value_bytes),
        Ok(None) => Found::Absent,
        Err(GetError::BufferTooShort { .. }) => Found::TooLong,
    }
}

#[inline(never)]
pub(super) fn put<E: KvEngine>(session: &mut E::Session<'_>, key: u64, value: &[u8]) -> Stored {
    match session.put(key, value) {
        Ok(PutOutcome::Inserted) => Stored::Inserted,
        Ok(PutOutcome::Updated) => Stored::Updated,
        Ok(PutOutcome::Full) => Stored::Full,
        Err(_) => Stored::TooLong,
    }
}

#[inline(never)]
pub(super) fn delete<E: KvEngine>(session: &mut E::Session<'_>, key: u64) -> bool {
    session.delete(key)
}
