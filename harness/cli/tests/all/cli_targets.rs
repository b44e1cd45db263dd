//! `targets`: every kind of target from the table to a verdict, and what it says when it cannot.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::common::{bench, errors, only_folder, run, scratch, told};
use crate::json_output::documented;

const HEAD: &str = r#"
    seed = 1
    [plan]
    calibration = { random-line-ns = 7.6, copy-gb-per-s = 17.0 }
    scale.smoke = { object-memory = "8MiB", live-set = "4MiB", operations = 4000, blocks = 3, repetitions = 3,
                    overhead-repetitions = 1, object-counts = 2, calibration = "1MiB" }
    yardstick = [
        { name = "stone", mops = [{ value-bytes = 64, get-percent = 50, is = 0.000001 }] },
        { name = "light", mops = [{ value-bytes = 64, get-percent = 50, is = 1000000.0 }] },
    ]
"#;

/// A target of `cells`, with a question of those lines.
fn target(id: &str, cells: &str, question: &str) -> String {
    format!(
        "[[expectation]]\nid = \"{id}\"\nsource = \"tests\"\nsays = \"it is so\"\n\
         cells = {{ {cells} }}\n[[expectation.ask]]\non = \"any\"\nexpects = \"it is so\"\n\
         interval = \"rounds\"\n{question}\n"
    )
}

/// Measures a table of those targets: output, standard output, and `targets.json`.
fn measure(name: &str, targets: &str, more: &[&str]) -> (Output, String, serde_json::Value) {
    let folder = scratch(name);
    let (file, results) = (folder.join("targets.toml"), folder.join("results"));
    fs::write(&file, format!("{HEAD}{targets}")).unwrap();
    let output = bench()
        .args(["targets", "--scale", "smoke", "--quiet", "--file", file.to_str().unwrap()])
        .arg("--results")
        .arg(&results)
        .args(more)
        .output()
        .unwrap();
    let said = told(&output);
    let run = only_folder(&results).unwrap_or_else(|| panic!("no run: {}", errors(&output)));
    let json = fs::read_to_string(run.join("targets.json")).unwrap();
    let table = fs::read_to_string(run.join("targets.txt")).unwrap();
    for line in said.lines().filter(|line| line.contains(" · ")) {
        assert!(table.contains(line), "`{line}` is not in: {table}");
    }
    (output, said, serde_json::from_str(&json).unwrap())
}

fn rows(results: &str) -> Vec<record::Row> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(results).join("results");
    record::archive::load(&only_folder(&folder).unwrap()).unwrap().1
}

const WORKLOAD: &str = "value-bytes = 64, workload = \"get-50\"";

