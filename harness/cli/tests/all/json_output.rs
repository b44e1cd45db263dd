//! `--json`: one document on standard output, with the fields that docs/src/json.md says.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Output;

use serde_json::Value;

use crate::common::{bench, errors, read, requests_to, root, run, run_suite, scratch, told};

/// The fields of a document.
#[derive(Debug, Default)]
struct Shape {
    always: BTreeSet<String>,
    /// Those in brackets.
    sometimes: BTreeSet<String>,
}

/// The table of the page, by call.
fn page() -> BTreeMap<String, Shape> {
    let mut shapes = BTreeMap::new();
    let page = read("docs/src/json.md");
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split('|');
        let (calls, fields) = (cells.next().expect("calls"), cells.next().expect("fields"));
        let quoted = |text: &str| -> Vec<String> {
            text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
        };
        for call in quoted(calls) {
            let mut shape = Shape::default();
            for field in fields.split(',') {
                let is_bracketed = field.trim_start().starts_with('(');
                let of = if is_bracketed { &mut shape.sometimes } else { &mut shape.always };
                of.extend(quoted(field));
            }
            shapes.insert(call, shape);
        }
    }
    assert!(shapes.len() > 15, "{shapes:?}");
    shapes
}

/// The document that a call printed; of a list every element has the fields that the page says.
#[track_caller]
pub(crate) fn documented(call: &str, output: &Output) -> Value {
    let text = told(output);
    let document: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{call}: {error}: {text}{}", errors(output)));
    let page = page();
    let shape =
        page.get(call).unwrap_or_else(|| panic!("docs/src/json.md has no line for `{call}`"));
    let elements = match &document {
        Value::Array(elements) => elements.iter().collect(),
        one => vec![one],
    };
    assert!(!elements.is_empty(), "{call}: nothing to look at");
    for element in elements {
        let fields: BTreeSet<String> =
            element.as_object().expect("an object").keys().cloned().collect();
        let missing: Vec<&String> = shape.always.difference(&fields).collect();
        let known: BTreeSet<String> = shape.always.union(&shape.sometimes).cloned().collect();
        let unknown: Vec<&String> = fields.difference(&known).collect();
        assert!(
            missing.is_empty() && unknown.is_empty(),
            "{call}: missing {missing:?}, not in docs/src/json.md {unknown:?}"
        );
    }
    document
}

fn call(call: &str, arguments: &[&str]) -> Value {
    let output = bench().args(arguments).arg("--json").current_dir(root()).output().unwrap();
    documented(call, &output)
}

#[test]
fn what_measures_nothing_prints_documents() {
    let lists = call("list", &["list"]);
    let named = |list: &str, name: &str| {
        let list = lists[list].as_array().expect("a list");
        list.iter().any(|one| one["name"] == name)
    };
    assert!(named("heaps", "jemalloc") && named("engines", "nibble") && named("scales", "quick"));
    assert!(
        named("suites", "store-bloat") && named("workloads", "ycsb-a") && named("patterns", "P1")
    );
    for list in ["engines", "heaps"] {
        let list = lists[list].as_array().expect("a list");
        assert!(list.iter().all(|one| one["missing"].is_array()), "{list:?}");
    }
    assert_eq!(run(&["list", "stores", "--json"]).status.code(), Some(0));
    let plan = call("plan", &["plan", "store-bloat", "--scale", "smoke"]);
    assert!(plan["estimate-s"].as_f64() <= plan["estimate-under-load-s"].as_f64(), "{plan}");
    let cells = plan["cells"].as_array().expect("cells");
    assert!(cells.iter().any(|cell| cell == "fragmentation/P1/nibble/bounded/0"), "{plan}");
    call("claims --list", &["claims", "--list"]);
    call("claims --run", &["claims", "--run", "results/reference"]);
    call("reproduce --check", &["reproduce", "--check", "results/reference"]);
    let same = ["agree", "results/reference", "results/reference", "--claims"];
    assert_eq!(call("agree --claims", &same)["agree"], true);
    call("model write-amplification", &["model", "write-amplification"]);
    call("doctor", &["doctor"]);
    call("about", &["about"]);
}

#[test]
fn what_measures_prints_one_document_too() {
    let folder = scratch("json");
    let results = folder.join("results");
    let measured = |name: &str, arguments: &[&str]| {
        let output = bench()
            .args(arguments)
            .args(["--quiet", "--json", "--results"])
            .arg(&results)
            .output()
            .unwrap();
        documented(name, &output)
    };
    let file = root().join("workloads/ycsb/workloada").display().to_string();
    let sizes = ["-p", "recordcount=2000", "-p", "operationcount=5000"];
    let ycsb =
        measured("ycsb", &[&["ycsb", "hashmap", "-P", file.as_str()][..], &sizes[..]].concat());
    assert_eq!(ycsb["stores"][0]["throughput-mops"]["count"], 3, "{ycsb}");
    let run_folder = ycsb["folder"].as_str().expect("a folder");
    call("latency", &["latency", run_folder]);
    let small = ["--seconds", "0.1", "--repetitions", "3", "--object-memory", "8MiB"];
    let search = ["search", "hashmap", "--bound", "1s", "--percentile", "p50", "--threads", "1"];
    let search =
        measured("search", &[&search[..], &small[..], &["--operations", "20000"]].concat());
    assert!(search["found"]["highest-ops-per-s"].as_f64() > Some(0.0), "{search}");
    assert!(search["found"]["probes"].as_array().is_some_and(|probes| probes.len() > 3));
}

#[test]
fn a_run_is_counted_and_a_whole_one_is_told_again() {
    let suite = requests_to(
        "hashmap",
        "get-percent = [50]\nvalue-bytes = [100]\nfill-percent = [5]\nthreads = [1]",
    );
    let (code, folder, rows) = run_suite("json-run", &suite, &[]);
    assert_eq!(code, 0);
    let folder = folder.to_str().expect("a path");
    let again = call("run", &["run", "--resume", folder]);
    let steps = again["steps"]["measured"].as_u64().expect("a count");
    assert_eq!(steps, rows.len() as u64, "{again}");
    assert_eq!(again["unexpected"].as_array().map(Vec::len), Some(0));
}

/// A table that a test reads must not lose a command.
#[test]
fn the_page_names_every_command_that_has_the_option() {
    let page = page();
    let command = harness::cli::command();
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        if command.has_subcommands() {
            continue;
        }
        let has_option = command.get_arguments().any(|one| one.get_id() == "json");
        let name = command.get_name();
        let is_there = page.keys().any(|call| call.split(' ').next() == Some(name));
        assert_eq!(has_option, is_there, "{name}");
    }
}
