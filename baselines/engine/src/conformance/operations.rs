//! Tests of one session: compared with a reference map, edge cases, typed errors.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::model::{Model, Step, VALUE_BYTES_MAX};
use super::value::{Random, mix};
use super::{OBJECT_MEMORY_BYTES, Opener, check, open_checked, part_of, session};
use crate::{
    DeleteOutcome, FullMeaning, GetError, KvEngine, KvSession, MemoryBound, Op, Outcome, PutError,
    PutOutcome, ScanOrder, ScanRange, ValueBuffers, Writes,
};

/// Keys that are special to some layout.
const EXTREME_KEYS: [u64; 9] =
    [0, 1, 2, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, u32::MAX as u64, 1 << 48];

/// Every answer equals a reference map's, for single operations and for batches of random length.
/// The keys are 97, so that overwrites collide, and a wide set with both extremes; values have 0 to
/// 3000 bytes. Runs fixed seeds and a fresh one, which is printed.
///
/// # Panics
/// If an answer is wrong.
pub fn agrees_with_a_reference_map<E: KvEngine>(open: Opener<'_, E>) {
    let fresh = RandomState::new().build_hasher().finish();
    for seed in [1, 2, fresh] {
        eprintln!("agrees_with_a_reference_map: seed {seed}");
        let engine = open_checked(open);
        let mut session = session(&engine);
        let mut model = Model::of(&engine);
        let mut random = Random::new(seed);
        for _ in 0..part_of::<E>(250) {
            for _ in 0..random.below(60) {
                match random_step(&mut random) {
                    Step::Get(key) => model.get(&mut session, key),
                    Step::Put(key, value_bytes) => {
                        model.put(&mut session, key, value_bytes);
                    }
                    Step::Delete(key) => model.delete(&mut session, key),
                }
            }
            let batch: Vec<_> = (0..random.below(60)).map(|_| random_step(&mut random)).collect();
            model.execute(&mut session, &batch);
        }
        // Everything ever put is a fraction of the object memory.
        assert_eq!(model.refused, 0, "puts answered Full in a store that is nearly empty");
        let live_before = model.live_objects();
        model.verify(&mut session);
        // Only a store that evicts may have fewer objects here, and it had no reason to evict most
        // of them.
        assert!(model.live_objects() * 2 >= live_before, "most objects vanished");
        check(&engine);
    }
}

pub(super) fn random_step(random: &mut Random) -> Step {
    let key = match random.below(16) {
        0 => EXTREME_KEYS[random.below(EXTREME_KEYS.len() as u64) as usize],
        1..10 => random.below(97),
        _ => mix(1000 + random.below(1500)),
    };
    match random.below(10) {
        0..4 => Step::Get(key),
        4..8 => Step::Put(key, random.length(&(0..=VALUE_BYTES_MAX))),
        _ => Step::Delete(key),
    }
}

/// Empty values are values, and every `u64` is a key.
///
/// # Panics
/// If the store behaves otherwise.
pub fn empty_value_and_extreme_keys<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    for key in EXTREME_KEYS {
        model.get(&mut session, key);
        model.delete(&mut session, key);
    }
    for value_bytes in [0, 1, 0, 7, 8, 0, VALUE_BYTES_MAX, 0] {
        for key in EXTREME_KEYS {
            let outcome = model.put(&mut session, key, value_bytes);
            assert!(outcome.is_stored(), "put of {value_bytes} bytes: {outcome:?}");
            model.get(&mut session, key);
        }
        model.verify(&mut session);
    }
    let into_nothing = session.get(EXTREME_KEYS[0], &mut []);
    if E::TRAITS.full != FullMeaning::Evict {
        assert_eq!(into_nothing, Ok(Some(0)), "an empty value fits an empty buffer");
    }
    for key in EXTREME_KEYS {
        model.delete(&mut session, key);
        model.get(&mut session, key);
        model.delete(&mut session, key);
    }
    check(&engine);
}

/// A buffer that is too short gives an error with both lengths, alone and in a batch. A buffer that
/// just fits does not.
///
/// # Panics
/// If the store behaves otherwise.
pub fn short_buffer_is_an_error<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    for (key, value_bytes) in [(7, 1), (8, 8), (9, 100), (10, 3000)] {
        model.put(&mut session, key, value_bytes);
        let Some(expected) = model.value_of(key) else { continue };
        for buffer_bytes in [0, 1, value_bytes / 2, value_bytes - 1] {
            if buffer_bytes >= value_bytes {
                continue;
            }
            let mut buffer = vec![0; buffer_bytes];
            assert_eq!(
                session.get(key, &mut buffer),
                Err(GetError::BufferTooShort { value_bytes, buffer_bytes }),
            );
            let mut outcomes = [Outcome::Absent];
            let mut values = ValueBuffers::new(&mut buffer, buffer_bytes);
            session.execute(&[Op::Get { key }], &mut values, &mut outcomes);
            assert_eq!(outcomes, [Outcome::BufferTooShort(value_bytes)]);
        }
        let mut buffer = vec![0; value_bytes];
        assert_eq!(session.get(key, &mut buffer), Ok(Some(value_bytes)), "a buffer that fits");
        assert_eq!(buffer, expected);
        model.get(&mut session, key);
    }
    assert_eq!(session.get(1, &mut []), Ok(None), "an absent key needs no buffer");
    check(&engine);
}

