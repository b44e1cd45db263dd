//! `choose`: its answers are those of the rows, which are read here by another way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::common::{bench, errors, only_folder, root, run, scratch, told};

/// Descriptions of different corners; the second has bounds that need no store to fail.
const DESCRIPTIONS: [&[&str]; 4] = [
    &[
        "--value-bytes",
        "100..2000",
        "--get",
        "95",
        "--skew",
        "zipfian",
        "--live",
        "8GiB",
        "--memory",
        "12GiB",
    ],
    &[
        "--value-bytes",
        "1KiB",
        "--get",
        "50",
        "--live",
        "1GiB",
        "--memory",
        "16GiB",
        "--threads",
        "2",
    ],
    &["--value-bytes", "64", "--get", "100", "--skew", "uniform", "--threads", "1"],
    &["--value-bytes", "1000", "--get", "50", "--skew", "zipfian:0.99", "--p999", "1s"],
];

fn reference() -> String {
    root().join("results/reference").to_str().expect("a path").to_owned()
}

/// Exit code and answer of `choose --json`.
fn answer(more: &[&str]) -> (i32, Value) {
    let reference = reference();
    let arguments = [&["choose", "--json", "--run", &reference][..], more].concat();
    let output = run(&arguments);
    let code = output.status.code().expect("an exit code");
    let json = serde_json::from_str(&told(&output));
    (code, json.unwrap_or_else(|error| panic!("{more:?}: {error}: {}", errors(&output))))
}

