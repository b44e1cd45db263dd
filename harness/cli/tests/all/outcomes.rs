//! Whatever an engine does becomes the right kind of row: a crash, a hang, a leak, lies, losses.

use crate::common::run_suite;
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
fn a_crash_is_a_crashed_row() {
    for (code, row) in [faulty_store("crash"), faulty_heap("crash"), faulty_store("panic")] {
        assert_eq!(code, 1);
        assert_eq!((row.outcome, row.expected), (Outcome::Crashed, false), "{:?}", row.reason);
        assert_eq!(row.step, "fill", "the step in which it died");
        assert!(row.reason.is_some());
    }
}

#[test]
fn a_hang_is_a_timeout_row() {
    for (code, row) in [faulty_store("hang"), faulty_heap("hang")] {
        assert_eq!(code, 1);
        assert_eq!((row.outcome, row.expected), (Outcome::Timeout, false), "{:?}", row.reason);
        assert!(row.reason.as_ref().unwrap().contains("killed after 5.0 s"));
    }
}

#[test]
fn a_leak_is_an_out_of_memory_row() {
    for (code, row) in [faulty_store("leak"), faulty_heap("leak")] {
        assert_eq!(code, 1);
        assert_eq!((row.outcome, row.expected), (Outcome::OutOfMemory, false), "{:?}", row.reason);
        assert!(row.reason.as_ref().unwrap().contains("the cell's limit is"));
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
    let suite = r#"
        question = "Is a wrong value noticed?"
        [[key-value]]
        stores = ["faulty@fault=lie"]
        get-percent = [50]
        value-bytes = [100]
        fill-percent = [20]
        threads = [2]
        roofline = false
    "#;
    let (code, _, rows) = run_suite("requests-lie", suite, &[]);
    assert_eq!(code, 1);
    let wrong = rows.iter().find(|row| row.outcome == Outcome::WrongValues).expect("a void row");
    assert!(wrong.verification.unwrap().wrong > 0, "{wrong:?}");
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
