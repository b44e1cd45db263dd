//! The bare loop: the least that asks a store the same requests. It times nothing, checks nothing but
//! that every key was there, and stores the same bytes again and again. What a closed loop is slower,
//! the harness costs.

use std::hint::black_box;

use engine::{FullMeaning, KvEngine, KvSession, PutOutcome};
use workloads::key_of;
use workloads::requests::{Request, RequestKind};

/// Executes `words`, all of them GETs and updates, and counts them. Updates store the front of `value`.
///
/// # Errors
/// A GET that found nothing in a store that evicts nothing, a PUT that was refused.
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
            failed += u64::from(!matches!(session.get(key, buffer), Ok(Some(_))));
        } else {
            let stored = session.put(key, &value[..word.size()]);
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
