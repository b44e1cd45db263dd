//! Requests to stores, as a user runs them: what goes wrong is reported as itself, a stall is seen by
//! an open loop and hidden by a closed one, and every kind of workload runs to its end.

use std::path::Path;

use crate::common::{self, bench, errors, requests_to, root, run, run_suite, scratch, told};
use crate::json_output::documented;
use record::{Flag, Outcome, Row, Verification, Work};

fn step<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    rows.iter().find(|row| row.step == name).unwrap_or_else(|| panic!("no step {name}: {rows:?}"))
}

/// All that was found wrong in any step.
fn found(rows: &[Row]) -> Verification {
    let mut all = Verification::default();
    for row in rows {
        all += row.verification.unwrap_or_default();
    }
    Verification { checked: 0, ..all }
}

#[test]
fn planted_bugs_are_reported_as_themselves() {
    // Of the values read one in 64 is checked and one in a hundred is wrong: enough requests that some
    // twenty are both.
    for (fault, workload, is_itself) in [
        ("lose", "get-50", (|it| it.lost > 0) as fn(&Verification) -> bool),
        ("tear", "get-50", |it| it.torn > 0),
        ("stale", "get-50", |it| it.stale > 0),
        ("resurrect", "churn", |it| it.resurrected > 0),
    ] {
        let suite = requests_to(
            &format!("faulty@fault={fault}@after-puts=20000"),
            &format!(
                "workloads = [\"{workload}\"]\nvalue-bytes = [200]\nfill-percent = [5]\nthreads = [2]\n\
                 operations-factor = 3"
            ),
        );
        let (code, _, rows) = run_suite(&format!("planted-{fault}"), &suite, &[]);
        assert_eq!(code, 1, "{fault}");
        let all = found(&rows);
        assert!(is_itself(&all), "{fault}: {all:?}");
        let kinds = [all.lost, all.torn, all.stale, all.resurrected, all.wrong];
        assert_eq!(kinds.iter().filter(|count| **count > 0).count(), 1, "{fault}: {all:?}");
        assert!(rows.iter().any(|row| row.outcome == Outcome::WrongValues), "{fault}");
    }
}

/// The control: the same store and workloads without a fault.
#[test]
fn sound_stores_are_found_sound_under_every_kind_of_workload() {
    let suite = r#"
        question = "Is a sound store found sound?"
        [[key-value]]
        stores = ["faulty@fault=none", "nibble", "nibble@update=append", "hashmap"]
        workloads = ["ycsb-a", "ycsb-d", "ycsb-f", "churn", "churn-resize", "insert-only", "twitter-cluster14"]
        fill-percent = [60]
        threads = [2]
        operations-factor = 0.2
        [[key-value]]
        stores = ["btree"]
        workloads = ["ycsb-e"]
        fill-percent = [5]
        threads = [2]
        operations-factor = 0.02
        [[key-value]]
        stores = ["nibble"]
        get-percent = [50]
        value-bytes = [100]
        fill-percent = [80]
        threads = [2]
        batch = [1, 32]
        ageing = ["rewrites:0.5", "churn:0.5", "litter:20"]
        operations-factor = 0.2
        [[key-value]]
        stores = ["nibble"]
        workloads = ["ycsb-a"]
        fill-percent = [80]
        threads = [2]
        source = "in-loop"
        latency = "off"
        operations-factor = 0.2
        [[key-value]]
        stores = ["nibble"]
        workloads = ["ycsb-a"]
        fill-percent = [80]
        threads = [2]
        rate-ops-per-s = [50000]
    "#;
    let (code, folder, rows) = run_suite("sound", suite, &[]);
    for row in &rows {
        assert_eq!(row.outcome, Outcome::Measured, "{} {:?}", row.cell.id, row.reason);
    }
    assert_eq!(code, 0);
    let runs: Vec<&Row> = rows.iter().filter(|row| row.step == "run").collect();
    assert!(runs.len() > 40, "{} cells", runs.len());
    for row in runs {
        let driver = row.driver.expect("the harness says what it costs");
        assert!(driver.ns_per_operation > 0.0, "{}", row.cell.id);
        let Work::KeyValue(work) = &row.cell.work else { panic!("requests: {}", row.cell.id) };
        let bounds_memory = row.system.starts_with("nibble") || row.system == "roofline";
        let populated = bounds_memory || !work.workload.inserts();
        assert_eq!(row.flags.contains(&Flag::Populated), populated, "{}", row.cell.id);
        let timed = !row.cell.id.contains("untimed");
        assert_eq!(row.latency_ns.contains_key("p99.99"), timed, "{}", row.cell.id);
        for file in [&row.histograms, &row.timeline] {
            assert_eq!(file.is_some(), timed, "{}", row.cell.id);
            assert!(file.as_ref().is_none_or(|name| folder.join(name).exists()));
        }
        let scheduled = row.open_loop.is_some();
        assert_eq!(scheduled, row.cell.id.contains("-poisson-"), "{}", row.cell.id);
        // Everything else has been held against its roofline.
        let is_roofline = row.system == "roofline";
        assert_eq!(row.roofline.is_some(), !scheduled && !is_roofline, "{}", row.cell.id);
    }
    let latency = ["latency", folder.to_str().unwrap(), "--filter", "ycsb-a"];
    let text = told(&run(&latency));
    assert!(text.contains("update") && text.contains("p99.99"), "{text}");
    let data = documented("latency", &run(&[&latency[..], &["--json"]].concat()));
    let p99 = &data["latencies"][0]["percentiles"]["p99"];
    let [from, median, to] = ["from", "median", "to"].map(|name| p99[name].as_f64().unwrap());
    assert!(from <= median && median <= to, "{p99}");
}

