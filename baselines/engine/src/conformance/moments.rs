//! Tests of snapshots and of writes in one step.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::value::{Random, mix};
use super::{Opener, check, open_checked, part_of, session};
use crate::{
    FullMeaning, KvEngine, KvSession, PutOutcome, ScanRange, SnapshotRead, Snapshots, Write,
};

/// Keys of the model.
const KEYS: u64 = 300;
/// Rounds, at least, of the thread that writes while others look, and looks of all of them.
const ROUNDS: u64 = 2000;
const LOOKS: u64 = 300;
/// Keys that are written together.
const TOGETHER: u64 = 3;
const LOOKERS: usize = 2;

type Model = BTreeMap<u64, Vec<u8>>;

/// A snapshot shows what was there when it was taken, whatever is put, deleted, merged and returned
/// meanwhile, and several do so at a time. While another thread writes keys in turn, no snapshot shows a
/// later one without an earlier one, and none is older than the one before. Keys that are written in one
/// step are never seen apart. A store without either says so.
///
/// # Panics
/// If the store behaves otherwise.
pub fn moments_are_whole<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let has = engine.snapshots() != Snapshots::No;
    let mut called = false;
    let answer = session(&engine).with_snapshot(&mut |_| called = true);
    assert_eq!((answer, called), (has, has), "the store has snapshots: {:?}", engine.snapshots());
    if has {
        expect_the_past(&engine);
        expect_order(&engine);
    }
    expect_steps(&engine);
    check(&engine);
}

fn expect_the_past<E: KvEngine>(engine: &E) {
    let (mut writer, mut reader) = (session(engine), session(engine));
    let mut random = Random::new(31);
    let mut model = Model::new();
    change(&mut writer, &mut model, &mut random, 0);
    let then = model.clone();
    reader.with_snapshot(&mut |first| {
        change(&mut writer, &mut model, &mut random, 1);
        let later = model.clone();
        let mut other = session(engine);
        other.with_snapshot(&mut |second| {
            change(&mut writer, &mut model, &mut random, 2);
            engine.settle();
            engine.trim();
            expect_state::<E>(first, &then);
            expect_state::<E>(second, &later);
        });
        expect_state::<E>(first, &then);
    });
    reader.with_snapshot(&mut |now| expect_state::<E>(now, &model));
    model.keys().for_each(|&key| _ = writer.delete(key));
}

/// Puts and deletes, so that some keys are new, changed, gone and back.
fn change<S: KvSession>(session: &mut S, model: &mut Model, random: &mut Random, round: u8) {
    for _ in 0..2 * KEYS {
        let key = mix(random.below(KEYS));
        if random.percent(25) {
            session.delete(key);
            model.remove(&key);
        } else {
            let value = vec![round; random.length(&(0..=900))];
            assert!(session.put(key, &value).is_ok_and(PutOutcome::is_stored));
            model.insert(key, value);
        }
    }
}

fn expect_state<E: KvEngine>(snapshot: &mut dyn SnapshotRead, model: &Model) {
    let mut buffer = vec![0; 900];
    for key in (0..KEYS).map(mix) {
        let found = snapshot.get(key, &mut buffer).expect("a buffer for the longest value");
        let found = found.map(|value_bytes| &buffer[..value_bytes]);
        assert_eq!(found, model.get(&key).map(Vec::as_slice), "key {key:#x} in a snapshot");
    }
    let mut shown = Model::new();
    let scanned = snapshot.scan(ScanRange::up(0, usize::MAX), &mut |key, value| {
        shown.insert(key, value.to_vec());
    });
    assert_eq!(scanned.is_some(), E::TRAITS.scans.are_possible(), "a scan of a snapshot");
    if scanned.is_some() {
        assert_eq!(shown, *model, "the pairs of a snapshot");
    }
}

