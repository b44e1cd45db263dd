//! Which records are requested when, by which thread, and how often.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::chi_square::Fit;
use crate::requests::Mix;

const SEED: Seed = Seed(42);

fn named(name: &str) -> Workload {
    Workload::by_name(name).unwrap()
}

fn with_keys(name: &str, keys: &str) -> Workload {
    Workload { keys: keys.parse().unwrap(), ..named(name) }
}

fn requests(stream: &mut RequestStream, count: usize) -> Vec<Request> {
    let mut words = vec![Request::default(); count];
    stream.fill(&mut words);
    words
}

#[test]
fn mixes_of_one_seed_touch_the_same_records() {
    let records = |name| {
        let mut stream = RequestStream::new(&named(name), 1000, 0, 2, SEED);
        requests(&mut stream, 1000).into_iter().map(Request::record)
    };
    assert!(records("get-0").eq(records("get-95")));
}

#[test]
fn kinds_do_not_depend_on_keys_nor_on_sizes() {
    let kinds = |workload: Workload| {
        let mut stream = RequestStream::new(&workload, 1000, 0, 2, SEED);
        requests(&mut stream, 1000).into_iter().map(Request::kind)
    };
    let sized = Workload { value_bytes: "1-100".parse().unwrap(), ..named("get-50") };
    assert!(kinds(sized).eq(kinds(with_keys("get-50", "zipfian:1.2"))));
}

#[test]
fn a_second_array_continues_the_first() {
    let mut stream = RequestStream::new(&named("ycsb-e"), 1000, 0, 1, SEED);
    let mut again = stream.clone();
    let whole = requests(&mut stream, 200);
    assert_eq!(requests(&mut again, 120), whole[..120]);
    assert_eq!(requests(&mut again, 80), whole[120..]);
}

#[test]
fn threads_ask_for_different_things() {
    let stream = |thread| RequestStream::new(&named("get-50"), 1000, thread, 2, SEED);
    let [first, second] = [0, 1].map(|thread| requests(&mut stream(thread), 10_000));
    let agree = first.iter().zip(&second).filter(|(first, second)| first == second).count();
    assert!(agree < 30, "{agree} of 10000 agree, 5 expected");
}

#[test]
fn shares_of_the_mix_are_kept_with_and_without_deletes() {
    let mix = Mix {
        get: 50.0,
        update: 20.0,
        insert: 6.0,
        delete: 4.0,
        read_modify_write: 15.0,
        scan: 5.0,
        ..Mix::default()
    };
    let without = Mix { delete: 0.0, get: 54.0, ..mix };
    for mix in [mix, without] {
        let workload = Workload { mix, ..named("get-50") };
        let mut stream = RequestStream::new(&workload, 1000, 0, 1, SEED);
        let kinds = mix.shares().map(|(kind, _)| kind);
        let mut counts = [0; 9];
        for request in requests(&mut stream, 100_000) {
            counts[kinds.iter().position(|kind| request.is(*kind)).unwrap()] += 1;
        }
        let fit = |mix: Mix| Fit::new(&counts, mix.shares().map(|(_, share)| share / 100.0));
        assert!(fit(mix).is_good(), "{:?}", fit(mix));
        assert!(!fit(Mix { get: mix.get - 1.0, scan: mix.scan + 1.0, ..mix }).is_good());
    }
}

#[test]
fn sizes_stand_where_they_mean_something() {
    let mix = Mix {
        get: 20.0,
        update: 20.0,
        insert: 20.0,
        delete: 10.0,
        read_modify_write: 20.0,
        scan: 10.0,
        ..Mix::default()
    };
    let workload = Workload {
        mix,
        value_bytes: "100-199".parse().unwrap(),
        scan_entries: (3, 9),
        ..named("get-50")
    };
    let mut stream = RequestStream::new(&workload, 1000, 0, 1, SEED);
    let mut lengths = [0; 10];
    let mut written = [0; 100];
    for request in requests(&mut stream, 100_000) {
        match request.kind() {
            RequestKind::Get | RequestKind::Delete => assert_eq!(request.size(), 0),
            RequestKind::Scan => lengths[request.size()] += 1,
            _ => written[request.size() - 100] += 1,
        }
    }
    assert_eq!(lengths[..3], [0; 3]);
    assert!(Fit::uniform(&lengths[3..]).is_good(), "{lengths:?}");
    assert!(Fit::uniform(&written).is_good(), "{written:?}");
}

