//! Each map against a `std` map, its counters, its bound, its use of the heap, and threads that
//! fight.

mod test_heap;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use baseline_maps::{Config, Dashmap, MapStore, Papaya, Scc, Skiplist, Striped};
use engine::{KvEngine, KvSession, Op, OpenError, Outcome, PutError, PutOutcome, ValueBuffers};
use test_heap::TestHeap;

/// Header of a row.
const HEADER_BYTES: u64 = 12;

/// A test of any map, for each of them.
macro_rules! for_each_map {
    ($($name:ident)*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn dashmap() { super::$name(MapStore::<Dashmap>::open); }
            #[test]
            fn papaya() { super::$name(MapStore::<Papaya>::open); }
            #[test]
            fn scc() { super::$name(MapStore::<Scc>::open); }
            #[test]
            fn skiplist() { super::$name(MapStore::<Skiplist>::open); }
            #[test]
            fn striped() { super::$name(MapStore::<Striped>::open); }
        }
    )* };
}

for_each_map! {
    agrees_with_a_std_map_at_its_bound
    counts_every_row
    the_bound_is_reached_to_the_last_byte
    an_exhausted_heap_is_full_and_loses_nothing
    dropping_the_store_frees_everything
    each_thread_starts_once_and_ends_after_its_last_session
    outcomes_are_exact_when_threads_fight
    updates_never_hide_a_key
    threads_fill_to_the_bound_and_not_beyond
    batches_keep_their_order
}

/// A small generator with a full period (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

fn statistic(engine: &impl KvEngine, name: &str) -> u64 {
    let statistics = engine.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no statistic {name} in {statistics:?}")).value as u64
}

/// A value that names its key and writer, at a length of its own.
fn described(key: u64, writer: u64, version: u64) -> Vec<u8> {
    let words = [key, writer, version, key ^ writer.rotate_left(17) ^ version.rotate_left(34)];
    let repeated = words.iter().cycle().take(4 + (version % 29) as usize);
    repeated.flat_map(|word| word.to_le_bytes()).collect()
}

/// Key, writer and version of a whole value of [`described`].
fn parse(value: &[u8]) -> (u64, u64, u64) {
    let word = |index: usize| u64::from_le_bytes(value[index * 8..][..8].try_into().unwrap());
    let (key, writer, version) = (word(0), word(1), word(2));
    assert_eq!(value, described(key, writer, version), "a torn value");
    (key, writer, version)
}

