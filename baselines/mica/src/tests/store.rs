//! Store mode as a whole: what its counters tell of it, and threads that share it.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use baseline_mica::store::{Config, Preset};
use baseline_mica::{Crcw, Crew, Erew, Mica, Mode};
use engine::{KvEngine, KvSession, OpenError, PutError, PutOutcome, SessionError, Sharing};
use kit::testing::counter;

fn small(object_memory_bytes: u64) -> Config {
    let config = Config::new(object_memory_bytes, object_memory_bytes / 64);
    Config { partitions: 4, huge_pages: false, ..config }
}

/// One free chunk a partition, and nothing else.
fn assert_is_empty<M: Mode>(store: &Mica<M>) {
    store.check().unwrap();
    let partitions = 4;
    assert_eq!(counter(store, "free_chunks"), partitions);
    let census = store.memory();
    assert_eq!((census.live_objects, census.live_object_bytes), (0, 0));
    assert_eq!(census.dead_object_bytes, partitions * 8, "a tag at the end of each");
    assert_eq!(
        counter(store, "largest_free_chunk_bytes"),
        census.free_object_bytes / partitions,
        "as large in every partition"
    );
    assert_eq!(counter(store, "spare_buckets_used"), 0);
}

fn fills_and_empties<M: Mode>(preset: Preset) {
    let store = Mica::<M>::open(Config { preset, ..small(4 << 20) }).unwrap();
    assert_is_empty(&store);
    let mut session = store.session().unwrap();
    let mut held = Vec::new();
    for round in 0..4_usize {
        let mut keys = 0;
        let value_bytes = |key: u64| 20 + (key as usize * 37 + round * 501) % 1500;
        while session.put(keys, &vec![keys as u8; value_bytes(keys)]).unwrap().is_stored() {
            keys += 1;
        }
        held.push(keys);
        store.check().unwrap();
        for key in 0..keys {
            let mut buffer = vec![0; value_bytes(key)];
            assert_eq!(session.get(key, &mut buffer), Ok(Some(value_bytes(key))));
            assert!(buffer.iter().all(|&byte| byte == key as u8), "key {key}");
        }
        // Every third one first, so that chunks join on both sides.
        (0..keys).step_by(3).for_each(|key| assert!(session.delete(key).was_present()));
        store.check().unwrap();
        (0..keys)
            .filter(|key| key % 3 > 0)
            .for_each(|key| assert!(session.delete(key).was_present()));
        assert_is_empty(&store);
    }
    assert!(held.iter().all(|&keys| keys > 4000), "{held:?} objects of 770 bytes in 4 MiB");
}

#[test]
fn what_is_deleted_is_one_chunk_again() {
    fills_and_empties::<Erew>(Preset::Thesis);
    fills_and_empties::<Crew>(Preset::Thesis);
    fills_and_empties::<Crcw>(Preset::Thesis);
    fills_and_empties::<Crcw>(Preset::NibblePaper);
}

#[test]
fn objects_that_grow_move_and_their_chunks_split_and_join() {
    for preset in [Preset::Thesis, Preset::NibblePaper] {
        let store = Mica::<Crcw>::open(Config { preset, ..small(8 << 20) }).unwrap();
        let mut session = store.session().unwrap();
        const KEYS: u64 = 4000;
        for key in 0..KEYS {
            assert_eq!(session.put(key, &[1; 1000]), Ok(PutOutcome::Inserted));
        }
        assert_eq!(counter(&store, "moved_updates"), 0);
        let split = counter(&store, "chunks_split");
        assert_eq!(split, KEYS, "each is cut from what is free");
        for key in 0..KEYS {
            assert_eq!(session.put(key, &[2; 1024]), Ok(PutOutcome::Updated));
        }
        assert_eq!(counter(&store, "moved_updates"), KEYS);
        assert!(counter(&store, "chunks_split") > split + KEYS / 2);
        assert!(counter(&store, "chunks_coalesced") > KEYS / 2);
        let per_allocation =
            counter(&store, "chunks_probed") as f64 / counter(&store, "allocations") as f64;
        assert!((per_allocation - 1.0).abs() < 1e-9, "{per_allocation} chunks looked at for each");
        for key in 0..KEYS {
            assert_eq!(session.put(key, &[3; 1000]), Ok(PutOutcome::Updated));
        }
        assert_eq!(counter(&store, "resized_updates"), KEYS, "what shrinks stays");
        let census = store.memory();
        assert_eq!(census.live_value_bytes, 1000 * KEYS);
        // A chunk may be up to three words longer than asked for: less is no chunk.
        let dead_bytes = 24 * KEYS + 4 * 8;
        let range = dead_bytes..=dead_bytes + 24 * KEYS;
        assert!(range.contains(&census.dead_object_bytes), "{census:?}");
        store.check().unwrap();
    }
}

