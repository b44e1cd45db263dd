//! Tests of what an outcome calls wrong.

use super::*;
use crate::coordinator::ServerStates;
use crate::interval::Interval;
use crate::job::tests::job;
use crate::servers::{Node, Shard};

fn state(run_id: &str, gets: u64, sets: u64) -> State {
    State {
        run_id: run_id.to_owned(),
        version: "Valkey 9.1.2".to_owned(),
        role: "master".to_owned(),
        process_id: 1,
        keys: 1000,
        gets,
        sets,
        redirections: 0,
        evicted_keys: 0,
        used_memory_bytes: 1,
        resident_bytes: 1,
    }
}

fn address() -> Address {
    "127.0.0.1:1".parse().unwrap()
}

/// One client that read twice and wrote once, on one server.
fn measured() -> (Measured, Job, Servers) {
    let offset = Offset { offset_ns: 5, error_ns: 10 };
    let (mut reads, mut writes, mut interval) =
        (Latency::default(), Latency::default(), Interval::new(0, 1));
    for (ns, is_read) in [(100, true), (200, true), (300, false)] {
        interval.add_answer(0, (0, ns), is_read);
        if is_read { &mut reads } else { &mut writes }.record(ns);
    }
    let client = Client {
        name: "client 1".to_owned(),
        host: "here".to_owned(),
        library: "hiredis".to_owned(),
        before: offset,
        after: Offset { offset_ns: 9, error_ns: 10 },
        end: End { due: 3, ..End::default() },
        reads,
        writes,
    };
    let (before, after) = (state("a", 10, 1000), Some(state("a", 12, 1001)));
    let measured = Measured {
        clients: vec![client],
        intervals: vec![interval],
        samples: Vec::new(),
        events: Vec::new(),
        found: Found { records: 1000, ..Found::default() },
        states: vec![ServerStates { shard: 0, address: address(), before, after }],
        is_whole: true,
    };
    let mut job = job(1, 1, 1000);
    job.slots = vec![vec![(0, 16_383)]];
    let master = Node { id: String::new(), address: address() };
    let shard = Shard { master, replicas: Vec::new(), slots: vec![(0, 16_383)] };
    (measured, job, Servers::of_shards(vec![shard]))
}

fn kill(began_ms: f64) -> EventOutcome {
    EventOutcome {
        event: "1s:kill=1".to_owned(),
        began_ms,
        took_ms: 1.0,
        shard: Some(1),
        done: "killed it".to_owned(),
        failure: None,
        may_lose: true,
    }
}

#[test]
fn a_run_without_a_fault_has_nothing_wrong() {
    let (measured, job, servers) = measured();
    let outcome = measured.outcome("mine", &job, &servers);
    assert!(outcome.wrong.is_empty(), "{:?}", outcome.wrong);
    assert_eq!((outcome.all.answered, outcome.reads.answered, outcome.due), (3, 2, 3));
    assert_eq!((outcome.clients[0].drift_ns, outcome.shards[0].share_percent), (4, 100.0));
    let counters = &outcome.counters;
    assert_eq!((counters.gets_of_masters, counters.sets_of_masters), (2, 1));
    assert!(counters.agree() && counters.incomparable.is_none());
}

#[test]
fn lost_writes_are_wrong_unless_a_server_that_promised_nothing_failed() {
    let (mut measured, mut job, servers) = measured();
    measured.found.acknowledged_writes_lost = 7;
    let outcome = measured.outcome("mine", &job, &servers);
    assert!(outcome.wrong[0].starts_with("7 acknowledged writes"), "{:?}", outcome.wrong);
    measured.events = vec![kill(0.0)];
    let outcome = measured.outcome("mine", &job, &servers);
    assert!(outcome.wrong.is_empty() && outcome.promise.starts_with("none"), "{outcome:?}");
    job.wait_replicas = 1;
    let outcome = measured.outcome("mine", &job, &servers);
    assert_eq!(outcome.wrong.len(), 1, "WAIT promised: {}", outcome.promise);
    measured.found = Found { damaged: 1, ..Found::default() };
    job.wait_replicas = 0;
    let outcome = measured.outcome("mine", &job, &servers);
    assert_eq!(outcome.wrong.len(), 1, "bytes that nobody wrote are wrong whatever happened");
}

#[test]
fn counters_must_agree_where_they_can() {
    let (mut measured, job, servers) = measured();
    measured.states[0].after = Some(state("a", 13, 1001));
    let outcome = measured.outcome("mine", &job, &servers);
    assert!(outcome.wrong[0].contains("clients count 2 reads and 1 writes"), "{:?}", outcome.wrong);
    measured.states[0].after = Some(state("another start", 1, 0));
    let outcome = measured.outcome("mine", &job, &servers);
    assert!(outcome.wrong.is_empty() && outcome.counters.incomparable.is_some());
}

#[test]
fn a_shard_with_other_keys_than_its_records_is_told() {
    let (mut measured, job, servers) = measured();
    measured.states[0].before.keys = 999;
    let outcome = measured.outcome("mine", &job, &servers);
    assert!(outcome.wrong[0].contains("999 keys"), "{:?}", outcome.wrong);
}

#[test]
fn the_document_is_read_as_it_was_written() {
    let (mut measured, job, servers) = measured();
    measured.events = vec![kill(0.0)];
    let outcome = measured.outcome("mine", &job, &servers);
    let text = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
}

/// `NIBBLE_RENEW_SCHEMAS=1 cargo test -p clients` writes it again.
#[test]
fn the_published_schema_is_that_of_the_document_and_accepts_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cluster.schema.json");
    let text = record::schema::text_of::<Outcome>();
    if std::env::var_os("NIBBLE_RENEW_SCHEMAS").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    let published = std::fs::read_to_string(file).unwrap();
    assert!(published == text, "{file} is not what the types give: set NIBBLE_RENEW_SCHEMAS=1");
    let schema = serde_json::from_str(&published).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let (mut measured, job, servers) = measured();
    measured.events = vec![kill(0.0)];
    let mut document = serde_json::to_value(measured.outcome("mine", &job, &servers)).unwrap();
    assert!(validator.is_valid(&document), "{document}");
    document["shards"][0]["share-percent"] = "much".into();
    assert!(!validator.is_valid(&document));
}