fn agrees_with_a_std_map_at_its_bound<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    const BOUND_BYTES: u64 = 20_000;
    let config = Config::new(TestHeap::leaked());
    let store = open(Config { object_memory_bytes: Some(BOUND_BYTES), ..config }).unwrap();
    let mut session = store.session().unwrap();
    let mut model: HashMap<u64, Vec<u8>> = HashMap::new();
    let mut live_bytes = 0;
    let (mut random, mut refused) = (Random(1), 0);
    let mut buffer = [0; 300];
    for step in 0..60_000_u64 {
        let key = random.below(200).wrapping_mul(0x0101_0101_0101_0101);
        match random.below(8) {
            0..4 => {
                let value = vec![step as u8; random.below(300) as usize];
                let old_bytes = model.get(&key).map_or(0, |old| old.len() as u64 + 8);
                let after_bytes = live_bytes - old_bytes + value.len() as u64 + 8;
                let expected = match old_bytes {
                    _ if after_bytes > BOUND_BYTES => PutOutcome::Full,
                    0 => PutOutcome::Inserted,
                    _ => PutOutcome::Updated,
                };
                assert_eq!(session.put(key, &value), Ok(expected), "step {step}");
                if expected == PutOutcome::Full {
                    refused += 1;
                } else {
                    live_bytes = after_bytes;
                    model.insert(key, value);
                }
            }
            4..7 => {
                let found = session.get(key, &mut buffer).unwrap();
                assert_eq!(found.map(|bytes| &buffer[..bytes]), model.get(&key).map(|v| &v[..]));
            }
            _ => {
                let removed = model.remove(&key);
                assert_eq!(session.delete(key), removed.is_some());
                live_bytes -= removed.map_or(0, |old| old.len() as u64 + 8);
            }
        }
    }
    assert!(refused > 100, "{refused} puts met the bound");
    store.check().unwrap();
    let census = store.memory();
    assert_eq!(census.live_objects, model.len() as u64);
    assert_eq!(census.live_value_bytes + 8 * census.live_objects, live_bytes);
    if E::TRAITS.ordered {
        let mut keys: Vec<u64> = model.keys().copied().collect();
        keys.sort_unstable();
        let from = keys[keys.len() / 2];
        let scanned = session.scan(from, 10).unwrap();
        assert!(scanned.iter().all(|entry| entry.value == model[&entry.key]));
        let scanned: Vec<u64> = scanned.iter().map(|entry| entry.key).collect();
        assert_eq!(scanned, keys[keys.len() / 2..][..10]);
    } else {
        assert_eq!(session.scan(0, 10), None);
    }
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
    (0..400).for_each(|key| assert!(session.delete(key)));
    (0..400).for_each(|key| assert!(!session.delete(key)));
    let census = store.memory();
    let (allocated, freed) = (statistic(&store, "rows_allocated"), statistic(&store, "rows_freed"));
    let deferred = statistic(&store, "rows_deferred");
    assert_eq!((statistic(&store, "entries"), allocated), (600, 3000));
    assert_eq!(freed + deferred, 2400);
    assert!(E::TRAITS.batches || deferred == 0, "maps without guards defer nothing");
    assert_eq!(heap.allocated_bytes(), (allocated - freed) * (60 + HEADER_BYTES));
    assert_eq!(census.live_object_bytes, 600 * (60 + HEADER_BYTES));
    let slack_bytes = 600 * 8;
    let dead_bytes = slack_bytes + deferred * (60 + HEADER_BYTES);
    assert_eq!(census.dead_object_bytes, dead_bytes, "slack of live rows, and deferred rows");
    assert!(!census.complete, "the map's own memory is not known");
    store.settle();
    let deferred = statistic(&store, "rows_deferred");
    assert!(deferred < 128, "{deferred} rows wait");
}

fn the_bound_is_reached_to_the_last_byte<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let config = Config::new(TestHeap::leaked());
    let store = open(Config { object_memory_bytes: Some(100_000), ..config }).unwrap();
    let mut session = store.session().unwrap();
    let mut keys = 0;
    while session.put(keys, &[0; 92]).unwrap().is_stored() {
        keys += 1;
    }
    assert_eq!(keys, 1000);
    assert_eq!(session.put(0, &[1; 93]), Ok(PutOutcome::Full));
    let mut buffer = [9; 92];
    assert_eq!(session.get(0, &mut buffer), Ok(Some(92)));
    assert_eq!(buffer, [0; 92], "the old value is in place");
    assert_eq!(session.put(0, &[1; 92]), Ok(PutOutcome::Updated));
    assert_eq!(statistic(&store, "entries"), 1000, "a refused put leaves no entry");
    let error = PutError::ValueTooLarge { value_bytes: 99_993, limit_bytes: 99_992 };
    assert_eq!(session.put(0, &[0; 99_993]), Err(error));
    // Another thread frees what this one fills again.
    thread::scope(|scope| {
        scope.spawn(|| assert!(store.session().unwrap().delete(7)));
    });
    assert_eq!(session.put(1 << 40, &[0; 92]), Ok(PutOutcome::Inserted));
    assert_eq!(session.put(1 << 41, &[]), Ok(PutOutcome::Full));
    store.check().unwrap();
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
    assert!(session.delete(7));
    // A retired row is freed at the latest when the heap lacks it.
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
    (4000..4010).for_each(|key| assert!(session.delete(key)));
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
                            PutOutcome::Full => panic!("16 keys are full"),
                        },
                        2 => {
                            deleted.fetch_add(session.delete(key).into(), Ordering::Relaxed);
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
    assert_eq!(statistic(&store, "entries"), live);
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
    1_000_000 + statistic(store, "rows_allocated")
}