/// Every kind of store of byte strings, batches and scans among the requests.
#[test]
fn keys_of_any_length_are_asked_for_and_verified() {
    let suite = r#"
        question = "Is a store asked by keys of any length?"
        [[key-value]]
        stores = ["hashmap", "heapstore:glibc", "papaya:glibc", "masstree:glibc", "null"]
        workloads = ["ycsb-a", "churn", "insert-only"]
        key-bytes = [16, "8..64"]
        fill-percent = [5]
        threads = [2]
        operations-factor = 0.05
        [[key-value]]
        stores = ["papaya:glibc", "hashmap"]
        get-percent = [50]
        key-bytes = ["24..300"]
        value-bytes = [100]
        fill-percent = [5]
        threads = [2]
        batch = [32]
        operations-factor = 0.05
        [[key-value]]
        stores = ["btree", "masstree:glibc", "skiplist:glibc"]
        workloads = ["ycsb-e"]
        key-bytes = ["zipfian:16-100:0.99", "1..9"]
        fill-percent = [5]
        threads = [1]
        operations-factor = 0.01
        [[key-value]]
        stores = ["hashmap", "heapstore:glibc", "masstree:glibc"]
        workloads = ["ycsb-a", "churn", "insert-only"]
        key-bytes = ["0..64", 3]
        fill-percent = [5]
        threads = [2]
        operations-factor = 0.02
    "#;
    let (code, _, rows) = run_suite("byte-keys", suite, &[]);
    for row in &rows {
        assert_eq!(row.outcome, Outcome::Measured, "{} {:?}", row.cell.id, row.reason);
    }
    assert_eq!(code, 0);
    assert_eq!(found(&rows), Verification::default());
    let runs: Vec<&Row> = rows.iter().filter(|row| row.step == "run").collect();
    assert!(runs.len() >= 35, "{} cells", runs.len());
    for row in runs {
        let Work::KeyValue(work) = &row.cell.work else { panic!("requests: {}", row.cell.id) };
        let sizes = work.workload.key_bytes.as_ref().expect("byte strings").to_string();
        assert_eq!(row.conditions.as_ref().unwrap().keys, sizes, "{}", row.cell.id);
        assert!(row.cell.id.contains(&format!("-key-{sizes}-")), "{}", row.cell.id);
        assert!(row.driver.is_some_and(|driver| driver.ns_per_operation > 0.0));
        assert_ne!(row.system, "roofline", "memory alone has no such keys");
        let point = row.memory.as_ref().and_then(|memory| memory.at_once.as_ref()).unwrap();
        if let (Some(all), Some(values)) = (point.overhead_key_value, point.overhead)
            && values > 0.0
        {
            let keys = work.mean_key_bytes() * point.live_objects as f64;
            let expected = values * point.live_bytes as f64 / (point.live_bytes as f64 + keys);
            assert!((all / expected - 1.0).abs() < 0.01, "{all}, expected {expected}");
        }
    }
    let checked = rows.iter().filter_map(|row| row.verification).map(|it| it.checked);
    assert!(checked.sum::<u64>() > 10_000);
}

