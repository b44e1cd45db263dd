//! Reading a value and writing one that depends on it.

use std::convert::Infallible;

use crate::{GetError, KvSession, PutError, PutOutcome};

/// What a read-modify-write does after it has seen the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It stores the new value.
    Put,
    /// It leaves the store as it is.
    Keep,
}

/// Decides what becomes of a key: it is shown the value, if there is one, and an empty buffer for a new
/// one. It may be called several times for one read-modify-write, of which one counts, and under a lock
/// of the store, which it must not use. It must not panic.
pub type Decide<'a> = dyn FnMut(Option<&[u8]>, &mut Vec<u8>) -> Decision + 'a;

/// A GET, and then a PUT: another write of the key may come in between, and is lost.
///
/// # Errors
/// As for [`KvSession::put`].
///
/// # Panics
/// If the value grows each time that it is read.
pub fn get_then_put<S: KvSession + ?Sized>(
    session: &mut S,
    key: u64,
    decide: &mut Decide<'_>,
) -> Result<Option<PutOutcome>, PutError> {
    let get = |buffer: &mut [u8]| Ok::<_, Infallible>(session.get(key, buffer));
    match read_and_decide(get, decide) {
        Ok((Decision::Put, new)) => session.put(key, &new).map(Some),
        Ok((Decision::Keep, _)) => Ok(None),
    }
}

/// What `decide` makes of the value that `get` copies out.
///
/// # Errors
/// As `get` fails, but for a buffer that is too short: it is given longer ones.
///
/// # Panics
/// If the value grows each time that it is read.
pub fn read_and_decide<E>(
    mut get: impl FnMut(&mut [u8]) -> Result<Result<Option<usize>, GetError>, E>,
    decide: &mut Decide<'_>,
) -> Result<(Decision, Vec<u8>), E> {
    const READS_MAX: usize = 1000;
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for _ in 0..READS_MAX {
        let found = match get(&mut old)? {
            Ok(found) => found,
            Err(GetError::BufferTooShort { value_bytes, .. }) => {
                old.resize(value_bytes, 0);
                continue;
            }
        };
        let decision = decide(found.map(|value_bytes| &old[..value_bytes]), &mut new);
        return Ok((decision, new));
    }
    panic!("a value was longer than the last {READS_MAX} times it was read")
}