#[test]
fn the_index_refuses_without_spares_and_recovers() {
    let config = Config { records_max: 100, spare_percent: 10, ..small(4 << 20) };
    let store = Mica::<Crcw>::open(config).unwrap();
    let mut session = store.session().unwrap();
    let mut held = Vec::new();
    let mut key = 0;
    while counter(&store, "spare_buckets_free") > 0 || held.len() < 100 {
        if session.put(key, b"value").unwrap().is_stored() {
            held.push(key);
        }
        key += 1;
    }
    assert!(counter(&store, "spare_buckets_used") > 0);
    while session.put(key, b"value").unwrap().is_stored() {
        held.push(key);
        key += 1;
    }
    store.check().unwrap();
    assert!(counter(&store, "refused_no_spare") > 0);
    assert_eq!(counter(&store, "refused_no_space"), 0);
    let mut buffer = [0; 5];
    assert_eq!(session.get(key, &mut buffer), Ok(None), "what is refused is not there");
    for &key in &held {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(5)));
        assert_eq!(session.put(key, b"other"), Ok(PutOutcome::Updated));
    }
    held.iter().for_each(|&key| assert!(session.delete(key).was_present()));
    assert_is_empty(&store);
    assert_eq!(session.put(key, b"value"), Ok(PutOutcome::Inserted));
}

#[test]
fn an_index_of_the_size_asked_for_holds_that_many() {
    for (records_max, partitions) in [(1000, 4), (20_000, 1), (20_000, 16), (100_000, 8)] {
        let config = Config { partitions, ..Config::new(16 << 20, records_max) };
        let store = Mica::<Erew>::open(Config { huge_pages: false, ..config }).unwrap();
        let mut session = store.session().unwrap();
        for key in 0..records_max {
            assert_eq!(session.put(key, b""), Ok(PutOutcome::Inserted), "{key} of {records_max}");
        }
        store.check().unwrap();
        assert!(counter(&store, "spare_buckets_used") > 0);
    }
}

#[test]
fn a_refused_update_keeps_the_old_value() {
    let store = Mica::<Crcw>::open(Config { partitions: 1, ..small(64 << 10) }).unwrap();
    let mut session = store.session().unwrap();
    let mut keys = 0;
    while session.put(keys, &[keys as u8; 1000]).unwrap().is_stored() {
        keys += 1;
    }
    assert_eq!(session.put(3, &[9; 2000]), Ok(PutOutcome::Full));
    assert!(counter(&store, "refused_no_space") == 2);
    let mut buffer = [0; 2000];
    assert_eq!(session.get(3, &mut buffer), Ok(Some(1000)));
    assert_eq!(buffer[..1000], [3; 1000]);
    // Neighbours in memory, whose chunks join.
    assert!(session.delete(0).was_present() && session.delete(1).was_present());
    assert_eq!(session.put(3, &[9; 2000]), Ok(PutOutcome::Updated));
    store.check().unwrap();
    let limit_bytes = (64 << 10) - 8 - 16;
    let too_large = PutError::ValueTooLarge { value_bytes: limit_bytes + 1, limit_bytes };
    assert_eq!(session.put(4, &vec![0; limit_bytes + 1]), Err(too_large));
}

#[test]
fn owners_exclude_one_another_and_strangers() {
    let store = Mica::<Erew>::open(small(1 << 20)).unwrap();
    let mine = store.worker_session(0, 2).unwrap();
    let claimed = Err(SessionError::Claimed { partition: 0 });
    assert_eq!(store.session().map(|_| ()), claimed);
    assert_eq!(store.worker_session(0, 2).map(|_| ()), claimed);
    let mut other = store.worker_session(1, 2).unwrap();
    drop(mine);
    let key = (0..).find(|&key| store.route(key, 2) == Some(0)).unwrap();
    let strayed =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| other.get(key, &mut [])));
    assert!(strayed.is_err(), "a key of a partition that the session does not own");
    let store = Mica::<Crew>::open(small(1 << 20)).unwrap();
    let mut other = store.worker_session(1, 2).unwrap();
    assert_eq!(other.get(key, &mut []), Ok(None), "anyone reads");
    let strayed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| other.put(key, b"1")));
    assert!(strayed.is_err(), "only the owner writes");
    store.check().unwrap();
}

