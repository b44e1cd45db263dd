//! Tests of the races that the design rules out, run step by step from inside.

mod holes;
mod overwriting;
mod relocation;
mod retirement;
mod waiting;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use crate::epoch::EpochTable;
use crate::index::hash::Hash;
use crate::store::Shared;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, Spin};
use crate::{
    Answer, Buffers, Compaction, Config, EpochClock, Operation, Put, PutError, Store, Update,
};

fn small() -> Store {
    small_with(|_| {})
}

fn small_with(change: impl FnOnce(&mut Config)) -> Store {
    let mut config = Config { update: Update::Append, ..Config::best(1 << 20) };
    config.segment_bytes = 64 << 10;
    config.block_bytes = 4 << 10;
    config.virtual_nodes = 1;
    config.heads = 1;
    config.compaction = Compaction::Background;
    config.full_wait_ms = 100;
    change(&mut config);
    Store::open(config).expect("a valid configuration")
}

fn fill(store: &Store) -> u64 {
    let session = store.session().unwrap();
    (0..).find(|&key| session.put(key, &[1; 1000]).is_err()).unwrap()
}

/// The session that a refusal names.
fn named(put: Result<Put, PutError>) -> Option<usize> {
    match put {
        Err(PutError::Stalled { session, .. }) => Some(session),
        _ => None,
    }
}

/// Waits until `done`, at most two seconds; returns whether it happened.
fn soon(mut done: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !done() && begin.elapsed() < Duration::from_secs(2) {
        thread::sleep(Duration::from_micros(100));
    }
    done()
}

/// Entering needs a store-load barrier: if the scan does not see a reader, the reader must see
/// everything that was unlinked before the scan.
#[test]
fn a_reader_that_the_scan_missed_sees_the_unlinking() {
    const ROUNDS: usize = if cfg!(debug_assertions) { 20_000 } else { 200_000 };
    let table = EpochTable::new(EpochClock::ThreadCounter);
    let slot = table.claim().unwrap();
    let rounds: Vec<_> = (0..ROUNDS).map(|_| [AtomicU64::new(1), AtomicU64::new(0)]).collect();
    let steps = [AtomicUsize::new(0), AtomicUsize::new(0)];
    // Both sides take every step together; a side that is ahead waits.
    let meet = |me: usize| {
        let step = steps[me].fetch_add(1, Ordering::AcqRel);
        let mut spin = Spin::default();
        while steps[1 - me].load(Ordering::Acquire) <= step {
            spin.turn();
        }
    };
    let missed = thread::scope(|scope| {
        scope.spawn(|| {
            for [linked, seen] in &rounds {
                meet(0);
                let pin = slot.enter(&table.clock);
                seen.store(linked.load(Ordering::Acquire), Ordering::Relaxed);
                meet(0);
                drop(pin);
            }
        });
        let worker = scope.spawn(|| {
            let mut missed = Vec::new();
            for (round, [linked, _]) in rounds.iter().enumerate() {
                meet(1);
                linked.store(0, Ordering::Release);
                if table.minimum() == u64::MAX {
                    missed.push(round);
                }
                meet(1);
            }
            missed
        });
        worker.join().unwrap()
    });
    for round in missed {
        let seen = rounds[round][1].load(Ordering::Relaxed);
        assert_eq!(seen, 0, "round {round}: a reader the scan missed saw a freed object");
    }
}

#[test]
fn every_exit_leaves_the_epoch() {
    let store = small();
    let session = store.session().unwrap();
    session.put(1, &[0; 100]).unwrap();
    let outside = || assert_eq!(store.shared.epochs.active(), 0);
    assert_eq!(session.get(2, &mut []), Ok(None));
    outside();
    session.get(1, &mut [0; 10]).unwrap_err();
    outside();
    assert_eq!(session.get(1, &mut [0; 100]), Ok(Some(100)));
    outside();
    assert_eq!(session.delete(2), Ok(false));
    assert_eq!(session.delete(1), Ok(true));
    outside();
    fill(&store);
    session.put(u64::MAX, &[0; 60_000]).unwrap_err();
    outside();
    session.put(u64::MAX, &[0; 1 << 20]).unwrap_err();
    outside();
}

#[test]
fn a_pinned_reader_blocks_reclamation_and_nothing_else_does() {
    let store = small();
    let session = store.session().unwrap();
    let keys = fill(&store);
    assert!(store.settle());
    let reader = store.shared.epochs.claim().unwrap();
    let pin = reader.enter(&store.shared.epochs.clock);
    for key in 0..keys {
        assert_eq!(session.delete(key), Ok(true));
    }
    // Compaction continues, but what it empties is not freed.
    assert_eq!(named(session.put(0, &[2; 60_000])), Some(reader.number()));
    assert!(soon(|| store.shared.log.nodes[0].crew.totals().limbo_blocks > 100));
    assert_eq!(store.shared.log.nodes[0].pool.available(), 0);
    drop(pin);
    assert!(soon(|| store.shared.log.nodes[0].pool.available() > 100));
    session.put(0, &[2; 60_000]).unwrap();
    reader.release();
    store.check().unwrap();
}

