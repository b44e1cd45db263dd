//! What one session is told: each map against a `std` map, at its bound, in batches, and settings
//! that are refused.

use std::collections::HashMap;
use std::thread;

use super::common::for_each_map;
#[cfg(onetbb)]
use baseline_maps::OneTbb;
use baseline_maps::{Config, Congee, Dashmap, Flurry, MapStore, Papaya, Scc, Skiplist, Striped};
use engine::{
    DeleteOutcome, KvEngine, KvSession, Op, OpenError, Outcome, PutError, PutOutcome, ScanRange,
    ValueBuffers,
};
use kit::testing::{Random, TestHeap, counter};

for_each_map! {
    agrees_with_a_std_map_at_its_bound
    the_bound_is_reached_to_the_last_byte
    batches_keep_their_order
    settings_in_force_are_listed
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
                assert_eq!(session.delete(key).was_present(), removed.is_some());
                live_bytes -= removed.map_or(0, |old| old.len() as u64 + 8);
            }
        }
    }
    assert!(refused > 100, "{refused} puts met the bound");
    store.check().unwrap();
    let census = store.memory();
    assert_eq!(census.live_objects, model.len() as u64);
    assert_eq!(census.live_value_bytes + 8 * census.live_objects, live_bytes);
    if E::TRAITS.scans.are_possible() {
        let mut keys: Vec<u64> = model.keys().copied().collect();
        keys.sort_unstable();
        let from = keys[keys.len() / 2];
        let mut scanned = Vec::new();
        let shown = session.scan(ScanRange::up(from, 10), &mut |key, value| {
            assert_eq!(value, model[&key]);
            scanned.push(key);
        });
        assert_eq!(shown, Some(10));
        assert_eq!(scanned, keys[keys.len() / 2..][..10]);
    } else {
        assert_eq!(session.scan(ScanRange::up(0, 10), &mut |_, _| unreachable!()), None);
    }
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
    assert_eq!(counter(&store, "entries"), 1000, "a refused put leaves no entry");
    let error = PutError::ValueTooLarge { value_bytes: 99_993, limit_bytes: 99_992 };
    assert_eq!(session.put(0, &[0; 99_993]), Err(error));
    // Another thread frees what this one fills again.
    thread::scope(|scope| {
        scope.spawn(|| assert!(store.session().unwrap().delete(7).was_present()));
    });
    assert_eq!(session.put(1 << 40, &[0; 92]), Ok(PutOutcome::Inserted));
    assert_eq!(session.put(1 << 41, &[]), Ok(PutOutcome::Full));
    store.check().unwrap();
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
                Outcome::Deleted(DeleteOutcome::Removed),
                Outcome::Absent
            ]
        );
        assert_eq!(&bytes[(index * 5 + 2) * 8..][..5], b"three");
    }
    store.check().unwrap();
}

fn settings_in_force_are_listed<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let heap = TestHeap::leaked();
    heap.limit_bytes = 1 << 30;
    let store = open(Config { object_memory_bytes: Some(4096), ..Config::new(heap) }).unwrap();
    let settings = store.settings();
    let value = |name: &str| {
        let found = settings.iter().find(|setting| setting.name == name);
        found.unwrap_or_else(|| panic!("no setting {name}")).value.clone()
    };
    assert_eq!(value("heap"), "test");
    assert_eq!(value("heap.limit_bytes"), (1 << 30).to_string());
    assert_eq!(value("object_memory_bytes"), "4096");
    assert_eq!((value("presize"), value("records_max")), ("false".to_owned(), "0".to_owned()));
    let sharded = matches!(E::TRAITS.name, "dashmap" | "striped");
    assert_eq!(value("shards").parse::<usize>().is_ok(), sharded, "{}", value("shards"));
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
    refused(MapStore::<Congee>::open(sharded(4)), "shards");
    refused(MapStore::<Flurry>::open(sharded(4)), "shards");
    #[cfg(onetbb)]
    refused(MapStore::<OneTbb>::open(sharded(4)), "shards");
    let presized = |records_max| Config { presize: true, records_max, ..config };
    refused(MapStore::<Skiplist>::open(presized(10)), "presize");
    refused(MapStore::<Congee>::open(presized(10)), "presize");
    refused(MapStore::<Flurry>::open(presized(0)), "records_max");
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
            counter(&MapStore::<Dashmap>::open(config).unwrap(), "capacity_entries")
        }),
        capacity(&|config| counter(&MapStore::<Scc>::open(config).unwrap(), "capacity_entries")),
        capacity(&|config| {
            counter(&MapStore::<Striped>::open(config).unwrap(), "capacity_entries")
        }),
        #[cfg(onetbb)]
        capacity(&|config| counter(&MapStore::<OneTbb>::open(config).unwrap(), "capacity_entries")),
    ] {
        assert!(small < 10_000 && large >= 100_000, "{small} and {large} entries");
    }
    let store = MapStore::<Papaya>::open(presized).unwrap();
    assert!(store.session().unwrap().put(1, b"value").is_ok());
    store.check().unwrap();
    let striped = MapStore::<Striped>::open(Config { shards: Some(8), ..config }).unwrap();
    assert_eq!(counter(&striped, "shards"), 8);
}
