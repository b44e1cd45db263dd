//! How each map's store uses its heap: every row is counted, nothing is lost when the heap is
//! exhausted, nothing is left when the store is gone, every thread announces itself.

use std::thread;

use super::common::{HEADER_BYTES, for_each_map};
use baseline_maps::Config;
use engine::{KvEngine, KvSession, OpenError, PutOutcome};
use kit::testing::{TestHeap, counter};

for_each_map! {
    counts_every_row
    an_exhausted_heap_is_full_and_loses_nothing
    dropping_the_store_frees_everything
    each_thread_starts_once_and_ends_after_its_last_session
}

fn counts_every_row<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let heap: &TestHeap = TestHeap::leaked();
    let store = open(Config::new(heap)).unwrap();
    let mut session = store.session().unwrap();
    for round in 0..3 {
        (0..1000).for_each(|key| {
            let expected = if round == 0 { PutOutcome::Inserted } else { PutOutcome::Updated };
            assert_eq!(session.put(key, &[round; 60]), Ok(expected));
        });
    }
    (0..400).for_each(|key| assert!(session.delete(key).was_present()));
    (0..400).for_each(|key| assert!(!session.delete(key).was_present()));
    let census = store.memory();
    let (allocated, freed) = (counter(&store, "rows_allocated"), counter(&store, "rows_freed"));
    let deferred = counter(&store, "rows_deferred");
    assert_eq!((counter(&store, "entries"), allocated), (600, 3000));
    assert_eq!(freed + deferred, 2400);
    assert!(E::TRAITS.batches || deferred == 0, "maps without guards defer nothing");
    assert_eq!(heap.allocated_bytes(), (allocated - freed) * (60 + HEADER_BYTES));
    assert_eq!(census.live_object_bytes, 600 * (60 + HEADER_BYTES));
    let slack_bytes = 600 * 8;
    let dead_bytes = slack_bytes + deferred * (60 + HEADER_BYTES);
    assert_eq!(census.dead_object_bytes, dead_bytes, "slack of live rows, and deferred rows");
    assert!(!census.complete, "the map's own memory is not known");
    store.settle();
    let deferred = counter(&store, "rows_deferred");
    assert!(deferred < 128, "{deferred} rows wait");
}

fn an_exhausted_heap_is_full_and_loses_nothing<E: KvEngine>(
    open: fn(Config) -> Result<E, OpenError>,
) {
    let heap = TestHeap::leaked();
    heap.limit_bytes = 10_000;
    let store = open(Config::new(heap)).unwrap();
    let mut session = store.session().unwrap();
    let mut keys = 0_u64;
    while session.put(keys, &[keys as u8; 88]).unwrap().is_stored() {
        keys += 1;
    }
    assert_eq!(keys, 100, "rows of 100 bytes");
    assert_eq!(session.put(5, &[0; 88]), Ok(PutOutcome::Full), "an update needs both rows");
    let mut buffer = [0; 88];
    for key in 0..keys {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(88)));
        assert_eq!(buffer, [key as u8; 88]);
    }
    // Retired rows are freed at the latest when the heap lacks them: all of them, but in `flurry`,
    // whose collector keeps as many as there are threads.
    let kept = if E::TRAITS.name == "flurry" { 1 } else { 0 };
    (7..=7 + kept).for_each(|key| assert!(session.delete(key).was_present()));
    for round in 0..200 {
        assert_eq!(session.put(5, &[round; 88]), Ok(PutOutcome::Updated));
    }
    store.check().unwrap();
}

fn dropping_the_store_frees_everything<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let heap: &TestHeap = TestHeap::leaked();
    let store = open(Config::new(heap)).unwrap();
    // Garbage of threads that have ended, of one that has not, and what is live.
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut session = store.session().unwrap();
                for _ in 0..3 {
                    (0..5000).for_each(|key| assert!(session.put(key, b"value").is_ok()));
                }
                for key in 0..1000 {
                    session.delete(key);
                }
            });
        }
    });
    let mut session = store.session().unwrap();
    (4000..4010).for_each(|key| assert!(session.delete(key).was_present()));
    (4010..4020).for_each(|key| assert_eq!(session.put(key, b"new"), Ok(PutOutcome::Updated)));
    drop(session);
    store.check().unwrap();
    assert!(heap.allocated_bytes() >= 3990 * (3 + HEADER_BYTES));
    drop(store);
    assert_eq!((heap.allocated_bytes(), heap.threads()), (0, 0));
}

fn each_thread_starts_once_and_ends_after_its_last_session<E: KvEngine>(
    open: fn(Config) -> Result<E, OpenError>,
) {
    let heap: &TestHeap = TestHeap::leaked();
    let store = open(Config::new(heap)).unwrap();
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
