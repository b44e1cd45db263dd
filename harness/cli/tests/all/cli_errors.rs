//! Bad input gets a clear error that names the value and the remedy, and an exit code of its own.

use std::fs;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{bench, errors, run, scratch, told};

/// The signal of a write to a pipe that nobody reads.
const SIGPIPE: i32 = 13;

/// Runs and checks exit code and message; nothing may be written to `results/`.
fn refused(arguments: &[&str], code: i32, expected: &[&str]) {
    // A folder for each: tests run beside each other.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    // Relaxed: a number of its own is all that is asked.
    let folder = scratch(&format!("refused-{}", CALLS.fetch_add(1, Ordering::Relaxed)));
    let output = bench().args(arguments).current_dir(&folder).output().expect("it starts");
    let message = errors(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    for text in expected {
        assert!(message.contains(text), "{arguments:?}: `{text}` is not in: {message}");
    }
    assert!(!folder.join("results").exists(), "{arguments:?} wrote results");
}

#[test]
fn unknown_names_get_near_matches() {
    refused(&["run", "alocator-bloat"], 2, &["unknown suite", "did you mean allocator-bloat"]);
    refused(&["plan", "store-bloat", "--scale", "quik"], 2, &["did you mean quick"]);
    refused(&["reproduce", "--figure", "store-blot"], 2, &["did you mean store-bloat"]);
    refused(&["reproduce", "--family", "slit"], 2, &["silt"]);
    refused(&["reproduce", "--family", "lsm", "--figure", "rivals"], 2, &["cannot be used with"]);
    refused(&["compare", "nible", "hashmap"], 2, &["did you mean nibble"]);
    refused(&["compare", "nibble", "heapstore:jemaloc"], 2, &["did you mean jemalloc"]);
    refused(&["cell", "no-such-cell"], 2, &["no cell's id contains `no-such-cell`"]);
}

#[test]
fn numbers_out_of_range_name_the_range() {
    let compare = ["compare", "null", "null"];
    for (flag, value, expected) in [
        ("--get-percent", "101", "must be 0 to 100"),
        ("--fill-percent", "0", "must be 1 to 98"),
        ("--batch", "65", "must be 1 to 64"),
        ("--threads", "0", "must be 1 to 512"),
        ("--blocks", "2", "2 is not in 3..=1000"),
        ("--distribution", "zipf", "distribution `zipf`"),
        ("--object-memory", "lots", "lots"),
    ] {
        let arguments = [&compare[..], &[flag, value]].concat();
        refused(&arguments, 2, &[expected]);
    }
    let arguments = [&compare[..], &["--object-memory", "1000GiB"]].concat();
    refused(&arguments, 3, &["MiB are available", "lower --object-memory"]);
}

#[test]
fn a_typo_in_a_suite_names_file_line_and_keys() {
    let folder = scratch("typo");
    let file = folder.join("mine.toml");
    fs::write(&file, "question = \"?\"\n[[fragmentation]]\nheap = [\"glibc\"]\n").unwrap();
    let output = run(&["plan", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = errors(&output);
    for text in ["mine.toml", "line 3", "`heap`", "heaps", "patterns"] {
        assert!(message.contains(text), "`{text}` is not in: {message}");
    }
}

#[test]
fn a_missing_gnuplot_is_said_before_anything_runs() {
    let folder = scratch("no-gnuplot");
    let output = bench()
        .args(["reproduce", "--scale", "smoke"])
        .current_dir(&folder)
        .env("PATH", &folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(errors(&output).contains("gnuplot-nox"), "{}", errors(&output));
    assert!(!folder.join("results").exists());
}

#[test]
fn the_exit_codes_are_in_the_help() {
    let output = run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = told(&output);
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "130 "] {
        assert!(help.contains(&format!("    {code}")), "{code} is not in: {help}");
    }
}

#[test]
fn plan_shows_cells_and_runs_nothing() {
    let folder = scratch("plan");
    let output =
        bench().args(["plan", "store-bloat"]).current_dir(&folder).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0));
    let cells = told(&output);
    assert!(cells.lines().any(|line| line == "fragmentation/P1/nibble/bounded/0"), "{cells}");
    assert!(!folder.join("results").exists());
}

#[test]
fn list_names_everything_that_can_be_chosen() {
    let output = run(&["list"]);
    let list = told(&output);
    for name in ["jemalloc", "nibble", "store-bloat", "memory-over-time", "W8", "paper"] {
        assert!(list.contains(name), "{name} is not in: {list}");
    }
    assert!(!list.contains("faulty"), "test-only systems are hidden");
}

#[test]
fn a_worker_without_a_cell_says_what_to_pipe() {
    let output = bench().arg("worker").stdin(Stdio::null()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("nibble-bench cell"), "{}", errors(&output));
}

#[test]
fn the_folder_of_no_run_is_an_error() {
    if report::figures::gnuplot_available().is_err() {
        eprintln!("skipped: gnuplot is missing, so `report` would say that instead");
        return;
    }
    let folder = scratch("no-run");
    let output = run(&["report", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("is this the folder of a run?"), "{}", errors(&output));
}

/// Thousands of cells are not thousands of lines of an error.
#[test]
fn an_error_about_many_cells_is_a_sentence_for_each_reason() {
    let folder = scratch("many-cells");
    let lines = |name: &str, of: &str| {
        let line = |number: u32| {
            format!(
                "{{\"schema\":{},\"source\":\"made-up\",\"run\":\"{of}\",\"measured\":\"\",\"revision\":\"\",\
                 \"suite\":\"s\",\"scale\":\"smoke\",\"environment\":{{}},\
                 \"cell\":\"{of}/{number}\",\"asks\":\"\",\
                 \"metrics\":{{\"throughput\":{{\"unit\":\"1/s\",\"better\":\"higher\",\"values\":[1.0]}}}}}}\n",
                compare::LINE_SCHEMA
            )
        };
        let file = folder.join(name);
        fs::write(&file, (0..1000).map(line).collect::<String>()).expect("lines are written");
        file
    };
    let (a, b) = (lines("a.jsonl", "here"), lines("b.jsonl", "there"));
    let output = bench().arg("compare").args([&a, &b]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    let message = errors(&output);
    for told in ["1000 cells, such as here/", "1000 cells, such as there/", "at one --scale"] {
        assert!(message.contains(told), "`{told}` is not in: {message}");
    }
    assert!(message.len() < 1000, "{message}");
}

/// Printing commands, and `plan`, whose cells are many more than a pipe holds.
#[test]
fn a_reader_that_leaves_ends_the_program_quietly() {
    for arguments in [&["list"][..], &["plan", "store-throughput"], &["about"], &["doctor"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = bench().args(arguments).stdout(writer).output().expect("it starts");
        let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        assert_eq!(signal, Some(SIGPIPE), "{arguments:?}: {}", errors(&output));
        assert!(!errors(&output).contains("panicked"), "{arguments:?}: {}", errors(&output));
    }
}