/// A value too large for an empty store is refused with the exact limit, and the store is
/// unchanged. Tests nothing in stores whose limit is out of reach.
///
/// # Panics
/// If the store behaves otherwise.
pub fn too_large_is_a_typed_error<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut session = session(&engine);
    let capacity_bytes = engine.memory().capacity_bytes.unwrap_or(0).max(OBJECT_MEMORY_BYTES);
    let above_all = E::TRAITS.value_bytes_max.saturating_add(1);
    let value_bytes = above_all.min(usize::try_from(2 * capacity_bytes).expect("64-bit sizes"));
    let bounded = value_bytes == above_all || E::TRAITS.memory_bound == MemoryBound::Hard;
    let mut value = vec![0; value_bytes];
    session.put(1, b"stays").expect("a short value");
    match session.put(1, &value) {
        Err(PutError::ValueTooLarge { value_bytes: told_bytes, limit_bytes }) => {
            assert_eq!(told_bytes, value_bytes);
            assert!(limit_bytes < value_bytes, "{limit_bytes} is no limit below {value_bytes}");
            assert!(limit_bytes <= E::TRAITS.value_bytes_max, "above the traits' limit");
            value.truncate(limit_bytes + 1);
            let error = PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes };
            assert_eq!(session.put(2, &value), Err(error), "one byte above the limit");
            expect_outcome(&mut session, Op::Put { key: 2, value: &value }, Outcome::ValueTooLarge);
            assert_eq!(session.get(2, &mut []), Ok(None));
            let mut buffer = [0; 5];
            assert_eq!(session.get(1, &mut buffer), Ok(Some(5)), "the old value stays");
            assert_eq!(&buffer, b"stays");
            assert_ne!(session.delete(1), DeleteOutcome::Absent);
            value.truncate(limit_bytes);
            engine.settle();
            let outcome = session.put(3, &value);
            let expected = match engine.writes() {
                Writes::Telling => PutOutcome::Inserted,
                Writes::Blind => PutOutcome::Stored,
            };
            assert_eq!(outcome, Ok(expected), "a value of the limit's {limit_bytes}");
        }
        Ok(outcome) => {
            assert!(!bounded, "a value of {value_bytes} bytes gave {outcome:?}, not an error");
        }
    }
    check(&engine);
}

fn expect_outcome<S: KvSession>(session: &mut S, operation: Op<'_>, expected: Outcome) {
    let mut outcomes = [Outcome::Absent];
    session.execute(&[operation], &mut ValueBuffers::new(&mut [], 0), &mut outcomes);
    assert_eq!(outcomes, [expected], "in a batch");
}

/// A store scans, in the orders that its traits name, every live key from the given one on, up to
/// the limit, with its newest value; beyond the last key it finds nothing. In other orders it
/// returns `None`.
///
/// # Panics
/// If the store behaves otherwise.
pub fn scan_is_ordered_or_absent<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    let mut random = Random::new(3);
    expect_scans::<E>(&mut session, &model);
    let keys = (0..1000).map(|index| if index % 2 == 0 { mix(index) } else { index });
    let keys: Vec<_> = keys.chain(EXTREME_KEYS).collect();
    for &key in &keys {
        model.put(&mut session, key, random.length(&(0..=200)));
    }
    model.verify(&mut session);
    expect_scans::<E>(&mut session, &model);
    for &key in &keys {
        match random.below(3) {
            0 => model.delete(&mut session, key),
            1 => _ = model.put(&mut session, key, random.length(&(0..=200))),
            _ => {}
        }
    }
    // After the last key is deleted, there are keys beyond the end.
    model.delete(&mut session, u64::MAX);
    model.verify(&mut session);
    expect_scans::<E>(&mut session, &model);
    check(&engine);
}

fn expect_scans<E: KvEngine>(session: &mut E::Session<'_>, model: &Model) {
    for (first, limit) in
        [(0, usize::MAX), (0, 0), (1, 1), (500, 20), (1 << 63, 100), (u64::MAX, 5), (mix(7), 7)]
    {
        for order in [ScanOrder::Ascending, ScanOrder::Descending] {
            expect_scan::<E>(session, model, ScanRange { first, limit, order });
        }
    }
}

fn expect_scan<E: KvEngine>(session: &mut E::Session<'_>, model: &Model, range: ScanRange) {
    let mut found = Vec::new();
    let shown = session.scan(range, &mut |key, value| {
        assert_eq!(Some(value), model.value_of(key).as_deref(), "scanned {key:#x}");
        found.push(key);
    });
    assert_eq!(shown.is_some(), E::TRAITS.scans.include(range.order), "as its traits say");
    if let Some(shown) = shown {
        assert_eq!(found, model.keys_of(range), "{range:?}");
        assert_eq!(shown, found.len(), "{range:?}: pairs are counted");
    }
}