#[test]
fn the_nibble_paper_shares_every_partition() {
    let config = Config { preset: Preset::NibblePaper, ..small(1 << 20) };
    let refused = |result: Result<(), OpenError>| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains("preset") && error.contains("crcw"), "{error}");
    };
    refused(Mica::<Erew>::open(config).map(|_| ()));
    refused(Mica::<Crew>::open(config).map(|_| ()));
    let store = Mica::<Crcw>::open(config).unwrap();
    let settings = store.settings();
    let setting = |name| &settings.iter().find(|setting| setting.name == name).unwrap().value;
    assert_eq!((&**setting("hash"), &**setting("first-class-bytes")), ("siphash", "256"));
    assert_eq!(store.presence().page_bytes, 4096);
}

/// A number whose bits are as good as random.
fn spread(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// A value that says of which put it is, in every byte: torn ones are noticed.
fn stamp(value: &mut Vec<u8>, key: u64, number: u64) {
    let length = 16 + spread(number) as usize % 1500;
    value.clear();
    value.extend_from_slice(&key.to_le_bytes());
    value.extend_from_slice(&number.to_le_bytes());
    value.resize(length, (key ^ number) as u8);
}

fn assert_stamped(key: u64, found: &[u8], expected: &mut Vec<u8>) {
    assert!(found.len() >= 16, "key {key}: {} bytes", found.len());
    let number = u64::from_le_bytes(found[8..16].try_into().unwrap());
    stamp(expected, key, number);
    assert!(found == expected, "key {key}: torn or another's, {} bytes", found.len());
}

/// Values of changing sizes move through heaps that are nearly full, so that chunks are freed and
/// reused under readers all the time.
fn moves_under_readers<M: Mode>(preset: Preset) {
    const KEYS: u64 = 300;
    const WORKERS: usize = 3;
    const READERS: usize = 2;
    let config = Config { partitions: 4, preset, ..small(512 << 10) };
    let store = Mica::<M>::open(config).unwrap();
    let (start, done) = (Barrier::new(WORKERS + READERS), AtomicBool::new(false));
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (store, start) = (&store, &start);
                scope.spawn(move || {
                    let mut session = store.worker_session(worker, WORKERS).unwrap();
                    let mut value = Vec::new();
                    start.wait();
                    for number in 0..250_000_u64 {
                        let key = spread(number * WORKERS as u64 + worker as u64) % KEYS;
                        if store.route(key, WORKERS).is_some_and(|owner| owner != worker) {
                            continue;
                        }
                        if number % 7 == 0 {
                            session.delete(key);
                        } else {
                            stamp(&mut value, key, number * WORKERS as u64 + worker as u64);
                            session.put(key, &value).unwrap();
                        }
                    }
                })
            })
            .collect();
        // Readers are no workers: where partitions have owners, they own none.
        let readers: Vec<_> = (0..READERS)
            .map(|reader| {
                let (store, start, done) = (&store, &start, &done);
                scope.spawn(move || {
                    let nobody = match M::SHARING {
                        Sharing::Shared => 0,
                        _ => 4 + reader,
                    };
                    let mut session = store.worker_session(nobody, 1 + nobody).unwrap();
                    let (mut buffer, mut expected) = ([0; 1600], Vec::new());
                    let mut found = 0;
                    start.wait();
                    // Relaxed: it only has to be seen some time. Not all keys end deleted, so
                    // something is found in the end.
                    while found == 0 || !done.load(Ordering::Relaxed) {
                        for key in 0..KEYS {
                            if let Some(bytes) = session.get(key, &mut buffer).unwrap() {
                                assert_stamped(key, &buffer[..bytes], &mut expected);
                                found += 1;
                            }
                        }
                    }
                })
            })
            .collect();
        let written: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        // Relaxed: as above.
        done.store(true, Ordering::Relaxed);
        written.into_iter().for_each(|result| result.expect("a writer"));
        readers.into_iter().for_each(|reader| reader.join().expect("a reader"));
    });
    store.check().unwrap();
    assert!(counter(&store, "moved_updates") > 1000);
    assert!(counter(&store, "chunks_coalesced") > 1000);
    let mut session = store.session().unwrap();
    (0..KEYS).for_each(|key| _ = session.delete(key));
    assert_is_empty(&store);
}

#[test]
fn readers_never_see_half_a_value_of_an_owner() {
    moves_under_readers::<Crew>(Preset::Thesis);
}

#[test]
fn readers_never_see_half_a_value_of_many_writers() {
    moves_under_readers::<Crcw>(Preset::Thesis);
    moves_under_readers::<Crcw>(Preset::NibblePaper);
}