/// The rows of the step `run`, without the types of this project.
fn rows(folder: &Path) -> Vec<Value> {
    let packed = fs::read(folder.join("rows.jsonl.gz"));
    let mut text = String::new();
    match packed {
        Ok(bytes) => {
            flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("rows");
        }
        Err(_) => text = fs::read_to_string(folder.join("rows.jsonl")).expect("rows"),
    }
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row"));
    rows.filter(|row| row["step"] == "run").collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// The larger of what the process held and of the store's capacity, ÷ live bytes.
fn held(row: &Value) -> Option<f64> {
    let memory = &row["memory"];
    let resident = memory["at-once"]["overhead"].as_f64();
    let all_in = memory["overheads"]["all-in"].as_f64();
    resident.into_iter().chain(all_in).reduce(f64::max)
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

fn all(answer: &Value) -> impl Iterator<Item = &Value> {
    let rankings = answer["qualifying"].as_array().expect("a list").iter();
    let ranked = rankings.flat_map(|ranking| ranking["stores"].as_array().expect("a list"));
    ranked.chain(answer["failing"].as_array().expect("a list"))
}

#[test]
fn every_number_is_that_of_the_rows_it_names() {
    let rows = rows(&root().join("results/reference"));
    let by_cell: BTreeMap<&str, &Value> =
        rows.iter().map(|row| (row["cell"]["id"].as_str().expect("an id"), row)).collect();
    let mut checked = 0;
    for description in DESCRIPTIONS {
        let (_, answer) = answer(description);
        let live = answer["wanted"]["live-bytes"].as_f64();
        for store in all(&answer) {
            let Some(told) = store["throughput"]["median"].as_f64() else { continue };
            let cells = store["cells"].as_array().expect("cells");
            let cells = cells.iter().filter_map(|id| by_cell.get(id.as_str().expect("an id")));
            let cells: Vec<&&Value> = cells.filter(|row| row["outcome"] == "measured").collect();
            if cells.len() as u64 != store["throughput"]["processes"].as_u64().expect("a count") {
                // A process whose other steps failed does not count.
                assert!(store["misses"][0]["bound"] == "processes", "{store}");
                continue;
            }
            checked += 1;
            assert!(cells.iter().all(|row| row["system"] == store["store"]), "{store}");
            let of = |value: &dyn Fn(&Value) -> Option<f64>| -> f64 {
                median(cells.iter().filter_map(|row| value(row)).collect())
            };
            let throughput = of(&|row| row["throughput-ops-per-s"].as_f64());
            assert!(close(told, throughput), "{store}: {throughput}");
            let interval = &store["throughput"];
            assert!(
                interval["low"].as_f64() <= Some(told) && Some(told) <= interval["high"].as_f64()
            );
            let ratio = of(&held);
            assert!(close(store["memory-ratio"]["median"].as_f64().unwrap(), ratio), "{store}");
            if let Some(live) = live {
                assert!(close(store["memory-bytes"].as_f64().unwrap(), live * ratio), "{store}");
            }
            if store["p999-ns"].is_null() {
                continue;
            }
            let p999 = of(&|row| row["latency-ns"]["p99.9"].as_f64());
            assert!(close(store["p999-ns"]["median"].as_f64().unwrap(), p999), "{store}");
        }
    }
    assert!(checked > 20, "{checked} numbers were checked");
}

#[test]
fn stores_that_qualify_meet_the_bounds_and_stand_in_order() {
    for description in DESCRIPTIONS {
        let (code, answer) = answer(description);
        let rankings = answer["qualifying"].as_array().expect("a list");
        assert_eq!(code, if rankings.is_empty() { 9 } else { 0 }, "{description:?}");
        assert!(!rankings.is_empty(), "{description:?}: nothing qualifies");
        assert!(rankings.is_sorted_by_key(|ranking| ranking["distance"].as_f64()), "{answer}");
        let (memory, bound) =
            (answer["wanted"]["memory-bytes"].as_f64(), answer["wanted"]["p999-ns"].as_f64());
        let kept = |value: &Value, bound: Option<f64>| {
            bound.is_none_or(|bound| value.as_f64().is_some_and(|value| value <= bound))
        };
        for ranking in rankings {
            let stores = ranking["stores"].as_array().expect("a list");
            let speeds: Vec<Option<f64>> =
                stores.iter().map(|one| one["throughput"]["median"].as_f64()).collect();
            assert!(speeds.iter().all(Option::is_some) && speeds.is_sorted_by(|a, b| a >= b));
            for store in stores {
                assert!(kept(&store["memory-bytes"], memory), "{store}");
                assert!(kept(&store["p999-ns"]["median"], bound), "{store}");
            }
        }
        for store in answer["failing"].as_array().expect("a list") {
            assert!(!store["misses"].as_array().expect("a list").is_empty(), "{store}");
        }
        let names: Vec<&Value> = all(&answer).map(|store| &store["store"]).collect();
        let distinct: BTreeSet<&str> = names.iter().filter_map(|name| name.as_str()).collect();
        assert_eq!(names.len(), distinct.len(), "each store stands once");
    }
}

/// Of the same store under the same requests, no other fill is faster within the budget.
#[test]
fn no_other_fill_would_have_been_faster_within_the_budget() {
    let rows = rows(&root().join("results/reference"));
    let same = |one: &Value, other: &Value| {
        let (a, b) = (&one["cell"]["work"], &other["cell"]["work"]);
        let alike = |name: &str| a[name] == b[name];
        let workload = |name: &str| a["workload"][name] == b["workload"][name];
        one["system"] == other["system"]
            && ["threads", "driver", "ageing", "source", "latency", "resident"]
                .into_iter()
                .all(alike)
            && ["mix", "keys", "value-bytes"].into_iter().all(workload)
            && other["outcome"] == "measured"
    };
    let mut others = 0;
    for description in &DESCRIPTIONS[..2] {
        let (_, answer) = answer(description);
        let [live, memory] =
            ["live-bytes", "memory-bytes"].map(|name| answer["wanted"][name].as_f64().unwrap());
        for ranking in answer["qualifying"].as_array().unwrap() {
            for store in ranking["stores"].as_array().unwrap() {
                let chosen =
                    rows.iter().find(|row| row["cell"]["id"] == store["cells"][0]).unwrap();
                let mut fills: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
                for row in rows.iter().filter(|row| same(chosen, row)) {
                    fills
                        .entry(row["cell"]["work"]["fill-percent"].to_string())
                        .or_default()
                        .push(row);
                }
                for fill in fills.values() {
                    others += 1;
                    let of = |name: &str| {
                        median(fill.iter().filter_map(|row| row[name].as_f64()).collect())
                    };
                    let ratio = median(fill.iter().filter_map(|row| held(row)).collect());
                    let faster = of("throughput-ops-per-s")
                        > store["throughput"]["median"].as_f64().unwrap();
                    let refused = rows.iter().any(|row| {
                        row["cell"]["work"] == fill[0]["cell"]["work"]
                            && row["system"] == fill[0]["system"]
                            && row["outcome"] != "measured"
                    });
                    assert!(
                        !faster || refused || ratio * live > memory,
                        "{store}: {}",
                        fill[0]["cell"]["id"]
                    );
                }
            }
        }
    }
    assert!(others > 10, "{others} fills were looked at");
}

#[test]
fn the_answer_in_words_begins_with_the_choice() {
    let reference = reference();
    let arguments = [&["choose", "--run", &reference][..], DESCRIPTIONS[0]].concat();
    let output = run(&arguments);
    let (_, answer) = answer(DESCRIPTIONS[0]);
    let first = answer["qualifying"][0]["stores"][0]["store"].as_str().unwrap();
    let text = told(&output);
    assert!(
        text.starts_with(&format!("{first}: ")) && text.contains("for 8.00 GiB live"),
        "{text}"
    );
    assert!(text.contains("Wanted: values of 100-2000 B, 95 % GETs"), "{text}");
    assert!(text.contains("instead of what was described: values of"), "{text}");
}

#[test]
fn where_nothing_qualifies_the_nearest_says_what_it_misses() {
    let reference = reference();
    let bounds = ["--live", "8GiB", "--memory", "8GiB", "--p999", "1ns"];
    let output = run(&[&["choose", "--run", &reference][..], &bounds].concat());
    assert_eq!(output.status.code(), Some(9), "{}", errors(&output));
    let text = told(&output);
    assert!(text.starts_with("Nothing that was measured qualifies. The nearest is "), "{text}");
    assert!(text.contains("more than 8.00 GiB") || text.contains("more than 8 GiB"), "{text}");
    assert!(text.contains(" times 1 ns"), "{text}");
    let (code, answer) = answer(&bounds);
    assert_eq!((code, &answer["qualifying"]), (9, &Value::Array(Vec::new())));
}

#[test]
fn bad_descriptions_and_runs_are_refused_with_the_remedy() {
    let reference = reference();
    let refused = |more: &[&str], expected: &[&str]| {
        let output = run(&[&["choose"][..], more].concat());
        let said = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {said}");
        for text in expected {
            assert!(said.contains(text), "{more:?}: `{text}` is not in: {said}");
        }
        assert!(output.stdout.is_empty());
    };
    for (option, value, remedy) in [
        ("--get", "130", "0 to 100"),
        ("--value-bytes", "5..1", "write \"1-5\""),
        ("--skew", "zipf", "zipfian:0.99"),
        ("--live", "8GB", "GiB"),
        ("--memory", "8GiB", "add --live"),
        ("--p999", "fast", "write 50us"),
        ("--threads", "0", "1 to 512"),
        ("--store", "nible", "did you mean nibble"),
    ] {
        refused(&["--run", &reference, option, value], &[value, remedy]);
    }
    let folder = scratch("choose-no-run");
    refused(&["--run", folder.to_str().unwrap()], &["choose-no-run", "the folder of a run"]);
    refused(&["--run", &reference, "--store", "null"], &["no rows of null", "--measure"]);
    refused(&["--run", &reference, "--dry-run"], &["--measure"]);
}

#[test]
fn a_run_without_such_rows_is_refused() {
    let folder = scratch("choose-other-rows");
    let suite = "question = \"?\"\n[[fragmentation]]\nheaps = [\"glibc\"]\npatterns = [\"P1\"]\n";
    let (code, run_folder, _) = crate::common::run_suite_in(&folder, suite, &[]);
    assert_eq!(code, 0);
    let output = run(&["choose", "--run", run_folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("run price-of-memory"), "{}", errors(&output));
}

/// What the published run lacks is measured: these sizes, keys and shares, at fills within the budget.
#[test]
fn missing_cells_are_planned_measured_and_answered_from() {
    let folder = scratch("choose-measure");
    let results = folder.join("results");
    let asked = |more: &[&str]| {
        bench()
            .args([
                "choose",
                "--run",
                &reference(),
                "--results",
                results.to_str().unwrap(),
                "--quiet",
            ])
            .args([
                "--value-bytes",
                "200..400",
                "--get",
                "90",
                "--skew",
                "zipfian:0.8",
                "--threads",
                "2",
            ])
            .args([
                "--live", "16MiB", "--memory", "32MiB", "--store", "nibble", "--store", "hashmap",
            ])
            .args(["--measure", "--scale", "smoke"])
            .args(more)
            .output()
            .expect("the program starts")
    };
    let planned = asked(&["--dry-run"]);
    assert!(planned.status.success(), "{}", errors(&planned));
    let cells = told(&planned);
    assert!(!results.exists(), "a plan measures nothing");
    assert_eq!(cells.lines().count(), 4, "three fills of nibble, one of hashmap: {cells}");
    assert!(cells.lines().all(|cell| cell.contains("zipfian:0.8-value-200-400")), "{cells}");
    let output = asked(&["--json"]);
    let answer: Value = serde_json::from_str(&told(&output))
        .unwrap_or_else(|error| panic!("{error}: {}", errors(&output)));
    assert!([Some(0), Some(9)].contains(&output.status.code()), "{}", errors(&output));
    let measured = only_folder(&results).expect("a run");
    assert_eq!(answer["run"].as_str(), measured.to_str());
    let ids: BTreeSet<String> = cells.lines().map(str::to_owned).collect();
    for store in all(&answer) {
        assert!(
            store["cells"].as_array().unwrap().iter().all(|id| ids.contains(id.as_str().unwrap()))
        );
    }
    for ranking in answer["qualifying"].as_array().unwrap() {
        assert_eq!(ranking["gaps"], Value::Array(Vec::new()), "exactly as described");
    }
    assert_eq!(all(&answer).count(), 2, "both stores are told of: {answer}");
}