fn batches_keep_their_order<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let store = open(Config::new(TestHeap::leaked())).unwrap();
    let mut session = store.session().unwrap();
    // More than one guard serves.
    let operations: Vec<Op<'_>> = (0..100)
        .flat_map(|key| {
            let put = |value| Op::Put { key, value };
            [put(b"one"), put(b"three"), Op::Get { key }, Op::Delete { key }, Op::Get { key }]
        })
        .collect();
    let mut bytes = vec![0; operations.len() * 8];
    let mut outcomes = vec![Outcome::Absent; operations.len()];
    session.execute(&operations, &mut ValueBuffers::new(&mut bytes, 8), &mut outcomes);
    for (index, five) in outcomes.chunks(5).enumerate() {
        assert_eq!(
            five,
            [
                Outcome::Put(PutOutcome::Inserted),
                Outcome::Put(PutOutcome::Updated),
                Outcome::Found(5),
                Outcome::Deleted(true),
                Outcome::Absent
            ]
        );
        assert_eq!(&bytes[(index * 5 + 2) * 8..][..5], b"three");
    }
    store.check().unwrap();
}

#[test]
fn settings_a_map_does_not_take_are_refused() {
    fn refused<E: KvEngine>(result: Result<E, OpenError>, name: &str) {
        match result {
            Err(OpenError::BadSetting { setting, .. }) => assert_eq!(setting, name),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("{} took {name}", E::TRAITS.name),
        }
    }
    let config = Config::new(TestHeap::leaked());
    let sharded = |shards| Config { shards: Some(shards), ..config };
    refused(MapStore::<Dashmap>::open(sharded(1)), "shards");
    refused(MapStore::<Striped>::open(sharded(3)), "shards");
    refused(MapStore::<Striped>::open(sharded(1 << 17)), "shards");
    refused(MapStore::<Papaya>::open(sharded(4)), "shards");
    refused(MapStore::<Scc>::open(sharded(4)), "shards");
    refused(MapStore::<Skiplist>::open(sharded(4)), "shards");
    let presized = |records_max| Config { presize: true, records_max, ..config };
    refused(MapStore::<Skiplist>::open(presized(10)), "presize");
    refused(MapStore::<Scc>::open(presized(0)), "records_max");
    let error = MapStore::<Papaya>::open(presized(u64::MAX)).err();
    assert_eq!(error, Some(OpenError::OutOfMemory { wanted_bytes: u64::MAX }));
    let heap = TestHeap::leaked();
    heap.keeps_values = false;
    refused(MapStore::<Striped>::open(Config::new(heap)), "heap");
}

#[test]
fn a_capacity_is_taken_from_the_start_and_only_if_asked_for() {
    let config = Config { records_max: 100_000, ..Config::new(TestHeap::leaked()) };
    let presized = Config { presize: true, ..config };
    let capacity = |store: &dyn Fn(Config) -> u64| (store(config), store(presized));
    for (small, large) in [
        capacity(&|config| {
            statistic(&MapStore::<Dashmap>::open(config).unwrap(), "capacity_entries")
        }),
        capacity(&|config| statistic(&MapStore::<Scc>::open(config).unwrap(), "capacity_entries")),
        capacity(&|config| {
            statistic(&MapStore::<Striped>::open(config).unwrap(), "capacity_entries")
        }),
    ] {
        assert!(small < 10_000 && large >= 100_000, "{small} and {large} entries");
    }
    let store = MapStore::<Papaya>::open(presized).unwrap();
    assert!(store.session().unwrap().put(1, b"value").is_ok());
    store.check().unwrap();
    let striped = MapStore::<Striped>::open(Config { shards: Some(8), ..config }).unwrap();
    assert_eq!(statistic(&striped, "shards"), 8);
}
