//! Comparisons as a user makes them: live, of builds, of runs, against a baseline; what they refuse, and
//! what exit code says so. Memory is judged here, never time: it is the same on a busy machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{bench, errors, only_folder, scratch, told};
use crate::json_output::documented;

/// Leaves what time decides out.
const MEMORY_ONLY: [&str; 4] = ["--tolerance", "throughput=off", "--tolerance", "p99=off"];

/// A workload that is over soon.
const SMALL: [&str; 4] = ["--operations", "20000", "--object-memory", "16MiB"];

/// One small cell of a store whose memory is its own, and what prices memory.
const SUITE: &str = r#"
question = "What does a small store take?"
[[key-value]]
stores = ["hindered"]
get-percent = [50]
value-bytes = [100]
fill-percent = [50]
threads = [1]
operations-factor = 0.1
"#;

fn suite(folder: &Path) -> String {
    let file = folder.join("small.toml");
    fs::write(&file, SUITE).unwrap();
    file.display().to_string()
}

/// Runs in `folder`; results go below it.
fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    bench().args(arguments).current_dir(folder).output().expect("it starts")
}

#[track_caller]
fn ends(output: &Output, code: i32, expected: &[&str]) {
    let all = format!("{}\n{}", told(output), errors(output));
    assert_eq!(output.status.code(), Some(code), "{all}");
    for text in expected {
        assert!(all.contains(text), "`{text}` is not in: {all}");
    }
}

#[test]
fn equal_stores_are_unchanged_and_every_process_verifies_its_values() {
    let folder = scratch("compare-equal");
    let mut arguments = vec!["compare", "nibble", "nibble", "--blocks", "3", "--quiet"];
    arguments.extend(SMALL);
    arguments.extend(MEMORY_ONLY);
    let output = run_in(&folder, &arguments);
    ends(&output, 0, &["unchanged", "memory"]);
    assert!(
        told(&output).starts_with("nibble is like nibble: no change found\n"),
        "the answer first"
    );
    let results = folder.join("results");
    let history = results.join("history.jsonl");
    assert_eq!(compare::read_lines(&history).unwrap().lines.len(), 2, "a line a side");
    let run = only_folder(&results).unwrap();
    let (_, rows) = record::archive::load(&run).unwrap();
    let verified = rows.iter().filter(|row| row.step == "verify");
    assert_eq!(verified.clone().count(), 18, "two processes of A, B and A again a block");
    assert!(verified.clone().all(|row| row.verification.unwrap().checked > 0));
    assert!(run.join("comparison.json").is_file() && run.join("comparison.md").is_file());
}

/// The most natural first question gets an answer, with its conditions, and as data.
#[test]
fn two_stores_that_differ_in_everything_are_compared_and_marked() {
    let folder = scratch("compare-first");
    let mut arguments = vec!["compare", "nibble", "hashmap", "--blocks", "3", "--quiet"];
    arguments.extend(SMALL);
    arguments.push("--json");
    let output = run_in(&folder, &arguments);
    assert!(matches!(output.status.code(), Some(0 | 6 | 7)), "{}", errors(&output));
    assert!(errors(&output).contains("warning: not like for like"), "{}", errors(&output));
    let found = compare::render::from_json(&told(&output)).expect("one document");
    assert_eq!((&*found.baseline.name, &*found.candidate.name), ("nibble", "hashmap"));
    assert!(!found.unlike.is_empty(), "its conditions");
    for judged in &found.judged {
        let interval = judged.baseline.interval().expect("values");
        assert!(interval.low <= interval.estimate && interval.count == 3, "{judged:?}");
    }
    arguments.push("--strict");
    ends(&run_in(&folder, &arguments), 8, &["without --strict they are compared"]);
}

/// What is misspelt is said before anything is made of how the stores differ.
#[test]
fn a_misspelt_setting_is_said_and_not_hidden_behind_conditions() {
    let folder = scratch("compare-misspelt");
    let mut arguments = vec!["compare", "nibble@segmnt-bytes=65536", "hashmap", "--quiet"];
    arguments.extend(SMALL);
    let output = run_in(&folder, &arguments);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{}", errors(&output));
    let error = errors(&output);
    let error = error.lines().find(|line| line.starts_with("error: ")).expect("an error");
    assert!(error.contains("segmnt-bytes") && error.contains("segment-bytes"), "{error}");
}

