//! Races provoked on purpose: each test keeps two sides in the same few lines of the engine for a
//! while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::common::variants::{disturb, tiny, within};
use super::common::{Random, fill, made, open, verified};
use nibble::{Compaction, IndexLayout, Store, Update};

/// How long each lasts.
const RACE: Duration = Duration::from_millis(1200);

fn race(what: &str, sides: &[&(dyn Fn(u64) + Sync)]) {
    disturb();
    within(25, what, || {
        thread::scope(|scope| {
            for (number, side) in sides.iter().enumerate() {
                scope.spawn(move || side(number as u64));
            }
        });
    });
}

fn found_while_splitting(index: IndexLayout) {
    const STABLE: u64 = 300;
    let begin = Instant::now();
    // Growth ends when the index is large enough: begin again with an empty one.
    while begin.elapsed() < RACE {
        let store = open(tiny(4 << 20, Update::Append, Compaction::Background, index));
        let session = store.session().unwrap();
        for key in 0..STABLE {
            session.put(key, &made(key, 0, 8)).unwrap();
        }
        let growing = AtomicBool::new(true);
        let grow = |_| {
            let session = store.session().unwrap();
            for key in STABLE..30_000 {
                session.put(key, &[0; 8]).unwrap();
            }
            growing.store(false, Ordering::Relaxed);
        };
        let look = |number| {
            let session = store.session().unwrap();
            let mut random = Random(number);
            while growing.load(Ordering::Relaxed) {
                let key = random.below(STABLE);
                // On failure too, or the others would go on.
                let found = session.get(key, &mut [0; 8]);
                if found != Ok(Some(8)) {
                    growing.store(false, Ordering::Relaxed);
                    panic!("key {key}: {found:?}");
                }
            }
        };
        race("growth", &[&grow, &look, &look, &look]);
        store.check().unwrap();
    }
}

#[test]
fn a_key_is_found_while_its_bucket_splits() {
    found_while_splitting(IndexLayout::Text);
}

#[test]
fn a_key_is_found_while_its_bucket_splits_keyed() {
    found_while_splitting(IndexLayout::Keyed);
}

#[test]
fn a_key_is_found_while_its_bucket_splits_tagged() {
    found_while_splitting(IndexLayout::Tagged);
}

/// Several threads insert keys of their own into one partition, and look for what they had.
#[test]
fn keys_are_inserted_while_buckets_split() {
    const KEYS: u64 = 6_000;
    for &index in IndexLayout::ALL {
        let begin = Instant::now();
        while begin.elapsed() < RACE / 3 {
            let store = open(tiny(4 << 20, Update::Append, Compaction::Background, index));
            let insert = |number| {
                let session = store.session().unwrap();
                let mut random = Random(number);
                for step in 0..KEYS {
                    session.put(step * 4 + number, &[0; 8]).unwrap();
                    let key = random.below(step + 1) * 4 + number;
                    assert_eq!(session.get(key, &mut [0; 8]), Ok(Some(8)), "key {key}");
                }
            };
            race("insertion", &[&insert, &insert, &insert, &insert]);
            assert_eq!(store.check().unwrap().live_objects, 4 * KEYS);
        }
    }
}

/// Tables so small that a bucket that is to take an entry from another is often split just before.
#[test]
fn entries_move_to_buckets_that_are_splitting() {
    const KEYS: u64 = 300;
    let begin = Instant::now();
    while begin.elapsed() < RACE {
        let store = open(tiny(1 << 20, Update::Append, Compaction::Inline, IndexLayout::Tagged));
        let insert = |number: u64| {
            let session = store.session().unwrap();
            let keys = || (0..KEYS).map(|step| step * 4 + number);
            keys().for_each(|key| assert!(session.put(key, &[]).is_ok()));
            keys().for_each(|key| assert_eq!(session.get(key, &mut []), Ok(Some(0)), "key {key}"));
        };
        race("insertion", &[&insert, &insert, &insert, &insert]);
        assert_eq!(store.check().unwrap().live_objects, 4 * KEYS);
    }
}

