//! Nothing that is asked for is changed silently: what cannot be had is refused before anything runs, with
//! the nearest that can, by every command that plans.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::common::{bench, errors, requests_to, scratch, told};

const TABLE: &str = "get-percent = [50]\nvalue-bytes = [100]\nfill-percent = [50]\nthreads = [1]";

/// A fresh folder with that suite.
fn with_suite(name: &str, suite: &str) -> (PathBuf, String) {
    let folder = scratch(name);
    let file = folder.join("mine.toml");
    fs::write(&file, suite).expect("a suite");
    (folder, file.to_string_lossy().into_owned())
}

fn in_folder(folder: &Path, arguments: &[&str]) -> Output {
    bench().args(arguments).current_dir(folder).output().expect("it starts")
}

/// Exit code 2, the message, and nothing but traces written.
fn refused(folder: &Path, arguments: &[&str], expected: &str) {
    let output = in_folder(folder, arguments);
    let message = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(message.contains(expected), "{arguments:?}: `{expected}` is not in: {message}");
    let results = fs::read_dir(folder.join("results")).into_iter().flatten().flatten();
    let written: Vec<_> = results.filter(|entry| entry.file_name() != "traces").collect();
    assert!(written.is_empty(), "{arguments:?} wrote {written:?}");
}

/// `plan` and `run` refuse the suite with the same words.
fn suite_is_refused(name: &str, suite: &str, expected: &str) {
    let (folder, file) = with_suite(name, suite);
    for command in ["plan", "run"] {
        refused(&folder, &[command, &file, "--scale", "smoke"], expected);
    }
}

#[test]
fn settings_that_a_store_would_round_are_refused_with_the_nearest() {
    for (name, setting, expected) in [
        (
            "strict-segment-1000",
            "nibble.segment-bytes = [1000]",
            "error: store `nibble@segment-bytes=1000`: setting `segment-bytes` = `1000`: accepted are \
             multiples of 8192 from 8192 to ",
        ),
        (
            "strict-segment-0",
            "nibble.segment-bytes = [\"0\"]",
            "`segment-bytes` = `0`: accepted are multiples of 8192 from 8192 to ",
        ),
        ("strict-heads-0", "nibble.heads = [0]", "; the nearest is 1\n"),
        (
            "strict-partitions",
            "nibble.index-partitions = [3]",
            "accepted are powers of two from 1 to 65536; the nearest is 2\n",
        ),
        (
            "strict-unit",
            "nibble.segment-bytes = [\"1MB\"]",
            "setting `segment-bytes` = `1MB`: accepted are multiples of 8192",
        ),
        (
            "strict-ample",
            "nibble.ample-percent = [140]",
            "setting `ample-percent` = `140`: accepted are none here: it sizes the object memory of",
        ),
    ] {
        suite_is_refused(name, &requests_to("nibble", &format!("{TABLE}\n{setting}")), expected);
    }
}

#[test]
fn sizes_and_lists_that_cannot_be_had_are_refused() {
    for (name, more, expected) in [
        (
            "strict-memory",
            "object-memory = \"10000GiB\"",
            "mine: object-memory = 10000GiB: cell `key-value/",
        ),
        (
            "strict-memory-range",
            "object-memory = \"100TiB\"",
            "mine: object-memory-bytes = 109951162777600: must be 8388608 to 70368744177664; the nearest is \
             70368744177664",
        ),
        ("strict-negative", "object-memory = -1", "line 9: size \"-1\": must be 0 or more"),
        (
            "strict-overflow",
            "object-memory = \"99999999TiB\"",
            "line 9: size \"99999999TiB\": must be below 2^64 bytes, which are 16777216TiB",
        ),
        ("strict-batch", "batch = [65]", "mine: batch = 65: must be 1 to 64; the nearest is 64"),
        ("strict-repetitions", "repetitions = 0", "mine: repetitions = 0: must be 1 to 1000"),
    ] {
        suite_is_refused(name, &requests_to("nibble", &format!("{TABLE}\n{more}")), expected);
    }
    let table = TABLE.replace("threads = [1]", "threads = []");
    suite_is_refused(
        "strict-threads",
        &requests_to("nibble", &table),
        "line 8: threads: the list is empty: name a value, or leave the key out",
    );
    let table = TABLE.replace("threads = [1]", "threads = [300]");
    suite_is_refused(
        "strict-sessions",
        &requests_to("nibble", &table),
        "error: store `nibble`: setting `threads` = `300`: accepted are whole numbers from 1 to 256; the \
         nearest is 256\n",
    );
    let table = TABLE.replace("fill-percent = [50]", "fill-percent = [50, 99]");
    suite_is_refused(
        "strict-fill",
        &requests_to("nibble", &table),
        "mine: fill-percent = 99: must be 1 to 98; the nearest is 98",
    );
}