#[test]
fn loaded_sizes_follow_the_distribution_and_the_record() {
    let workload = Workload { value_bytes: "100-199".parse().unwrap(), ..named("get-50") };
    let mut counts = [0; 100];
    for record in 0..50_000 {
        let bytes = workload.loaded_value_bytes(SEED, record);
        assert_eq!(workload.loaded_value_bytes(SEED, record), bytes);
        counts[bytes - 100] += 1;
    }
    assert!(Fit::uniform(&counts).is_good());
}

#[test]
fn no_two_threads_insert_the_same_record() {
    const THREADS: usize = 3;
    for name in ["insert-only", "ycsb-d", "churn", "twitter-cluster23"] {
        let mut inserted = HashSet::new();
        for thread in 0..THREADS {
            let mut stream = RequestStream::new(&named(name), 1000, thread, THREADS, SEED);
            let words = requests(&mut stream, 10_000);
            let inserts = words.iter().filter(|word| word.kind() == RequestKind::Insert);
            for (nth, insert) in inserts.enumerate() {
                assert_eq!(insert.record(), (1000 + thread + nth * THREADS) as u64);
                assert!(inserted.insert(insert.record()), "{name}: {insert:?}");
            }
        }
        assert!(inserted.len() > 100);
    }
}

#[test]
fn latest_prefers_own_inserts_and_never_runs_ahead() {
    let (records, thread, threads) = (10_000, 1, 3);
    for keys in ["latest:0.99", "latest:1.5"] {
        let mut stream =
            RequestStream::new(&with_keys("ycsb-d", keys), records, thread, threads, SEED);
        let mut newest = None;
        let (mut gets, mut of_newest) = (0, 0);
        for request in requests(&mut stream, 200_000) {
            let record = request.record();
            if request.kind() == RequestKind::Insert {
                newest = Some(record);
                continue;
            }
            gets += 1;
            of_newest += u64::from(Some(record) == newest);
            let own =
                (record >= records).then(|| (record - records) % threads as u64 == thread as u64);
            assert!(own.unwrap_or(true), "{record} is another thread's");
            assert!(record < records || Some(record) <= newest, "{record} is not stored yet");
        }
        // The newest record has rank 0, whatever was inserted.
        let KeyDistribution::Latest { theta } = keys.parse().unwrap() else { panic!("{keys}") };
        let expected = crate::distribution::Zipfian::new(records, theta).probability(0);
        let found = of_newest as f64 / gets as f64;
        assert!((found - expected).abs() < 0.01, "{keys}: {found}, not {expected}");
    }
}

#[test]
fn latest_goes_on_with_the_loaded_records_from_the_end() {
    let keys = with_keys("get-100", "latest:0.99");
    let mut stream = RequestStream::new(&keys, 1000, 0, 1, SEED);
    let mut by_age = [0; 1000];
    for request in requests(&mut stream, 200_000) {
        by_age[999 - request.record() as usize] += 1;
    }
    let law = crate::distribution::Zipfian::new(1000, 0.99);
    assert!(Fit::new(&by_age, (0..1000).map(|rank| law.probability(rank))).is_good());
}

#[test]
fn other_distributions_name_loaded_records_only() {
    for keys in [
        "uniform",
        "zipfian:0.99",
        "ycsb-scrambled",
        "zipfian:1.2",
        "hotspot:0.2:0.8",
        "sequential",
    ] {
        let mut stream = RequestStream::new(&with_keys("ycsb-e", keys), 1000, 0, 2, SEED);
        let mut reads = requests(&mut stream, 10_000);
        reads.retain(|request| request.kind() != RequestKind::Insert);
        assert!(reads.iter().all(|request| request.record() < 1000), "{keys}");
    }
}

#[test]
fn walks_of_threads_begin_at_their_shares() {
    let first = |thread| {
        let walk = with_keys("get-100", "sequential");
        RequestStream::new(&walk, 1000, thread, 4, SEED).next_request().record()
    };
    assert_eq!([0, 1, 2, 3].map(first), [0, 250, 500, 750]);
}

