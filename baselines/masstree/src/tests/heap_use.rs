//! How the store uses its heap and its bound: what is refused, what is counted, when retired
//! rows go back.

use std::thread;

use baseline_masstree::{Config, Masstree};
use engine::{KvEngine, KvSession, OpenError, PutError, PutOutcome};
use kit::testing::{TestHeap, counter};

#[test]
fn the_bound_is_reached_to_the_last_byte_whoever_holds_the_credit() {
    let config = Config::new(TestHeap::leaked());
    let store = Masstree::open(Config { object_memory_bytes: Some(100_000), ..config }).unwrap();
    let mut sessions = [(); 3].map(|()| store.session().unwrap());
    let mut keys = 0;
    while sessions[keys as usize % 3].put(keys, &[0; 92]).unwrap().is_stored() {
        keys += 1;
    }
    assert_eq!(keys, 1000);
    let [first, second, _] = &mut sessions;
    assert_eq!(first.put(0, &[0; 93]), Ok(PutOutcome::Full));
    assert_eq!(first.put(0, &[1; 92]), Ok(PutOutcome::Updated));
    assert!(second.delete(5).was_present());
    assert_eq!(first.put(5000, &[0; 92]), Ok(PutOutcome::Inserted));
    assert_eq!(first.put(0, &[0; 91]), Ok(PutOutcome::Updated));
    assert_eq!(second.put(1, &[0; 93]), Ok(PutOutcome::Updated));
    assert_eq!(second.put(1, &[0; 94]), Ok(PutOutcome::Full));
    let error = PutError::ValueTooLarge { value_bytes: 99_993, limit_bytes: 99_992 };
    assert_eq!(first.put(0, &[0; 99_993]), Err(error));
    store.check().unwrap();
}

#[test]
fn an_exhausted_heap_is_full_and_takes_puts_after_deletes() {
    let heap = TestHeap::leaked();
    heap.limit_bytes = 100_000;
    let store = Masstree::open(Config::new(heap)).unwrap();
    let mut session = store.session().unwrap();
    // Another session that has retired rows and sleeps.
    let mut sleeper = store.session().unwrap();
    for key in 0..10 {
        sleeper.put(key, &[0; 1000]).unwrap();
        assert!(sleeper.delete(key).was_present());
    }
    assert_eq!(counter(&store, "rows_in_limbo"), 10);
    for _ in 0..3 {
        let mut keys = 0_u64;
        while session.put(keys, &[keys as u8; 96]).unwrap().is_stored() {
            keys += 1;
        }
        assert!(keys > 900, "{keys} rows of 100 bytes in 100000");
        assert_eq!(counter(&store, "rows_in_limbo"), 0);
        assert_eq!(session.put(5, &[0; 2000]), Ok(PutOutcome::Full));
        let mut buffer = [0; 96];
        for key in 0..keys {
            assert_eq!(session.get(key, &mut buffer), Ok(Some(96)));
            assert_eq!(buffer, [key as u8; 96]);
        }
        store.check().unwrap();
        assert!((0..keys).all(|key| session.delete(key).was_present()));
    }
    store.check().unwrap();
}

#[test]
fn threads_on_an_exhausted_heap_lose_nothing() {
    let heap = TestHeap::leaked();
    heap.limit_bytes = 200_000;
    let heap: &TestHeap = heap;
    let store = Masstree::open(Config::new(heap)).unwrap();
    thread::scope(|scope| {
        for thread in 0..4_u64 {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut buffer = [0; 100];
                for round in 0..30 {
                    let key = |number: u64| (number * 7 + round) << 8 | thread;
                    let mut stored = Vec::new();
                    for number in 0..500 {
                        let value = [number as u8 ^ thread as u8; 90];
                        match session.put(key(number), &value).unwrap() {
                            PutOutcome::Inserted => stored.push((key(number), value)),
                            PutOutcome::Full => {}
                            other => panic!("key {number} was deleted, and is {other:?}"),
                        }
                    }
                    for (key, value) in stored {
                        assert_eq!(session.get(key, &mut buffer), Ok(Some(90)));
                        assert_eq!(buffer[..90], value);
                        assert!(session.delete(key).was_present());
                    }
                }
            });
        }
    });
    store.check().unwrap();
    assert_eq!(store.memory().live_objects, 0);
    assert_eq!(counter(&store, "nodes_freed"), counter(&store, "nodes_allocated") - 1);
    let mut session = store.session().unwrap();
    let stored = (0..).take_while(|&key| session.put(key, &[0; 90]).unwrap().is_stored()).count();
    assert!(stored > 2000, "{stored} rows of 94 bytes in 200000");
    drop(session);
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
}

