//! Requests of one kind in a row: loops with nothing in them but the store.
//!
//! What a loop does between two operations decides how far they overlap. Where all requests of a span are
//! of one kind, nothing needs to be asked between them.

use std::hint::black_box;

use engine::KvEngine;
use workloads::key_of;
use workloads::requests::Request;

use super::calls::{self, Found, Stored};
use super::values::Values;

/// Reads all of `words` into `buffer`, and returns how many were not there. Outcomes are added up, so
/// that no branch waits for what was found.
#[inline(never)]
pub(super) fn gets<E: KvEngine>(
    session: &mut E::Session<'_>,
    words: &[Request],
    buffer: &mut [u8],
) -> u64 {
    let mut unfound = 0;
    for word in words {
        let found = calls::get::<E>(session, key_of(word.record()), buffer);
        unfound += u64::from(!matches!(found, Found::Value(_)));
    }
    black_box(buffer);
    unfound
}

/// Stores the next of `values` for each of `words`, until one is not stored. Returns how many were
/// executed, and what came of the last one if it was not stored.
#[inline(never)]
pub(super) fn updates<E: KvEngine>(
    session: &mut E::Session<'_>,
    words: &[Request],
    values: &mut Values,
) -> (usize, Option<Stored>) {
    let made = values.untaken();
    let mut rest = made;
    let mut executed = 0;
    let mut refused = None;
    for word in words {
        let (value, later) = rest.split_at(word.size());
        rest = later;
        executed += 1;
        let stored = calls::put::<E>(session, key_of(word.record()), value);
        if !stored.is_stored() {
            refused = Some(stored);
            break;
        }
    }
    let taken = made.len() - rest.len();
    values.skip(taken);
    (executed, refused)
}
