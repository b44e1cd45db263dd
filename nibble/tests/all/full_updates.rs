//! A full store takes updates: every key has room for a value as long as its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::common::variants::{POLICIES, ROWS, disturb, everything, tiny, within};
use super::common::{Random, fill_store, made, open, small, verified};
use nibble::{Compaction, IndexLayout, Put, PutError, Store, Update};

fn bytes_of(key: u64) -> usize {
    50 + key as usize % 700
}

/// Filled to the first refusal, then every key is updated again and again.
#[test]
fn every_key_of_a_full_store_can_be_updated() {
    for row in 0..ROWS {
        let config = everything(&small(2 << 20, 64 << 10), row);
        println!("{config:?}");
        let store = open(config);
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, bytes_of);
        for version in 1..4 {
            for key in 0..filled {
                let put = session.put(key, &made(key, version, bytes_of(key)));
                assert_eq!(put, Ok(Put::Updated), "key {key}, version {version}");
            }
        }
        let mut buffer = [0; 1000];
        for key in 0..filled {
            let length = session.get(key, &mut buffer).unwrap().expect("nothing is lost");
            assert_eq!((length, verified(key, &buffer[..length])), (bytes_of(key), 3));
        }
        drop(session);
        assert_eq!(store.check().unwrap().live_objects, filled);
    }
}

/// What fits nowhere is refused and changes nothing; what is shorter fits.
#[test]
fn only_what_is_longer_is_refused() {
    for (update, compaction) in POLICIES {
        let store = open(tiny(1 << 20, update, compaction, IndexLayout::Tagged));
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| 500);
        let mut buffer = [0; 500];
        for key in (0..filled).step_by(10) {
            assert_eq!(session.put(key, &made(key, 1, 20_000)), Err(PutError::Full));
            assert_eq!(session.get(key, &mut buffer), Ok(Some(500)));
            assert_eq!(verified(key, &buffer), 0);
        }
        for key in 0..filled {
            assert_eq!(session.put(key, &made(key, 2, 499)), Ok(Put::Updated));
            assert_eq!(session.get(key, &mut buffer), Ok(Some(499)));
            assert_eq!(verified(key, &buffer[..499]), 2);
        }
        assert_eq!(session.put(filled, &made(filled, 0, 20_000)), Err(PutError::Full));
        drop(session);
        store.check().unwrap();
    }
}

/// Readers copy values without a second look until the first update of a full store.
#[test]
fn readers_see_whole_values_when_a_store_begins_to_overwrite() {
    disturb();
    for round in 0..12 {
        let compaction = Compaction::ALL[round % 2];
        let index = IndexLayout::ALL[round % 3];
        let store = open(tiny(1 << 20, Update::Append, compaction, index));
        within(60, "the first updates", || read_while_full(&store));
    }
}

fn read_while_full(store: &Store) {
    /// Several blocks.
    const LONG: usize = 10_000;
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |_| LONG);
    let writing = AtomicBool::new(true);
    thread::scope(|scope| {
        for number in 0..3 {
            let writing = &writing;
            scope.spawn(move || {
                let session = store.session().unwrap();
                let (mut random, mut buffer) = (Random(number), [0; LONG]);
                while writing.load(Ordering::Relaxed) {
                    let key = random.below(filled);
                    let length = session.get(key, &mut buffer).unwrap().expect("nothing is lost");
                    verified(key, &buffer[..length]);
                }
            });
        }
        let puts = (1..20).flat_map(|version| (0..filled).map(move |key| (key, version)));
        let refused = puts
            .filter(|&(key, version)| session.put(key, &made(key, version, LONG)).is_err())
            .count();
        writing.store(false, Ordering::Relaxed);
        assert_eq!(refused, 0, "updates of a full store");
    });
    drop(session);
    store.check().unwrap();
}
