//! The suite every store passes, for each map: bounded by the store, and bounded by the heap,
//! where rows that are retired and not yet freed take room too.

mod test_heap;

use baseline_maps::{Config, Dashmap, MapStore, Papaya, Scc, Skiplist, Striped};
use engine::{KvEngine, OpenError};
use test_heap::TestHeap;

macro_rules! suites {
    ($($bounded:ident $by_the_heap:ident $map:ident)*) => { $(
        engine::conformance_tests!($bounded, MapStore<$map>, |object_memory_bytes| {
            let config = Config::new(TestHeap::leaked());
            MapStore::<$map>::open(Config { object_memory_bytes: Some(object_memory_bytes), ..config })
        });
        engine::conformance_tests!($by_the_heap, MapStore<$map>, |object_memory_bytes| {
            let heap = TestHeap::leaked();
            heap.limit_bytes = object_memory_bytes;
            let store: Result<_, OpenError> = MapStore::<$map>::open(Config::new(heap));
            store
        });
    )* };
}

suites! {
    dashmap dashmap_by_the_heap Dashmap
    papaya papaya_by_the_heap Papaya
    scc scc_by_the_heap Scc
    skiplist skiplist_by_the_heap Skiplist
    striped striped_by_the_heap Striped
}

fn leaves_nothing<E: KvEngine>(open: impl Fn(Config) -> Result<E, OpenError>) {
    let heap: &TestHeap = TestHeap::leaked();
    let open =
        |bytes| open(Config { object_memory_bytes: Some(bytes), ..Config::new(heap) }).unwrap();
    engine::conformance::threads_lose_no_keys(&open);
    engine::conformance::values_survive_compaction(&open);
    assert_eq!((heap.allocated_bytes(), heap.threads()), (0, 0), "{}", E::TRAITS.name);
    assert!(heap.purges() >= 1, "trim purges the heap");
}

#[test]
fn the_suite_leaves_nothing_on_the_heap() {
    leaves_nothing(MapStore::<Dashmap>::open);
    leaves_nothing(MapStore::<Papaya>::open);
    leaves_nothing(MapStore::<Scc>::open);
    leaves_nothing(MapStore::<Skiplist>::open);
    leaves_nothing(MapStore::<Striped>::open);
}
