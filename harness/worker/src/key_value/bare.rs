//! The bare loop: the minimal loop that sends a store the same requests. It times nothing, checks only
//! that every key was present, and stores the same bytes every time. The closed loop's extra time is the
//! cost of the harness.

use std::hint::black_box;

use engine::{FullMeaning, KvEngine, PutOutcome};
use workloads::key_of;
use workloads::requests::{Request, RequestKind};

use super::calls;

/// Executes `words`, which are all GETs and updates, and returns their number. Updates store the front of
/// `value`.
///
/// # Errors
/// A GET that found nothing in a store that does not evict, or a refused PUT.
pub(super) fn run<E: KvEngine>(
    session: &mut E::Session<'_>,
    words: &[Request],
    value: &[u8],
    buffer: &mut [u8],
) -> Result<u64, String> {
    let mut failed = 0_u64;
    for word in words {
        let key = key_of(word.record());
        if word.is(RequestKind::Get) {
            failed += u64::from(!matches!(calls::get::<E>(session, key, buffer), Ok(Some(_))));
        } else {
            let stored = calls::put::<E>(session, key, &value[..word.size()]);
            failed += u64::from(!matches!(stored, Ok(PutOutcome::Inserted | PutOutcome::Updated)));
        }
    }
    black_box(buffer);
    let may_miss = !E::TRAITS.keeps_values || E::TRAITS.full == FullMeaning::Evict;
    match failed {
        0 => Ok(words.len() as u64),
        _ if may_miss => Ok(words.len() as u64),
        failed => Err(format!("{failed} of {} operations of the bare loop failed", words.len())),
    }
}
