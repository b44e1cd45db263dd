//! Operations over real servers: bytes of every kind, pipelines, full servers, counters.

use super::common::{opened, redis};
use baseline_redis::Config;
use engine::{KvEngine, KvSession, Op, Outcome, PutOutcome, ValueBuffers};
use kit::testing::{Round, bytes_of_every_kind, pipeline, statistic};

#[test]
fn keys_and_values_of_any_bytes_come_back() {
    let Some(store) = redis(2) else { return };
    bytes_of_every_kind(&mut store.session().unwrap(), 1 << 20);
    assert_eq!(store.check(), Ok(()));
}

#[test]
fn a_pipeline_keeps_the_order_of_each_key_over_all_servers() {
    let Some(store) = redis(3) else { return };
    let rounds = [
        Round::Miss,
        Round::Insert(1),
        Round::Find(1),
        Round::Update(2),
        Round::Find(2),
        Round::Delete,
        Round::DeleteNone,
    ];
    pipeline(&mut store.session().unwrap(), 500, 700, &rounds);
    assert_eq!(statistic(&store, "keyspace_keys"), 0.0);
}

#[test]
fn a_full_server_refuses_reads_on_and_takes_puts_after_deletes() {
    let Some(store) =
        opened(Config { object_memory_bytes: Some(16 << 20), servers: 2, ..Config::default() })
    else {
        return;
    };
    let mut session = store.session().unwrap();
    let value = [7; 4096];
    let mut stored = 0;
    while session.put(stored, &value).unwrap() != PutOutcome::Full {
        stored += 1;
        assert!(stored < 10_000, "16 MiB do not hold 40 MB");
    }
    assert!(stored > 1000, "{stored} objects are all it holds");
    let mut buffer = [0; 4096];
    for key in 0..stored {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(4096)), "key {key} of {stored}");
    }
    assert_eq!(session.get(stored, &mut buffer), Ok(None), "a refused key is absent");
    // Overwriting needs memory too; what is refused leaves the old value.
    let mut outcomes = [Outcome::Absent; 2];
    let operations = [Op::Put { key: stored, value: &value }, Op::Get { key: stored }];
    let mut slots = [0; 2 * 4096];
    session.execute(&operations, &mut ValueBuffers::new(&mut slots, 4096), &mut outcomes);
    assert_eq!(outcomes, [Outcome::Put(PutOutcome::Full), Outcome::Absent]);
    for key in (0..stored).step_by(2) {
        assert!(session.delete(key).was_present());
    }
    for key in (0..stored).step_by(4) {
        assert_eq!(session.put(key, &value), Ok(PutOutcome::Inserted), "key {key} of {stored}");
    }
    assert_eq!(statistic(&store, "evicted_keys"), 0.0);
    assert_eq!(store.check(), Ok(()));
}

#[test]
fn counters_are_those_of_all_servers() {
    let Some(store) = redis(2) else { return };
    let mut session = store.session().unwrap();
    let before = statistic(&store, "commands_processed");
    for key in 0..100 {
        session.put(key, &[1; 1000]).unwrap();
    }
    // A put is EXISTS and SET; each look at the counters is a connection of its own to each server,
    // which is a PING, and an INFO.
    let after = statistic(&store, "commands_processed");
    assert_eq!(after - before, 200.0 + 2.0 * 2.0);
    assert_eq!(statistic(&store, "keyspace_keys"), 100.0);
    assert!(statistic(&store, "used_memory_bytes") > 100_000.0);
    let fullest = statistic(&store, "used_memory_of_the_fullest_server_bytes");
    assert!(fullest > 0.0 && fullest < statistic(&store, "used_memory_bytes"));
    assert!(statistic(&store, "mem_fragmentation_ratio") > 0.0);
    let empty_bytes = statistic(&store, "empty_server_resident_bytes");
    assert!(empty_bytes > 1e6, "two servers hold {empty_bytes} bytes");
    assert_eq!(store.presence().servers, 2);
    store.trim();
}

#[test]
fn without_asking_a_put_is_one_command_and_tells_nothing() {
    let Some(store) = opened(Config { ask_presence: false, ..Config::default() }) else { return };
    let mut session = store.session().unwrap();
    let before = statistic(&store, "commands_processed");
    for _ in 0..10 {
        assert_eq!(session.put(1, b"value"), Ok(PutOutcome::Stored));
    }
    // And the PING and the INFO of the look at the counters.
    assert_eq!(statistic(&store, "commands_processed") - before, 10.0 + 2.0);
}
