//! Stores whose keys are byte strings.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nibble::{
    Answer, Buffers, Config, IndexLayout, KeyTooLong, KeyedError, Operation, Put, PutError, Store,
    Update, limits,
};

use super::common::Random;

type Model = HashMap<Vec<u8>, Vec<u8>>;

fn open(change: impl FnOnce(&mut Config)) -> Store<[u8]> {
    let mut config = Config { virtual_nodes: 1, heads: 1, ..Config::best(8 << 20) };
    change(&mut config);
    Store::open_for_byte_keys(config).unwrap()
}

fn has(store: &Store<[u8]>, model: &Model) {
    let session = store.session().unwrap();
    let mut buffer = vec![0; store.value_limit()];
    for (key, value) in model {
        let found = session.get(key, &mut buffer).unwrap();
        assert!(found.is_some_and(|bytes| buffer[..bytes] == value[..]), "{key:?}: {found:?}");
    }
    drop(session);
    let live_bytes: usize = model.values().map(Vec::len).sum();
    assert_eq!(store.check().unwrap().live_objects, model.len() as u64);
    assert_eq!(store.census().live_value_bytes, live_bytes as u64);
}

/// Keys that begin with one another, of zeros and of other bytes, with one that differs in the end only.
fn keys() -> Vec<Vec<u8>> {
    let lengths = [0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 66, 255, 256, 4096, 20_000];
    let mut keys: Vec<Vec<u8>> =
        lengths.iter().flat_map(|&bytes| [vec![0; bytes], vec![b'k'; bytes]]).collect();
    let ends = lengths.iter().filter(|&&bytes| bytes > 0).map(|&bytes| {
        let mut key = vec![b'k'; bytes];
        key[bytes - 1] = 0;
        key
    });
    keys.extend(ends.collect::<Vec<_>>());
    keys.sort();
    keys.dedup();
    keys
}

#[test]
fn keys_of_all_lengths_are_told_apart() {
    let updates = [Update::InPlace, Update::Append].into_iter().cycle();
    for (&index, update) in IndexLayout::ALL.iter().zip(updates) {
        let store = open(|config| (config.index, config.update) = (index, update));
        let session = store.session().unwrap();
        let mut model = Model::new();
        for value_bytes in [3, 700, 0, 650, 64] {
            for (number, key) in keys().into_iter().enumerate() {
                let value = vec![(number + value_bytes) as u8; value_bytes];
                let expected = if model.contains_key(&key) { Put::Updated } else { Put::Inserted };
                assert_eq!(session.put(&key, &value), Ok(expected), "{index} {key:?}");
                model.insert(key, value);
            }
            has(&store, &model);
        }
        for key in keys().into_iter().step_by(2) {
            assert_eq!(session.delete(&key), Ok(true));
            assert_eq!(session.delete(&key), Ok(false));
            assert_eq!(session.get(&key, &mut [0; 1000]), Ok(None));
            model.remove(&key);
        }
        drop(session);
        has(&store, &model);
    }
}

#[test]
fn a_key_that_is_too_long_is_refused_and_nothing_is_changed() {
    let store = open(|_| {});
    let session = store.session().unwrap();
    let limit_bytes = limits::KEY_BYTES_MAX;
    let long = vec![1; limit_bytes + 1];
    let refused = KeyTooLong { key_bytes: long.len(), limit_bytes };
    assert_eq!(session.put(&long, b"v"), Err(KeyedError::Key(refused)));
    assert_eq!(session.get(&long, &mut [0; 8]), Err(KeyedError::Key(refused)));
    assert_eq!(session.delete(&long), Err(KeyedError::Key(refused)));
    let batch = [Operation::Put { key: &b"a"[..], value: b"1" }, Operation::Delete { key: &long }];
    let answered = session.execute(&batch, &mut Buffers::none(), |_, _| panic!("nothing is done"));
    assert_eq!(answered, Err(refused));
    assert_eq!(
        refused.to_string(),
        "a key of 65536 bytes exceeds the limit of 65535; use its hash"
    );

    let key = vec![1; 100];
    let limit_bytes = store.value_limit() - key.len() - 2;
    let value = vec![7; limit_bytes + 1];
    let too_large = PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes };
    assert_eq!(session.put(&key, &value), Err(KeyedError::Value(too_large)));
    assert_eq!(session.put(&key, &value[1..]), Ok(Put::Inserted));
    drop(session);
    has(&store, &Model::from([(key, value[1..].to_vec())]));
}

