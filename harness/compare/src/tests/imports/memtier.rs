//! memtier's JSON.

use std::fs;

use stats::Better::{Higher, Lower};

use super::{cells, fixture, metrics, read, refusal, values};

const CELL: &str = "ratio=1:10 data_size=32 key_pattern=R:R pipeline=1 protocol=redis clients=4x50";

fn close(values: &[f64], expected: &[f64]) {
    assert_eq!(values.len(), expected.len());
    for (value, expected) in values.iter().zip(expected) {
        assert!((value / expected - 1.0).abs() < 1e-3, "{values:?}");
    }
}

#[test]
fn one_run_is_one_value_of_each_operation_and_of_all() {
    let imported = read("memtier.json");
    assert_eq!(cells(&imported), [CELL]);
    let line = &imported.lines[0];
    assert_eq!((line.source.as_str(), line.run.as_str()), ("memtier", "memtier"));
    assert_eq!(
        line.asks,
        "requests=200 test_time=0 rate_limit=0 data_size_range=0:0 data_size_list= key_minimum=0 \
         key_maximum=10000000 multi_key_get=0 reconnect_interval=0"
    );
    // No operation waited.
    let of = |prefix: &str| ["mean", "p50", "p99", "p99.9"].map(|name| format!("{prefix}{name}"));
    let all = [&of("get-")[..], &of("")[..], &of("set-")[..], &["throughput".to_owned()]].concat();
    assert_eq!(metrics(line), all);
    assert_eq!(values(line, "throughput", "1/s", Higher), [20_000.0]);
    close(values(line, "p99", "ns", Lower), &[2.863e6]);
    close(values(line, "get-p99.9", "ns", Lower), &[4.319e6]);
    close(values(line, "set-mean", "ns", Lower), &[1.298e6]);
    assert!(imported.notices.is_empty());
}

#[test]
fn several_runs_are_repetitions_and_keep_their_percentiles() {
    let imported = read("memtier-runs.json");
    let line = &imported.lines[0];
    assert_eq!(values(line, "throughput", "1/s", Higher), [20_000.0, 25_000.0]);
    close(values(line, "p95", "ns", Lower), &[2.863e6, 2.29e6]);
    assert!(imported.notices.is_empty(), "{:?}", imported.notices);
}

#[test]
fn runs_have_the_order_of_their_numbers() {
    let text = fs::read_to_string(fixture("memtier-runs.json")).unwrap();
    let text = text.replace("RUN #1 RESULTS", "RUN #10 RESULTS").replace("\": 2\n", "\": 3\n");
    let path = super::written("memtier-order.json", &text);
    let imported = crate::imports::import(&path).unwrap();
    let throughput = values(&imported.lines[0], "throughput", "1/s", Higher);
    assert_eq!(throughput, [25_000.0, 20_000.0]);
    assert_eq!(imported.notices, [format!("{CELL}: 2 of 3 runs are in it")]);
}

#[test]
fn an_average_is_one_value_and_told() {
    let imported = read("memtier-average.json");
    close(values(&imported.lines[0], "throughput", "1/s", Higher), &[22_000.0]);
    assert_eq!(
        imported.notices,
        [format!(
            "{CELL}: of several runs only their average is in it, so it is one value: run memtier \
             with --print-all-runs"
        )]
    );
}

#[test]
fn lost_percentiles_and_interruptions_are_told() {
    let imported = read("memtier-lost.json");
    let line = &imported.lines[0];
    assert!(line.metrics.contains_key("get-p99") && !line.metrics.contains_key("p99"));
    assert_eq!(
        imported.notices,
        [
            format!("{CELL}: p50 is 0, so memtier lost it: left out"),
            format!("{CELL}: p99 is 0, so memtier lost it: left out"),
            format!("{CELL}: p99.9 is 0, so memtier lost it: left out"),
            format!("{CELL}: memtier was interrupted"),
        ]
    );
}

#[test]
fn older_versions_have_a_mean_only() {
    let json = r#"{"ALL STATS":{
        "Totals":{"Ops/sec":5.0,"Latency":2.0},
        "Pings":{"Ops/sec":5.0,"Latency":1.0},
        "Gets":{"Ops/sec":0.0,"Latency":0.0},
        "GET":[{"<=msec":1.0,"percent":100.0}]}}"#;
    let imported = crate::imports::import(&super::written("memtier-old.json", json)).unwrap();
    assert_eq!(cells(&imported), ["memtier-old"]);
    let line = &imported.lines[0];
    assert_eq!(metrics(line), ["mean", "ping-mean", "throughput"]);
    assert_eq!(values(line, "mean", "ns", Lower), [2e6]);
}

#[test]
fn errors_name_the_field() {
    let of = |totals: &str| {
        refusal("memtier-refused.json", &format!("{{\"ALL STATS\":{{\"Totals\":{totals}}}}}"))
    };
    assert_eq!(
        of(r#"{"Ops/sec":-1}"#),
        "read as memtier: ALL STATS.Totals.Ops/sec is -1: a measured value is a number from 0 on"
    );
    assert_eq!(
        of(r#"{"Ops/sec":0.0,"Count":9}"#),
        "read as memtier: ALL STATS.Totals.Ops/sec: 0.0; it should be above 0: let memtier run to \
         its end"
    );
    assert_eq!(
        of(r#"{"Ops/sec":1,"Percentile Latencies":{"p99.00":"x"}}"#),
        "read as memtier: ALL STATS.Totals.Percentile Latencies.p99.00: \"x\"; it should be a number"
    );
    assert_eq!(of("{}"), "read as memtier: ALL STATS.Totals.Ops/sec: missing; it should be there");
    // As some versions write where nothing was measured.
    assert!(of(r#"{"Ops/sec":-nan}"#).starts_with("damaged JSON at line 1, column 3"));
}
