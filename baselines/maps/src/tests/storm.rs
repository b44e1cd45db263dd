//! Threads that write keys of their own and read everybody's, with room for all and with far too
//! little: what a read finds was there at some moment between its begin and its end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::common::for_each_map;
use baseline_maps::Config;
use engine::{KvEngine, KvSession, OpenError};
use kit::testing::{Random, TestHeap, fill, version_of};

for_each_map! {
    reads_are_of_their_time_with_room
    reads_are_of_their_time_in_a_full_store
    writers_of_the_same_keys_meet_at_the_bound
}

const THREADS: u64 = 4;
const KEYS: u64 = 400;
const VALUE_BYTES_MAX: u64 = 1000;
/// One of so many versions is a delete.
const DELETE_EVERY: u64 = 8;

/// Turns of each thread: enough to meet, or as many as the variable `MAPS_STORM_TURNS` says.
fn turns() -> u64 {
    std::env::var("MAPS_STORM_TURNS").map_or(6000, |turns| turns.parse().expect("a number"))
}

/// What the owner of a key tells of it. The window of a read is from `done` before it to `begun`
/// after it.
#[derive(Debug, Default)]
struct Told {
    /// The version of the last operation that had an effect, and has ended.
    done: AtomicU64,
    /// The version of the last operation that has begun.
    begun: AtomicU64,
}

/// Whether version `found`, or none at all, was there at some moment of the window.
fn is_of_window(found: Option<u64>, done: u64, begun: u64) -> bool {
    match found {
        Some(version) => (done..=begun).contains(&version) && !version.is_multiple_of(DELETE_EVERY),
        // Version 0, before the first put, has no value either.
        None => done / DELETE_EVERY < begun / DELETE_EVERY || done.is_multiple_of(DELETE_EVERY),
    }
}

#[test]
fn windows_tell_what_was_there() {
    for (found, done, begun, expected) in [
        (None, 0, 0, true),
        (None, 0, 1, true),
        (None, 1, 2, false),
        (None, 7, 8, true),
        (None, 8, 9, true),
        (None, 9, 15, false),
        (Some(3), 3, 3, true),
        (Some(3), 2, 4, true),
        (Some(3), 4, 5, false),
        (Some(3), 1, 2, false),
        (Some(8), 7, 9, false),
    ] {
        assert_eq!(is_of_window(found, done, begun), expected, "{found:?} in {done}..={begun}");
    }
}

/// Returns how many puts were refused.
fn storm<E: KvEngine>(store: &E, turns: u64) -> u64 {
    let told: Vec<Told> = (0..KEYS).map(|_| Told::default()).collect();
    let read = |session: &mut E::Session<'_>, key: u64, buffer: &mut [u8]| {
        let told = &told[key as usize];
        let done = told.done.load(Ordering::SeqCst);
        let value_bytes = session.get(key, buffer).unwrap();
        let begun = told.begun.load(Ordering::SeqCst);
        let found = value_bytes.map(|value_bytes| version_of(key, &buffer[..value_bytes]));
        assert!(is_of_window(found, done, begun), "{key}: {found:?} in {done}..={begun}");
    };
    let write = |session: &mut E::Session<'_>, key: u64, buffer: &mut [u8]| {
        let told = &told[key as usize];
        let version = told.begun.load(Ordering::SeqCst) + 1;
        let had = !told.done.load(Ordering::SeqCst).is_multiple_of(DELETE_EVERY);
        told.begun.store(version, Ordering::SeqCst);
        let effective = if version.is_multiple_of(DELETE_EVERY) {
            assert_eq!(session.delete(key).was_present(), had, "key {key}, version {version}");
            true
        } else {
            fill(key, version, buffer);
            session.put(key, buffer).unwrap().is_stored()
        };
        if effective {
            told.done.store(version, Ordering::SeqCst);
        }
        effective
    };
    let refused = AtomicU64::new(0);
    thread::scope(|scope| {
        for worker in 0..THREADS {
            let (read, write, refused) = (&read, &write, &refused);
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut buffer = [0; VALUE_BYTES_MAX as usize];
                let mut random = Random(worker);
                for _ in 0..turns {
                    let own = random.below(KEYS / THREADS) * THREADS + worker;
                    let value_bytes = 16 + random.below(VALUE_BYTES_MAX - 15) as usize;
                    let effective = write(&mut session, own, &mut buffer[..value_bytes]);
                    refused.fetch_add(u64::from(!effective), Ordering::Relaxed);
                    read(&mut session, random.below(KEYS), &mut buffer);
                    read(&mut session, own, &mut buffer);
                }
            });
        }
    });
    let mut session = store.session().unwrap();
    let mut buffer = [0; VALUE_BYTES_MAX as usize];
    for (key, told) in (0..).zip(&told) {
        // A window of one moment: nobody writes.
        let begun = told.done.load(Ordering::SeqCst);
        told.begun.store(begun, Ordering::SeqCst);
        read(&mut session, key, &mut buffer);
    }
    refused.into_inner()
}

fn reads_are_of_their_time_with_room<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let heap: &TestHeap = TestHeap::leaked();
    let store = open(Config::new(heap)).unwrap();
    assert_eq!(storm(&store, turns()), 0, "no put is refused");
    store.check().unwrap();
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
}

fn reads_are_of_their_time_in_a_full_store<E: KvEngine>(open: fn(Config) -> Result<E, OpenError>) {
    let heap: &TestHeap = TestHeap::leaked();
    // Less than half of what all keys need.
    let object_memory_bytes = Some(KEYS * VALUE_BYTES_MAX / 5);
    let store = open(Config { object_memory_bytes, ..Config::new(heap) }).unwrap();
    assert!(storm(&store, turns()) > turns() / 100, "puts are refused");
    store.check().unwrap();
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
}

/// Old values change under puts that the bound has admitted in their place.
fn writers_of_the_same_keys_meet_at_the_bound<E: KvEngine>(
    open: fn(Config) -> Result<E, OpenError>,
) {
    const KEYS: u64 = 4;
    let heap: &TestHeap = TestHeap::leaked();
    let object_memory_bytes = Some(KEYS * VALUE_BYTES_MAX / 2);
    let store = open(Config { object_memory_bytes, ..Config::new(heap) }).unwrap();
    let mut session = store.session().unwrap();
    for key in 0..KEYS {
        let mut value = [0; 16];
        fill(key, 0, &mut value);
        assert!(session.put(key, &value).unwrap().is_stored());
    }
    thread::scope(|scope| {
        for worker in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut buffer = [0; VALUE_BYTES_MAX as usize];
                let mut random = Random(worker);
                for version in 0..turns() {
                    let key = random.below(KEYS);
                    let value_bytes = 16 + random.below(VALUE_BYTES_MAX - 15) as usize;
                    fill(key, version, &mut buffer[..value_bytes]);
                    session.put(key, &buffer[..value_bytes]).unwrap();
                    let found = session.get(key, &mut buffer).unwrap();
                    version_of(key, &buffer[..found.expect("nobody deletes")]);
                }
            });
        }
    });
    drop(session);
    store.check().unwrap();
    assert_eq!(store.memory().live_objects, KEYS);
    drop(store);
    assert_eq!(heap.allocated_bytes(), 0);
}
