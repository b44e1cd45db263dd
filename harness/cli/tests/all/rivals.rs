//! Stores beside ours under requests, from the real binary: values stay whole, rows say under which
//! conditions, counters show the structure that the design is known for, and what is unlike is marked.

use crate::common::{bench, errors, run, run_suite, scratch, told};
use record::{Outcome, Row};

fn suite(stores: &[&str], more: &str) -> String {
    let stores: Vec<String> = stores.iter().map(|store| format!("\"{store}\"")).collect();
    format!(
        "question = \"Do they answer?\"\n[[key-value]]\nstores = [{}]\nthreads = [2]\n\
         roofline = false\n{more}",
        stores.join(", ")
    )
}

/// Runs one cell of each store; the rows of the step `run`, all of which were measured.
fn measured(name: &str, stores: &[&str], more: &str) -> Vec<Row> {
    let (code, _, rows) = run_suite(name, &suite(stores, more), &[]);
    for row in &rows {
        let missing = row.outcome == Outcome::Unavailable;
        assert!(
            missing || row.outcome == Outcome::Measured,
            "{} {}: {:?} {:?}",
            row.system,
            row.step,
            row.outcome,
            row.reason
        );
        if missing {
            eprintln!("skipped {}: {:?}", row.system, row.reason);
        }
    }
    assert_eq!(code, 0);
    for row in rows.iter().filter(|row| row.step == "verify") {
        let checked = row.verification.as_ref().map_or(0, |seen| seen.checked);
        assert!(checked > 0, "{}: every record is read", row.system);
    }
    rows.into_iter().filter(|row| row.step == "run").collect()
}

fn statistic(row: &Row, name: &str) -> f64 {
    let found = row.statistics.get(name);
    *found.unwrap_or_else(|| panic!("{}: no {name} in {:?}", row.system, row.statistics.keys()))
}

#[test]
fn each_design_shows_its_own_structure() {
    // Sizes that differ, and every object written anew before the clock.
    let more = "workloads = [\"churn-resize\"]\nfill-percent = [60]\nageing = [\"churn:1\"]\n\
                operations-factor = 0.3\n";
    let designs: [(&str, &[&str]); 7] = [
        ("mica", &["chunks_split", "chunks_coalesced"]),
        ("mica@preset=nibble-paper", &["chunks_split", "chunks_coalesced"]),
        ("mica-erew", &["chunks_split", "steered_imbalance"]),
        ("masstree:glibc", &["layers", "border_splits", "removals", "rows_freed"]),
        ("ramcloud", &["tombstones_written", "appended_bytes"]),
        ("mica-crew", &["chunks_split", "steered_imbalance"]),
        ("mica-handover", &["chunks_split", "handed_batches"]),
    ];
    let stores = designs.map(|(store, _)| store);
    let rows = measured("structure", &stores, more);
    assert_eq!(rows.len(), designs.len());
    for (store, names) in designs {
        let row = rows.iter().find(|row| row.system == store).expect("a row of each");
        for name in names {
            assert!(statistic(row, name) > 0.0, "{store}: {name}");
        }
    }
}

