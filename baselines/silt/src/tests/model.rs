//! A store answers as a map does, through conversions, merges, closing and opening.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use baseline_silt::{Acknowledge, Counter, Error, Params, Scratch, Steps, Store, of_word};
use kit::testing::Random;

use super::common::{get, open, small, value};
use super::memory::Memory;

type Model = BTreeMap<u64, Vec<u8>>;

fn operate(store: &Store, model: &mut Model, random: &mut Random, count: u64, keys: u64) {
    let mut scratch = Scratch::default();
    for _ in 0..count {
        let key = random.below(keys);
        match random.below(10) {
            0..5 => {
                let value = value(key, random.below(1000));
                store.put(&of_word(key), &value, &mut scratch).unwrap();
                model.insert(key, value);
            }
            5 => {
                let value = value(key, random.below(1000));
                let before = store.exchange(&of_word(key), Some(&value), &mut scratch).unwrap();
                assert_eq!(before, model.insert(key, value).map(|value| value.len()));
            }
            6 => {
                store.delete(&of_word(key), &mut scratch).unwrap();
                model.remove(&key);
            }
            7 => {
                let before = store.exchange(&of_word(key), None, &mut scratch).unwrap();
                assert_eq!(before, model.remove(&key).map(|value| value.len()));
            }
            _ => assert_eq!(get(store, key, &mut scratch), model.get(&key).cloned(), "{key}"),
        }
    }
}

fn verify(store: &Store, model: &Model, keys: u64) {
    let mut scratch = Scratch::default();
    for key in 0..keys {
        assert_eq!(get(store, key, &mut scratch), model.get(&key).cloned(), "key {key}");
    }
    store.scrub().unwrap();
}

fn lives(params: Params, keys: u64) {
    let (files, mut model, mut random) = (Memory::default(), Model::new(), Random(keys));
    for life in 0..4 {
        let store = open(&files, params);
        verify(&store, &model, keys);
        operate(&store, &mut model, &mut random, 6000, keys);
        verify(&store, &model, keys);
        store.settle().unwrap();
        assert!(store.count(Counter::Merges) > 0, "life {life}: merges");
        verify(&store, &model, keys);
        match (life % 2, params.acknowledge) {
            (0, _) | (_, Acknowledge::Buffered) => store.close().unwrap(),
            // As if the process had ended.
            _ => drop(store),
        }
    }
}

#[test]
fn a_store_answers_as_a_map_does() {
    lives(small(), 2000);
    // Short records: the index names pages. Little memory: many passes.
    let value_bytes_max = 36;
    let shorter = Params { value_bytes_max, sort_bytes: 8 << 10, ..small() };
    let (files, mut scratch) = (Memory::default(), Scratch::default());
    let store = open(&files, shorter);
    for key in 0..3000 {
        store.put(&of_word(key), &key.to_le_bytes(), &mut scratch).unwrap();
    }
    store.merge().unwrap();
    for key in 0..3000 {
        let found = get(&store, key, &mut scratch);
        assert_eq!(found, Some(key.to_le_bytes().to_vec()));
    }
    store.scrub().unwrap();
}

#[test]
fn instances_and_threads_answer_the_same() {
    lives(Params { instances: 3, merge_entries: 500, sort_bytes: 30_000, ..small() }, 2500);
    lives(Params { threads: true, instances: 2, merge_entries: 400, ..small() }, 1500);
    lives(Params { acknowledge: Acknowledge::Buffered, ..small() }, 1800);
}

/// Overwriting a few keys takes no slots, and yet a log ends.
#[test]
fn a_log_of_few_keys_ends_too() {
    let (files, mut scratch) = (Memory::default(), Scratch::default());
    let store = open(&files, small());
    for version in 0..3000 {
        let key = version % 3;
        store.put(&of_word(key), &value(key, version), &mut scratch).unwrap();
    }
    assert!(store.count(Counter::Conversions) >= 5, "logs of 512 records");
    for version in 2997..3000 {
        assert_eq!(get(&store, version % 3, &mut scratch), Some(value(version % 3, version)));
    }
    drop(store);
    let store = open(&files, small());
    for version in 2997..3000 {
        assert_eq!(get(&store, version % 3, &mut scratch), Some(value(version % 3, version)));
    }
}

/// Deletions outlive the LogStore, and go with the merge; a store without items has no SortedStore.
#[test]
fn what_is_deleted_stays_away() {
    let (files, mut scratch) = (Memory::default(), Scratch::default());
    let store = open(&files, small());
    for key in 0..1500 {
        store.put(&of_word(key), &value(key, 1), &mut scratch).unwrap();
    }
    for key in 0..1500 {
        store.delete(&of_word(key), &mut scratch).unwrap();
        assert_eq!(get(&store, key, &mut scratch), None);
    }
    // Push the last deletions out of the log.
    for key in 2000..2300 {
        store.delete(&of_word(key), &mut scratch).unwrap();
    }
    store.merge().unwrap();
    assert_eq!(store.sorted_index_bytes(), 0, "nothing is left to index");
    assert!((0..1500).all(|key| get(&store, key, &mut scratch).is_none()));
}

/// Several threads, each with keys of its own, while others convert and merge.
#[test]
fn threads_lose_nothing_to_each_other() {
    let params = Params { threads: true, instances: 2, merge_entries: 500, ..small() };
    let files = Memory::default();
    let store = open(&files, params);
    thread::scope(|scope| {
        for worker in 0..3 {
            let store = &store;
            scope.spawn(move || {
                let mut scratch = Scratch::default();
                for turn in 0..2500 {
                    let key = worker + 3 * (turn % 700);
                    store.put(&of_word(key), &value(key, turn), &mut scratch).unwrap();
                    let back = worker + 3 * (turn / 2 % 700);
                    assert!(get(store, back, &mut scratch).is_some(), "{back}");
                }
                for turn in 1800..2500 {
                    let key = worker + 3 * (turn % 700);
                    assert_eq!(get(store, key, &mut scratch), Some(value(key, turn)));
                }
            });
        }
    });
    store.scrub().unwrap();
}

#[test]
fn other_parameters_are_refused_by_name_and_value() {
    let files = Memory::default();
    open(&files, small()).close().unwrap();
    for (params, told) in [
        (Params { instances: 2, ..small() }, "instances = 1 and was opened with 2"),
        (Params { tag_bits: 7, ..small() }, "tag-bits = 6 and was opened with 7"),
        (Params { value_bytes_max: 64, ..small() }, "value-bytes-max = 100 and was opened with 64"),
        (Params { displacements: 9, ..small() }, "displacements = 128 and was opened with 9"),
        (Params { tag_bits: 16, ..small() }, "tag-bits = 16: accepted are 4 to 15"),
        (Params { index_bucket_keys: 100, ..small() }, "powers of two"),
    ] {
        let error = Store::open_in(Arc::new(files.clone()), params, Steps::default()).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
    // What is not kept may differ.
    let store = open(&files, Params { merge_entries: 5, index_bucket_keys: 64, ..small() });
    let mut scratch = Scratch::default();
    let error = store.put(&of_word(1), &[0; 101], &mut scratch).unwrap_err();
    let (value_bytes, limit_bytes) = (101, 100);
    assert!(
        matches!(error, Error::ValueTooLong { value_bytes: value, limit_bytes: limit }
            if (value, limit) == (value_bytes, limit_bytes)),
        "{error}"
    );
}
