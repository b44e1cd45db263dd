//! Values, copied in and out.

use engine::{Decide, Decision, GetError, PutError};

/// What a read-modify-write comes to.
#[derive(Debug)]
pub enum Decided {
    Keep,
    Store(Box<[u8]>),
    /// The new value finds no memory.
    Full,
}

/// Copies `value` to the front of `buffer` and returns its length.
///
/// # Errors
/// If the buffer is shorter than the value.
#[inline]
pub fn copy_out(value: &[u8], buffer: &mut [u8]) -> Result<usize, GetError> {
    let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
    let Some(front) = buffer.get_mut(..value_bytes) else {
        return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
    };
    front.copy_from_slice(value);
    Ok(value_bytes)
}

/// Copies `value` into an allocation; `None` if there is no memory.
///
/// # Errors
/// If the value has more than `limit_bytes`.
#[inline]
pub fn copy_in(value: &[u8], limit_bytes: usize) -> Result<Option<Box<[u8]>>, PutError> {
    let value_bytes = value.len();
    if value_bytes > limit_bytes {
        return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
    }
    let mut copy = Vec::new();
    if copy.try_reserve_exact(value_bytes).is_err() {
        return Ok(None);
    }
    copy.extend_from_slice(value);
    Ok(Some(copy.into_boxed_slice()))
}

/// Asks `decide` what becomes of `old`; `new` is room for the answer.
///
/// # Errors
/// If the new value has more than `limit_bytes`.
pub fn decided(
    old: Option<&[u8]>,
    new: &mut Vec<u8>,
    decide: &mut Decide<'_>,
    limit_bytes: usize,
) -> Result<Decided, PutError> {
    new.clear();
    if decide(old, new) == Decision::Keep {
        return Ok(Decided::Keep);
    }
    Ok(copy_in(new, limit_bytes)?.map_or(Decided::Full, Decided::Store))
}
