//! Operations over real servers: bytes of every kind, pipelines, full servers, counters.

use super::common::{opened, redis};
use baseline_redis::Config;
use engine::{KvEngine, KvSession, Op, Outcome, PutOutcome, ValueBuffers};
use kit::testing::statistic;

#[test]
fn keys_and_values_of_any_bytes_come_back() {
    let Some(store) = redis(2) else { return };
    let mut session = store.session().unwrap();
    let line_ends = b"\r\n$5\r\n\0*1\r\n".to_vec();
    let long: Vec<u8> = (0..1 << 20).map(|at: u32| (at % 251) as u8).collect();
    let mut buffer = vec![0; 1 << 20];
    let keys = [0, 1, u64::MAX, u64::from_le_bytes(*b"\r\n\0\r\n\0\r\n"), 0x0d0a_0000_0000_0d0a];
    for value in [&[][..], &[0], &line_ends, &long] {
        for (number, key) in keys.into_iter().enumerate() {
            let known = !value.is_empty();
            let expected = if known { PutOutcome::Updated } else { PutOutcome::Inserted };
            assert_eq!(session.put(key, value), Ok(expected), "{number}");
            assert_eq!(session.get(key, &mut buffer), Ok(Some(value.len())));
            assert_eq!(&buffer[..value.len()], value);
        }
    }
    for key in keys {
        assert!(session.delete(key));
        assert!(!session.delete(key));
        assert_eq!(session.get(key, &mut buffer), Ok(None));
    }
    assert_eq!(store.check(), Ok(()));
}

#[test]
fn a_pipeline_keeps_the_order_of_each_key_over_all_servers() {
    const KEYS: u64 = 500;
    const VALUE_BYTES: usize = 700;
    let Some(store) = redis(3) else { return };
    let mut session = store.session().unwrap();
    let value = |key: u64, version: u8| vec![key as u8 ^ version; VALUE_BYTES];
    let (first, second): (Vec<_>, Vec<_>) =
        (0..KEYS).map(|key| (value(key, 1), value(key, 2))).unzip();
    let mut operations = Vec::new();
    // Round by round, so that a key's operations are far apart in the pipeline.
    operations.extend((0..KEYS).map(|key| Op::Get { key }));
    operations.extend((0..KEYS).map(|key| Op::Put { key, value: &first[key as usize] }));
    operations.extend((0..KEYS).map(|key| Op::Get { key }));
    operations.extend((0..KEYS).map(|key| Op::Put { key, value: &second[key as usize] }));
    operations.extend((0..KEYS).map(|key| Op::Get { key }));
    operations.extend((0..KEYS).map(|key| Op::Delete { key }));
    operations.extend((0..KEYS).map(|key| Op::Delete { key }));
    let mut bytes = vec![0; operations.len() * VALUE_BYTES];
    let mut values = ValueBuffers::new(&mut bytes, VALUE_BYTES);
    let mut outcomes = vec![Outcome::BufferTooShort(0); operations.len()];
    session.execute(&operations, &mut values, &mut outcomes);
    let expected = [
        Outcome::Absent,
        Outcome::Put(PutOutcome::Inserted),
        Outcome::Found(VALUE_BYTES),
        Outcome::Put(PutOutcome::Updated),
        Outcome::Found(VALUE_BYTES),
        Outcome::Deleted(true),
        Outcome::Deleted(false),
    ];
    for (index, outcome) in outcomes.into_iter().enumerate() {
        let (round, key) = (index / KEYS as usize, index as u64 % KEYS);
        assert_eq!(outcome, expected[round], "round {round} of key {key}");
        if let Outcome::Found(_) = outcome {
            let version = if round == 2 { 1 } else { 2 };
            assert_eq!(values.slot(index), value(key, version), "round {round} of key {key}");
        }
    }
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
        assert!(session.delete(key));
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
fn without_asking_a_put_is_one_command_and_counts_as_inserted() {
    let Some(store) = opened(Config { ask_presence: false, ..Config::default() }) else { return };
    let mut session = store.session().unwrap();
    let before = statistic(&store, "commands_processed");
    for _ in 0..10 {
        assert_eq!(session.put(1, b"value"), Ok(PutOutcome::Inserted));
    }
    // And the PING and the INFO of the look at the counters.
    assert_eq!(statistic(&store, "commands_processed") - before, 10.0 + 2.0);
}