/// One thread writes a few keys in turn, and others look at all of them at a time.
fn while_writing<E: KvEngine>(
    engine: &E,
    write: impl Fn(&mut E::Session<'_>, &[u64], u64) + Sync,
    look: impl Fn([u64; TOGETHER as usize]) + Sync,
) {
    let keys: Vec<u64> = (0..TOGETHER).map(|key| mix((1 << 30) + key)).collect();
    let (begin, ended) = (Barrier::new(LOOKERS + 1), AtomicBool::new(false));
    let (looks, broken) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..LOOKERS {
            scope.spawn(|| {
                begin.wait();
                let _tells = Tells { flag: &broken, always: false };
                let mut session = session(engine);
                let mut last = [0; TOGETHER as usize];
                // Relaxed: it only ends the loop.
                while !ended.load(Ordering::Relaxed) {
                    session.with_snapshot(&mut |snapshot| {
                        let mut buffer = [0; 8];
                        let seen = std::array::from_fn(|key| {
                            let found = snapshot.get(keys[key], &mut buffer).expect("8 bytes");
                            found.map_or(0, |_| u64::from_le_bytes(buffer))
                        });
                        look(seen);
                        let is_later = seen.iter().zip(&last).all(|(seen, last)| seen >= last);
                        assert!(is_later, "{seen:?} after {last:?}: time goes back");
                        last = seen;
                    });
                    // Relaxed: a count.
                    looks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        begin.wait();
        // Those who look stop when this thread panics too.
        let _tells = Tells { flag: &ended, always: true };
        let mut session = session(engine);
        // Relaxed: they only end the loop.
        let more = |round| {
            round < part_of::<E>(ROUNDS) || looks.load(Ordering::Relaxed) < part_of::<E>(LOOKS)
        };
        for round in 1.. {
            write(&mut session, &keys, round);
            // Relaxed: as above.
            if !more(round) || broken.load(Ordering::Relaxed) {
                break;
            }
        }
    });
    let mut session = session(engine);
    keys.iter().for_each(|&key| _ = session.delete(key));
}

/// Tells others when its thread panics, or in any case.
struct Tells<'a> {
    flag: &'a AtomicBool,
    always: bool,
}

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        if self.always || thread::panicking() {
            // Relaxed: it only ends loops.
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

fn expect_order<E: KvEngine>(engine: &E) {
    while_writing(
        engine,
        |session, keys, round| {
            for &key in keys {
                let put = session.put(key, &round.to_le_bytes());
                assert!(put.is_ok_and(PutOutcome::is_stored));
            }
        },
        |seen| {
            let in_turn = seen.windows(2).all(|pair| pair[0] >= pair[1]);
            let together = in_turn && seen[0] - seen[TOGETHER as usize - 1] <= 1;
            assert!(together, "{seen:?}: no moment was like that");
        },
    );
}

fn expect_steps<E: KvEngine>(engine: &E) {
    let (one, other) = (mix(1 << 31), mix((1 << 31) + 1));
    let writes = [Write::Put { key: one, value: b"1" }, Write::Delete { key: other }];
    let mut session = session(engine);
    session.put(other, b"0").expect("a short value");
    let told = session.write_in_one_step(&writes).expect("short values");
    assert_eq!(told.is_some(), engine.writes_in_one_step(), "writes in one step: {told:?}");
    let mut get = |key| session.get(key, &mut [0; 8]).expect("a short value");
    let expected = if told.is_some() { (Some(1), None) } else { (None, Some(1)) };
    if E::TRAITS.full != FullMeaning::Evict {
        assert_eq!((get(one), get(other)), expected, "after {told:?}");
    }
    [one, other].into_iter().for_each(|key| _ = session.delete(key));
    drop(session);
    if told.is_some() && engine.snapshots() != Snapshots::No {
        while_writing(
            engine,
            |session, keys, round| {
                let value = round.to_le_bytes();
                let write = |&key| Write::Put { key, value: &value };
                let writes: Vec<_> = keys.iter().map(write).collect();
                let told = session.write_in_one_step(&writes).expect("short values");
                assert!(told.is_some_and(PutOutcome::is_stored), "{told:?}");
            },
            |seen| assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}: a step in parts"),
        );
    }
}
