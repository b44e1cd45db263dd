//! Instruction counts are repeatable. Without valgrind these tests report that and end.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::common::Scratch;
use crate::callgrind::{self, CallgrindError, Counted, per_operation, repeatable};

const LIMIT: Duration = Duration::from_secs(300);

fn is_missing() -> bool {
    let is_missing = callgrind::available().is_none();
    if is_missing {
        eprintln!("skipped: valgrind is not installed");
    }
    is_missing
}

fn count(program: &str, arguments: &[&str], stdin: &str) -> Result<Counted, CallgrindError> {
    let scratch = Scratch::new();
    // valgrind would expand this as a pattern in file names.
    let folder = scratch.0.join("100%n");
    let counted = callgrind::count(Path::new(program), arguments, stdin, &folder, LIMIT);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left");
    counted
}

#[test]
fn the_same_work_takes_the_same_instructions() {
    if is_missing() {
        return;
    }
    let counts = [1, 2].map(|_| count("/bin/true", &[], "").unwrap().instructions as f64);
    assert!(counts[0] > 1000.0 && repeatable(&counts), "{counts:?}");
}

#[test]
fn loading_cancels_out() {
    if is_missing() {
        return;
    }
    let of = |numbers: &str| count("/usr/bin/seq", &[numbers], "").unwrap().instructions;
    // Numbers of four digits each.
    let [some, more, most] = [of("2000"), of("4000"), of("8000")];
    let one = per_operation(some, more, 2000, 4000).unwrap();
    let other = per_operation(more, most, 4000, 8000).unwrap();
    assert!(one > 1.0 && some as f64 / 2000.0 > one, "loading counts: {some} of 2000, {one} each");
    assert!((one / other - 1.0).abs() < 0.01, "{one} and {other}");
}

#[test]
fn the_program_hears_its_input_and_is_heard() {
    if is_missing() {
        return;
    }
    let text = "a line\n".repeat(20_000);
    let counted = count("/bin/cat", &[], &text).unwrap();
    assert_eq!(counted.stdout, text);
}

#[test]
fn other_processes_write_over_no_count() {
    if is_missing() {
        return;
    }
    let alone = count("/bin/sh", &["-c", "true"], "").unwrap().instructions;
    let with_child = count("/bin/sh", &["-c", "(true); true"], "").unwrap().instructions;
    assert!(with_child > alone, "{with_child} and {alone}");
}

#[test]
fn failures_are_told_apart() {
    if is_missing() {
        return;
    }
    let error = count("/bin/sh", &["-c", "echo no >&2; exit 7"], "").unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, CallgrindError::Failed { .. }), "{error}");
    assert!(text.contains("exit status: 7") && text.contains("no"), "{text}");
    let error = count("/bin/sh", &["-c", "kill -ILL $$"], "").unwrap_err();
    assert!(matches!(error, CallgrindError::Native { .. }), "{error}");
    assert!(error.to_string().contains("generic"), "{error}");
    let error = count("/absent/program", &[], "").unwrap_err();
    assert!(matches!(error, CallgrindError::Failed { .. }), "{error}");
    assert!(error.to_string().contains("/absent/program"), "{error}");
}

#[test]
fn a_program_that_does_not_end_is_ended() {
    if is_missing() {
        return;
    }
    let scratch = Scratch::new();
    let limit = Duration::from_millis(200);
    let asked = callgrind::count(Path::new("/bin/sleep"), &["600"], "", &scratch.0, limit);
    let error = asked.unwrap_err();
    assert!(matches!(error, CallgrindError::OutOfTime { .. }), "{error}");
}