#[test]
fn a_store_that_grew_is_found_and_told_in_every_format() {
    let folder = scratch("compare-grown");
    let suite = suite(&folder);
    let mut arguments = vec!["compare", "@", "@leak-percent=10", "--suite", &suite];
    arguments.extend(["--scale", "smoke", "--blocks", "4", "--quiet"]);
    arguments.extend(["--markdown", "out/it.md", "--json", "out/it.json", "--junit", "out/it.xml"]);
    arguments.extend(MEMORY_ONLY);
    let output = run_in(&folder, &arguments);
    ends(&output, 6, &["changed: worse", "memory"]);
    let file = |name: &str| fs::read_to_string(folder.join("out").join(name)).unwrap();
    assert!(file("it.md").contains("memory") && file("it.md").contains("worse"));
    let json: serde_json::Value = serde_json::from_str(&file("it.json")).unwrap();
    let judged = json["judged"].as_array().unwrap();
    assert_eq!(judged.len(), 1, "{json}");
    let ratio = judged[0]["ratio"]["ratio"].as_f64().unwrap();
    assert!((1.06..1.14).contains(&ratio), "grown by 10 %, found {ratio}");
    assert_eq!(judged[0]["verdict"], "worse");
    assert!(file("it.xml").contains("<failure"), "{}", file("it.xml"));
}

#[test]
fn two_builds_are_compared_by_their_own_workers() {
    let folder = scratch("compare-builds");
    let suite = suite(&folder);
    for name in ["one", "two"] {
        fs::copy(env!("CARGO_BIN_EXE_nibble-bench"), folder.join(name)).unwrap();
    }
    let compare = |a: &str, b: &str| {
        let mut arguments = vec!["compare", a, b, "--suite", &suite, "--scale", "smoke"];
        arguments.extend(["--blocks", "3", "--quiet"]);
        arguments.extend(MEMORY_ONLY);
        run_in(&folder, &arguments)
    };
    ends(&compare("./one", "./two"), 0, &["unchanged"]);
    // A program that is something else is told from one that regressed.
    ends(&compare("./one", "/bin/true"), 2, &["/bin/true"]);
    ends(&compare("./one", "build:three"), 2, &["three: there is no such file"]);
}

#[test]
fn a_revision_that_does_not_build_is_no_regression() {
    let folder = scratch("compare-broken");
    fs::create_dir_all(folder.join("harness/cli/src")).unwrap();
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"harness/cli\"]\nresolver = \"3\"\n"),
        (
            "harness/cli/Cargo.toml",
            "[package]\nname = \"harness\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [[bin]]\nname = \"nibble-bench\"\npath = \"src/main.rs\"\n",
        ),
        ("harness/cli/src/main.rs", "fn main() { this_is_not_rust }\n"),
        (".gitignore", "results\ntarget\n"),
        ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"harness\"\nversion = \"0.1.0\"\n"),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
        let output = std::process::Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(&folder)
            .output()
            .expect("git is there");
        assert!(output.status.success(), "{}", errors(&output));
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "broken"]);
    let gate = ["gate", "--baseline", "HEAD", "--budget", "5s", "--quiet", "--junit", "gate.xml"];
    ends(&run_in(&folder, &gate), 4, &["this_is_not_rust", "cannot find"]);
    let xml = fs::read_to_string(folder.join("gate.xml")).unwrap();
    assert!(xml.contains("<error") && !xml.contains("<failure"), "{xml}");
    let unknown = ["gate", "--baseline", "no-such-revision", "--quiet"];
    ends(&run_in(&folder, &unknown), 2, &["no-such-revision"]);
}

/// A gate of the small suite against a file in `folder`.
fn gate(folder: &Path, more: &[&str]) -> Output {
    let suite = suite(folder);
    let mut arguments = vec!["gate", "--baseline", "base.jsonl", "--suite", &suite];
    arguments.extend(["--scale", "smoke", "--budget", "3s", "--quiet"]);
    arguments.extend(MEMORY_ONLY);
    arguments.extend(more);
    run_in(folder, &arguments)
}

