//! Operations over a real server: bytes of every kind, pipelines, a full server, counters.

use super::common::opened;
use baseline_memcached::{Config, VALUE_BYTES_MAX};
use engine::{KvEngine, KvSession, PutError, PutOutcome};
use kit::testing::{Round, bytes_of_every_kind, pipeline, setting, statistic};

#[test]
fn keys_and_values_of_any_bytes_come_back() {
    let Some(store) = opened(Config::default()) else { return };
    let mut session = store.session().unwrap();
    bytes_of_every_kind(&mut session, VALUE_BYTES_MAX);
    let too_long = vec![0; VALUE_BYTES_MAX + 1];
    let (value_bytes, limit_bytes) = (VALUE_BYTES_MAX + 1, VALUE_BYTES_MAX);
    let error = Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
    assert_eq!(session.put(1, &too_long), error);
    assert_eq!(store.check(), Ok(()));
}

/// A server whose answers nobody reads stops reading: batches beyond what a socket holds must not
/// wait for each other.
#[test]
fn long_pipelines_keep_the_order_of_each_key_and_come_to_an_end() {
    let rounds = [
        Round::Insert(1),
        Round::Find(1),
        Round::Update(2),
        Round::Find(2),
        Round::Delete,
        Round::Miss,
    ];
    for (value_bytes, keys) in [(10, 300), (3000, 300), (200_000, 20)] {
        let Some(store) = opened(Config::default()) else { return };
        pipeline(&mut store.session().unwrap(), keys, value_bytes, &rounds);
        assert_eq!(statistic(&store, "items"), 0.0);
    }
}

#[test]
fn a_full_server_drops_old_items_and_keeps_new_ones() {
    let object_memory_bytes = Some(16 << 20);
    let Some(store) = opened(Config { object_memory_bytes, ..Config::default() }) else { return };
    let mut session = store.session().unwrap();
    let value = [7; 4000];
    for key in 0..20_000 {
        assert_eq!(session.put(key, &value), Ok(PutOutcome::Inserted), "key {key}");
    }
    assert!(statistic(&store, "evicted_items") > 1000.0);
    let mut buffer = [0; 4000];
    assert_eq!(session.get(19_999, &mut buffer), Ok(Some(4000)));
    assert_eq!(session.get(0, &mut buffer), Ok(None));
    assert!(statistic(&store, "items_bytes") < f64::from(20 << 20));
    assert_eq!(setting(&store, "object-memory-bytes"), (16 << 20).to_string());
    assert_eq!(store.check(), Ok(()));
}

#[test]
fn counters_and_settings_are_the_servers() {
    let config = Config { slab_automove: false, workers: 2, ..Config::default() };
    let Some(store) = opened(config) else { return };
    let version = setting(&store, "version");
    assert!(version.split('.').count() == 3, "{version}");
    let line = setting(&store, "command-line");
    assert!(line.contains("-t 2") && line.contains("slab_automove=0"), "{line}");
    let mut session = store.session().unwrap();
    for key in 0..100 {
        session.put(key, &[1; 1000]).unwrap();
    }
    assert_eq!(statistic(&store, "puts"), 100.0);
    assert_eq!(statistic(&store, "gets"), 100.0, "each put asks first");
    assert_eq!(statistic(&store, "hit_rate"), 0.0, "and finds nothing");
    let mut buffer = [0; 1000];
    assert_eq!(session.get(7, &mut buffer), Ok(Some(1000)));
    assert_eq!(statistic(&store, "hit_rate"), 1.0 / 101.0);
    assert_eq!(statistic(&store, "items"), 100.0);
    assert!(statistic(&store, "items_bytes") > 100_000.0);
    assert!(statistic(&store, "empty_server_resident_bytes") > 1e5);
    assert_eq!(store.presence().servers, 1);
    store.settle();
    store.trim();
}

#[test]
fn without_asking_a_put_is_one_command_and_tells_nothing() {
    let Some(store) = opened(Config { ask_presence: false, ..Config::default() }) else { return };
    let mut session = store.session().unwrap();
    for _ in 0..10 {
        assert_eq!(session.put(1, b"value"), Ok(PutOutcome::Stored));
    }
    assert_eq!((statistic(&store, "puts"), statistic(&store, "gets")), (10.0, 0.0));
    assert_eq!(statistic(&store, "hit_rate"), 1.0, "nothing was asked, nothing missed");
}