#[test]
fn a_store_of_words_is_not_asked_by_byte_strings() {
    let suite = requests_to(
        "hybridlog",
        "get-percent = [50]\nkey-bytes = [16]\nfill-percent = [5]\nthreads = [1]",
    );
    let file = scratch("words-only").join("words-only.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, suite).unwrap();
    let output = run(&["plan", file.to_str().unwrap()]);
    assert!(!output.status.success());
    let text = errors(&output);
    assert!(text.contains("key-bytes = 16: `hybridlog` takes words as keys"), "{text}");
}

#[test]
fn requests_change_in_phases_and_a_counter_is_read_meanwhile() {
    let suite = |sampled: &str| {
        let lines = "phases = [\"0-50-0\"]\nvalue-bytes = [100]\nfill-percent = [40]\nthreads = [2]\n\
                     operations-factor = 10";
        requests_to("bullet", &format!("{lines}\nsampled = [\"{sampled}\"]"))
    };
    let (code, folder, rows) = run_suite("phases", &suite("epochs"), &[]);
    assert_eq!(code, 0, "{rows:?}");
    let row = step(&rows, "run");
    assert_eq!(row.operations, 1_000_000, "all phases, of both threads");
    assert!(["get", "update"].iter().all(|kind| row.latency_by_kind_ns.contains_key(*kind)));
    let text = std::fs::read_to_string(folder.join(row.timeline.as_ref().unwrap())).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().ends_with(",max_ns,sampled"), "{text}");
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let counted: f64 = lines.iter().map(|line| line[2].parse::<f64>().unwrap()).sum();
    assert!((0.99e6..=1e6).contains(&counted), "the last timed operations end it: {counted}");
    // An interval may have been passed over where the system gave the thread no time.
    let epochs: Vec<f64> = lines.iter().filter_map(|line| line[8].parse().ok()).collect();
    assert!(!epochs.is_empty() && epochs.is_sorted() && epochs[0] > 0.0, "{text}");

    let (code, _, rows) = run_suite("phases-nosuch", &suite("nosuch"), &[]);
    assert_eq!((code, rows.last().unwrap().outcome), (1, Outcome::Failed));
    let reason = rows.last().unwrap().reason.as_ref().unwrap();
    assert!(reason.starts_with("sampled = `nosuch`: `bullet` has no such counter"), "{reason}");
    assert!(reason.contains("gleaners_awake"), "{reason}");
}

#[test]
fn a_stall_shows_in_an_open_loop_and_not_in_a_closed_one() {
    let suite = |driver: &str| {
        let small =
            "workloads = [\"get-50\"]\nvalue-bytes = [100]\nfill-percent = [1]\nthreads = [1]";
        requests_to("faulty@fault=stall@after-puts=10000", &format!("{small}\n{driver}"))
    };
    let open = "rate-ops-per-s = [20000]\noperations-factor = 10.0";
    let (code, folder, rows) = run_suite("stall-open", &suite(open), &[]);
    assert_eq!(code, 0, "a stall is slow, not wrong: {rows:?}");
    let row = step(&rows, "run");
    // Of two seconds' requests, those of the stalled one waited for its end.
    assert!(row.latency_ns["max"] >= 1_000_000_000, "{:?}", row.latency_ns);
    assert!(row.latency_ns["p99.9"] >= 950_000_000, "{:?}", row.latency_ns);
    let service = &row.open_loop.as_ref().unwrap().service_ns;
    assert!(service["p99.9"] < 500_000_000, "from the real start it hides: {service:?}");
    let timeline = std::fs::read_to_string(folder.join(row.timeline.as_ref().unwrap())).unwrap();
    assert!(timeline.lines().count() >= 3, "a line for each second: {timeline}");
    let (_, _, rows) = run_suite("stall-closed", &suite("latency = \"all\""), &[]);
    let row = step(&rows, "run");
    assert!(row.latency_ns["max"] >= 1_000_000_000, "it did stall: {:?}", row.latency_ns);
    assert!(row.latency_ns["p99.9"] < 500_000_000, "{:?}", row.latency_ns);
}

