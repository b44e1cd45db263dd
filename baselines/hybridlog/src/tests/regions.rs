//! Where a PUT writes: in place near the tail, at the tail elsewhere.

use super::common::{check, open, put, small, version};
use baseline_hybridlog::Config;
use engine::{KvEngine, KvSession, PutOutcome};
use kit::testing::{counter, made};

#[test]
fn what_is_near_the_tail_is_overwritten_in_place_and_the_rest_is_appended() {
    const VALUE_BYTES: usize = 1000;
    // Records of 1 KiB in 4 MiB: both versions of all keys fit.
    const KEYS: u64 = 1900;
    for (mutable_fraction, appended) in [(0.0, KEYS..=KEYS), (0.25, 800..=880), (1.0, 0..=0)] {
        let store = open(Config { mutable_fraction, ..small(4 << 20) });
        let mut session = store.session().unwrap();
        for key in 0..KEYS {
            assert!(put(&mut session, key, 1, VALUE_BYTES));
        }
        // The newest first: what is appended pushes none of the others out of the mutable region.
        for key in (0..KEYS).rev() {
            assert_eq!(
                session.put(key, &made(key, 2, VALUE_BYTES)),
                Ok(PutOutcome::Updated),
                "{mutable_fraction}: key {key}"
            );
        }
        let (in_place, at_tail) =
            (counter(&store, "in_place_updates"), counter(&store, "appended_updates"));
        assert_eq!(in_place + at_tail, KEYS);
        assert!(appended.contains(&at_tail), "{mutable_fraction}: {at_tail} appended");
        for key in 0..KEYS {
            assert_eq!(version(&mut session, key), Some(2));
        }
        check(&store);
    }
}

#[test]
fn a_value_that_outgrows_its_room_is_appended_and_one_that_fits_is_not() {
    let store = open(small(4 << 20));
    let mut session = store.session().unwrap();
    let mut updates = |value_bytes: usize| {
        let before = counter(&store, "appended_updates");
        assert!(put(&mut session, 1, value_bytes as u64, value_bytes));
        assert_eq!(version(&mut session, 1), Some(value_bytes as u64));
        counter(&store, "appended_updates") - before
    };
    let appended: Vec<_> = [100, 104, 16, 104, 105, 200, 4096, 16].map(&mut updates).into();
    // 100 bytes take 13 words. The first is an insertion.
    assert_eq!(appended, [0, 0, 0, 0, 1, 1, 1, 0]);
    drop(session);
    let census = store.memory();
    assert_eq!((census.live_objects, census.live_value_bytes), (1, 16));
    assert_eq!(census.live_object_bytes, 24 + 16);
    check(&store);
}

/// What a record has shrunk by is not lost: copies have no slack.
#[test]
fn compaction_takes_back_what_values_have_shrunk_by() {
    const KEYS: u64 = 700;
    let store = open(Config { mutable_fraction: 1.0, ..small(4 << 20) });
    let mut session = store.session().unwrap();
    for key in 0..KEYS {
        assert!(put(&mut session, key, 1, 4000));
    }
    for key in 0..KEYS {
        assert!(put(&mut session, key, 2, 100));
    }
    assert_eq!(counter(&store, "in_place_updates"), KEYS);
    // As much again as there was at first fits only where the slack was.
    for key in KEYS..2 * KEYS {
        assert!(put(&mut session, key, 3, 4000), "key {key}");
    }
    assert!(counter(&store, "trimmed_bytes") > 1 << 20);
    for key in 0..2 * KEYS {
        assert_eq!(version(&mut session, key), Some(if key < KEYS { 2 } else { 3 }));
    }
    check(&store);
}

#[test]
fn the_census_tells_live_dead_and_free() {
    let store = open(Config { mutable_fraction: 0.0, ..small(4 << 20) });
    let mut session = store.session().unwrap();
    for version in 0..2 {
        for key in 0..100 {
            assert!(put(&mut session, key, version, 1000));
        }
    }
    let census = store.memory();
    assert_eq!((census.live_objects, census.live_value_bytes), (100, 100_000));
    assert_eq!(census.live_object_bytes, 100 * 1024);
    assert_eq!(census.dead_object_bytes, 100 * 1024);
    assert_eq!(census.free_object_bytes, (4 << 20) - 200 * 1024);
    assert!(census.complete && census.index_bytes > 0 && census.table_bytes > 0);
    assert_eq!(store.presence().page_bytes, 4096);
    check(&store);
}
