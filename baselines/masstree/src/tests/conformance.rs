//! The suite every store passes: bounded by the store, bounded by the heap, and on a heap that
//! tells nothing of its blocks.

use baseline_masstree::{Config, Masstree};
use engine::{KvEngine, OpenError};
use kit::testing::TestHeap;

engine::conformance_tests!(bounded_by_the_store, Masstree, |object_memory_bytes| {
    let config = Config::new(TestHeap::leaked());
    Masstree::open(Config { object_memory_bytes: Some(object_memory_bytes), ..config })
});
engine::conformance_tests!(bounded_by_the_heap, Masstree, open_on_small_heap);
engine::bytes_conformance_tests!(byte_keys, Masstree, |object_memory_bytes| {
    let config = Config::new(TestHeap::leaked());
    Masstree::open(Config { object_memory_bytes: Some(object_memory_bytes), ..config })
});
engine::bytes_conformance_tests!(byte_keys_bounded_by_the_heap, Masstree, open_on_small_heap);
engine::conformance_tests!(on_a_silent_heap, Masstree, |object_memory_bytes| {
    let heap = TestHeap::leaked();
    heap.tells = false;
    Masstree::open(Config { object_memory_bytes: Some(object_memory_bytes), ..Config::new(heap) })
});

fn open_on_small_heap(object_memory_bytes: u64) -> Result<Masstree, OpenError> {
    let heap = TestHeap::leaked();
    heap.limit_bytes = object_memory_bytes;
    let store = Masstree::open(Config::new(heap))?;
    assert!(store.settings().iter().any(|setting| setting.name == "heap.limit_bytes"));
    Ok(store)
}

#[test]
fn the_suite_leaves_nothing_on_the_heap() {
    let heap: &TestHeap = TestHeap::leaked();
    let open = |bytes| {
        let config = Config { object_memory_bytes: Some(bytes), ..Config::new(heap) };
        Masstree::open(config).unwrap()
    };
    engine::conformance::threads_lose_no_keys(&open);
    engine::conformance::values_survive_compaction(&open);
    assert_eq!((heap.allocated_bytes(), heap.threads()), (0, 0));
    assert!(heap.purges() >= 1, "trim purges the heap");
}