#[test]
fn a_refusal_at_a_high_fill_is_a_finding_and_at_a_low_one_a_failure() {
    let suite = |fill: u32, percent: u32| {
        requests_to(
            &format!("nibble@reserve-percent={percent}@compaction=background"),
            &format!(
                "get-percent = [0]\nvalue-bytes = [4000]\nfill-percent = [{fill}]\nthreads = [2]"
            ),
        )
    };
    let (code, _, rows) = run_suite("refused-high", &suite(98, 10), &[]);
    let last = rows.last().unwrap();
    assert_eq!((last.outcome, last.expected, code), (Outcome::Full, true, 0), "{last:?}");
    assert!(last.reason.as_ref().unwrap().contains("at 98 % fill"));
    let (code, _, rows) = run_suite("refused-low", &suite(85, 25), &[]);
    let last = rows.last().unwrap();
    assert_eq!((last.outcome, last.expected, code), (Outcome::EarlyRefusal, false, 1), "{last:?}");
}

#[test]
fn upstream_property_files_run() {
    let results = scratch("ycsb");
    let file = root().join("workloads/ycsb/workloada");
    let output = bench()
        .args(["ycsb", "hashmap", "nibble", "--threads", "2", "--repetitions", "1", "--quiet"])
        .args([
            "-p",
            "recordcount=5000",
            "-p",
            "operationcount=20000",
            "-p",
            "fieldlength=20",
            "-P",
        ])
        .args([&file, Path::new("--results"), &results])
        .output()
        .unwrap();
    let text = told(&output);
    assert!(output.status.success(), "{}", errors(&output));
    for word in ["answers most: ", "hashmap:", "nibble:", "get ", "update ", "p99.9", "Mops/s"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let run_folder = common::only_folder(&results).unwrap();
    let (_, rows) = record::archive::load(&run_folder).unwrap();
    let row = step(&rows, "run");
    assert_eq!((row.operations, step(&rows, "load").operations), (20_000, 5_000));
}

#[test]
fn wrong_properties_name_the_property_and_the_remedy() {
    for (settings, expected) in [
        (&["recordcont=5"][..], "recordcount"),
        (&["recordcount=many", "operationcount=1"], "many"),
        (
            &["recordcount=10", "operationcount=10", "requestdistribution=exponential"],
            "exponential",
        ),
        (
            &[
                "recordcount=10",
                "operationcount=10",
                "scanproportion=0.9",
                "readproportion=0.1",
                "updateproportion=0",
            ],
            "btree",
        ),
    ] {
        let mut arguments = vec!["ycsb", "hashmap"];
        for setting in settings {
            arguments.extend(["-p", setting]);
        }
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{settings:?}");
        assert!(errors(&output).contains(expected), "{settings:?}: {}", errors(&output));
    }
}

#[test]
fn a_search_ends_with_a_rate_that_was_confirmed() {
    let results = scratch("search");
    let search = |bound: &str| {
        bench()
            .args(["search", "hashmap", "--bound", bound, "--percentile", "p50"])
            .args(["--seconds", "0.1", "--repetitions", "3", "--object-memory", "8MiB"])
            .args(["--operations", "20000", "--threads", "1", "--quiet", "--results"])
            .arg(&results)
            .output()
            .unwrap()
    };
    let output = search("1s");
    let text = told(&output);
    assert!(output.status.success(), "{text} {}", errors(&output));
    assert!(text.contains("highest rate with p50 under 1000000 µs"), "{text}");
    let output = search("1ns");
    let text = told(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("no rate from 1000 ops/s on keeps p50 under 1 ns"), "{text}");
}

#[test]
fn a_thread_that_thinks_asks_no_sooner() {
    let suite = requests_to(
        "hashmap",
        "get-percent = [50]\nvalue-bytes = [100]\nfill-percent = [5]\nthreads = [2]\n\
         think-ns = [0, 20000]\noperations-factor = 0.05",
    );
    let (code, _, rows) = run_suite("think", &suite, &[]);
    assert_eq!(code, 0, "{rows:?}");
    let mut thoughtful = 0;
    for row in rows.iter().filter(|row| row.step == "run") {
        let Work::KeyValue(work) = &row.cell.work else { panic!("{}", row.cell.id) };
        assert!(row.elapsed_ns >= work.operations_per_thread * work.think_ns, "{row:?}");
        thoughtful += u32::from(work.think_ns == 20_000);
    }
    assert!(thoughtful > 0);
}
