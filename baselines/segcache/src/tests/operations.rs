//! Values of any bytes, a full cache, what a PUT tells, counters.

use baseline_segcache::{Config, Eviction, Segcache};
use engine::{KvEngine, KvSession, PutError, PutOutcome};
use kit::testing::{bytes_of_every_kind, made, statistic, version_of};

fn open(config: Config) -> Segcache {
    Segcache::open(config).unwrap()
}

#[test]
fn keys_and_values_of_any_bytes_come_back() {
    let config = Config { segment_bytes: 64 << 10, ..Config::new(16 << 20, 10_000) };
    let store = open(config);
    let limit_bytes = (64 << 10) - 21;
    let mut session = store.session().unwrap();
    bytes_of_every_kind(&mut session, limit_bytes);
    let error = Err(PutError::ValueTooLarge { value_bytes: limit_bytes + 1, limit_bytes });
    assert_eq!(session.put(1, &vec![0; limit_bytes + 1]), error);
}

#[test]
fn every_policy_drops_old_objects_and_keeps_what_was_put_last() {
    for eviction in Eviction::ALL {
        let store = open(Config { eviction, ..Config::new(32 << 20, 100_000) });
        let mut session = store.session().unwrap();
        for key in 0..40_000 {
            assert_eq!(session.put(key, &made(key, key, 4000)), Ok(PutOutcome::Inserted));
        }
        let mut buffer = [0; 4000];
        let mut kept = 0;
        for key in 0..40_000 {
            if let Some(value_bytes) = session.get(key, &mut buffer).unwrap() {
                assert_eq!(version_of(key, &buffer[..value_bytes]), key);
                kept += 1;
            }
        }
        assert_eq!(session.get(39_999, &mut buffer), Ok(Some(4000)), "{eviction}");
        let room = (32 << 20) / 4024;
        assert!((room / 2..=room).contains(&kept), "{eviction}: {kept} of {room}");
        drop(session);
        assert_eq!(statistic(&store, "refused_no_segment"), 0.0);
        assert_eq!(statistic(&store, "get_misses"), f64::from(40_000 - kept));
    }
}

#[test]
fn a_put_tells_whether_the_key_was_there_if_it_asks() {
    for (ask_presence, first, again) in [
        (true, PutOutcome::Inserted, PutOutcome::Updated),
        (false, PutOutcome::Stored, PutOutcome::Stored),
    ] {
        let store = open(Config { ask_presence, ..Config::new(32 << 20, 1000) });
        let mut session = store.session().unwrap();
        assert_eq!(session.put(1, b"one"), Ok(first));
        assert_eq!(session.put(1, b"two"), Ok(again));
        assert!(session.delete(1).was_present() && !session.delete(1).was_present());
        assert_eq!(session.put(1, b"three"), Ok(first));
        drop(session);
        assert_eq!(statistic(&store, "puts"), 3.0);
        assert_eq!(statistic(&store, "get_hits"), 0.0, "to ask is no GET");
    }
}

/// Far more keys than it was opened for.
#[test]
fn an_index_without_a_slot_refuses_and_changes_nothing() {
    let store = open(Config::new(32 << 20, 30));
    let mut session = store.session().unwrap();
    let stored: Vec<u64> =
        (0..1000).filter(|&key| session.put(key, b"value").unwrap().is_stored()).collect();
    assert!((90..=128).contains(&stored.len()), "{} of 128 slots", stored.len());
    let mut buffer = [0; 5];
    for key in 0..1000 {
        let expected = stored.contains(&key).then_some(5);
        assert_eq!(session.get(key, &mut buffer), Ok(expected), "key {key}");
    }
    drop(session);
    assert_eq!(statistic(&store, "refused_no_slot"), (1000 - stored.len()) as f64);
}