#[test]
fn tebibytes_are_read_and_what_was_asked_is_planned() {
    let suite = requests_to("nibble", &format!("{TABLE}\nobject-memory = \"0TiB\""));
    suite_is_refused("strict-tib", &suite, "object-memory-bytes = 0: must be 8388608 to");
    let suite = requests_to("nibble", &format!("{TABLE}\nobject-memory = \"64MiB\""));
    let (folder, file) = with_suite("strict-as-asked", &suite);
    let output = in_folder(&folder, &["cell", "get-50", "--suite", &file, "--scale", "smoke"]);
    assert!(told(&output).contains("\"object-memory-bytes\":67108864"), "{}", errors(&output));
}

#[test]
fn every_command_that_plans_refuses_what_no_store_has() {
    let suite = requests_to("nibble@nosuch=1", TABLE);
    let (folder, file) = with_suite("strict-nosuch", &suite);
    let targets = folder.join("targets.toml");
    let target = "seed = 1\n[plan]\nscale.smoke = { object-memory = \"8MiB\", operations = 4000, blocks = 3, \
                  repetitions = 3, overhead-repetitions = 1, object-counts = 2, calibration = \"1MiB\" }\n\
                  [[expectation]]\nid = \"t\"\nsource = \"tests\"\nsays = \"so\"\n[[expectation.ask]]\n\
                  on = \"any\"\nexpects = \"so\"\ninterval = \"rounds\"\nmetric = \"throughput\"\n\
                  where = { workload = \"get-50\", value-bytes = 64, fill-percent = 20, threads = 1 }\n\
                  ratio = { of = { system = \"nibble@nosuch=1\" }, to = { system = \"hashmap\" }, at-least = 0.1 }\n";
    fs::write(&targets, target).expect("a file");
    let targets = targets.to_string_lossy();
    let expected =
        "store `nibble@nosuch=1`: unknown setting `nosuch`: there are ample-percent, preset, ";
    let ycsb = ["-p", "recordcount=20000", "-p", "operationcount=100"];
    let commands: [&[&str]; 7] = [
        &["plan", &file],
        &["run", &file],
        &["cell", "get-50", "--suite", &file],
        &["compare", "nibble@nosuch=1", "nibble"],
        &["search", "nibble@nosuch=1"],
        &[&["ycsb", "nibble@nosuch=1"][..], &ycsb].concat(),
        &["targets", "--scale", "smoke", "--file", &targets],
    ];
    for arguments in commands {
        refused(&folder, arguments, expected);
    }
    let plain = folder.join("plain.toml");
    fs::write(&plain, requests_to("nibble", TABLE)).expect("a suite");
    let plain = plain.to_string_lossy();
    refused(
        &folder,
        &["compare", "@", "@nosuch=1", "--suite", &plain, "--scale", "smoke"],
        expected,
    );
    refused(
        &folder,
        &["compare", "nibble@segmnt-bytes=1MiB", "nibble"],
        "unknown setting `segmnt-bytes`: did you mean segment-bytes? (there are ",
    );
}

/// The same by hand: the worker is given the cell that no plan makes.
#[test]
fn a_worker_refuses_a_cell_that_its_store_would_change() {
    let (folder, file) = with_suite("strict-worker", &requests_to("nibble@heads=1", TABLE));
    let cell = told(&in_folder(&folder, &["cell", "get-50", "--suite", &file, "--scale", "smoke"]));
    let changed = cell.replace("\"heads\":\"1\"", "\"heads\":\"0\"");
    assert_ne!(cell, changed);
    let path = folder.join("cell.json");
    fs::write(&path, changed).expect("a cell");
    let input = Stdio::from(fs::File::open(&path).expect("the cell"));
    let output = bench().arg("worker").stdin(input).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    let message = errors(&output);
    assert!(message.contains("store `nibble@heads=0`: setting `heads` = `0`"), "{message}");
}

