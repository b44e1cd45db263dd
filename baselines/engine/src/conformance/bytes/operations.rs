//! Tests of one session with byte keys.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::keys::{LENGTHS, peculiar_keys, random_key};
use super::model::{Model, shown};
use crate::conformance::value::Random;
use crate::conformance::{Opener, check, open_checked, part_of};
use crate::{
    BytesError, BytesSession, Decision, KeyTooLong, KvBytesEngine, Op, Outcome, ScanOrder,
    ScanRange, Snapshots, ValueBuffers, Write,
};

/// Of keys that are longer, the suite says nothing.
const TESTED_BYTES_MAX: usize = 1 << 20;

/// The longest key that the store takes.
pub(super) fn limit_bytes<E: KvBytesEngine>() -> usize {
    let limit_bytes = E::TRAITS.keys.bytes_max();
    let limit_bytes = limit_bytes.unwrap_or_else(|| panic!("`{}` takes words", E::TRAITS.name));
    assert!(limit_bytes >= 8, "words are byte strings of 8");
    limit_bytes
}

pub(super) fn session<E: KvBytesEngine>(engine: &E) -> E::BytesSession<'_> {
    engine.bytes_session().unwrap_or_else(|error| panic!("a session: {error}"))
}

/// Every answer equals a reference map's, for gets, puts, deletes, read-modify-writes, puts where nothing is,
/// and batches, of keys that some layout takes for each other. Runs a fixed seed and a fresh one, which is
/// printed.
///
/// # Panics
/// If an answer is wrong.
pub fn byte_keys_agree_with_a_reference_map<E: KvBytesEngine>(open: Opener<'_, E>) {
    let limit_bytes = limit_bytes::<E>();
    let peculiar = peculiar_keys(limit_bytes);
    for seed in [1, RandomState::new().build_hasher().finish()] {
        eprintln!("byte_keys_agree_with_a_reference_map: seed {seed}");
        let engine = open_checked(open);
        let mut session = session(&engine);
        let mut model = Model::of(&engine);
        let mut random = Random::new(seed);
        for _ in 0..part_of::<E>(8000) {
            let key = random_key(&mut random, &peculiar, limit_bytes);
            match random.below(12) {
                0..4 => model.get(&mut session, &key),
                4..7 => model.put(&mut session, &key, &mut random),
                7..9 => model.delete(&mut session, &key),
                9 => {
                    let puts = random.percent(60);
                    model.modify(&mut session, &key, puts, &mut random);
                }
                10 => model.put_if_absent(&mut session, &key, &mut random),
                _ => {
                    let keys: Vec<_> = (0..random.below(20))
                        .map(|_| random_key(&mut random, &peculiar, limit_bytes))
                        .collect();
                    model.execute(&mut session, &keys, &mut random);
                }
            }
        }
        model.verify(&mut session);
        check(&engine);
    }
}

/// Keys of every length up to 300 bytes, of the lengths at which layouts end and of the store's limit, all of
/// the same byte, have values of their own, and are deleted one by one.
///
/// # Panics
/// If a key is taken for another.
pub fn keys_of_every_length_differ<E: KvBytesEngine>(open: Opener<'_, E>) {
    let limit_bytes = limit_bytes::<E>();
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    let mut random = Random::new(5);
    let mut lengths: Vec<usize> = (0..=300).chain(LENGTHS).chain([limit_bytes]).collect();
    lengths.retain(|&bytes| bytes <= limit_bytes.min(TESTED_BYTES_MAX));
    for byte in [0, b'k'] {
        for &bytes in &lengths {
            model.get(&mut session, &vec![byte; bytes]);
            model.put(&mut session, &vec![byte; bytes], &mut random);
        }
        model.verify(&mut session);
    }
    check(&engine);
    for &bytes in &lengths {
        model.delete(&mut session, &vec![b'k'; bytes]);
        model.get(&mut session, &vec![b'k'; bytes]);
    }
    model.verify(&mut session);
    check(&engine);
}