#[test]
fn throughputs_of_different_systems_and_threads_are_compared() {
    let targets = target(
        "rivals",
        "segments = 8",
        &format!(
            "metric = \"throughput\"\nwhere = {{ {WORKLOAD}, fill-percent = 20 }}\n\
             ratio = {{ of = {{ system = \"nibble\", batch = 8, threads = 1 }}, \
             to = {{ system = [\"nibble@index=keyed\", \"nibble@update=in-place\"], threads = 2 }}, \
             at-least = 0.000001 }}"
        ),
    );
    let (output, said, json) = measure("targets-throughput", &targets, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(said.contains("rivals · ≥ 0.000001 · ") && said.contains("· holds"), "{said}");
    assert!(said.contains("\n1 holds\n"), "{said}");
    let line = &json["lines"][0];
    assert_eq!(line["verdict"], "holds");
    assert_eq!(line["details"].as_array().unwrap().len(), 2);
    assert_eq!(line["measured"]["count"], 3);
    let rows = rows("targets-throughput");
    let runs: Vec<_> = rows.iter().filter(|row| row.step == "run").collect();
    assert_eq!(runs.len(), 2 * 3 * 4);
    assert!(runs.iter().any(|row| row.system == "nibble@segment-bytes=1048576"));
    let places: Vec<&str> = runs.iter().filter_map(|row| row.cell.id.split('/').nth(3)).collect();
    assert_eq!(places, ["0-A", "1-B", "2-B", "3-A"].repeat(2 * 3), "blocks are mirrored");
    let loads: BTreeSet<_> =
        rows.iter().filter(|row| row.step == "load").map(|row| row.elapsed_ns).collect();
    assert_eq!(loads.len(), runs.len(), "each place is a process of its own");
    for row in rows.iter().filter(|row| row.step == "load" && row.system.starts_with("nibble")) {
        assert!(row.census.unwrap().index_bytes > 0, "the store says where its bytes are");
    }
}

#[test]
fn targets_are_listed_and_measured_as_data() {
    let question = format!(
        "metric = \"throughput\"\nwhere = {{ {WORKLOAD}, fill-percent = 20, threads = 1 }}\n\
         ratio = {{ of = {{ system = \"hashmap\" }}, to = {{ system = \"btree\" }}, at-least = 0.000001 }}"
    );
    let targets = target("fast", "", &question);
    let (output, _, file) = measure("targets-json", &targets, &["--json"]);
    assert_eq!(documented("targets", &output)["lines"], file["lines"]);
    let listed = documented("targets --list", &run(&["targets", "--list", "--json"]));
    assert!(listed[0]["asked"].as_str().is_some_and(|asked| !asked.is_empty()), "{listed}");
}

/// Both loops take turns over one store, and the last line but one tells how far stores differ.
#[test]
fn a_closed_loop_is_compared_with_a_bare_one() {
    let question = "metric = \"bare_loop_ns / closed_loop_ns\"\nwhere = { value-bytes = 64, \
                    fill-percent = 20, threads = 1, ageing = \"rewrites:0.1\" }\n\
                    select = { of = { loop = \"bare\" }, at-least = 0.000001 }";
    let varied = target("invisible", "", question).replace(
        "cells =",
        "vary = { workload = [\"get-100\", \"get-50\", \"get-0\"], system = [\"hashmap\", \"mica-erew\"] }\n\
         cells =",
    );
    let more = ["--operations", "100000"];
    let (output, said, json) = measure("targets-bare", &varied, &more);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(said.contains("\n6 hold\n"), "{said}");
    let notes = errors(&output);
    assert!(notes.contains("of a bare loop's throughput, a spread of "), "{notes}");
    assert_eq!(json["lines"].as_array().unwrap().len(), 6);
    let rows = rows("targets-bare");
    let ran: Vec<&record::Row> = rows.iter().filter(|row| row.step == "run").collect();
    assert!(!ran.is_empty());
    for row in ran {
        assert_eq!(row.operations, 100_000);
        for times in ["bare_loop_ns", "burst_loop_ns", "closed_loop_ns"] {
            assert!(row.statistics[times] > 1.0, "{times}: {:?}", row.statistics);
        }
    }
    assert!(rows.iter().all(|row| row.step != "verify"), "the bare loop's values have no keys");
}

#[test]
fn percentiles_of_puts_are_compared_and_strict_makes_it_an_error() {
    let targets = target(
        "tail",
        "",
        &format!(
            "metric = \"update-p99.9-ns\"\nwhere = {{ system = \"nibble\", {WORKLOAD}, \
             threads = 1, ageing = \"rewrites:0.1\" }}\nratio = {{ of = {{ fill-percent = 60 }}, \
             to = {{ fill-percent = 10 }}, at-most = 0.000001 }}"
        ),
    );
    let (output, said, json) = measure("targets-latency", &targets, &["--strict"]);
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    assert!(said.contains("· fails") && (said.contains("µs") || said.contains(" ns")), "{said}");
    assert_eq!(json["lines"][0]["verdict"], "fails");
    for row in rows("targets-latency").iter().filter(|row| row.step == "run") {
        let samples = |of: &std::collections::BTreeMap<String, u64>| of["samples"];
        let (gets, puts) =
            (samples(&row.latency_by_kind_ns["get"]), samples(&row.latency_by_kind_ns["update"]));
        assert_eq!(gets + puts, row.operations, "every operation is timed");
        assert_eq!(samples(&row.latency_ns), row.operations);
        assert!(gets.abs_diff(puts) < row.operations / 5, "{gets} and {puts}");
    }
}

#[test]
fn counters_are_those_of_the_clock_alone() {
    let targets = target(
        "copied",
        "rewrites = 0.5",
        &format!(
            "metric = \"copied_bytes / appended_bytes\"\nwhere = {{ {WORKLOAD}, threads = 1, \
             fill-percent = 20, ageing = \"rewrites:2\" }}\n\
             select = {{ of = {{ system = \"nibble@update=append\" }}, at-most = 1000 }}"
        ),
    );
    let (output, said, json) = measure("targets-statistic", &targets, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(said.contains("copied_bytes ÷ appended_bytes within the clock"), "{said}");
    let values = json["lines"][0]["details"][0]["values"].as_array().unwrap();
    assert_eq!(values.len(), 3);
    let rows = rows("targets-statistic");
    let first = |step: &str| {
        let row = rows.iter().find(|row| row.step == step && row.cell.repetition == 0).unwrap();
        [row.statistics["copied_bytes"], row.statistics["appended_bytes"]]
    };
    let ([warm_copied, warm_appended], [copied, appended]) = (first("age"), first("run"));
    assert!(warm_appended > 8e6, "the warm-up rewrites the memory: {warm_appended}");
    let expected = (copied - warm_copied) / (appended - warm_appended);
    assert!((values[0].as_f64().unwrap() - expected).abs() < 1e-9);
}

#[test]
fn bytes_that_clients_write_stand_beside_a_counter() {
    let targets = target(
        "written",
        "rewrites = 0.5",
        &format!(
            "metric = \"copied_bytes / written_bytes\"\nwhere = {{ {WORKLOAD}, threads = 1, \
             fill-percent = 20, ageing = \"rewrites:2\" }}\n\
             select = {{ of = {{ system = \"nibble@update=append\" }}, at-most = 1000 }}"
        ),
    );
    let (output, _, json) = measure("targets-written", &targets, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let rows = rows("targets-written");
    let first =
        |step: &str| rows.iter().find(|row| row.step == step && row.cell.repetition == 0).unwrap();
    let (age, run) = (first("age"), first("run"));
    let copied = run.statistics["copied_bytes"] - age.statistics["copied_bytes"];
    // Half of the operations are updates of 64 bytes and a key of eight.
    let expected = copied / (run.operations as f64 * 0.5 * 72.0);
    let value = json["lines"][0]["details"][0]["values"][0].as_f64().unwrap();
    assert!(copied > 0.0 && (value / expected - 1.0).abs() < 1e-9, "{value}, expected {expected}");
}

#[test]
fn the_worst_object_count_is_the_overhead() {
    let targets = ["all-in", "log-only"].map(|overhead| {
        let question = format!(
            "metric = \"overhead-{overhead}-key-value\"\nwhere = {{ pattern = \"P2\" }}\n\
             select = {{ of = {{ system = \"nibble\" }}, worst = true, at-most = 100 }}"
        );
        target(&format!("memory-{overhead}"), "", &question)
    });
    let (output, said, json) = measure("targets-overhead", &targets.concat(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(said.contains("worst of 2 object counts, nibble, object memory "), "{said}");
    let number = |line: usize, part: &str| json["lines"][line][part]["median"].as_f64().unwrap();
    let each: Vec<f64> = json["lines"][0]["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|detail| detail["measured"]["median"].as_f64().unwrap())
        .collect();
    assert_eq!(number(0, "measured"), each.iter().copied().fold(0.0, f64::max));
    assert!(number(0, "measured") > number(1, "measured") && number(1, "measured") > 1.0);
    let refills = rows("targets-overhead").iter().filter(|row| row.step == "refill").count();
    assert_eq!(refills, 2, "both targets read the same cells");
}

#[test]
fn yardsticks_are_scaled_by_the_calibration_of_their_round() {
    let against = |id: &str, batch: u32, yardsticks: &str| {
        let question = format!(
            "metric = \"throughput\"\nwhere = {{ {WORKLOAD}, fill-percent = 20, threads = 1, \
             batch = {batch} }}\nratio = {{ of = {{ system = \"nibble\" }}, \
             to = {{ system = {yardsticks} }}, above = 1, margin = 0.15 }}"
        );
        target(id, "", &question)
    };
    let targets = against("old", 1, "\"yardstick:stone\"")
        + &against("all", 8, "[\"yardstick:stone\", \"yardstick:light\"]");
    let (output, said, json) = measure("targets-yardstick", &targets, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(json["lines"][0]["verdict"], "holds", "{said}");
    assert_eq!(json["lines"][1]["verdict"], "fails", "one yardstick is ahead: {said}");
    assert!(said.contains("nibble ÷ yardstick:light"), "{said}");
    let calibrations = json["calibrations"].as_array().unwrap();
    assert_eq!(calibrations.len(), 3);
    let rows = rows("targets-yardstick");
    let run =
        rows.iter().find(|row| row.step == "run" && row.cell.id.starts_with("old/1/")).unwrap();
    let factor = 7.6 / calibrations[1]["random-line-ns"].as_f64().unwrap();
    let expected = run.throughput_ops_per_s / 1e6 / (0.000001 * factor);
    let value = json["lines"][0]["details"][0]["values"][1].as_f64().unwrap();
    assert!((value / expected - 1.0).abs() < 1e-9, "{value} and {expected}");
}

#[test]
fn cells_that_fail_have_an_exit_code_of_their_own() {
    let place = format!("{WORKLOAD}, fill-percent = 20, threads = 1");
    let broken = format!(
        "metric = \"throughput\"\nwhere = {{ {place} }}\nratio = {{ \
         of = {{ system = \"faulty@fault=crash\" }}, to = {{ system = \"null\" }}, above = 1 }}"
    );
    let knob = format!(
        "metric = \"copied_bytes / appended_bytes\"\nwhere = {{ {place}, \
         ageing = \"rewrites:1\" }}\n\
         select = {{ of = {{ system = \"faulty@fault=crash\" }}, above = 1 }}"
    );
    let targets = target("broken", "", &broken) + &target("knob", "", &knob);
    let (output, said, json) = measure("targets-failing", &targets, &["--strict"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(
        said.contains("not testable · nothing of `of` has numbers: faulty@fault=crash: none of 3"),
        "{said}"
    );
    assert_eq!(json["lines"][0]["verdict"], "not-testable");
    assert_eq!(json["lines"][1]["measured"], serde_json::Value::Null);
}

#[test]
fn the_built_in_table_is_listed_and_chosen_from() {
    let output = run(&["targets", "--list"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let list = told(&output);
    for text in ["second-thread/get-100", "≥ 1.7", "yardstick-batch/1024-B-get-0", "≤ 3.25"] {
        assert!(list.contains(text), "{text} is not in: {list}");
    }
    let output = run(&["targets", "--list", "--only", "over*get-0", "--only", "copied-90-append"]);
    assert_eq!(told(&output).lines().count(), 2);
}

#[test]
fn bad_input_is_refused_before_anything_runs() {
    let folder = scratch("targets-refused");
    let file = folder.join("mine.toml");
    fs::write(&file, format!("{HEAD}[[expectation]]\nid = \"x\"\nbars = 1\n")).unwrap();
    let file = file.to_str().unwrap();
    for (arguments, expected) in [
        (&["--only", "bathc"][..], "did you mean batch"),
        (&["--scale", "quik"], "did you mean quick"),
        (&["--blocks", "2"], "must be 3 to 1000"),
        (&["--object-memory", "lots"], "object-memory: size \"lots\""),
        (&["--file", "none.toml"], "cannot be read"),
        (&["--file", file], "unknown field `bars`"),
    ] {
        let output = bench().arg("targets").args(arguments).current_dir(&folder).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
    assert!(!folder.join("results").exists());
}