#[test]
fn batches_do_what_single_operations_do() {
    let store = open(|_| {});
    let session = store.session().unwrap();
    let keys = keys();
    let put = |key| Operation::Put { key, value: &[5; 9] };
    let asked = keys.iter().map(Vec::as_slice).flat_map(|key| {
        [put(key), Operation::Get { key }, Operation::Delete { key }, Operation::Get { key }]
    });
    let asked: Vec<_> = asked.collect();
    let mut bytes = vec![0; asked.len() * 16];
    let mut answers = Vec::new();
    let mut buffers = Buffers::new(&mut bytes, 16);
    session.execute(&asked, &mut buffers, |_, answer| answers.push(answer)).unwrap();
    let expected =
        [Answer::Stored(Put::Inserted), Answer::Found(9), Answer::Deleted(true), Answer::Absent];
    assert!(answers.chunks(4).all(|answers| answers == expected), "{answers:?}");
    assert!(bytes.chunks(64).all(|slots| slots[16..25] == [5; 9]));
    drop(session);
    has(&store, &Model::new());
}

/// The length of a value and its bytes follow from one another and from its key.
fn value(key: &[u8], bytes: usize) -> Vec<u8> {
    (0..bytes).map(|place| (key.len() * 31 + bytes + place) as u8).collect()
}

/// Keys of 0 to 299 bytes, each of one thread.
fn key(number: u64, thread: u64) -> Vec<u8> {
    let mut key = format!("{thread}:{number}:").into_bytes();
    key.resize(key.len() + (number * 7 % 290) as usize, 0);
    key
}

#[test]
fn nothing_is_lost_while_memory_is_short_and_sizes_change() {
    for update in [Update::Append, Update::InPlace] {
        let store = open(|config| (config.heads, config.update) = (2, update));
        let rounds = if cfg!(debug_assertions) { 20_000 } else { 200_000 };
        let model: Model = thread::scope(|scope| {
            let store = &store;
            let threads = [0, 1].map(|thread| scope.spawn(move || churn(store, thread, rounds)));
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert!(store.statistics().copied_bytes > 0, "{:?}", store.statistics());
        has(&store, &model);
    }
}

fn churn(store: &Store<[u8]>, thread: u64, rounds: u64) -> Model {
    let session = store.session().unwrap();
    let mut random = Random(thread + 1);
    let mut model = Model::new();
    let mut buffer = vec![0; 1000];
    // On average a key has 150 bytes and a value 500, and a fifth of the keys are deleted.
    let keys = (8 << 20) * 9 / 10 / 2 / 620;
    for _ in 0..rounds {
        let key = key(random.below(keys), thread);
        match random.below(6) {
            0 => assert_eq!(session.delete(&key), Ok(model.remove(&key).is_some())),
            1 => {
                let found = session.get(&key, &mut buffer).unwrap();
                assert_eq!(found.map(|bytes| &buffer[..bytes]), model.get(&key).map(Vec::as_slice));
            }
            _ => {
                let value = value(&key, random.below(1000) as usize);
                session.put(&key, &value).unwrap();
                model.insert(key, value);
            }
        }
    }
    model
}

/// A value that is overwritten with a longer or shorter one is never seen half, nor with its key.
#[test]
fn no_reader_sees_half_a_value() {
    let store = open(|config| config.update = Update::InPlace);
    let key = [b'k'; 37];
    let session = store.session().unwrap();
    session.put(&key, &[0; 300]).unwrap();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let (store, ended) = (&store, &ended);
        let reader = scope.spawn(move || {
            let session = store.session().unwrap();
            let (mut buffer, mut seen) = ([0; 300], 0_u64);
            while !ended.load(Ordering::Relaxed) || seen == 0 {
                let bytes = session.get(&key, &mut buffer).unwrap().expect("it is never deleted");
                let first = buffer.first().copied().unwrap_or(0);
                assert!(bytes == 300 - usize::from(first), "{bytes} bytes of {first}");
                assert!(
                    buffer[..bytes].iter().all(|&byte| byte == first),
                    "{:?}",
                    &buffer[..bytes]
                );
                seen += 1;
            }
        });
        for round in 0..100_000_u32 {
            let fill = (round % 250) as u8;
            session.put(&key, &vec![fill; 300 - usize::from(fill)]).unwrap();
        }
        ended.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
}
