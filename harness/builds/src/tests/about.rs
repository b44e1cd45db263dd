//! Asking a program what it is, and the errors.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::common::Scratch;
use crate::{About, AskError, ask};

/// A shell script as the program.
fn script(scratch: &Scratch, text: &str) -> PathBuf {
    let path = scratch.0.join("program");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

fn error_of(text: &str) -> AskError {
    let scratch = Scratch::new();
    ask(&script(&scratch, text)).unwrap_err()
}

#[test]
fn what_is_written_is_read() {
    let scratch = Scratch::new();
    let facts = [("revision".to_owned(), "abc".to_owned())].into();
    let about = About { protocol: 3, schema: 4, facts };
    let text = serde_json::to_string(&about).unwrap();
    let program = script(&scratch, &format!("[ \"$*\" = 'about --json' ] && echo '{text}'"));
    assert_eq!(ask(&program).unwrap(), about);
}

#[test]
fn what_cannot_be_run_is_named() {
    let scratch = Scratch::new();
    let absent = ask(&scratch.0.join("absent")).unwrap_err();
    assert!(matches!(absent, AskError::NotExecutable { .. }), "{absent}");
    let program = script(&scratch, "true");
    fs::set_permissions(&program, Permissions::from_mode(0o644)).unwrap();
    let closed = ask(&program).unwrap_err();
    assert!(matches!(closed, AskError::NotExecutable { .. }), "{closed}");
}

#[test]
fn another_program_is_told_by_its_answer() {
    for text in ["echo hello; exit 0", "true", "echo hello >&2; exit 2", "echo '{}'", "exit 1"] {
        let error = error_of(text);
        assert!(matches!(error, AskError::AnotherProgram { .. }), "{text}: {error}");
        let said = if text.contains("hello") { "hello" } else { "(exit code" };
        assert!(error.to_string().contains(said), "{text}: {error}");
    }
}

#[test]
fn a_program_that_never_stops_talking_is_not_heard_for_ever() {
    let error = error_of("exec yes");
    assert!(matches!(error, AskError::AnotherProgram { .. } | AskError::Killed { .. }), "{error}");
}

#[test]
fn an_old_program_is_told_from_another() {
    let error = error_of("echo \"error: unrecognized subcommand 'about'\" >&2; exit 2");
    assert!(matches!(error, AskError::TooOld { .. }), "{error}");
}

#[test]
fn signals_are_told_apart() {
    let error = error_of("kill -ILL $$");
    assert!(matches!(error, AskError::AnotherProcessor { .. }), "{error}");
    assert!(error.to_string().contains("target-cpu="), "{error}");
    let error = error_of("kill -SEGV $$");
    assert!(matches!(error, AskError::Killed { signal: 11, .. }), "{error}");
}
