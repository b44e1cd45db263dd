//! Many threads in a store that is nearly full, with one cleaner and with two; what is said of
//! threads and instances.

use std::thread;

use super::common::{check, open, seglets, setting, store};
use baseline_ramcloud::Config;
use engine::{KvEngine, KvSession, PutOutcome};
use kit::testing::{counter, fill, mix, version_of};

const THREADS: u64 = 4;

/// Every thread overwrites keys of its own and reads everybody's.
fn storm(config: Config, fill_percent: u64) {
    let store = open(config);
    let keys = store.memory().object_memory_bytes * fill_percent / 100 / 200 / THREADS;
    thread::scope(|scope| {
        for worker in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut value = [0; 300];
                let mut buffer = [0; 300];
                let mut newest = vec![0; keys as usize];
                let key_of = |worker: u64, number: u64| worker << 32 | number;
                // Lengths of 52 to 299 bytes: 200 with header, on average.
                for version in 1..=keys * 6 {
                    let random = mix(version * THREADS + worker);
                    let number = if version <= keys { version - 1 } else { random % keys };
                    let key = key_of(worker, number);
                    let value = &mut value[..52 + (random >> 40) as usize % 248];
                    fill(key, version, value);
                    if session.put(key, value).unwrap().is_stored() {
                        newest[number as usize] = version;
                    }
                    if random >> 20 & 31 == 0 && session.delete(key).was_present() {
                        newest[number as usize] = 0;
                    }
                    let whose = random >> 8 & (THREADS - 1);
                    let number = (random >> 10) % keys;
                    let key = key_of(whose, number);
                    let found = session.get(key, &mut buffer).unwrap();
                    let found = found.map(|value_bytes| version_of(key, &buffer[..value_bytes]));
                    if whose == worker {
                        assert_eq!(found.unwrap_or(0), newest[number as usize], "key {key:#x}");
                    }
                }
                for (number, version) in (0..).zip(newest) {
                    let key = key_of(worker, number);
                    let found = session.get(key, &mut buffer).unwrap();
                    let found = found.map(|value_bytes| version_of(key, &buffer[..value_bytes]));
                    assert_eq!(found.unwrap_or(0), version, "key {key:#x} at the end");
                }
            });
        }
    });
    check(&store);
    let of = |name| counter(&store, name);
    assert!(of("survivor_bytes") > store.memory().object_memory_bytes / 2);
    assert!(of("tombstones_cleaned") > 0);
}

#[test]
fn one_cleaner_at_high_fill() {
    storm(Config::new(16 << 20, 60_000), 85);
}

#[test]
fn two_cleaners_at_high_fill() {
    storm(Config { cleaner_threads: 2, ..Config::new(16 << 20, 60_000) }, 85);
}

#[test]
fn three_instances_of_four_cleaners_and_few_buckets() {
    let config = Config::new(24 << 20, 6000);
    storm(Config { instances: 3, cleaner_threads: 4, ..config }, 60);
}

/// Segments of two seglets, as many of both as can be.
#[test]
fn the_shortest_segments_and_seglets() {
    let config = Config::new(4 << 20, 10_000);
    storm(Config { segment_bytes: 2 << 10, seglet_bytes: 1 << 10, ..config }, 70);
}

/// Who waits for room does not keep others, or the end, waiting.
#[test]
fn threads_that_find_the_store_full_are_all_refused() {
    let store = store(8);
    let value = [1; 500];
    let stored: u64 = thread::scope(|scope| {
        let fill = |worker: u64| {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut keys = (0..).map(|key| worker << 32 | key);
                let full = keys.find(|&key| session.put(key, &value) == Ok(PutOutcome::Full));
                full.unwrap() & 0xffff_ffff
            })
        };
        let threads: Vec<_> = (0..THREADS).map(fill).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(store.memory().live_objects, stored);
    check(&store);
}

#[test]
fn it_says_how_many_threads_and_which_sizes_it_has() {
    let config = Config::new(24 << 20, 6000);
    let store = open(Config { instances: 3, cleaner_threads: 2, huge_pages: false, ..config });
    assert_eq!((store.presence().threads, store.presence().page_bytes), (6, 4096));
    assert_eq!(setting(&store, "instances"), 3);
    assert_eq!(setting(&store, "cleaner-threads"), 2);
    assert_eq!(setting(&store, "segment-bytes"), 128 << 10);
    assert_eq!(counter(&store, "seglets_free"), seglets(&store));
    let mut session = store.session().unwrap();
    for key in 0..3000 {
        assert!(session.put(key, b"value").unwrap().is_stored());
    }
    assert_eq!(store.memory().live_objects, 3000);
    check(&store);
}
