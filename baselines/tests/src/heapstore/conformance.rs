//! The suite every store passes: bounded by the store, bounded by the heap, and on a heap that
//! tells nothing of its blocks.

use baseline_heapstore::{Config, HeapBytes, HeapStore};
use engine::{KvEngine, OpenError};
use kit::testing::TestHeap;

engine::conformance_tests!(bounded_by_the_store, HeapStore, |object_memory_bytes| {
    let config = Config::new(TestHeap::leaked());
    HeapStore::open(Config { object_memory_bytes: Some(object_memory_bytes), ..config })
});
engine::conformance_tests!(bounded_by_the_heap, HeapStore, open_on_small_heap);
engine::conformance_tests!(on_a_silent_heap_with_one_lock, HeapStore, |object_memory_bytes| {
    let heap = TestHeap::leaked();
    heap.tells = false;
    let object_memory_bytes = Some(object_memory_bytes);
    HeapStore::open(Config { object_memory_bytes, shards: 1, ..Config::new(heap) })
});

engine::bytes_conformance_tests!(bytes, HeapBytes, |object_memory_bytes| {
    let config = Config::new(TestHeap::leaked());
    HeapBytes::open(Config { object_memory_bytes: Some(object_memory_bytes), ..config })
});

fn open_on_small_heap(object_memory_bytes: u64) -> Result<HeapStore, OpenError> {
    let heap = TestHeap::leaked();
    heap.limit_bytes = object_memory_bytes;
    let store = HeapStore::open(Config::new(heap))?;
    assert!(store.settings().iter().any(|setting| setting.name == "heap.limit_bytes"));
    Ok(store)
}

#[test]
fn the_suite_leaves_nothing_on_the_heap() {
    let heap: &TestHeap = TestHeap::leaked();
    let open = |bytes| {
        let config = Config { object_memory_bytes: Some(bytes), ..Config::new(heap) };
        HeapStore::open(config).unwrap()
    };
    engine::conformance::threads_lose_no_keys(&open);
    engine::conformance::values_survive_compaction(&open);
    assert_eq!((heap.allocated_bytes(), heap.threads()), (0, 0));
    assert!(heap.purges() >= 1, "trim purges the heap");
}
