//! Threads that write, read and delete what others write, while small rings go round many times: a
//! value is whole, its key's, and never older than one seen before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::common::{check, open, small};
use baseline_hybridlog::Config;
use engine::{KvEngine, KvSession};
use kit::testing::{Random, counter, fill, version_of};

const THREADS: u64 = 4;

/// Every thread writes keys of its own, with ever higher versions, and reads everybody's. Little
/// more than a quarter of what the bound allows lives at a time.
fn storm(config: Config, turns: u64) {
    const VALUE_BYTES_MAX: usize = 1000;
    let store = open(config);
    let keys = config.object_memory_bytes / 600 / 4;
    thread::scope(|scope| {
        for worker in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut buffer = [0; VALUE_BYTES_MAX];
                let mut random = Random(worker);
                // The newest version of each key that this thread has written or seen; 0 is none.
                let mut seen = vec![0; keys as usize];
                for version in 1..=turns {
                    let own = random.below(keys / THREADS) * THREADS + worker;
                    let value_bytes = match random.below(4) {
                        0 => 16 + random.below(VALUE_BYTES_MAX as u64 - 16) as usize,
                        _ => 16 + own as usize * 7 % 900,
                    };
                    if random.below(16) == 0 {
                        assert_eq!(
                            session.delete(own).was_present(),
                            seen[own as usize] > 0,
                            "key {own}"
                        );
                        seen[own as usize] = 0;
                    } else {
                        fill(own, version, &mut buffer[..value_bytes]);
                        assert!(session.put(own, &buffer[..value_bytes]).unwrap().is_stored());
                        seen[own as usize] = version;
                    }
                    let key = random.below(keys);
                    let found = session.get(key, &mut buffer).unwrap();
                    let found = found.map(|value_bytes| version_of(key, &buffer[..value_bytes]));
                    let newest = &mut seen[key as usize];
                    if key % THREADS == worker {
                        assert_eq!(found.unwrap_or(0), *newest, "key {key}");
                    } else if let Some(found) = found {
                        assert!(found >= *newest, "key {key}: from {newest} to {found}");
                        *newest = found;
                    }
                }
                for key in (worker..keys).step_by(THREADS as usize) {
                    let found = session.get(key, &mut buffer).unwrap();
                    let found = found.map(|value_bytes| version_of(key, &buffer[..value_bytes]));
                    assert_eq!(found.unwrap_or(0), seen[key as usize], "key {key} at the end");
                }
            });
        }
    });
    check(&store);
}

#[test]
fn everything_is_appended() {
    storm(Config { mutable_fraction: 0.0, ..small(2 << 20) }, 15_000);
}

#[test]
fn half_is_written_in_place() {
    storm(Config { mutable_fraction: 0.5, ..small(2 << 20) }, 15_000);
}

#[test]
fn everything_is_written_in_place() {
    storm(Config { mutable_fraction: 1.0, ..small(2 << 20) }, 15_000);
}

#[test]
fn a_worker_compacts_meanwhile() {
    let config = Config { mutable_fraction: 0.1, compaction_workers: 1, ..small(2 << 20) };
    storm(config, 15_000);
}

/// All keys in a few buckets, so that entries are inserted and removed side by side.
#[test]
fn all_keys_in_few_buckets() {
    let config = Config { records_max: 200, mutable_fraction: 0.3, ..small(1 << 20) };
    storm(config, 15_000);
}

/// All threads write the same few keys, at the tail: they replace each other's records.
#[test]
fn writers_of_one_key_replace_each_other() {
    const KEYS: u64 = 3;
    const TURNS: u64 = 10_000;
    for mutable_fraction in [0.0, 0.9] {
        let store = open(Config { mutable_fraction, ..small(1 << 20) });
        thread::scope(|scope| {
            for worker in 0..THREADS {
                let store = &store;
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    let mut buffer = [0; 500];
                    // The newest turn of each writer that was seen of each key.
                    let mut seen = [[0; THREADS as usize]; KEYS as usize];
                    for turn in 1..=TURNS {
                        let key = turn % KEYS;
                        let value_bytes = 16 + ((turn * 31 + worker) % 480) as usize;
                        fill(key, (turn << 8) | worker, &mut buffer[..value_bytes]);
                        assert!(session.put(key, &buffer[..value_bytes]).unwrap().is_stored());
                        let value_bytes = session.get(key, &mut buffer).unwrap().expect("kept");
                        let version = version_of(key, &buffer[..value_bytes]);
                        let newest = &mut seen[key as usize][(version & 255) as usize];
                        assert!(version >> 8 >= *newest, "key {key} went back from {newest}");
                        *newest = version >> 8;
                    }
                });
            }
        });
        check(&store);
        let updates = counter(&store, "in_place_updates") + counter(&store, "appended_updates");
        assert_eq!(updates, THREADS * TURNS - KEYS, "all but the insertions");
        assert_eq!(store.memory().live_objects, KEYS);
    }
}

/// All threads insert and delete the same keys: each key is inserted as often as it is deleted, or
/// once more.
#[test]
fn insertions_and_deletes_of_one_key_alternate() {
    const KEYS: u64 = 5;
    const TURNS: u64 = 10_000;
    let store = open(Config { mutable_fraction: 0.5, ..small(1 << 20) });
    let balances: Vec<Vec<i64>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|worker| {
                let store = &store;
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    let mut random = Random(worker);
                    let mut balance = vec![0; KEYS as usize];
                    for _ in 0..TURNS {
                        let key = random.below(KEYS);
                        if random.below(2) == 0 {
                            let outcome = session.put(key, &[7; 100]).unwrap();
                            let is_new = outcome == engine::PutOutcome::Inserted;
                            balance[key as usize] += i64::from(is_new);
                        } else {
                            balance[key as usize] -= i64::from(session.delete(key).was_present());
                        }
                    }
                    balance
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut session = store.session().unwrap();
    for key in 0..KEYS {
        let balance: i64 = balances.iter().map(|balance| balance[key as usize]).sum();
        let is_there = session.get(key, &mut [0; 100]).unwrap().is_some();
        assert_eq!(balance, i64::from(is_there), "key {key}");
    }
    drop(session);
    check(&store);
}

/// One key, written without end in place and read by others: nothing but its record's guard tells
/// them.
#[test]
fn updates_in_place_are_never_seen_half_done() {
    const UPDATES: u64 = 20_000;
    let store = open(Config { mutable_fraction: 1.0, ..small(1 << 20) });
    let mut writer = store.session().unwrap();
    let mut value = [0; 4000];
    fill(1, 0, &mut value);
    writer.put(1, &value).unwrap();
    let written = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut session = store.session().unwrap();
                let mut buffer = [0; 4000];
                let mut last = 0;
                while !written.load(Ordering::Relaxed) {
                    let value_bytes = session.get(1, &mut buffer).unwrap().expect("kept");
                    let version = version_of(1, &buffer[..value_bytes]);
                    assert!(version >= last, "from {last} to {version}");
                    last = version;
                }
            });
        }
        for version in 1..=UPDATES {
            fill(1, version, &mut value);
            writer.put(1, &value).unwrap();
        }
        written.store(true, Ordering::Relaxed);
    });
    assert_eq!(counter(&store, "in_place_updates"), UPDATES);
    drop(writer);
    check(&store);
}
