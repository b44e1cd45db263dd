//! Requests of one kind in a row: loops with nothing in them but the store.
//!
//! What a loop does between two operations decides how far they overlap. Where all requests of a span are
//! of one kind, nothing needs to be asked between them. Each kind has several loops, and [`super::shapes`]
//! finds the fastest of them.

use std::hint::black_box;

use engine::KvEngine;
use workloads::key_of;
use workloads::requests::Request;

use super::calls::{self, Found, Stored};
use super::shapes::{GetShape, UpdateShape};
use super::values::Values;

/// Reads all of `words` into `buffer`, and returns how many were not there. The loop is written in `shape`.
#[inline(always)]
pub(super) fn gets<E: KvEngine>(
    session: &mut E::Session<'_>,
    words: &[Request],
    buffer: &mut [u8],
    shape: GetShape,
) -> u64 {
    match shape {
        GetShape::Summed => summed::<E>(session, words, buffer),
        GetShape::Branched => branched::<E>(session, words, buffer),
    }
}

#[inline(never)]
fn summed<E: KvEngine>(session: &mut E::Session<'_>, words: &[Request], buffer: &mut [u8]) -> u64 {
    let mut unfound = 0;
    for word in words {
        let found = calls::get::<E>(session, key_of(word.record()), buffer);
        unfound += u64::from(!matches!(found, Found::Value(_)));
    }
    black_box(buffer);
    unfound
}

#[inline(never)]
fn branched<E: KvEngine>(
    session: &mut E::Session<'_>,
    words: &[Request],
    buffer: &mut [u8],
) -> u64 {
    let mut unfound = 0;
    for word in words {
        let found = calls::get::<E>(session, key_of(word.record()), buffer);
        if !matches!(found, Found::Value(_)) {
            count(&mut unfound);
        }
    }
    black_box(buffer);
    unfound
}

/// Counts one more, out of a loop's way.
#[cold]
#[inline(never)]
pub(super) fn count(number: &mut u64) {
    *number += 1;
}

/// Stores the next of `values` for each of `words`, until one is not stored. Returns how many were
/// executed, and what came of the last one if it was not stored. The loop is written in `shape`.
#[inline(always)]
pub(super) fn updates<E: KvEngine>(
    session: &mut E::Session<'_>,
    words: &[Request],
    values: &mut Values,
    shape: UpdateShape,
) -> (usize, Option<Stored>) {
    let made = values.untaken();
    let (executed, taken, refused) = match shape {
        UpdateShape::Split => split::<E>(session, words, made),
        UpdateShape::Indexed => indexed::<E>(session, words, made),
        UpdateShape::Even => even::<E>(session, words, made),
    };
    values.skip(taken);
    (executed, refused)
}

/// Operations executed, bytes of values taken, and what came of the last operation if it was not stored.
type Burst = (usize, usize, Option<Stored>);

#[inline(never)]
fn split<E: KvEngine>(session: &mut E::Session<'_>, words: &[Request], made: &[u8]) -> Burst {
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
    (executed, made.len() - rest.len(), refused)
}

#[inline(never)]
fn indexed<E: KvEngine>(session: &mut E::Session<'_>, words: &[Request], made: &[u8]) -> Burst {
    let mut taken = 0;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let value = &made[taken..taken + word.size()];
        at += 1;
        taken += word.size();
        let stored = calls::put::<E>(session, key_of(word.record()), value);
        if !stored.is_stored() {
            return (at, taken, Some(stored));
        }
    }
    (at, taken, None)
}

#[inline(never)]
fn even<E: KvEngine>(session: &mut E::Session<'_>, words: &[Request], made: &[u8]) -> Burst {
    let bytes = words.first().map_or(1, |word| word.size());
    assert!(words.len() * bytes <= made.len(), "every word has its value");
    for (at, (word, value)) in words.iter().zip(made.chunks_exact(bytes)).enumerate() {
        debug_assert_eq!(word.size(), bytes);
        let stored = calls::put::<E>(session, key_of(word.record()), value);
        if !stored.is_stored() {
            return (at + 1, (at + 1) * bytes, Some(stored));
        }
    }
    (words.len(), words.len() * bytes, None)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::Setup;
    use workloads::requests::{Groups, RequestKind};
    use workloads::value::{Condition, ValueChecker, ValueWriter};

    use super::*;
    use crate::registry::{StoreVisitor, with_store};

    const VALUE_BYTES: usize = 1000;
    const IN_A_BURST: u64 = 60;
    const OBJECT_MEMORY_BYTES: u64 = 8 << 20;

    /// Stores ever more records, until one is refused.
    struct Overfill(GetShape, UpdateShape);

    impl StoreVisitor for Overfill {
        type Output = ();

        fn visit<E: KvEngine>(self, engine: &E) {
            let mut session = engine.worker_session(0, 1).unwrap();
            let mut values = Values::for_batches(1, VALUE_BYTES).unwrap();
            let mut writer = ValueWriter::new(0, VALUE_BYTES);
            let words_of = |first: u64, kind| -> Vec<Request> {
                let records = first..first + IN_A_BURST;
                records.map(|record| Request::new(kind, VALUE_BYTES, record)).collect()
            };
            for first in (0..).step_by(IN_A_BURST as usize) {
                assert!(first < OBJECT_MEMORY_BYTES / VALUE_BYTES as u64, "more than it holds");
                let words = words_of(first, RequestKind::Update);
                let groups = Groups::new(1, 1000);
                assert_eq!(values.make(&mut writer, (&words, first), groups), words.len());
                let room = values.untaken().len();
                let (executed, refused) = updates::<E>(&mut session, &words, &mut values, self.1);
                assert_eq!(room - values.untaken().len(), executed * VALUE_BYTES);
                let stored = executed - usize::from(refused.is_some());
                let mut buffer = [0; VALUE_BYTES];
                let asked = words_of(first, RequestKind::Get);
                let unfound = gets::<E>(&mut session, &asked, &mut buffer, self.0);
                assert_eq!(unfound, (words.len() - stored) as u64);
                if let Some(last) = asked[..stored].last() {
                    gets::<E>(&mut session, &[*last], &mut buffer, self.0);
                    let checker = ValueChecker::new(VALUE_BYTES);
                    let good = Condition::Good { writer: 0, sequence: last.record() };
                    assert_eq!(checker.check(key_of(last.record()), &buffer), good);
                }
                if let Some(refused) = refused {
                    assert_eq!(refused, Stored::Full);
                    return;
                }
                assert_eq!(executed, words.len());
            }
        }
    }

    #[test]
    fn a_burst_ends_with_the_refused_value_and_what_is_absent_is_counted() {
        let setup = Setup {
            object_memory_bytes: Some(OBJECT_MEMORY_BYTES),
            live_bytes: OBJECT_MEMORY_BYTES / 2,
            records_max: OBJECT_MEMORY_BYTES / VALUE_BYTES as u64,
            value_bytes_max: VALUE_BYTES,
            sessions: 2,
            cache_bytes: None,
            resident: false,
            tells_updates: true,
            options: BTreeMap::new(),
            folder: None,
            heap: None,
        };
        let shapes = [
            (GetShape::Summed, UpdateShape::Split),
            (GetShape::Branched, UpdateShape::Indexed),
            (GetShape::Summed, UpdateShape::Even),
        ];
        for (get, update) in shapes {
            with_store("nibble", &setup, Overfill(get, update)).unwrap();
        }
    }
}
