//! Runs that nodes share: shards, merged into the run that one machine would have made.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{bench, errors, run, run_suite, scratch, told};
use crate::json_output::documented;
use record::archive;

const SUITE: &str = r#"
    question = "Do shards make one run?"
    [[key-value]]
    stores = ["null", "hashmap"]
    roofline = false
    distributions = ["uniform"]
    get-percent = [50]
    value-bytes = [64]
    fill-percent = [10]
    threads = [1]
    batch = [1]
"#;

/// The run of a shard, begun in a folder of its own.
fn shard(folder: &Path, shard: &str) -> PathBuf {
    let results = folder.join(shard.replace('/', "-of-"));
    let file = folder.join("shared.toml");
    fs::write(&file, SUITE).unwrap();
    let output = bench()
        .args(["run", file.to_str().unwrap(), "--scale", "smoke", "--repetitions", "3", "--quiet"])
        .args(["--shard", shard, "--results"])
        .arg(&results)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    crate::common::only_folder(&results).expect("a run")
}

fn merge(runs: &[&Path], more: &[&str]) -> Output {
    bench().arg("merge").args(runs).args(more).output().unwrap()
}

/// How often each cell is there whole.
fn cells(run: &Path) -> BTreeMap<String, usize> {
    let (_, rows) = archive::load(run).unwrap();
    let mut found = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.last) {
        *found.entry(row.cell.id).or_default() += 1;
    }
    found
}

#[test]
fn merged_shards_are_the_run_of_one_machine() {
    let folder = scratch("shards");
    let (first, second) = (shard(&folder, "1/2"), shard(&folder, "2/2"));
    assert!(first.to_str().unwrap().ends_with("-shared-shard-1-of-2"), "{}", first.display());
    let (_, whole, _) = run_suite("shards-whole", SUITE, &["--repetitions", "3"]);
    let expected = cells(&whole);
    assert!(expected.len() == 6 && expected.values().all(|times| *times == 1));
    assert_eq!((cells(&first).len(), cells(&second).len()), (4, 2), "whole rounds");

    let target = folder.join("merged");
    let output = ["--output", target.to_str().unwrap()];
    let merged = merge(&[&second, &first], &[&output[..], &["--json"]].concat());
    assert_eq!(merged.status.code(), Some(0), "{}", errors(&merged));
    assert_eq!(documented("merge", &merged)["cells-planned"], 6);
    assert_eq!(cells(&target), expected);
    let again = merge(&[&first, &second, &target], &output);
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
    assert!(errors(&again).contains("nothing changed: 6 cells"), "{}", errors(&again));
    // A merged run is a run: it is drawn, and nothing of it is left to measure.
    let report = bench().arg("report").arg(&target).output().unwrap();
    assert_eq!(report.status.code(), Some(0), "{}", errors(&report));
    let resumed = bench().args(["run", "--resume"]).arg(&target).output().unwrap();
    assert!(errors(&resumed).contains("nothing is missing"), "{}", errors(&resumed));
    let machine = &archive::load(&target).unwrap().0;
    let (_, rows) = archive::load(&target).unwrap();
    for row in &rows {
        assert!(machine.nodes.contains_key(&row.node), "the machine of each node is recorded");
        assert!(row.began.is_some_and(|began| began.load_average.is_some()), "and each row's load");
    }
}

#[test]
fn a_missing_shard_is_made_by_the_command_that_is_named() {
    let folder = scratch("shard-missing");
    let first = shard(&folder, "1/2");
    let output = merge(&[&first], &[]);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let command = said.split_once("shard 2/2: nibble-bench ").expect("a command").1;
    let made = bench().args(command.trim().split(' ')).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", errors(&made));
    let runs: Vec<PathBuf> = fs::read_dir(first.parent().unwrap())
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    let both: Vec<&Path> = runs.iter().map(PathBuf::as_path).filter(|path| path.is_dir()).collect();
    let merged = merge(&both, &[]);
    assert_eq!(merged.status.code(), Some(0), "{}", errors(&merged));
    let path = told(&merged).lines().last().unwrap().to_owned();
    assert_eq!(cells(Path::new(&path)).len(), 6, "beside the first run: {path}");
}

#[test]
fn shards_that_cannot_be_are_refused_with_what_can() {
    for (arguments, text) in [
        (&["self-test", "--shard", "3/2"][..], "a shard is K/N with K from 1 to N"),
        (
            &["self-test", "--scale", "smoke", "--repetitions", "2", "--shard", "1/3"],
            "ask for --repetitions 3 or more, or for 2 shard(s)",
        ),
    ] {
        let output = run(&[&["run"], arguments].concat());
        let said = errors(&output);
        assert!(output.status.code() == Some(2) && said.contains(text), "{said}");
    }
}