/// Between append and publication an object looks dead. If its segment were compacted then, the
/// publication would lead into freed memory.
#[test]
fn a_segment_waits_for_those_who_still_write_to_it() {
    let store = small();
    let shared = &store.shared;
    let slot = shared.epochs.claim().unwrap();
    let pin = slot.enter(&store.shared.epochs.clock);
    let key = 1 << 40;
    let (object, header) = shared.log.append(1000, 0, &pin).unwrap().write(key, &[9; 1000]);

    // The rest of the segment dies, and the PUTs need so much room that every segment is emptied.
    let session = store.session().unwrap();
    let keys = fill(&store);
    for key in 0..keys {
        session.delete(key).unwrap();
    }
    assert_eq!(named(session.put(0, &[2; 60_000])), Some(slot.number()));
    thread::sleep(Duration::from_millis(20));
    assert!(shared.log.segments[object.segment()].state().is_readable());

    let hash = Hash::of(key);
    let (log, index) = (&shared.log, &shared.index);
    let updated = index.publish(hash, key, object, header, &log.memory, &log.segments, &pin);
    assert!(updated.unwrap().is_none());
    drop(pin);
    slot.release();
    // Now the segment may go, and the object moves.
    assert!(soon(|| session.put(0, &[2; 60_000]).is_ok()));
    for round in 0..2000 {
        session.put(round % 7, &[3; 3000]).unwrap();
    }
    let mut buffer = [0; 1000];
    assert_eq!(session.get(key, &mut buffer), Ok(Some(1000)));
    assert_eq!(buffer, [9; 1000]);
    store.check().unwrap();
}

/// If an object dies after a worker has copied it and before publication, the worker takes the copy
/// back. If the object was replaced in the meantime, the worker does not bring it back either.
#[test]
fn a_dead_object_is_not_published_again() {
    let store = small();
    let shared = &store.shared;
    let session = store.session().unwrap();
    session.put(5, &[5; 50]).unwrap();
    let hash = Hash::of(5);
    let slot = shared.epochs.claim().unwrap();
    let pin = slot.enter(&store.shared.epochs.clock);
    let Shared { log, index, .. } = &**shared;
    let from = index.find(hash, 5, &log.memory, &pin).unwrap().address;
    let relocate = || {
        index.relocate(hash, from, &log.memory, &log.segments, &pin, |_, _| {
            panic!("a dead object is copied")
        })
    };
    session.delete(5).unwrap();
    assert!(!relocate());
    assert_eq!(session.get(5, &mut [0; 50]), Ok(None));
    session.put(5, &[6; 50]).unwrap();
    assert!(!relocate());
    drop(pin);
    slot.release();
    assert_eq!(store.census().live_object_bytes, 62);
    store.check().unwrap();
}

/// A worker that panics cannot go on. Nobody waits for it in vain: the store says it is closed.
#[test]
fn a_panic_in_compaction_closes_the_store_and_says_so() {
    for &compaction in Compaction::ALL {
        let store = small_with(|config| config.compaction = compaction);
        let session = store.session().unwrap();
        let keys = fill(&store);
        // One object too many: no segment is empty when it was walked to its end.
        for (_, info) in store.shared.log.segments.iter() {
            if info.state().is_readable() {
                info.gain(1);
            }
        }
        for key in 1..keys {
            // Threads may compact at once, so any of these may find the store closed.
            _ = session.delete(key);
        }
        let refused = (0..2000).find_map(|key| {
            // A writer that compacts panics itself.
            catch_unwind(AssertUnwindSafe(|| session.put(keys + key, &[2; 1000]))).ok()?.err()
        });
        assert_eq!(refused, Some(PutError::Closed), "{compaction}");

        assert_eq!(session.put(0, &[2; 10]), Err(PutError::Closed));
        assert_eq!(session.delete(0), Err(PutError::Closed));
        assert_eq!(session.get(0, &mut [0; 1000]), Ok(Some(1000)));
        let mut answers = Vec::new();
        let put = Operation::Put { key: 0, value: &[2; 10] };
        let batch = [put, Operation::Delete { key: 0 }, Operation::Get { key: 0 }];
        let mut bytes = [0; 3 * 1000];
        let mut buffers = Buffers::new(&mut bytes, 1000);
        session.execute(batch, &mut buffers, |_, answer| answers.push(answer));
        let refused = Answer::Refused(PutError::Closed);
        assert_eq!(answers, [refused, refused, Answer::Found(1000)]);
        assert!(!store.settle());
        assert_eq!(store.check(), Err(PutError::Closed.to_string()));
    }
}

/// `check` must be able to fail: it finds a miscount and a foreign entry.
#[test]
fn check_finds_what_is_wrong() {
    let store = small();
    store.session().unwrap().put(5, &[5; 50]).unwrap();
    store.check().unwrap();
    let head = store.shared.log.nodes[0].heads().next().unwrap().lock().open_id().unwrap();
    store.shared.log.segments[head].gain(62);
    assert!(store.check().unwrap_err().contains("counts 124 live bytes in 2 objects"));
    store.shared.log.segments[head].lose(62);
    store.check().unwrap();
    let slot = store.shared.epochs.claim().unwrap();
    let pin = slot.enter(&store.shared.epochs.clock);
    assert!(store.check().unwrap_err().contains("in progress"));
    drop(pin);
}