#[test]
fn a_fill_that_a_small_trace_does_not_reach_is_refused_with_the_nearest_that_it_does() {
    let suite = "question = \"?\"\n[[replay]]\nstores = [\"nibble\"]\ntraces = [\"small\"]\n\
                 fill-percent = [50, 80]\nthreads = [1]\n";
    let (folder, file) = with_suite("strict-trace", suite);
    let trace = folder.join("results/traces/small.trace");
    let capture = ["trace", "capture", "postmark", "--generated", "--files", "300", "--output"];
    let made = bench().args(capture).arg(&trace).output().expect("it starts");
    assert!(made.status.success(), "{}", errors(&made));
    let plan = ["plan", &file, "--scale", "smoke"];
    let expected = "mine: fill-percent = 50: trace `small` by 1 thread has ";
    refused(&folder, &plan, expected);
    let message = errors(&in_folder(&folder, &plan));
    let nearest = message.split("the nearest is ").nth(1).and_then(|rest| rest.split(';').next());
    let nearest = nearest.unwrap_or_else(|| panic!("no nearest value: {message}"));
    let had = suite.replace("[50, 80]", &format!("[{nearest}]"));
    fs::write(folder.join("mine.toml"), had).expect("a suite");
    let output = in_folder(&folder, &plan);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(told(&output).contains(&format!("-fill-{nearest}-")), "{}", told(&output));
}

#[test]
fn few_records_of_a_property_file_say_the_fill_that_they_reach() {
    let folder = scratch("strict-ycsb");
    let few = ["-p", "recordcount=1000", "-p", "operationcount=100", "-p", "fieldlength=20"];
    let ycsb = [&["ycsb", "hashmap", "--repetitions", "1", "--quiet"][..], &few].concat();
    refused(
        &folder,
        &[&ycsb[..], &["--fill-percent", "50"]].concat(),
        "fill-percent = 50: 1064 records fill the least object memory, 16 MiB, to 1 %: the nearest is 1; \
         raise recordcount for more",
    );
    let output = in_folder(&folder, &[&ycsb[..], &["--threads", "3"]].concat());
    let message = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    for note in
        [" %, which is measured", "operationcount = 100: 102 are made, as many by each of 3"]
    {
        assert!(message.contains(note), "`{note}` is not in: {message}");
    }
}

#[test]
fn what_is_measured_otherwise_than_asked_is_told() {
    let suite = requests_to("mica-cache-erew", &format!("{TABLE}\nrepetitions = 9"));
    let (folder, file) = with_suite("strict-told", &suite);
    let output = in_folder(&folder, &["plan", &file, "--scale", "smoke"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let message = errors(&output);
    for note in [
        "note: mine: repetitions = 9: scale `smoke` has 1; --repetitions 9 measures more",
        "note: `mica-cache-erew` uses 32 MiB of 48 MiB of object memory",
    ] {
        assert!(message.contains(note), "`{note}` is not in: {message}");
    }
}

#[test]
fn sizes_of_options_have_units_and_limits() {
    let folder = scratch("strict-options");
    for (arguments, expected) in [
        (
            &["calibrate", "--bytes", "3MiB"][..],
            "bytes = 3145728: accepted are powers of two from 1048576",
        ),
        (&["calibrate", "--bytes=-1"], "must be 0 or more"),
        (&["plan", "store-bloat", "--live-bytes=-1GiB"], "must be 0 or more"),
        (&["plan", "store-bloat", "--live-bytes", "1MiB"], "the nearest is 16MiB"),
        (
            &["compare", "nibble", "hashmap", "--object-memory", "20000000TiB"],
            "must be below 2^64 bytes",
        ),
        (&["compare", "nibble", "hashmap", "--fill-percent", "99"], "the nearest is 98"),
    ] {
        refused(&folder, arguments, expected);
    }
}
