//! `flame` draws the measured step of a cell, with perf and with a timer, and the report links it.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{bench, errors, requests_to, run, run_suite, scratch, told};
use crate::json_output::documented;

/// A cell whose step lasts long enough for some samples.
const LONG: &str =
    "get-percent = [50]\nfill-percent = [50]\nthreads = [1]\noperations-factor = 40.0";

fn flame(arguments: &[&str], folder: &Path) -> Output {
    bench().arg("flame").args(arguments).current_dir(folder).output().expect("it starts")
}

/// What every flamegraph of requests shows.
fn check(svg: &Path) {
    let text =
        std::fs::read_to_string(svg).unwrap_or_else(|error| panic!("{}: {error}", svg.display()));
    assert!(text.contains("<svg ") && text.trim_end().ends_with("</svg>"), "{text}");
    assert!(text.contains("samples"), "{text}");
    assert!(text.contains("worker::key_value"), "the measured loop has its name");
}

fn perf_records() -> bool {
    let folder = scratch("flame-probe");
    let record = Command::new("perf")
        .args(["record", "--quiet", "--event", "cpu-clock:u", "--output"])
        .arg(folder.join("data"))
        .args(["--", "true"])
        .output();
    record.is_ok_and(|output| output.status.success())
}

#[test]
fn a_cell_of_a_run_gets_a_flamegraph_that_the_report_links() {
    let (code, folder, rows) = run_suite("flame-run", &requests_to("hashmap", LONG), &[]);
    assert_eq!(code, 0);
    let of_run = ["hashmap", "--run", folder.to_str().unwrap()];
    let mut ways = vec!["timer"];
    if perf_records() {
        ways.push("perf");
    } else {
        eprintln!(
            "skipped in part: perf cannot record on this machine, so the timer alone is tried"
        );
    }
    let svg = folder.join(record::archive::flame(&rows[0].cell.id));
    for way in ways {
        let _ = std::fs::remove_file(&svg);
        let output = flame(&[&of_run[..], &["--with", way]].concat(), &folder);
        assert!(output.status.success(), "{way}: {}", errors(&output));
        assert_eq!(told(&output).trim(), svg.to_str().unwrap());
        assert!(errors(&output).contains(" samples, most in "), "{}", errors(&output));
        check(&svg);
    }
    let output = flame(&[&of_run[..], &["--with", "timer", "--json"]].concat(), &folder);
    let made = documented("flame", &output);
    assert_eq!(made["file"], svg.to_str().unwrap());
    assert!(made["samples"].as_u64() > Some(0) && made["functions"][0]["percent"].is_number());
    let (_, rows) = record::archive::load(&folder).unwrap();
    let linked = report::flames::of_run(&folder, &rows);
    assert_eq!(linked.len(), 1, "{linked:?}");
    assert_eq!(folder.join(&linked[0].1), svg);
}

#[test]
fn without_perf_a_timer_samples_and_says_so() {
    let folder = scratch("flame-without-perf");
    let suite = folder.join("mine.toml");
    std::fs::write(&suite, requests_to("hashmap", LONG)).unwrap();
    let suite = suite.to_str().unwrap();
    let at = |more: &[&str]| {
        let usual = ["hashmap", "--suite", suite, "--scale", "smoke", "--output", "mine.svg"];
        bench()
            .arg("flame")
            .args(usual)
            .args(more)
            .current_dir(&folder)
            .env("PATH", &folder)
            .output()
            .expect("it starts")
    };
    let output = at(&[]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("`perf` is not installed"), "{}", errors(&output));
    check(&folder.join("mine.svg"));
    let output = at(&["--with", "perf"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(errors(&output).contains("--with timer"), "{}", errors(&output));
}

#[test]
fn cells_that_are_not_there_or_fail_are_named_with_the_reason() {
    let folder = scratch("flame-wrong");
    let output = flame(&["no-such-cell"], &folder);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("no cell's id contains `no-such-cell`"),
        "{}",
        errors(&output)
    );
    let output = run(&["flame", "hashmap", "--run", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("the folder of a run"), "{}", errors(&output));
    let suite = folder.join("broken.toml");
    std::fs::write(&suite, requests_to("nibble@preset=no-such", LONG)).unwrap();
    let broken = ["preset=no-such", "--suite", suite.to_str().unwrap(), "--scale", "smoke"];
    let output = flame(&[&broken[..], &["--with", "timer"]].concat(), &folder);
    let said = errors(&output);
    assert!(!output.status.success() && said.contains("preset"), "{said}");
}