#[test]
fn retired_rows_go_back_though_a_session_sleeps() {
    let heap: &TestHeap = TestHeap::leaked();
    let store = Masstree::open(Config::new(heap)).unwrap();
    let mut sleeper = store.session().unwrap();
    sleeper.put(1, b"value").unwrap();
    let mut session = store.session().unwrap();
    for _ in 0..10_000 {
        session.put(1, &[7; 60]).unwrap();
        assert!(heap.allocated_bytes() < 64 * 1000, "{}", heap.allocated_bytes());
    }
    assert!(counter(&store, "rows_freed") > 10_000 - 1000);
    for _ in 0..100 {
        session.put(1, &[7; 100_000]).unwrap();
        assert!(heap.allocated_bytes() < 1_200_000, "long rows are sealed by their bytes");
    }
    store.settle();
    assert_eq!(counter(&store, "rows_in_limbo"), 0);
    assert_eq!(counter(&store, "rows_freed"), 10_100);
}

#[test]
fn long_rows_keep_their_length() {
    let store = Masstree::open(Config::new(TestHeap::leaked())).unwrap();
    let mut session = store.session().unwrap();
    let mut buffer = vec![0; 200_000];
    for value_bytes in [0, 1, 65_534, 65_535, 65_536, 200_000] {
        let value: Vec<_> = (0..value_bytes).map(|at| (at % 251) as u8).collect();
        session.put(9, &value).unwrap();
        assert_eq!(session.get(9, &mut buffer), Ok(Some(value_bytes)));
        assert_eq!(buffer[..value_bytes], value);
        store.check().unwrap();
        assert_eq!(store.memory().live_value_bytes, value_bytes as u64);
    }
}

#[test]
fn the_census_knows_every_byte() {
    let heap: &TestHeap = TestHeap::leaked();
    let store = Masstree::open(Config::new(heap)).unwrap();
    let mut session = store.session().unwrap();
    (0..2400).for_each(|key| assert!(session.put(key, &[0; 60]).is_ok()));
    let census = store.memory();
    assert_eq!(census.live_object_bytes, 2400 * (4 + 60 + 8));
    assert_eq!(census.dead_object_bytes, 0);
    let key_bytes = 2400 * 8;
    let row_bytes = census.object_memory_bytes - key_bytes;
    assert_eq!(heap.allocated_bytes(), row_bytes, "the heap holds rows alone");
    let nodes = counter(&store, "nodes_allocated");
    assert_eq!(counter(&store, "border_splits"), 2400 / 15 - 1);
    assert_eq!(nodes, 160 + 11 + 1, "160 border nodes, 15 to an interior node, and a root");
    assert_eq!(census.index_bytes + key_bytes, nodes * 320);
    let pool_bytes = counter(&store, "node_pool_bytes");
    assert_eq!(pool_bytes, 2 << 20, "one block");
    let spare_bytes = pool_bytes - nodes * 320;
    assert!(census.table_bytes > spare_bytes, "the rest of the block counts as table");
    assert!(census.complete);
    session.put(0, &[0; 70]).unwrap();
    let census = store.memory();
    assert_eq!(census.dead_object_bytes, 64 + 6, "a row in limbo, and what the heap rounds up");
}

#[test]
fn each_thread_starts_once_and_ends_after_its_last_session() {
    let heap: &TestHeap = TestHeap::leaked();
    let store = Masstree::open(Config::new(heap)).unwrap();
    assert_eq!(heap.threads(), 0);
    let first = store.session().unwrap();
    let second = store.session().unwrap();
    assert_eq!(heap.threads(), 1);
    drop(first);
    assert_eq!(heap.threads(), 1);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _session = store.session().unwrap();
            assert_eq!(heap.threads(), 2);
        });
    });
    store.trim();
    assert_eq!((heap.threads(), heap.purges()), (1, 1));
    drop(second);
    assert_eq!(heap.threads(), 0);
}

#[test]
fn heaps_without_memory_are_refused() {
    let heap = TestHeap::leaked();
    heap.keeps_values = false;
    let refused = Masstree::open(Config::new(heap));
    assert!(matches!(refused, Err(OpenError::BadSetting { .. })));
}

#[test]
fn a_store_without_nodes_is_refused_and_one_with_few_is_full() {
    let heap: &TestHeap = TestHeap::leaked();
    let refused = Masstree::open(Config { nodes_max: 0, ..Config::new(heap) });
    assert_eq!(refused.err(), Some(OpenError::OutOfMemory { wanted_bytes: 320 }));
    let store = Masstree::open(Config { nodes_max: 20, ..Config::new(heap) }).unwrap();
    let mut session = store.session().unwrap();
    for _ in 0..3 {
        let stored = (0..).take_while(|&key| session.put(key, b"value").unwrap().is_stored());
        let stored = stored.count() as u64;
        assert!((150..=300).contains(&stored), "{stored} keys in 20 nodes");
        store.check().unwrap();
        assert_eq!(session.put(0, b"another value"), Ok(PutOutcome::Updated), "needs no node");
        assert!((0..stored).all(|key| session.delete(key).was_present()));
        store.check().unwrap();
        assert_eq!(counter(&store, "nodes_freed"), counter(&store, "nodes_allocated") - 1);
    }
    drop(session);
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
}
