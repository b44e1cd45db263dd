//! A store's operations as loops call them: compiled once for each store.
//!
//! Inlined, the same operation becomes different code in every loop, and its branches may become moves
//! that wait for memory, or the other way round. Loops then differ by up to 1.7 times in what they reach
//! on one store, for no reason of their own. A call costs about a nanosecond.

use engine::{GetError, KvEngine, KvSession, PutError, PutOutcome};

#[inline(never)]
pub(super) fn get<E: KvEngine>(
    session: &mut E::Session<'_>,
    key: u64,
    buffer: &mut [u8],
) -> Result<Option<usize>, GetError> {
    session.get(key, buffer)
}

#[inline(never)]
pub(super) fn put<E: KvEngine>(
    session: &mut E::Session<'_>,
    key: u64,
    value: &[u8],
) -> Result<PutOutcome, PutError> {
    session.put(key, value)
}

#[inline(never)]
pub(super) fn delete<E: KvEngine>(session: &mut E::Session<'_>, key: u64) -> bool {
    session.delete(key)
}
