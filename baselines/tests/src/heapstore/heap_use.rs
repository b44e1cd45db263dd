//! How the store uses its heap: nothing is lost when it is exhausted, nothing is left when the
//! store is gone, every thread announces itself, the index stays off it.

use std::thread;

use baseline_heapstore::{Config, HeapStore};
use engine::{KvEngine, KvSession, OpenError, PutError, PutOutcome};
use kit::testing::TestHeap;

#[test]
fn an_exhausted_heap_is_full_and_loses_nothing() {
    let heap = TestHeap::leaked();
    heap.limit_bytes = 10_000;
    let store = HeapStore::open(Config::new(heap)).unwrap();
    let mut session = store.session().unwrap();
    let mut keys = 0_u64;
    while session.put(keys, &[keys as u8; 88]).unwrap().is_stored() {
        keys += 1;
    }
    assert_eq!(keys, 100, "objects of 100 bytes");
    assert_eq!(session.put(5, &[0; 88]), Ok(PutOutcome::Full), "an update needs both objects");
    let mut buffer = [0; 88];
    for key in 0..keys {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(88)));
        assert_eq!(buffer, [key as u8; 88]);
    }
    assert!(session.delete(7).was_present());
    assert_eq!(session.put(5, &[0; 88]), Ok(PutOutcome::Updated));
    store.check().unwrap();
}

#[test]
fn the_bound_is_reached_to_the_last_byte() {
    let config = Config::new(TestHeap::leaked());
    let store = HeapStore::open(Config { object_memory_bytes: Some(100_000), ..config }).unwrap();
    let mut session = store.session().unwrap();
    let mut keys = 0;
    while session.put(keys, &[0; 92]).unwrap().is_stored() {
        keys += 1;
    }
    assert_eq!(keys, 1000);
    assert_eq!(session.put(0, &[0; 93]), Ok(PutOutcome::Full));
    assert_eq!(session.put(0, &[0; 92]), Ok(PutOutcome::Updated));
    let error = PutError::ValueTooLarge { value_bytes: 99_993, limit_bytes: 99_992 };
    assert_eq!(session.put(0, &[0; 99_993]), Err(error));
    store.check().unwrap();
}

#[test]
fn dropping_the_store_frees_everything() {
    let heap: &TestHeap = TestHeap::leaked();
    let store = HeapStore::open(Config::new(heap)).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut session = store.session().unwrap();
            (0..10_000).for_each(|key| assert!(session.put(key, b"value").is_ok()));
        });
    });
    assert_eq!(heap.allocated_bytes(), 10_000 * 17);
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
    assert_eq!(heap.threads(), 0);
}

#[test]
fn each_thread_starts_once_and_ends_after_its_last_session() {
    let heap: &TestHeap = TestHeap::leaked();
    let store = HeapStore::open(Config::new(heap)).unwrap();
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
fn the_census_knows_every_byte_and_the_index_is_not_on_the_heap() {
    let heap: &TestHeap = TestHeap::leaked();
    let store = HeapStore::open(Config { shards: 4, ..Config::new(heap) }).unwrap();
    let mut session = store.session().unwrap();
    (0..2400).for_each(|key| assert!(session.put(key, &[0; 60]).is_ok()));
    let census = store.memory();
    assert_eq!(census.live_object_bytes, 2400 * 72);
    assert_eq!(census.object_memory_bytes, 2400 * 80);
    assert_eq!(census.dead_object_bytes, 2400 * 8);
    assert_eq!(census.index_bytes, 4 * 1024 * 16, "600 keys a shard fill 1024 slots");
    assert!(census.complete);
    assert_eq!(heap.allocated_bytes(), census.live_object_bytes);
}

#[test]
fn tables_survive_growth_and_deletes_of_colliding_keys() {
    let config = Config { shards: 1, ..Config::new(TestHeap::leaked()) };
    let store = HeapStore::open(config).unwrap();
    let mut session = store.session().unwrap();
    for round in 0..20_u64 {
        for key in 0..192 {
            session.put(key * round, &key.to_le_bytes()).unwrap();
        }
        store.check().unwrap();
        for key in (0..192).step_by(1 + round as usize % 3) {
            session.delete(key * round);
            store.check().unwrap();
        }
    }
}

#[test]
fn heaps_without_memory_and_odd_shards_are_refused() {
    let heap = TestHeap::leaked();
    heap.keeps_values = false;
    let refused = |config| matches!(HeapStore::open(config), Err(OpenError::BadSetting { .. }));
    assert!(refused(Config::new(heap)));
    assert!(refused(Config { shards: 3, ..Config::new(TestHeap::leaked()) }));
}

#[test]
fn settling_puts_objects_on_huge_pages_where_that_was_asked_for() {
    for huge_pages in [false, true] {
        let config = Config { huge_pages, ..Config::new(TestHeap::leaked()) };
        let store = HeapStore::open(config).unwrap();
        let mut session = store.session().unwrap();
        (0..20_000).for_each(|key| assert!(session.put(key, &[key as u8; 1000]).is_ok()));
        store.settle();
        let mut value = [0; 1000];
        for key in 0..20_000 {
            assert_eq!(session.get(key, &mut value), Ok(Some(1000)));
            assert_eq!(value, [key as u8; 1000]);
        }
        let statistics = store.statistics();
        let bytes =
            statistics.iter().find(|one| one.name == "huge_page_bytes").map(|one| one.value);
        assert_eq!(bytes.is_some(), huge_pages);
        assert_eq!(store.presence().page_bytes, if huge_pages { 2 << 20 } else { 4096 });
        assert!(bytes.is_none_or(|bytes| bytes >= f64::from(8 << 20)), "{bytes:?} of 20 MB");
    }
}