#[test]
fn a_baseline_file_is_created_kept_and_moved_only_when_asked() {
    let folder = scratch("gate-file");
    let base = folder.join("base.jsonl");
    ends(&gate(&folder, &[]), 0, &["there was no baseline; created", "Nothing was compared"]);
    let created = fs::read_to_string(&base).unwrap();
    ends(&gate(&folder, &["--json", "gate.json"]), 0, &["unchanged"]);
    assert_eq!(fs::read_to_string(&base).unwrap(), created, "a gate does not move its baseline");
    // The baseline held less memory: what is measured now has grown.
    let mut lines = compare::read_lines(&base).unwrap().lines;
    for line in &mut lines {
        if !line.cell.ends_with("/roofline") {
            let memory = line.metrics.get_mut("memory").unwrap();
            memory.values.iter_mut().for_each(|value| *value *= 0.8);
        }
    }
    let write = |lines: &[compare::Line]| {
        fs::remove_file(&base).unwrap();
        compare::append_lines(&base, lines).unwrap();
    };
    write(&lines);
    let grown = gate(&folder, &[]);
    ends(&grown, 6, &["changed: worse", "looking again"]);
    ends(&gate(&folder, &["--accept"]), 0, &["the baseline from now on"]);
    ends(&gate(&folder, &[]), 0, &["unchanged"]);
}

#[test]
fn baselines_of_other_machines_and_damaged_ones_are_refused() {
    let folder = scratch("gate-unlike");
    let base = folder.join("base.jsonl");
    ends(&gate(&folder, &[]), 0, &["created"]);
    let mut lines = compare::read_lines(&base).unwrap().lines;
    for line in &mut lines {
        line.environment.insert("cpu".to_owned(), "Another processor".to_owned());
    }
    fs::remove_file(&base).unwrap();
    compare::append_lines(&base, &lines).unwrap();
    ends(&gate(&folder, &[]), 8, &["cpu: `Another processor` and", "--allow-mismatch"]);
    ends(&gate(&folder, &["--allow-mismatch"]), 0, &["Another processor"]);
    let text = fs::read_to_string(&base).unwrap();
    fs::write(&base, text.replace("\"metrics\"", "\"metrix\"")).unwrap();
    ends(&gate(&folder, &[]), 2, &["base.jsonl", "line 1", "byte"]);
    assert!(fs::read_to_string(&base).unwrap().contains("metrix"), "nothing is lost");
}

/// A run of the small suite.
fn measured(folder: &Path, name: &str, more: &[&str]) -> PathBuf {
    let suite = suite(folder);
    let results = folder.join(name);
    let mut arguments = vec!["run", &suite, "--scale", "smoke", "--repetitions", "3", "--quiet"];
    arguments.extend(["--results", name]);
    arguments.extend(more);
    ends(&run_in(folder, &arguments), 0, &[]);
    let lines = compare::read_lines(&results.join("history.jsonl")).unwrap().lines;
    assert_eq!(lines.len(), 2, "a line a cell, that of the roofline too");
    only_folder(&results).unwrap()
}

#[test]
fn runs_are_compared_and_unlike_ones_marked() {
    let folder = scratch("compare-runs");
    let (a, b) = (measured(&folder, "a", &[]), measured(&folder, "b", &[]));
    let compare = |a: &Path, b: &Path, more: &[&str]| {
        let mut arguments = vec!["compare", a.to_str().unwrap(), b.to_str().unwrap()];
        arguments.extend(MEMORY_ONLY);
        arguments.extend(more);
        run_in(&folder, &arguments)
    };
    ends(&compare(&a, &b, &[]), 0, &["unchanged", "not measured together"]);
    let machine = |path: &Path, from: &str, to: &str| {
        let file = path.join("run.json");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        fs::write(file, text.replace(from, to)).unwrap();
    };
    machine(&b, "\"name\": \"smoke\"", "\"name\": \"quick\"");
    ends(&compare(&a, &b, &["--strict"]), 8, &["scale: `smoke` and `quick`", "without --strict"]);
    let marked = compare(&a, &b, &[]);
    ends(
        &marked,
        0,
        &["warning: not like for like", "NOT LIKE FOR LIKE", "scale: `smoke` and `quick`"],
    );
    let first = told(&marked);
    let first = first.lines().next().expect("a headline");
    assert!(first.ends_with("no change found; not like for like, see below"), "{first}");
    ends(&compare(&a, Path::new("hashmap"), &[]), 2, &["compare runs"]);
    let rows = b.join("rows.jsonl");
    let text = fs::read_to_string(&rows).unwrap();
    let first = text.lines().next().unwrap().len();
    fs::write(&rows, text.replacen("\n{", "\n[", 1)).unwrap();
    let place = format!("rows.jsonl: line 2 (at byte {})", first + 1);
    ends(&compare(&a, &b, &[]), 2, &[&place]);
}