/// Writers and readers of two keys whose values always fit where they are.
#[test]
fn values_overwritten_in_place_are_never_torn() {
    const KEYS: u64 = 2;
    const LONGEST: usize = 12 << 10;
    for index in IndexLayout::ALL {
        let store = open(tiny(2 << 20, Update::InPlace, Compaction::Background, *index));
        let session = store.session().unwrap();
        for key in 0..KEYS {
            session.put(key, &made(key, 0, LONGEST)).unwrap();
        }
        let begin = Instant::now();
        let write = |number| {
            let session = store.session().unwrap();
            let mut random = Random(number);
            let mut value = vec![0; LONGEST];
            while begin.elapsed() < RACE / 3 {
                let key = random.below(KEYS);
                let bytes = LONGEST - random.below(4) as usize * 1_000;
                fill(&mut value[..bytes], key, random.next());
                session.put(key, &value[..bytes]).unwrap();
            }
        };
        let read = |number| {
            let session = store.session().unwrap();
            let mut random = Random(number);
            let mut value = vec![0; LONGEST];
            while begin.elapsed() < RACE / 3 {
                let key = random.below(KEYS);
                let length = session.get(key, &mut value).unwrap().expect("never deleted");
                verified(key, &value[..length]);
            }
        };
        race("in place", &[&write, &read, &write, &read, &read]);
        let mut value = vec![0; LONGEST];
        for key in 0..KEYS {
            let length = session.get(key, &mut value).unwrap().expect("never deleted");
            verified(key, &value[..length]);
        }
        store.check().unwrap();
    }
}

/// Each thread updates and deletes keys of its own among much that is garbage, so that they are
/// being compacted again and again while they change.
fn nothing_comes_back(store: &Store) {
    const KEYS: u64 = 150;
    let begin = Instant::now();
    // On a busy machine it takes longer until the objects have moved often enough.
    let enough = || store.statistics().segments_compacted > 100;
    let change = |number| {
        let session = store.session().unwrap();
        let mut random = Random(number + 1);
        let mut versions: Vec<Option<u64>> = vec![None; KEYS as usize];
        let mut value = vec![0; 1 << 10];
        let mut version = 0;
        while begin.elapsed() < RACE || version % 256 > 0 || !enough() {
            version += 1;
            let slot = random.below(KEYS);
            let key = number * KEYS + slot;
            let expected = versions[slot as usize];
            let found = session.get(key, &mut value).unwrap();
            assert_eq!(found.map(|length| verified(key, &value[..length])), expected, "key {key}");
            if random.below(3) > 0 {
                let bytes = 300 + slot as usize + random.below(3) as usize;
                session.put(key, &made(key, version, bytes)).unwrap();
                versions[slot as usize] = Some(version);
            } else {
                assert_eq!(session.delete(key), Ok(expected.is_some()), "key {key}");
                versions[slot as usize] = None;
            }
        }
    };
    race("changes", &[&change, &change, &change, &change]);
    store.check().unwrap();
}

#[test]
fn compaction_brings_nothing_old_back() {
    let config = tiny(512 << 10, Update::Append, Compaction::Background, IndexLayout::Text);
    nothing_comes_back(&open(config));
}

#[test]
fn inline_compaction_brings_nothing_old_back() {
    let config = tiny(512 << 10, Update::Append, Compaction::Inline, IndexLayout::Tagged);
    nothing_comes_back(&open(config));
}

/// What compaction copies may be overwritten while it copies.
#[test]
fn updates_in_place_survive_compaction() {
    let config = tiny(512 << 10, Update::InPlace, Compaction::Background, IndexLayout::Text);
    nothing_comes_back(&open(config));
}

#[test]
fn updates_in_place_survive_inline_compaction() {
    let config = tiny(512 << 10, Update::InPlace, Compaction::Inline, IndexLayout::Tagged);
    nothing_comes_back(&open(config));
}
