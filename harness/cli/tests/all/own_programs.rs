//! Commands of any kind as a user measures them: verdicts, documents, and every way in which they fail.

use std::process::Output;

use serde_json::Value;

use crate::common::{bench, errors, scratch, told};
use crate::json_output::documented;

#[track_caller]
fn ends(output: &Output, code: i32, expected: &[&str]) {
    let all = format!("{}\n{}", told(output), errors(output));
    assert_eq!(output.status.code(), Some(code), "{all}");
    for text in expected {
        assert!(all.contains(text), "`{text}` is not in: {all}");
    }
}

fn called(arguments: &[&str]) -> Output {
    bench().args(arguments).output().expect("it starts")
}

#[test]
fn a_longer_sleep_is_worse_and_what_was_measured_is_a_document() {
    let folder = scratch("own-compare");
    let exported = folder.join("export.json");
    let output = bench()
        .args(["compare", "--blocks", "5", "--quiet", "--tolerance", "peak-memory=off", "--json"])
        .arg("--export-json")
        .arg(&exported)
        .args(["--", "sleep", "0.02", "--", "sleep", "0.2"])
        .output()
        .expect("it starts");
    ends(&output, 6, &[]);
    let document = documented("compare", &output);
    assert_eq!(document["overall"], "worse");
    assert_eq!(document["candidate"]["name"], "sleep 0.2");
    let exported: Value =
        serde_json::from_str(&std::fs::read_to_string(exported).unwrap()).unwrap();
    let times = |place: usize| exported["results"][place]["times"].as_array().unwrap().len();
    assert_eq!((times(0), times(1)), (20, 10), "the control measures the baseline again");
}

#[test]
fn measured_commands_are_a_table_and_a_document() {
    let output =
        called(&["measure", "-r", "2", "--quiet", "--json", "--", "true", "--", "sleep", "0.1"]);
    ends(&output, 0, &[]);
    let document = documented("measure", &output);
    assert_eq!(document["results"][1]["runs"].as_array().unwrap().len(), 2);
    let output =
        called(&["measure", "-r", "6", "--quiet", "-L", "s", "0,0.1", "--", "sleep", "{s}"]);
    ends(&output, 0, &["sleep 0.1", "sleep 0 is the fastest"]);
}

#[test]
fn every_failure_is_named() {
    let line = "echo what is wrong >&2; exit 3";
    for (arguments, code, expected) in [
        (&["--", "sh", "-c", line][..], 1, &["exit code 3", "what is wrong"][..]),
        (&["-i", "-r", "2", "--", "sh", "-c", line], 0, &["which is ignored"]),
        (&["--", "sh", "-c", "kill -SEGV $$"], 1, &["SIGSEGV"]),
        (&["--timeout", "0.2s", "--", "sleep", "60"], 1, &["no end after 0.2 s", "--timeout"]),
        (&["--", "no-such-program-here"], 2, &["no-such-program-here", "cannot be started"]),
        (&["--", "sleep 1"], 2, &["one word with spaces"]),
        (&["--", "true", "--"], 2, &["command 2 is empty"]),
        (&["-r", "2", "--", "sh", "-c", "sleep 60 & exit 0"], 0, &["left processes running"]),
        (&["-p", "a", "-p", "b", "--", "true"], 2, &["--prepare is given 2 times"]),
    ] {
        let output = called(&[&["measure", "--quiet"][..], arguments].concat());
        ends(&output, code, expected);
    }
    ends(&called(&["compare", "--", "true"]), 2, &["compare takes two"]);
    ends(&called(&["compare", "--runs", "4", "nibble", "hashmap"]), 2, &["behind --"]);
    ends(&called(&["compare", "--suite", "gate", "--", "true", "--", "true"]), 2, &["--suite"]);
}

#[test]
fn allocators_name_what_they_cannot_be_loaded_into() {
    ends(&called(&["allocators", "--", "no-such-program-here"]), 2, &["there is no such program"]);
    let unknown = called(&["allocators", "--only", "none-such", "--", "true"]);
    ends(&unknown, 2, &["no allocator `none-such`"]);
    let output = called(&["allocators", "--quiet", "-r", "2", "--json", "--", "true"]);
    // 3: this machine has none that can be preloaded.
    if output.status.code() != Some(3) {
        ends(&output, 0, &[]);
        let document = documented("allocators", &output);
        assert!(document["results"].as_array().unwrap().len() >= 2, "{document}");
    }
}