#[test]
fn results_of_other_tools_are_compared_where_the_metric_matches() {
    let folder = scratch("compare-imports");
    let hyperfine = |times: &str| {
        format!(
            r#"{{"results": [{{"command": "sleep 0.1", "mean": 0.1, "stddev": 0.001, "median": 0.1,
                "user": 0.01, "system": 0.01, "min": 0.1, "max": 0.1, "times": [{times}],
                "exit_codes": [0, 0, 0, 0, 0, 0, 0, 0]}}]}}"#
        )
    };
    let times = "0.100, 0.101, 0.1, 0.1, 0.101, 0.1, 0.1, 0.1";
    fs::write(folder.join("a.json"), hyperfine(times)).unwrap();
    fs::write(folder.join("b.json"), hyperfine(&times.replace("0.1", "0.2"))).unwrap();
    let compare = |a: &str, b: &str| run_in(&folder, &["compare", a, b]);
    ends(&compare("a.json", "a.json"), 0, &["elapsed", "unchanged"]);
    ends(&compare("a.json", "b.json"), 6, &["elapsed", "changed: worse"]);
    fs::write(folder.join("bad.json"), &hyperfine(times)[..80]).unwrap();
    ends(&compare("a.json", "bad.json"), 2, &["bad.json"]);
    ends(&run_in(&folder, &["import", "a.json", "--output", "a.jsonl"]), 0, &[]);
    ends(&compare("a.jsonl", "a.json"), 0, &["unchanged"]);
}

#[test]
fn a_history_of_runs_is_told_and_one_lucky_run_is_no_change() {
    let folder = scratch("history");
    let series = |values: [f64; 3]| compare::Series {
        unit: "1/s".to_owned(),
        better: stats::Better::Higher,
        values: values.to_vec(),
        nodes: Vec::new(),
    };
    let mut lines = Vec::new();
    for run in 0..30 {
        let level = if run == 20 { 130.0 } else { 100.0 + f64::from(run % 3) };
        lines.push(compare::Line {
            schema: compare::LINE_SCHEMA,
            source: "nibble-bench".to_owned(),
            run: format!("run-{run:03}"),
            revision: format!("{run:07x}"),
            cell: "some/cell".to_owned(),
            metrics: [("throughput".to_owned(), series([level; 3]))].into(),
            ..compare::Line::default()
        });
    }
    compare::append_lines(&folder.join("history.jsonl"), &lines).unwrap();
    let history = run_in(&folder, &["history", "history.jsonl"]);
    ends(&history, 0, &["some/cell", "30"]);
    assert!(told(&history).starts_with("no change of level in 1 cell(s)"), "{}", told(&history));
    let data = documented("history", &run_in(&folder, &["history", "history.jsonl", "--json"]));
    assert_eq!(data["cells"][0]["runs"].as_array().map(Vec::len), Some(30));
    assert!(!told(&history).contains("from 0000014 on"), "{}", told(&history));
    ends(&run_in(&folder, &["history", "history.jsonl", "--metric", "no"]), 2, &["throughput"]);
    ends(&run_in(&folder, &["history", "nowhere.jsonl"]), 2, &["nowhere.jsonl"]);
}

#[test]
fn the_tester_is_tested_on_recorded_blocks() {
    let folder = scratch("power");
    let mut arguments = vec!["power", "--rounds", "6", "--trials", "10", "--blocks", "3"];
    arguments.extend(["--second-look", "3", "--drifts", "0", "--scale", "smoke", "--quiet"]);
    arguments.extend(["--filter", "get-95"]);
    let output = run_in(&folder, &arguments);
    // One cell and three blocks may miss a bar; the test asks only that everything is printed.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", errors(&output));
    let text = told(&output);
    for expected in ["equal sides", "a slowdown of 5 %", "memory grown by 5 %", "power.json"] {
        assert!(text.contains(expected), "`{expected}` is not in: {text}");
    }
    let record = fs::read_to_string(folder.join("results/power.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["rounds"], 6);
    assert_eq!(record["answers"][3]["percent"], 100.0, "memory tells at once: {record}");
    assert!(
        text.lines().next().is_some_and(|line| line.contains("bars")),
        "the answer first: {text}"
    );
    // Drawn again from what was recorded, as data.
    let recorded = record["recorded-in"].as_str().expect("a folder");
    let again = ["power", "--recorded", recorded, "--trials", "10", "--blocks", "3", "--json"];
    let more = ["--second-look", "3", "--drifts", "0"];
    let output = run_in(&folder, &[&again[..], &more[..]].concat());
    documented("power", &output);
}
