//! Reading a value and writing one that depends on it.

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
    const READS_MAX: usize = 1000;
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for _ in 0..READS_MAX {
        let found = match session.get(key, &mut old) {
            Ok(found) => found,
            Err(GetError::BufferTooShort { value_bytes, .. }) => {
                old.resize(value_bytes, 0);
                continue;
            }
        };
        let decision = decide(found.map(|value_bytes| &old[..value_bytes]), &mut new);
        return match decision {
            Decision::Put => session.put(key, &new).map(Some),
            Decision::Keep => Ok(None),
        };
    }
    panic!("the value of key {key:#x} was longer than the last {READS_MAX} times it was read")
}
