//! Threads that fight: outcomes are exact, updates never hide a key, the bound holds.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::common::{described, for_each_map, parse};
use baseline_maps::Config;
#[cfg(onetbb)]
use baseline_maps::{MapStore, OneTbb};
use engine::{KvEngine, KvSession, OpenError, PutOutcome};
use kit::testing::{Random, TestHeap, counter};

for_each_map! {
    outcomes_are_exact_when_threads_fight
    updates_never_hide_a_key
    threads_fill_to_the_bound_and_not_beyond
}

fn outcomes_are_exact_when_threads_fight<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    const KEYS: u64 = 16;
    let heap: &TestHeap = TestHeap::leaked();
    let store = open(Config { object_memory_bytes: Some(1 << 20), ..Config::new(heap) }).unwrap();
    let (inserted, deleted) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for writer in 0..4 {
            let (store, inserted, deleted) = (&store, &inserted, &deleted);
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut random = Random(writer);
                let mut buffer = [0; 300];
                let mut newest = HashMap::new();
                for version in 0..20_000 {
                    let key = random.below(KEYS);
                    match random.below(4) {
                        0..2 => match session.put(key, &described(key, writer, version)).unwrap() {
                            PutOutcome::Inserted => {
                                inserted.fetch_add(1, Ordering::Relaxed);
                            }
                            PutOutcome::Updated => {}
                            other => panic!("16 keys are {other:?}"),
                        },
                        2 => {
                            deleted.fetch_add(
                                session.delete(key).was_present().into(),
                                Ordering::Relaxed,
                            );
                        }
                        _ => {
                            let Some(bytes) = session.get(key, &mut buffer).unwrap() else {
                                continue;
                            };
                            let (found, by, version) = parse(&buffer[..bytes]);
                            assert_eq!(found, key);
                            let seen = newest.entry((key, by)).or_insert(version);
                            assert!(*seen <= version, "key {key} went back in time");
                            *seen = version;
                        }
                    }
                }
            });
        }
    });
    store.check().unwrap();
    let live = inserted.into_inner() - deleted.into_inner();
    assert_eq!(store.memory().live_objects, live, "inserted minus deleted is live");
    assert_eq!(counter(&store, "entries"), live);
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
}

fn updates_never_hide_a_key<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let store = open(Config::new(TestHeap::leaked())).unwrap();
    let mut session = store.session().unwrap();
    (0..4).for_each(|key| assert!(session.put(key, &described(key, 9, 0)).is_ok()));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut session = store.session().unwrap();
            let mut buffer = [0; 300];
            let mut reads = 0_u64;
            while !done.load(Ordering::Relaxed) {
                let found = session.get(reads % 4, &mut buffer).unwrap();
                assert!(found.is_some(), "key {} is gone after {reads} reads", reads % 4);
                reads += 1;
            }
            reads
        });
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                let store = &store;
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    for version in 0..40_000 {
                        let value = described(version % 4, writer, version);
                        assert_eq!(session.put(version % 4, &value), Ok(PutOutcome::Updated));
                    }
                })
            })
            .collect();
        let joined: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        assert!(joined.iter().all(Result::is_ok));
        assert!(reader.join().unwrap() > 0);
    });
    store.check().unwrap();
}

fn threads_fill_to_the_bound_and_not_beyond<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    const BOUND_BYTES: u64 = 100_000;
    let config = Config::new(TestHeap::leaked());
    let store = open(Config { object_memory_bytes: Some(BOUND_BYTES), ..config }).unwrap();
    for round in 0..10 {
        thread::scope(|scope| {
            for writer in 0..4 {
                let store = &store;
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    let mut random = Random(round * 4 + writer);
                    for _ in 0..2000 {
                        let (key, bytes) = (random.below(2000), random.below(120) as usize);
                        session.put(key, &vec![7; bytes]).unwrap();
                        if random.below(4) == 0 {
                            session.delete(random.below(2000));
                        }
                    }
                });
            }
        });
        store.check().unwrap();
        let census = store.memory();
        assert!(census.live_value_bytes + 8 * census.live_objects <= BOUND_BYTES);
    }
    let mut session = store.session().unwrap();
    while session.put(fresh_key(&store), &[]).unwrap().is_stored() {}
    let census = store.memory();
    let rest_bytes = BOUND_BYTES - (census.live_value_bytes + 8 * census.live_objects);
    assert!(rest_bytes < 8, "{rest_bytes} bytes are left, and refused");
}

/// A key that is not in the store.
fn fresh_key(store: &impl KvEngine) -> u64 {
    1_000_000 + counter(store, "rows_allocated")
}

/// oneTBB's iterators tolerate no other use: what a walk counts was there at one moment.
#[cfg(onetbb)]
#[test]
fn walks_and_writers_of_onetbb_meet() {
    const KEPT: u64 = 500;
    let heap: &TestHeap = TestHeap::leaked();
    let store = MapStore::<OneTbb>::open(Config::new(heap)).unwrap();
    let mut session = store.session().unwrap();
    (0..KEPT).for_each(|key| assert!(session.put(key, &described(key, 9, 0)).is_ok()));
    drop(session);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                let (store, done) = (&store, &done);
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    let mut turns = 0;
                    while !done.load(Ordering::Relaxed) {
                        let key = KEPT + 1000 * writer + turns % 700;
                        session.put(key, &described(key, writer, turns)).unwrap();
                        session.delete(KEPT + 1000 * writer + (turns + 350) % 700);
                        session.put(turns % KEPT, &described(turns % KEPT, writer, turns)).unwrap();
                        turns += 1;
                    }
                    turns
                })
            })
            .collect();
        for _ in 0..100 {
            let live = store.memory().live_objects;
            assert!((KEPT..=KEPT + 2 * 700).contains(&live), "{live}");
            thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
        assert!(writers.into_iter().all(|writer| writer.join().unwrap() > 0));
    });
    store.check().unwrap();
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
}
