//! Keys that share an entry of the index, tombstones between them, and overflow buckets.

use std::collections::HashMap;

use super::common::{check, open, put, small, version};
use crate::hash::KeyHash;
use baseline_hybridlog::{Config, HybridLog, HybridLogSession};
use engine::{KvEngine, KvSession, PutOutcome};
use kit::testing::{Random, counter, made, mix};

/// Keys of one tag in a store with a single main bucket.
fn keys_of_one_chain(count: usize) -> Vec<u64> {
    let tag = KeyHash::of(0).tag();
    (0..).filter(|&key| KeyHash::of(key).tag() == tag).take(count).collect()
}

/// A store with one main bucket.
fn one_bucket(mutable_fraction: f64) -> HybridLog {
    open(Config { records_max: 1, mutable_fraction, ..small(1 << 20) })
}

fn assert_versions(session: &mut HybridLogSession<'_>, expected: &[(u64, Option<u64>)]) {
    for &(key, expected) in expected {
        assert_eq!(version(session, key), expected, "key {key}");
    }
}

#[test]
fn keys_of_one_tag_share_a_chain_and_are_told_apart() {
    let keys = keys_of_one_chain(4);
    for mutable_fraction in [0.0, 1.0] {
        let store = one_bucket(mutable_fraction);
        let mut session = store.session().unwrap();
        for &key in &keys {
            assert_eq!(session.put(key, &made(key, 1, 50)), Ok(PutOutcome::Inserted));
        }
        assert_eq!(session.put(keys[1], &made(keys[1], 2, 50)), Ok(PutOutcome::Updated));
        assert!(session.delete(keys[2]).was_present() && !session.delete(keys[2]).was_present());
        let expected =
            [(keys[0], Some(1)), (keys[1], Some(2)), (keys[2], None), (keys[3], Some(1))];
        assert_versions(&mut session, &expected);
        check(&store);
        assert_eq!(session.put(keys[2], &made(keys[2], 3, 50)), Ok(PutOutcome::Inserted));
        assert_versions(&mut session, &[(keys[2], Some(3)), (keys[3], Some(1))]);
        for &key in &keys {
            assert!(session.delete(key).was_present());
            assert_eq!(version(&mut session, key), None);
            check(&store);
        }
        assert_eq!(store.memory().live_objects, 0);
        assert!(counter(&store, "tombstones") >= 4, "something hangs on most of them");
    }
}

#[test]
fn a_delete_leaves_nothing_where_nothing_hangs_on_it() {
    let store = open(small(4 << 20));
    let mut session = store.session().unwrap();
    for round in 1..=100 {
        for key in 0..20 {
            assert_eq!(session.put(key, &made(key, round, 100)), Ok(PutOutcome::Inserted));
            assert_eq!(version(&mut session, key), Some(round));
            assert!(session.delete(key).was_present() && !session.delete(key).was_present());
            assert_eq!(version(&mut session, key), None);
        }
    }
    assert_eq!(counter(&store, "elided_deletes"), 2000);
    assert_eq!(counter(&store, "tombstones"), 0);
    check(&store);
}

/// Compaction moves some records of a chain and drops others, while the rest stays where it is.
#[test]
fn chains_survive_compaction() {
    let keys = keys_of_one_chain(24);
    let filler = |key: u64| (1 << 40) + key;
    for mutable_fraction in [0.0, 0.5, 1.0] {
        let store = one_bucket(mutable_fraction);
        let mut session = store.session().unwrap();
        let mut random = Random(7);
        let mut expected: HashMap<u64, u64> = HashMap::new();
        for turn in 1..40_000 {
            let key = keys[random.below(keys.len() as u64) as usize];
            let value_bytes = 16 + random.below(200) as usize;
            match random.below(8) {
                0 => assert_eq!(session.delete(key).was_present(), expected.remove(&key).is_some()),
                1..4 => {
                    let outcome = session.put(key, &made(key, turn, value_bytes)).unwrap();
                    let was_there = expected.insert(key, turn).is_some();
                    let told = if was_there { PutOutcome::Updated } else { PutOutcome::Inserted };
                    assert_eq!(outcome, told);
                }
                // Keeps the tail going, and so everything else on its way to the begin.
                4..6 => assert!(put(&mut session, filler(random.below(300)), turn, value_bytes)),
                6 => _ = session.delete(filler(random.below(300))),
                _ => assert_eq!(version(&mut session, key), expected.get(&key).copied()),
            }
            if turn % 4096 == 0 {
                check(&store);
            }
        }
        for &key in &keys {
            assert_eq!(version(&mut session, key), expected.get(&key).copied());
        }
        check(&store);
        let pages = counter(&store, "compacted_pages");
        assert!(pages > 20, "{mutable_fraction}: {pages} pages");
    }
}

/// Everything in one bucket and what it overflows into.
#[test]
fn compaction_cleans_one_bucket_of_tombstones() {
    for mutable_fraction in [0.0, 1.0] {
        let store = one_bucket(mutable_fraction);
        let mut session = store.session().unwrap();
        let keys = keys_of_one_chain(6);
        for turn in 1..30_000_u64 {
            let key = keys[(mix(turn) % 6) as usize];
            if turn % 5 < 2 {
                session.delete(key);
            } else {
                assert!(put(&mut session, key, turn, 100 + (mix(turn) >> 40) as usize % 100));
                assert_eq!(version(&mut session, key), Some(turn));
            }
        }
        check(&store);
        for &key in &keys {
            session.delete(key);
        }
        check(&store);
        assert_eq!(store.memory().live_objects, 0);
        assert!(counter(&store, "compacted_pages") > 20);
    }
}

#[test]
fn overflow_buckets_run_out_and_entries_come_back() {
    let store = one_bucket(0.9);
    let mut session = store.session().unwrap();
    let mut held = Vec::new();
    let mut key = 0;
    while session.put(mix(key), b"value").unwrap().is_stored() {
        held.push(mix(key));
        key += 1;
    }
    // One main bucket and 64 behind it; few keys share a tag.
    assert!((455..480).contains(&held.len()), "{} keys", held.len());
    assert_eq!(counter(&store, "refused_no_bucket"), 1);
    assert_eq!(counter(&store, "overflow_buckets_used"), 64);
    check(&store);
    let mut buffer = [0; 5];
    assert_eq!(session.get(mix(key), &mut buffer), Ok(None), "what is refused is not there");
    for &key in &held {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(5)));
        assert_eq!(session.put(key, b"other"), Ok(PutOutcome::Updated));
    }
    assert!(session.delete(held[100]).was_present());
    assert_eq!(session.put(mix(key), b"value"), Ok(PutOutcome::Inserted));
    check(&store);
    held[101..].iter().for_each(|&key| assert!(session.delete(key).was_present()));
    held[..100].iter().for_each(|&key| assert!(session.delete(key).was_present()));
    assert!(session.delete(mix(key)).was_present());
    assert_eq!(store.memory().live_objects, 0);
    check(&store);
}
