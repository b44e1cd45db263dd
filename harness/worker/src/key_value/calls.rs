//! A store's operations as loops call them: compiled once for each store, with outcomes in registers.
//!
//! Inlined, the same operation becomes different code in every loop, and its branches may become moves
//! that wait for memory, or the other way round. Loops then differ by up to 1.7 times in what they reach
//! on one store, for no reason of their own. A call costs about a nanosecond.

use std::time::Duration;

use engine::{
    Decide, DeleteOutcome, GetError, KvEngine, KvSession, PutError, PutOutcome, WithSnapshot, Write,
};

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
    /// Stored by a store that does not tell which.
    Untold,
    Full,
    /// The value is longer than the store can ever hold.
    TooLong,
}

impl Stored {
    #[inline(always)]
    pub(super) fn is_stored(self) -> bool {
        matches!(self, Self::Inserted | Self::Updated | Self::Untold)
    }
}

#[inline(never)]
pub(super) fn get<E: KvEngine>(session: &mut E::Session<'_>, key: u64, buffer: &mut [u8]) -> Found {
    found(session.get(key, buffer))
}

/// What came of a GET of a session or of a snapshot.
#[inline(always)]
pub(super) fn found(got: Result<Option<usize>, GetError>) -> Found {
    match got {
        Ok(Some(value_bytes)) => Found::Value(value_bytes),
        Ok(None) => Found::Absent,
        Err(GetError::BufferTooShort { .. }) => Found::TooLong,
    }
}

#[inline(never)]
pub(super) fn put<E: KvEngine>(session: &mut E::Session<'_>, key: u64, value: &[u8]) -> Stored {
    stored(session.put(key, value))
}

/// A read-modify-write that always writes.
#[inline(never)]
pub(super) fn modify<E: KvEngine>(
    session: &mut E::Session<'_>,
    key: u64,
    decide: &mut Decide<'_>,
) -> Stored {
    let modified = session.read_modify_write(key, decide);
    stored(modified.map(|put| put.expect("the driver's requests keep nothing")))
}

/// Several writes in one step; `None` if the store cannot.
#[inline(never)]
pub(super) fn write_in_one_step<E: KvEngine>(
    session: &mut E::Session<'_>,
    writes: &[Write<'_>],
) -> Option<Stored> {
    let put = session.write_in_one_step(writes).transpose()?;
    Some(stored(put))
}

/// A PUT of a value with a lifetime; `None` if the store knows none.
#[inline(never)]
pub(super) fn put_for<E: KvEngine>(
    session: &mut E::Session<'_>,
    key: u64,
    value: &[u8],
    lifetime: Duration,
) -> Option<Stored> {
    let put = session.put_for(key, value, lifetime).transpose()?;
    Some(stored(put))
}

/// Calls `read` with a snapshot. Returns whether the store has any.
#[inline(never)]
pub(super) fn with_snapshot<E: KvEngine>(
    session: &mut E::Session<'_>,
    read: &mut WithSnapshot<'_>,
) -> bool {
    session.with_snapshot(read)
}

#[inline(always)]
fn stored(put: Result<PutOutcome, PutError>) -> Stored {
    match put {
        Ok(PutOutcome::Inserted) => Stored::Inserted,
        Ok(PutOutcome::Updated) => Stored::Updated,
        Ok(PutOutcome::Stored) => Stored::Untold,
        Ok(PutOutcome::Full) => Stored::Full,
        Err(_) => Stored::TooLong,
    }
}

#[inline(never)]
pub(super) fn delete<E: KvEngine>(session: &mut E::Session<'_>, key: u64) -> DeleteOutcome {
    session.delete(key)
}
