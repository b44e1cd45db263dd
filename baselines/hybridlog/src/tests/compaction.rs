//! Full stores, deletes and overwrites in them, and laps of the ring.

use super::common::{check, open, put, small, version};
use baseline_hybridlog::{Config, HybridLog};
use engine::{KvEngine, KvSession};
use kit::testing::{Random, counter};

/// Puts new keys until one is refused; returns how many are held.
fn fill(store: &HybridLog, value_bytes: usize) -> u64 {
    let mut session = store.session().unwrap();
    (0..).find(|&key| !put(&mut session, key, 1, value_bytes)).unwrap()
}

#[test]
fn a_store_holds_what_its_reserve_leaves_and_then_refuses() {
    for (reserve_percent, least, most) in [(1, 92, 99), (10, 87, 90), (50, 48, 50)] {
        let config = Config { reserve_percent, value_bytes_max: 1000, ..small(4 << 20) };
        let store = open(config);
        let keys = fill(&store, 1000);
        let percent = keys * 1024 * 100 / (4 << 20);
        assert!((least..=most).contains(&percent), "{reserve_percent}: {percent} % are held");
        assert_eq!(counter(&store, "refused_no_bound"), 1);
        assert_eq!(counter(&store, "refused_no_room"), 0);
        let mut session = store.session().unwrap();
        assert_eq!(version(&mut session, keys), None, "what is refused is not there");
        for key in 0..keys {
            assert_eq!(version(&mut session, key), Some(1));
        }
        drop(session);
        check(&store);
    }
}

/// In a full store every overwrite of the same length succeeds, wherever it is written.
#[test]
fn a_full_store_takes_overwrites_for_many_laps() {
    for (mutable_fraction, compaction_workers) in [(0.0, 0), (0.5, 0), (0.9, 0), (1.0, 0), (0.0, 1)]
    {
        let config = Config {
            mutable_fraction,
            compaction_workers,
            value_bytes_max: 1000,
            ..small(2 << 20)
        };
        let store = open(config);
        let keys = fill(&store, 500);
        let mut session = store.session().unwrap();
        let mut versions = vec![1; keys as usize];
        let mut random = Random(3);
        for turn in 2..20_000 {
            let key = random.below(keys);
            assert!(put(&mut session, key, turn, 500), "{mutable_fraction}: turn {turn}");
            versions[key as usize] = turn;
        }
        for (key, expected) in (0..).zip(versions) {
            assert_eq!(version(&mut session, key), Some(expected), "{mutable_fraction}: {key}");
        }
        drop(session);
        check(&store);
        let copied = counter(&store, "copied_records");
        assert_eq!(copied > 0, mutable_fraction < 1.0, "{mutable_fraction}: {copied} copied");
        assert_eq!(counter(&store, "refused_no_room"), 0);
    }
}

#[test]
fn deletes_make_room_wherever_they_are() {
    // From the begin, from the tail, and everywhere.
    let orders: [fn(u64, u64) -> bool; 3] =
        [|key, keys| key < keys / 2, |key, keys| key >= keys / 2, |key, _| key % 2 == 0];
    for is_deleted in orders {
        let store = open(small(4 << 20));
        let keys = fill(&store, 700);
        let mut session = store.session().unwrap();
        let deleted = (0..keys).filter(|&key| is_deleted(key, keys));
        let deleted =
            deleted.inspect(|&key| assert!(session.delete(key).was_present())).count() as u64;
        check(&store);
        for key in keys..keys + deleted {
            assert!(put(&mut session, key, 2, 700), "{key} of {keys} and {deleted}");
        }
        for key in 0..keys {
            let expected = (!is_deleted(key, keys)).then_some(1);
            assert_eq!(version(&mut session, key), expected);
        }
        (keys..keys + deleted).for_each(|key| assert_eq!(version(&mut session, key), Some(2)));
        drop(session);
        check(&store);
    }
}

/// Values from nothing to the longest: records end everywhere near the ring's end.
#[test]
fn laps_of_all_lengths_leave_nothing_behind() {
    let store = open(Config { mutable_fraction: 0.2, ..small(1 << 20) });
    let mut session = store.session().unwrap();
    let mut random = Random(11);
    let mut versions = vec![0; 150];
    for turn in 1..30_000 {
        let key = random.below(150);
        let value_bytes = 16 + (random.below(64) * random.below(64)) as usize;
        if random.below(10) == 0 {
            assert_eq!(session.delete(key).was_present(), versions[key as usize] > 0);
            versions[key as usize] = 0;
        } else {
            assert!(put(&mut session, key, turn, value_bytes));
            versions[key as usize] = turn;
        }
    }
    for (key, expected) in (0..).zip(versions) {
        assert_eq!(version(&mut session, key).unwrap_or(0), expected);
        session.delete(key);
    }
    drop(session);
    check(&store);
    assert!(counter(&store, "compacted_pages") > 3 * 64, "three laps at least");
    let census = store.memory();
    assert_eq!((census.live_objects, census.live_object_bytes), (0, 0));
}

/// A refused overwrite leaves the old value.
#[test]
fn a_full_store_refuses_what_grows_and_keeps_what_it_has() {
    for mutable_fraction in [0.0, 1.0] {
        let store = open(Config { mutable_fraction, ..small(1 << 20) });
        let keys = fill(&store, 200);
        let mut session = store.session().unwrap();
        let mut refused = 0;
        for key in 0..keys {
            let is_stored = put(&mut session, key, 2, 2000);
            refused += u64::from(!is_stored);
            assert_eq!(version(&mut session, key), Some(1 + u64::from(is_stored)));
        }
        assert!(refused > keys / 2, "{refused} of {keys}");
        for key in (0..keys).step_by(2) {
            assert!(session.delete(key).was_present(), "a delete needs no memory");
        }
        assert!(put(&mut session, 1, 3, 2000), "deletes have made room");
        assert_eq!(version(&mut session, 1), Some(3));
        drop(session);
        check(&store);
    }
}

#[test]
fn a_worker_keeps_room_ahead() {
    let config = Config { compaction_workers: 1, mutable_fraction: 0.0, ..small(8 << 20) };
    let store = open(config);
    assert_eq!(store.presence().threads, 1);
    let mut session = store.session().unwrap();
    for turn in 1..40_000 {
        assert!(put(&mut session, turn % 3000, turn, 1000));
    }
    check(&store);
    assert!(counter(&store, "compacted_pages") > 64);
    let census = store.memory();
    assert!(census.free_object_bytes > 0);
    for key in 0..3000 {
        assert!(version(&mut session, key).is_some_and(|version| version >= 36_000));
    }
}
