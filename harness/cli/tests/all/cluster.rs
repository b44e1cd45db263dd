//! Runs that nodes share: shards, merged into the run that one machine would have made.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{bench, errors, root, run, run_suite, scratch, told};
use crate::json_output::documented;
use record::archive;

pub(crate) const SUITE: &str = r#"
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
pub(crate) fn cells(run: &Path) -> BTreeMap<String, usize> {
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

#[test]
fn without_slurm_it_is_said_what_to_do_and_nothing_is_left() {
    let results = scratch("no-slurm");
    let output = bench()
        .args(["run", "self-test", "--scale", "smoke", "--executor", "slurm", "--nodes", "1"])
        .arg("--results")
        .arg(&results)
        .env("PATH", "")
        .output()
        .unwrap();
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("`sbatch` is not on this machine") && said.contains("--shard"), "{said}");
    assert_eq!(fs::read_dir(results.join("slurm")).unwrap().count(), 0);
}

/// Answers as Slurm does, and runs each task at once. Of the first job it loses task 2, by the state in LOSES.
const SBATCH: &str = r#"#!/bin/sh
job=$(($(cat "$FAKE/jobs" 2>/dev/null || echo 0) + 1))
echo $job >"$FAKE/jobs"
echo "$@" >>"$FAKE/asked"
for word; do
  case $word in --array=*) tasks=$(echo "${word#--array=}" | tr , ' ') ;; esac
  script=$word
done
for task in $tasks; do
  if [ "$job $task" = "1 2" ]; then
    echo "$job|$task|$LOSES|n2|NodeDown" >>"$FAKE/queue"
  else
    SLURM_ARRAY_TASK_ID=$task SLURMD_NODENAME=n$task sh "$script" >>"$FAKE/said" 2>&1
    echo "$job|$task|COMPLETED|n$task|None" >>"$FAKE/queue"
  fi
done
echo "$job;here"
"#;

/// The program on a machine with that `sbatch`, in a folder of its own.
fn beside_slurm(folder: &Path, loses: &str) -> Command {
    use std::os::unix::fs::PermissionsExt;
    for (name, text) in [("sbatch", SBATCH), ("squeue", "#!/bin/sh\ncat \"$FAKE/queue\"\n")] {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = bench();
    command.env("PATH", format!("{}:{path}", folder.display()));
    command.env("FAKE", folder).env("LOSES", loses);
    command
}

/// The sweep that [`beside_slurm`] runs.
fn sweep(folder: &Path, loses: &str) -> Output {
    let suite = folder.join("shared.toml");
    fs::write(&suite, SUITE).unwrap();
    let mut command = beside_slurm(folder, loses);
    command.arg("run").arg(&suite).args(["--scale", "smoke", "--repetitions", "3", "--quiet"]);
    command.args(["--executor", "slurm", "--nodes", "3", "--sbatch", "--partition=long"]);
    command.arg("--results").arg(folder.join("results")).output().unwrap()
}

#[test]
fn a_shard_that_slurm_loses_is_submitted_again() {
    let folder = scratch("slurm-loses");
    let output = sweep(&folder, "NODE_FAIL");
    let said = errors(&output) + &fs::read_to_string(folder.join("said")).unwrap_or_default();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let asked = fs::read_to_string(folder.join("asked")).unwrap();
    let asked: Vec<&str> = asked.lines().collect();
    assert!(asked.len() == 2 && asked[0].contains("--array=1,2,3 --partition=long"), "{asked:?}");
    assert!(asked[1].contains("--array=2 --partition=long"), "{asked:?}");
    let merged = told(&output).lines().last().unwrap().to_owned();
    let cells = cells(Path::new(&merged));
    assert!(cells.len() == 6 && cells.values().all(|times| *times == 1), "{cells:?}");
    let nodes = archive::load(Path::new(&merged)).unwrap().0.nodes;
    assert_eq!(nodes.keys().collect::<Vec<_>>(), ["n1", "n2", "n3"]);
}

#[test]
fn a_cancelled_shard_is_submitted_again_only_if_asked() {
    let folder = scratch("slurm-cancelled");
    let output = sweep(&folder, "CANCELLED");
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let resume = said.split_once("shard 2 was cancelled: `nibble-bench ").expect("why").1;
    let resume: Vec<&str> = resume.split('`').next().unwrap().split(' ').collect();
    let output = beside_slurm(&folder, "").args(resume).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let merged = told(&output).lines().last().unwrap().to_owned();
    assert_eq!(cells(Path::new(&merged)).len(), 6);
}

/// On a cluster of two virtual nodes, where Slurm is installed. `scripts/cluster` does more, anywhere.
#[test]
fn slurm_runs_the_shards() {
    let is_there = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
        folders.into_iter().any(|folder| folder.join(name).is_file())
    };
    if !["sbatch", "slurmctld", "slurmd", "munged"].into_iter().all(is_there) {
        eprintln!("skipped: Slurm is not installed");
        return;
    }
    let folder = scratch("slurm");
    let suite = folder.join("shared.toml");
    fs::write(&suite, SUITE).unwrap();
    let on_two_nodes = |more: &[&str]| {
        let mut command = Command::new(root().join("scripts/slurm-here"));
        command.args(["2", env!("CARGO_BIN_EXE_nibble-bench"), "run"]).arg(&suite);
        command.args(["--scale", "smoke", "--repetitions", "3", "--quiet", "--executor", "slurm"]);
        command.args(["--nodes", "2", "--results"]).arg(folder.join("results")).args(more);
        command.output().expect("a script")
    };
    let refused = on_two_nodes(&["--sbatch=--partition=nowhere"]);
    let said = errors(&refused);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("nvalid partition") && said.contains("`sinfo` lists"), "{said}");
    let output = on_two_nodes(&["--sbatch=--comment=passes"]);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("coordination: "), "{said}");
    let merged = told(&output).lines().last().unwrap().to_owned();
    let cells = cells(Path::new(&merged));
    assert!(cells.len() == 6 && cells.values().all(|times| *times == 1), "{cells:?}");
    let nodes = archive::load(Path::new(&merged)).unwrap().0.nodes;
    assert_eq!(nodes.keys().collect::<Vec<_>>(), ["n1", "n2"]);
}