#[test]
fn requests_go_to_the_workers_of_their_keys() {
    let more = "get-percent = [50]\ndistributions = [\"zipfian:0.99\"]\nvalue-bytes = [64]\n\
                fill-percent = [20]\nbatch = [1, 16]\noperations-factor = 0.3\n";
    let rows = measured("steered", &["mica-erew", "mica-crew", "mica"], more);
    assert_eq!(rows.len(), 6);
    for row in &rows {
        let steering = &row.conditions.as_ref().expect("of a store").steering;
        let expected = match row.system.as_str() {
            "mica" => "any-thread",
            "mica-crew" => "steered-writes",
            _ => "steered",
        };
        assert_eq!(steering, expected);
        if row.system == "mica-erew" {
            let imbalance = statistic(row, "steered_imbalance");
            assert!((1.0..2.0).contains(&imbalance), "skewed keys: {imbalance}");
        }
        assert_eq!(row.operations, 30_000, "all requests of both threads, whoever executes them");
    }
    let in_loop =
        suite(&["mica-erew"], "get-percent = [50]\nfill-percent = [20]\nsource = \"in-loop\"\n");
    let path = scratch("in-loop").join("suite.toml");
    std::fs::write(&path, in_loop).unwrap();
    let output = run(&["plan", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("dealt to the workers of their keys"), "{}", errors(&output));
}

#[test]
fn a_cache_tells_its_hit_rate_and_is_marked() {
    let more = "get-percent = [95]\nvalue-bytes = [1024]\nfill-percent = [98]\n\
                operations-factor = 0.3\n";
    let (_, _, rows) = run_suite("cache", &suite(&["mica-cache"], more), &[]);
    let row = rows.iter().find(|row| row.step == "run").expect("it ran");
    assert_eq!(row.outcome, Outcome::Measured, "{:?}", row.reason);
    assert_eq!(row.conditions.as_ref().unwrap().when_full, "evicts");
    let hits = statistic(row, "hit_rate");
    assert!((0.0..=1.0).contains(&hits), "{hits}");
    let verified = rows.iter().find(|row| row.step == "verify").expect("it was looked at");
    let seen = verified.verification.as_ref().unwrap();
    assert!(seen.evicted > 0 && seen.lost == 0, "{seen:?}");
}

#[test]
fn maps_and_libraries_answer_under_requests() {
    let more = "get-percent = [50]\nvalue-bytes = [64]\nfill-percent = [10]\n\
                operations-factor = 0.1\n";
    let stores = [
        "dashmap:glibc",
        "papaya:glibc",
        "scc:glibc",
        "striped:glibc",
        "skiplist:glibc",
        "flurry:glibc",
        "congee:glibc",
        "onetbb:glibc",
        "segcache",
        "rocksdb",
        "leveldb",
        "lmdb",
        "redb",
        "fjall",
    ];
    let rows = measured("maps", &stores, more);
    assert!(rows.len() >= 9, "all that need nothing installed");
    assert!(rows.iter().all(|row| row.conditions.is_some()));
}

#[test]
fn unlike_stores_are_ranked_with_a_mark_and_refused_where_that_is_asked() {
    let results = scratch("unlike");
    let compare = |more: &[&str]| {
        bench()
            .args(["compare", "hashmap", "mica-erew", "--blocks", "3", "--operations", "5000"])
            // What time decides may be unknown after three blocks.
            .args(["--tolerance", "throughput=off", "--tolerance", "p99=off"])
            .args(["--object-memory", "32MiB", "--threads", "2", "--results"])
            .arg(&results)
            .args(more)
            .output()
            .expect("the program runs")
    };
    let refused = compare(&["--strict"]);
    assert_eq!(refused.status.code(), Some(8));
    let message = errors(&refused);
    for part in
        ["conditions differ", "requests dealt to the worker of their key", "without --strict"]
    {
        assert!(message.contains(part), "{part} in {message}");
    }
    let marked = compare(&[]);
    assert!(matches!(marked.status.code(), Some(0 | 6)), "{}", errors(&marked));
    let printed = told(&marked);
    assert!(printed.contains("NOT LIKE FOR LIKE"), "{printed}");
    assert!(printed.contains("requests dealt to the worker of their key"), "{printed}");
}

#[test]
fn engines_are_listed_with_what_they_are() {
    let output = run(&["list", "engines", "--traits"]);
    assert_eq!(output.status.code(), Some(0));
    let printed = told(&output);
    let line = |name: &str| {
        let mut lines = printed.lines();
        lines.find(|line| line.starts_with(&format!("{name} "))).unwrap_or_default().to_owned()
    };
    assert!(line("engine").contains("transport"));
    assert!(line("mica-erew").contains("steered") && line("mica-cache").contains("evicts"));
    assert!(line("redis").contains("unix-socket") && line("masstree").contains("any heap"));
    let refused = run(&["list", "heaps", "--traits"]);
    assert_eq!(refused.status.code(), Some(2));
}
