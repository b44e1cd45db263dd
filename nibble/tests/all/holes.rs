//! New objects in the room of dead ones.

use std::collections::HashMap;

use nibble::{Config, HoleUse, PutError, Store, Update};

use super::common::Random;

/// The length of a value, which its bytes tell too.
fn value(key: u64, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|place| (key as usize * 31 + bytes + place) as u8).collect()
}

fn open(change: impl FnOnce(&mut Config)) -> Store {
    let mut config = Config { virtual_nodes: 1, heads: 1, ..Config::best(4 << 20) };
    assert_eq!((config.holes, config.update), (HoleUse::Reused, Update::InPlace));
    change(&mut config);
    Store::open(config).unwrap()
}

/// Fills the store with values of 1,000 bytes; returns how many there are.
fn fill(store: &Store) -> u64 {
    let session = store.session().unwrap();
    (0..).find(|&key| session.put(key, &value(key, 1000)) == Err(PutError::Full)).unwrap()
}

/// Deletes a tenth of the keys, and puts as many with values of these lengths.
fn replaced(store: &Store, lengths: std::ops::Range<usize>) -> HashMap<u64, usize> {
    let keys = fill(store);
    let mut present: HashMap<u64, usize> = (0..keys).map(|key| (key, 1000)).collect();
    let session = store.session().unwrap();
    let mut lengths = lengths.cycle();
    for key in (0..keys).step_by(10) {
        assert_eq!(session.delete(key), Ok(true));
        present.remove(&key);
    }
    for key in (0..keys).step_by(10) {
        let bytes = lengths.next().unwrap();
        session.put(keys + key, &value(keys + key, bytes)).unwrap();
        present.insert(keys + key, bytes);
    }
    present
}

fn has(store: &Store, present: &HashMap<u64, usize>) {
    let session = store.session().unwrap();
    let mut buffer = vec![0; 1000];
    for (&key, &bytes) in present {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(bytes)), "{key}");
        assert!(buffer[..bytes] == value(key, bytes), "{key}");
    }
    drop(session);
    assert_eq!(store.check().unwrap().live_objects, present.len() as u64);
}

#[test]
fn an_object_in_a_hole_has_its_own_length() {
    // Slack in the header, and in the room.
    for lengths in [940..1001, 850..938] {
        let store = open(|_| {});
        let present = replaced(&store, lengths);
        assert!(store.statistics().reused_bytes > 0, "{:?}", store.statistics());
        has(&store, &present);
        // What is moved leaves the slack behind.
        let session = store.session().unwrap();
        let mut present = present;
        let gone: Vec<u64> = present.keys().copied().filter(|key| key % 3 == 0).collect();
        for key in gone {
            assert_eq!(session.delete(key), Ok(true));
            present.remove(&key);
        }
        drop(session);
        assert!(store.settle());
        has(&store, &present);
    }
}

#[test]
fn a_store_that_is_to_leave_holes_leaves_them() {
    for change in [(|config| config.holes = HoleUse::Left) as fn(&mut Config), |config| {
        config.update = Update::Append
    }] {
        let store = open(change);
        let present = replaced(&store, 1000..1001);
        assert_eq!(store.statistics().reused_bytes, 0);
        has(&store, &present);
    }
}

/// Values of all lengths, nine tenths of memory live, two threads with keys of their own.
#[test]
fn nothing_is_lost_while_sizes_change() {
    let store = open(|config| config.heads = 2);
    let threads = 2;
    let bytes_each = (4 << 20) * 9 / 10 / threads;
    let rounds = if cfg!(debug_assertions) { 20_000 } else { 200_000 };
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn({
                    let store = &store;
                    move || churn(store, thread, bytes_each, rounds)
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let present: HashMap<u64, usize> = all.into_iter().collect();
    has(&store, &present);
    assert!(store.statistics().reused_bytes > 0, "{:?}", store.statistics());
}

/// Updates and deletes of keys that only this thread uses; returns what is left.
fn churn(store: &Store, thread: u64, bytes: u64, rounds: u64) -> HashMap<u64, usize> {
    let session = store.session().unwrap();
    let mut random = Random(thread + 1);
    let mut present = HashMap::new();
    let mut buffer = vec![0; 1000];
    // On average a value has 500 bytes, and a fifth of the keys are deleted.
    let keys = bytes / 540;
    for _ in 0..rounds {
        let key = random.below(keys) * 2 + thread;
        match random.below(6) {
            0 => {
                let was = present.remove(&key).is_some();
                assert_eq!(session.delete(key), Ok(was));
            }
            1 => {
                let got = session.get(key, &mut buffer).unwrap();
                assert_eq!(got, present.get(&key).copied());
                assert!(got.is_none_or(|bytes| buffer[..bytes] == value(key, bytes)));
            }
            _ => {
                let bytes = random.below(1000) as usize;
                session.put(key, &value(key, bytes)).unwrap();
                present.insert(key, bytes);
            }
        }
    }
    present
}