/// Plays requests on a model of the thread's records and checks each. Returns by how many bytes the
/// live records ever exceed the cap, and by how many they fall short of it when a DELETE makes
/// room.
fn play(workload: &Workload, records: u64, steps: usize) -> (u64, u64) {
    let (thread, threads) = (1, 2);
    let mut stream = RequestStream::new(workload, records, thread, threads, SEED);
    let mut live: HashMap<u64, usize> = (thread as u64..records)
        .step_by(threads)
        .map(|record| (record, workload.loaded_value_bytes(SEED, record)))
        .collect();
    let mut live_bytes: u64 = live.values().map(|&bytes| bytes as u64).sum();
    let cap_bytes = live_bytes;
    let mut ever: HashSet<u64> = live.keys().copied().collect();
    let (mut above, mut below) = (0, 0);
    for _ in 0..steps {
        let request = stream.next_request();
        let record = request.record();
        match request.kind() {
            RequestKind::Insert => {
                assert!(ever.insert(record), "{record} is used again");
                live.insert(record, request.size());
                live_bytes += request.size() as u64;
            }
            RequestKind::Delete => {
                below = below.max(cap_bytes.saturating_sub(live_bytes));
                live_bytes -= live.remove(&record).expect("a live record") as u64;
            }
            RequestKind::Update | RequestKind::ReadModifyWrite => {
                let bytes = live.insert(record, request.size()).expect("a live record");
                live_bytes = live_bytes - bytes as u64 + request.size() as u64;
            }
            RequestKind::Get | RequestKind::Scan => assert!(live.contains_key(&record)),
            kind => unreachable!("no stream asks for {kind:?}"),
        }
        above = above.max(live_bytes.saturating_sub(cap_bytes));
    }
    assert_eq!(stream.own_live_bytes(), live_bytes);
    let own: HashMap<u64, usize> =
        stream.own_live().iter().map(|live| (live.record(), live.size())).collect();
    assert_eq!(own, live);
    (above, below)
}

#[test]
fn churn_keeps_live_bytes_within_one_object() {
    let sized = Workload {
        value_bytes: "100-500".parse().unwrap(),
        churn_value_bytes: Some("300-900".parse().unwrap()),
        ..named("churn")
    };
    let shrinking = Workload {
        value_bytes: "1000".parse().unwrap(),
        churn_value_bytes: Some("zipfian:10-100:0.99".parse().unwrap()),
        ..named("churn")
    };
    let reading = Workload {
        mix: Mix { get: 50.0, insert: 10.0, delete: 40.0, ..Mix::default() },
        keys: "zipfian:0.99".parse().unwrap(),
        ..named("churn-resize")
    };
    for workload in [named("churn"), named("churn-resize"), sized, shrinking, reading] {
        let (above, below) = play(&workload, 2000, 100_000);
        assert_eq!(above, 0, "{workload}");
        assert!(below < workload.value_bytes_max() as u64, "{workload}: {below} below");
    }
}

#[test]
fn no_request_names_a_dead_record() {
    let mix = Mix {
        get: 20.0,
        update: 20.0,
        insert: 15.0,
        delete: 15.0,
        read_modify_write: 20.0,
        scan: 10.0,
        ..Mix::default()
    };
    for keys in [
        "uniform",
        "zipfian:0.99",
        "ycsb-scrambled",
        "zipfian:1.5",
        "latest:0.99",
        "hotspot:0.2:0.8",
        "sequential",
    ] {
        for churn in [false, true] {
            let workload = Workload {
                mix,
                churn,
                value_bytes: "1-1000".parse().unwrap(),
                ..with_keys("get-50", keys)
            };
            play(&workload, 500, 100_000);
        }
    }
}

