//! Whatever an engine does becomes the right kind of row: a crash, a hang, a leak, lies, losses.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{bench, children_of, only_folder, requests_to, run_suite, scratch};
use record::{Outcome, Row};

fn suite(system: &str) -> String {
    format!(
        r#"
        question = "Is a fault noticed?"
        timeout-s = 5
        [[fragmentation]]
        {system}
        patterns = ["P2"]
        "#
    )
}

/// Runs one faulty system and returns the row of its end.
fn last_row(name: &str, system: &str) -> (i32, Row) {
    let (code, _, mut rows) = run_suite(name, &suite(system), &[]);
    (code, rows.pop().expect("a row, never a hole"))
}

fn faulty_store(fault: &str) -> (i32, Row) {
    let options = if fault == "leak" { "@leak-kib=1024" } else { "" };
    let name = format!("store-{fault}");
    last_row(&name, &format!(r#"stores = ["faulty@fault={fault}{options}"]"#))
}

fn faulty_heap(fault: &str) -> (i32, Row) {
    let system = format!("heaps = [\"faulty\"]\nvariants = [\"{fault}\"]");
    last_row(&format!("heap-{fault}"), &system)
}

#[test]
fn every_bad_end_is_a_row_that_says_so() {
    for (fault, outcome, reason) in [
        ("crash", Outcome::Crashed, ""),
        ("hang", Outcome::Timeout, "killed after 5.0 s"),
        ("leak", Outcome::OutOfMemory, "the cell's limit is"),
        ("panic", Outcome::Crashed, ""),
    ] {
        let heap = (fault != "panic").then(|| faulty_heap(fault));
        for (code, row) in [faulty_store(fault)].into_iter().chain(heap) {
            let told = row.reason.as_deref().expect("a reason");
            assert_eq!(code, 1);
            assert_eq!((row.outcome, row.expected), (outcome, false), "{told}");
            assert!(told.contains(reason), "{told}");
            assert!(outcome != Outcome::Crashed || row.step == "fill", "the step in which it died");
        }
    }
}

#[test]
fn lies_and_losses_void_the_row() {
    for fault in ["lie", "lose"] {
        let (code, row) = faulty_store(fault);
        assert_eq!(code, 1, "{fault}");
        assert_eq!((row.outcome, row.expected), (Outcome::WrongValues, false), "{fault}");
        let checked = row.verification.unwrap();
        assert!(checked.lost + checked.wrong > 0);
    }
}

#[test]
fn requests_notice_damaged_values_too() {
    let suite = requests_to(
        "faulty@fault=lie",
        "get-percent = [50]\nvalue-bytes = [100]\nfill-percent = [20]\nthreads = [2]",
    );
    let (code, _, rows) = run_suite("requests-lie", &suite, &[]);
    assert_eq!(code, 1);
    let wrong = rows.iter().find(|row| row.outcome == Outcome::WrongValues).expect("a void row");
    assert!(wrong.verification.unwrap().wrong > 0, "{wrong:?}");
}

/// Every GET counts, not only those whose values are checked: one in 64.
#[test]
fn every_get_that_finds_nothing_is_counted() {
    let suite = requests_to(
        "faulty@fault=lose",
        "get-percent = [100]\nvalue-bytes = [100]\nfill-percent = [20]\nthreads = [1]",
    );
    let (code, _, rows) = run_suite("requests-lose", &suite, &[]);
    assert_eq!(code, 1);
    let run = rows.iter().find(|row| row.step == "run").expect("a run");
    let lost = run.verification.expect("checks").lost;
    let each = run.operations as f64 / lost as f64;
    assert!((80.0..125.0).contains(&each), "one in a hundred puts was dropped: {run:?}");
}

/// Half of the requests write groups in one step, half read them at one moment, few groups in all. Every
/// hundredth GET meets each place of a group, because 3 does not divide 100.
fn groups_in(system: &str) -> (i32, Vec<Row>) {
    let workload = r#"
        [[workload]]
        name = "few-groups"
        mix = { write-together = 50, snapshot-read = 50 }
        together = 3
        keys = "hotspot:0.001:0.999"
        value-bytes = "256"
        "#;
    let asked = "workloads = [\"few-groups\"]\nfill-percent = [20]\nthreads = [1]";
    let suite = requests_to(system, asked).replacen(
        "[[key-value]]",
        &format!("{workload}[[key-value]]"),
        1,
    );
    let (code, _, rows) = run_suite(&system.replace(['@', '='], "-"), &suite, &[]);
    (code, rows)
}

/// A step of which one key comes late is seen by those who read in between, and no key is lost by it.
#[test]
fn a_group_in_parts_voids_the_row() {
    let (code, rows) = groups_in("faulty@fault=part");
    assert_eq!(code, 1);
    let run = rows.iter().find(|row| row.step == "run").expect("a run");
    let checked = run.verification.expect("checks");
    assert_eq!(run.outcome, Outcome::WrongValues, "{run:?}");
    assert!(checked.torn > 10 && checked.wrong == 0 && checked.lost == 0, "{checked:?}");
}

/// A snapshot that shows a value from before an earlier one.
#[test]
fn a_snapshot_that_goes_back_voids_the_row() {
    let (code, rows) = groups_in("faulty@fault=stale");
    assert_eq!(code, 1);
    let run = rows.iter().find(|row| row.step == "run").expect("a run");
    let checked = run.verification.expect("checks");
    assert!(checked.stale > 0 && checked.torn > 0 && checked.wrong == 0, "{checked:?}");
}

#[test]
fn groups_that_are_whole_are_measured() {
    let (code, rows) = groups_in("faulty@fault=none");
    assert_eq!(code, 0, "{rows:?}");
    let run = rows.iter().find(|row| row.step == "run").expect("a run");
    let checked = run.verification.expect("checks").checked;
    assert!(checked > run.operations, "three values of half of the requests: {run:?}");
    assert_eq!(run.conditions.as_ref().expect("a store").snapshots, "linearizable");
}

/// A cache of few records whose values live for 200 ms.
fn lifetimes_in(system: &str) -> (i32, Vec<Row>) {
    let workload = r#"
        [[workload]]
        name = "brief"
        mix = { get = 50, write-expiring = 50 }
        keys = "uniform"
        value-bytes = "256"
        lifetime-ms = 200
        "#;
    let asked = "workloads = [\"brief\"]\nfill-percent = [20]\nthreads = [2]";
    let suite = requests_to(system, asked).replacen(
        "[[key-value]]",
        &format!("{workload}[[key-value]]"),
        1,
    );
    let (code, _, rows) =
        run_suite(&format!("ends-{}", system.replace(['@', '='], "-")), &suite, &[]);
    (code, rows)
}

/// Every hundredth value has no lifetime, and is still there when all must be gone.
#[test]
fn a_value_that_outlives_its_lifetime_voids_the_row() {
    let (code, rows) = lifetimes_in("faulty@fault=outlive");
    assert_eq!(code, 1);
    let verified = rows.iter().find(|row| row.step == "verify").expect("a check");
    let checked = verified.verification.expect("checks");
    assert_eq!(verified.outcome, Outcome::WrongValues, "{verified:?}");
    assert!(checked.wrong > 10 && checked.lost == 0, "{checked:?}");
}

/// A value that was dropped is missed before its lifetime has ended.
#[test]
fn a_value_that_is_gone_before_its_lifetime_has_ended_voids_the_row() {
    let (code, rows) = lifetimes_in("faulty@fault=lose");
    assert_eq!(code, 1);
    let run = rows.iter().find(|row| row.step == "run").expect("a run");
    assert!(run.verification.expect("checks").lost > 0, "{run:?}");
}

#[test]
fn values_that_end_when_they_should_are_measured() {
    let (code, rows) = lifetimes_in("faulty@fault=none");
    assert_eq!(code, 0, "{rows:?}");
    let run = rows.iter().find(|row| row.step == "run").expect("a run");
    assert_eq!(run.settings["lifetime"], "200 ms");
    assert!(run.settings["live bytes counted"].contains("has ended or not"));
    let verified = rows.iter().find(|row| row.step == "verify").expect("a check");
    let checked = verified.verification.expect("checks").checked;
    assert!(checked > run.operations / 1000, "{verified:?}");
}

/// The control: the same store and heap without a fault are measured.
#[test]
fn without_a_fault_nothing_is_noticed() {
    let (code, row) = faulty_store("none");
    assert_eq!((code, row.outcome), (0, Outcome::Measured), "{:?}", row.reason);
    let (code, row) = last_row("heap-none", r#"heaps = ["faulty"]"#);
    assert_eq!((code, row.outcome), (0, Outcome::Measured), "{:?}", row.reason);
}

/// A crash in one cell leaves the rows of all others.
#[test]
fn a_crash_does_not_stop_the_run() {
    let suite = suite("heaps = [\"faulty\", \"glibc\"]\nvariants = [\"default\", \"crash\"]");
    let (code, _, rows) = run_suite("one-of-three", &suite, &[]);
    assert_eq!(code, 1);
    let count = |outcome| rows.iter().filter(|row| row.outcome == outcome).count();
    assert_eq!((count(Outcome::Crashed), count(Outcome::Measured)), (1, 6));
}

/// The kernel counts what it kills for lack of memory; whoever else kills a worker is not the kernel.
#[test]
fn a_worker_killed_from_outside_is_no_lack_of_memory() {
    let folder = scratch("killed");
    fs::write(folder.join("suite.toml"), suite(r#"stores = ["faulty@fault=hang"]"#)).unwrap();
    let mut run = bench()
        .args(["run", "suite.toml", "--scale", "smoke", "--quiet", "--filter", "faulty"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let worker = loop {
        let found = children_of(run.id()).into_iter().find(|&child| is_worker(child));
        if let Some(worker) = found {
            break worker;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "a worker starts");
        std::thread::sleep(Duration::from_millis(5));
    };
    platform::process::kill(worker);
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let run = only_folder(&folder.join("results")).unwrap();
    let (_, rows) = record::archive::load(&run).unwrap();
    let killed = |row: &&Row| row.reason.as_ref().is_some_and(|reason| reason.contains("SIGKILL"));
    let killed = rows.iter().find(killed).expect("a row, never a hole");
    assert_eq!(killed.outcome, Outcome::Crashed, "{:?}", killed.reason);
}

/// Whether the process runs a cell, and is no helper that holds memory.
fn is_worker(process: u32) -> bool {
    let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    command.split(|byte| *byte == 0).any(|argument| argument == b"worker")
}