/// A key that is longer than the store takes is refused by every operation, with both lengths, and the store
/// is unchanged; one of the limit's length is taken.
///
/// # Panics
/// If the store behaves otherwise.
pub fn too_long_keys_are_typed_errors<E: KvBytesEngine>(open: Opener<'_, E>) {
    let limit_bytes = limit_bytes::<E>();
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    let mut random = Random::new(6);
    let longest = vec![b'x'; limit_bytes];
    model.put(&mut session, &longest, &mut random);
    for key_bytes in [limit_bytes + 1, limit_bytes + 256, limit_bytes + (1 << 16)] {
        let key = vec![b'x'; key_bytes];
        let error = KeyTooLong { key_bytes, limit_bytes };
        assert_eq!(session.get(&key, &mut []), Err(BytesError::Key(error)), "get");
        assert_eq!(session.put(&key, b"value"), Err(BytesError::Key(error)), "put");
        assert_eq!(session.delete(&key), Err(error), "delete");
        let absent = session.put_if_absent(&key, b"value");
        assert_eq!(absent, Err(BytesError::Key(error)), "put if absent");
        let changed = session.read_modify_write(&key, &mut |_, _| Decision::Put);
        assert_eq!(changed, Err(BytesError::Key(error)), "read-modify-write");
        for operation in [
            Op::Get { key: &key[..] },
            Op::Put { key: &key, value: b"v" },
            Op::Delete { key: &key },
        ] {
            let mut outcomes = [Outcome::Absent];
            let mut values = ValueBuffers::new(&mut [], 0);
            let executed = session.execute(&[operation], &mut values, &mut outcomes);
            assert_eq!(executed, Err(error), "in a batch");
        }
        if E::TRAITS.scans.are_possible() {
            let range = ScanRange::up(&key[..], 1);
            assert_eq!(session.scan(range, &mut |_, _| ()), Err(error), "scan");
        }
        if engine.writes_in_one_step() {
            let writes = [
                Write::Put { key: b"in one step".as_slice(), value: b"v" },
                Write::Delete { key: &key[..] },
            ];
            let written = session.write_in_one_step(&writes);
            assert_eq!(written, Err(BytesError::Key(error)), "in one step");
        }
        if engine.snapshots() != Snapshots::No {
            session.with_snapshot(&mut |snapshot| {
                assert_eq!(snapshot.get(&key, &mut []), Err(BytesError::Key(error)), "at a moment");
                let scanned = snapshot.scan(ScanRange::up(&key[..], 1), &mut |_, _| ());
                assert_eq!(scanned, Err(error), "a scan at a moment");
            });
        }
        model.verify(&mut session);
    }
    check(&engine);
}

/// A store scans, in the orders that its traits name, every live key from the given one on, as byte strings
/// are ordered, also from keys that are not there. In other orders it answers `None`.
///
/// # Panics
/// If the store behaves otherwise.
pub fn byte_scans_are_in_order<E: KvBytesEngine>(open: Opener<'_, E>) {
    let limit_bytes = limit_bytes::<E>();
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    let mut random = Random::new(7);
    let peculiar = peculiar_keys(limit_bytes);
    expect_scans::<E>(&mut session, &model, &peculiar);
    let mut keys = peculiar.clone();
    keys.extend((0..500).map(|_| random_key(&mut random, &peculiar, limit_bytes)));
    for round in 0..2 {
        for key in &keys {
            match random.below(3) {
                0 if round > 0 => model.delete(&mut session, key),
                0 | 1 => model.put(&mut session, key, &mut random),
                _ => {}
            }
        }
        model.verify(&mut session);
        expect_scans::<E>(&mut session, &model, &peculiar);
    }
    check(&engine);
    eprintln!("scanned up to {}", model.keys().last().map_or_else(String::new, |key| shown(key)));
}

fn expect_scans<E: KvBytesEngine>(
    session: &mut E::BytesSession<'_>,
    model: &Model,
    firsts: &[Vec<u8>],
) {
    for first in firsts {
        for order in [ScanOrder::Ascending, ScanOrder::Descending] {
            for limit in [0, 3, usize::MAX] {
                model.scan::<E>(session, ScanRange { first, limit, order });
            }
        }
    }
}