#[test]
fn when_nothing_is_live_requests_insert() {
    // Deletes take what there is; whenever nothing is left, one record is inserted.
    let mix = Mix { get: 10.0, delete: 90.0, ..Mix::default() };
    let draining = Workload { mix, ..named("get-50") };
    play(&draining, 100, 10_000);
    let mut stream = RequestStream::new(&draining, 0, 0, 1, SEED);
    assert_eq!(stream.next_request(), Request::new(RequestKind::Insert, 1024, 0));
    // Nothing loaded, nothing deleted.
    for name in ["get-100", "insert-only", "ycsb-d"] {
        let mut stream = RequestStream::new(&named(name), 0, 0, 1, SEED);
        let words = requests(&mut stream, 100);
        assert!(words.iter().all(|word| word.kind() == RequestKind::Insert), "{name}");
    }
    // More threads than records.
    play(&named("churn"), 1, 1000);
}

#[test]
fn uniform_keys_and_victims_are_uniform_over_live_records() {
    // Positions of GETs when nothing moves: one delete in a million requests is enough to keep the
    // list.
    let mix = Mix { get: 99.9999, delete: 0.0001, ..Mix::default() };
    let workload = Workload { mix, ..named("get-50") };
    let mut stream = RequestStream::new(&workload, 100, 0, 1, SEED);
    let mut counts = [0; 100];
    for request in requests(&mut stream, 50_000) {
        assert_eq!(request.kind(), RequestKind::Get);
        counts[request.record() as usize] += 1;
    }
    assert!(Fit::uniform(&counts).is_good());

    // The first victims for many seeds.
    let mut victims = [0; 100];
    for seed in 0..10_000 {
        let mut stream = RequestStream::new(&named("churn"), 100, 0, 1, Seed(seed));
        victims[stream.next_request().record() as usize] += 1;
    }
    assert!(Fit::uniform(&victims).is_good());
}

/// Whether any window of 64 among the first 4096 requests appears again later.
fn replays(words: &[Request]) -> bool {
    const WINDOW: usize = 64;
    let first: HashSet<&[Request]> = words[..4096].windows(WINDOW).collect();
    words[4096..].windows(WINDOW).any(|window| first.contains(window))
}

#[test]
fn nothing_is_ever_replayed() {
    for name in ["get-50", "ycsb-a", "churn"] {
        let mut stream = RequestStream::new(&named(name), 100_000, 0, 1, SEED);
        assert!(!replays(&requests(&mut stream, 1_000_000)), "{name}");
    }
    let mut stream = RequestStream::new(&named("get-50"), 100_000, 0, 1, SEED);
    let once = requests(&mut stream, 10_000);
    assert!(replays(&once.repeat(2)), "a replay would be noticed");
}

#[test]
fn room_for_live_records_is_made_beforehand() {
    for name in ["churn", "churn-resize"] {
        let mut stream = RequestStream::new(&named(name), 10_000, 0, 1, SEED);
        let place = stream.own_live().as_ptr();
        requests(&mut stream, 100_000);
        assert_eq!(stream.own_live().as_ptr(), place, "{name}: the list moved");
    }
}

#[test]
#[should_panic(expected = "mix of get 50 %: adds up to 50 %")]
fn an_invalid_workload_is_refused() {
    let mix = Mix { get: 50.0, ..Mix::default() };
    RequestStream::new(&Workload { mix, ..named("get-50") }, 1000, 0, 1, SEED);
}

#[test]
fn groups_are_written_with_values_of_one_size_and_read_without() {
    let workload = Workload { value_bytes: "100-199".parse().unwrap(), ..named("groups") };
    let updates = Workload { mix: Mix::gets(50.0).unwrap(), ..workload.clone() };
    let asked =
        |workload: &Workload| requests(&mut RequestStream::new(workload, 1002, 0, 1, SEED), 10_000);
    for (request, update) in asked(&workload).into_iter().zip(asked(&updates)) {
        assert_eq!(request.record(), update.record(), "one of the group's records");
        match request.kind() {
            RequestKind::WriteTogether => assert!((100..200).contains(&request.size())),
            RequestKind::SnapshotRead => assert_eq!(request.size(), 0),
            other => panic!("{other:?}"),
        }
    }
    let mix = Mix { snapshot_scan: 100.0, ..Mix::default() };
    let scans = Workload { mix, scan_entries: (3, 9), ..workload };
    assert!(asked(&scans).iter().all(|scan| (3..=9).contains(&scan.size())));
}
