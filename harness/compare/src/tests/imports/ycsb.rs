//! YCSB's output.

use stats::Better::{Higher, Lower};

use super::{cells, metrics, read, refusal, values, written};
use crate::imports::import;

#[test]
fn outputs_of_one_workload_are_repetitions() {
    let imported = read("ycsb.txt");
    assert_eq!(cells(&imported), ["workloada", "workloadb", "workloada-load"]);
    let [a, b, load] = &imported.lines[..] else { panic!("three lines") };
    assert_eq!((a.source.as_str(), a.run.as_str()), ("ycsb", "ycsb"));
    assert_eq!(values(a, "throughput", "1/s", Higher), [20_000.0, 9677.41935483871]);
    assert_eq!(values(a, "read-p99", "ns", Lower), [3000.0, 2000.0]);
    assert_eq!(values(a, "update-p95", "ns", Lower), [1000.0, 2000.0]);
    assert!((values(a, "read-mean", "ns", Lower)[0] - 2_575.949_367).abs() < 1e-3);
    let of_two = [
        "read-mean",
        "read-p95",
        "read-p99",
        "throughput",
        "update-mean",
        "update-p95",
        "update-p99",
    ];
    assert_eq!(metrics(a), of_two);
    // Whatever percentiles were asked for.
    assert_eq!(values(b, "read-p99.9", "ns", Lower), [3_309_000.0]);
    assert_eq!(values(b, "update-p50", "ns", Lower), [1000.0]);
    assert_eq!(metrics(load), ["insert-mean", "insert-p95", "insert-p99", "throughput"]);
    assert!(imported.notices.is_empty(), "{:?}", imported.notices);
}

#[test]
fn without_a_command_line_the_file_is_the_cell() {
    let imported = read("ycsb-zeros.txt");
    assert_eq!(cells(&imported), ["ycsb-zeros"]);
    // Zero is kept, and told.
    assert_eq!(values(&imported.lines[0], "read-p95", "ns", Lower), [0.0]);
    assert_eq!(
        imported.notices[0],
        "ycsb-zeros: 1 of 1 values of read-p95 are 0, less than the source can tell: no ratio of \
         them is known"
    );
}

#[test]
fn command_lines_name_workloads() {
    let cell = |line: &str| {
        let text = format!("{line}\n[OVERALL], Throughput(ops/sec), 1.0E3\n");
        let imported = import(&written("ycsb-commands.txt", &text)).unwrap();
        assert_eq!(values(&imported.lines[0], "throughput", "1/s", Higher), [1000.0]);
        imported.lines[0].cell.clone()
    };
    assert_eq!(cell("$ ./bin/ycsb run redis -s -P workloads/workloadc -p x=y"), "workloadc");
    assert_eq!(cell("bin/ycsb.sh load redis -P workloads/workloadc"), "workloadc-load");
    assert_eq!(cell("java -cp a:b site.ycsb.Client -t -P a/one.dat -P two"), "one.dat+two");
    assert_eq!(cell("rsync -P workloads/workloadc elsewhere"), "ycsb-commands");
    assert_eq!(cell("Command line: -t -p workload=x -P"), "ycsb-commands");
}

#[test]
fn what_is_overall_may_stand_in_any_order() {
    let output = "  [OVERALL], Throughput(ops/sec), 10\n  [OVERALL], RunTime(ms), 5\n  \
                  [READ], 99thPercentileLatency(ms), 2\n";
    let imported = import(&written("ycsb-order.txt", &output.repeat(3))).unwrap();
    assert_eq!(values(&imported.lines[0], "throughput", "1/s", Higher), [10.0; 3]);
    assert_eq!(values(&imported.lines[0], "read-p99", "ns", Lower), [2e6; 3]);
}

#[test]
fn failed_and_absent_operations_are_told_or_left_out() {
    let text = "[OVERALL], Throughput(ops/sec), 10\n\
                [READ], Operations, 0\n\
                [READ], AverageLatency(us), NaN\n\
                [UPDATE], AverageLatency(us), 4\n\
                [UPDATE], Return=ERROR, 7\n\
                [UPDATE-FAILED], Operations, 7\n\
                [UPDATE-FAILED], AverageLatency(us), 9\n\
                [Intended-UPDATE], AverageLatency(us), 5\n\
                [OVERALL], Throughput(ops/sec), 11\n";
    let imported = import(&written("ycsb-failed.txt", text)).unwrap();
    let line = &imported.lines[0];
    assert_eq!(metrics(line), ["intended-update-mean", "throughput", "update-mean"]);
    assert_eq!(
        imported.notices,
        [
            "ycsb-failed: 7 operations UPDATE returned ERROR (line 5)",
            "ycsb-failed: 7 operations UPDATE-FAILED: their times are left out",
            "ycsb-failed: intended-update-mean was measured in 1 of 2 repetitions",
            "ycsb-failed: update-mean was measured in 1 of 2 repetitions",
        ]
    );
}

#[test]
fn errors_name_line_and_measurement() {
    let of = |rest: &str| {
        refusal("ycsb-refused.txt", &format!("[OVERALL], Throughput(ops/sec), 10\n{rest}"))
    };
    let number = "a measured value is a number from 0 on";
    assert_eq!(
        of("[READ], AverageLatency(us), NaN\n"),
        format!("read as ycsb: line 2, [READ], AverageLatency(us) is NaN: {number}")
    );
    assert_eq!(
        of("[READ], 99thPercentileLatency(us), -1\n"),
        format!("read as ycsb: line 2, [READ], 99thPercentileLatency(us) is -1: {number}")
    );
    assert_eq!(
        of("[READ], AverageLatency(us), 1,5\n"),
        "read as ycsb: line 2, [READ], AverageLatency(us): \"1,5\"; it should be a number"
    );
    assert_eq!(
        of("[READ], AverageLatency(us), 12"),
        "read as ycsb: line 2 has no end, so its number may be cut: export it again, or end the \
         line if it is whole"
    );
    assert_eq!(
        of("[READ], Operations, 1\n[OVERALL], RunTime(ms), 1\n"),
        "read as ycsb: [OVERALL], Throughput(ops/sec) of the output that begins in line 3: \
         missing; it should be there"
    );
}
