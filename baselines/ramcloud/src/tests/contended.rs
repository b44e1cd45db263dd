//! Many threads on the same few keys, and on more objects than there is room for: with one instance, and
//! with several.

use std::thread;

use super::common::{check, open};
use baseline_ramcloud::Config;
use engine::{KvEngine, KvSession, PutOutcome};
use kit::testing::{Random, Stress, fill, version_of};

const THREADS: u64 = 4;
const INSTANCES: [usize; 2] = [1, 3];

fn config(instances: usize) -> Config {
    Config { instances, ..Config::new((8 * instances as u64) << 20, 20_000) }
}

/// The cleaner moves what writers replace, and nobody may see an older version after a newer one.
#[test]
fn writers_of_one_key_replace_each_other() {
    const KEYS: u64 = 7;
    const TURNS: u64 = 30_000;
    for instances in INSTANCES {
        let store = open(config(instances));
        thread::scope(|scope| {
            for worker in 0..THREADS {
                let store = &store;
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    let mut buffer = [0; 800];
                    // The newest turn of each writer that was seen of each key.
                    let mut seen = [[0; THREADS as usize]; KEYS as usize];
                    for turn in 1..=TURNS {
                        let key = turn % KEYS;
                        let value_bytes = 16 + ((turn * 31 + worker) % 780) as usize;
                        fill(key, turn << 8 | worker, &mut buffer[..value_bytes]);
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
        assert_eq!(store.memory().live_objects, KEYS);
    }
}

/// Each key is inserted as often as it is deleted, or once more.
#[test]
fn insertions_and_deletes_of_one_key_alternate() {
    const KEYS: u64 = 5;
    const TURNS: u64 = 30_000;
    for instances in INSTANCES {
        let store = open(config(instances));
        let balances: Vec<[i64; KEYS as usize]> = thread::scope(|scope| {
            let spawn = |worker: u64| {
                let store = &store;
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    let mut random = Random(worker);
                    let mut balance = [0; KEYS as usize];
                    for _ in 0..TURNS {
                        let key = random.below(KEYS);
                        if random.below(2) == 0 {
                            let outcome = session.put(key, &[7; 300]).unwrap();
                            assert!(outcome.is_stored());
                            balance[key as usize] += i64::from(outcome == PutOutcome::Inserted);
                        } else {
                            balance[key as usize] -= i64::from(session.delete(key).was_present());
                        }
                    }
                    balance
                })
            };
            let threads: Vec<_> = (0..THREADS).map(spawn).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut session = store.session().unwrap();
        for key in 0..KEYS {
            let balance: i64 = balances.iter().map(|balance| balance[key as usize]).sum();
            let is_there = session.get(key, &mut [0; 300]).unwrap().is_some();
            assert_eq!(balance, i64::from(is_there), "key {key}");
        }
        check(&store);
    }
}

/// Each value that is found lies between the versions in force and begun; the rest is refused.
#[test]
fn values_lie_in_their_windows_in_full_and_over_full_stores() {
    for instances in INSTANCES {
        for fill_percent in [60, 140] {
            let config = config(instances);
            let (store, bytes) = (open(config), config.object_memory_bytes);
            let stress =
                Stress { threads: THREADS as usize, operations: 300_000, fill_percent, seed: 3 };
            let done = stress.run(&store, bytes).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert!(fill_percent < 100 || done.refused > 0, "{instances} instances: {done:?}");
        }
    }
}
