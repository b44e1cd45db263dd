//! The suite every store passes: each map bounded by the store, and some by a heap that tells
//! nothing of its blocks, where rows that are retired and not yet freed take room too.

#[cfg(onetbb)]
use baseline_maps::OneTbb;
use baseline_maps::{
    Bytes, Config, Congee, Dashmap, Flurry, MapStore, Papaya, Scc, Skiplist, Striped,
};
use engine::{KvEngine, OpenError};
use kit::testing::TestHeap;

macro_rules! bounded_by_the_store {
    ($($module:ident $map:ident)*) => { $(
        engine::conformance_tests!($module, MapStore<$map>, |object_memory_bytes| {
            let config = Config::new(TestHeap::leaked());
            let bound = Some(object_memory_bytes);
            MapStore::<$map>::open(Config { object_memory_bytes: bound, ..config })
        });
    )* };
}

macro_rules! with_byte_keys {
    ($($module:ident $map:ident)*) => { $(
        engine::bytes_conformance_tests!($module, MapStore<$map<Bytes>>, |object_memory_bytes| {
            let config = Config::new(TestHeap::leaked());
            let bound = Some(object_memory_bytes);
            MapStore::<$map<Bytes>>::open(Config { object_memory_bytes: bound, ..config })
        });
    )* };
}

macro_rules! bounded_by_the_heap {
    ($($module:ident $map:ident)*) => { $(
        engine::conformance_tests!($module, MapStore<$map>, |object_memory_bytes| {
            let heap = TestHeap::leaked();
            heap.limit_bytes = object_memory_bytes;
            heap.tells = false;
            MapStore::<$map>::open(Config::new(heap))
        });
    )* };
}

bounded_by_the_store! {
    congee Congee
    dashmap Dashmap
    flurry Flurry
    papaya Papaya
    scc Scc
    skiplist Skiplist
    striped Striped
}
with_byte_keys! {
    dashmap_bytes Dashmap
    flurry_bytes Flurry
    papaya_bytes Papaya
    scc_bytes Scc
    skiplist_bytes Skiplist
    striped_bytes Striped
}
#[cfg(onetbb)]
bounded_by_the_store! {
    onetbb OneTbb
}
#[cfg(onetbb)]
with_byte_keys! {
    onetbb_bytes OneTbb
}
#[cfg(onetbb)]
bounded_by_the_heap! {
    onetbb_on_a_small_silent_heap OneTbb
}
bounded_by_the_heap! {
    congee_on_a_small_silent_heap Congee
    flurry_on_a_small_silent_heap Flurry
    papaya_on_a_small_silent_heap Papaya
    skiplist_on_a_small_silent_heap Skiplist
    striped_on_a_small_silent_heap Striped
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
    leaves_nothing(MapStore::<Congee>::open);
    leaves_nothing(MapStore::<Dashmap>::open);
    leaves_nothing(MapStore::<Flurry>::open);
    #[cfg(onetbb)]
    leaves_nothing(MapStore::<OneTbb>::open);
    leaves_nothing(MapStore::<Papaya>::open);
    leaves_nothing(MapStore::<Scc>::open);
    leaves_nothing(MapStore::<Skiplist>::open);
    leaves_nothing(MapStore::<Striped>::open);
}
