//! Runs whose shards a list of hosts measures, by an `ssh` that runs here what it is to run there.
//! `scripts/cluster` does it with servers of ssh in network namespaces.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::cluster::{SUITE, cells};
use crate::common::{bench, errors, only_folder, run, scratch, told};
use record::archive;

/// Each host is a folder. `gone` refuses; `frail` loses its connection once it has measured something;
/// `old` lacks instructions; `other` has another processor; `broken` cannot measure.
const SSH: &str = r#"#!/bin/sh
options=; while [ $# -gt 2 ]; do options="$options$1 "; shift; done
echo "$options" >>"$FAKE/options"
host=$1
export HOME="$FAKE/$host"
mkdir -p "$HOME" && cd "$HOME" || exit
case $host in
  gone) echo "ssh: connect to host gone port 22: Connection refused" >&2; exit 255 ;;
esac
case "$2" in
  *uname*)
    [ $host = old ] || exec sh -c "$2"
    echo "Linux $(uname -m)"; echo "flags : fpu"; echo "model name : Old processor" ;;
  *about*)
    [ $host = other ] || exec sh -c "$2"
    sh -c "$2" | sed 's/"cpu":"[^"]*"/"cpu":"Another processor"/' ;;
  *rows.jsonl*)
    if [ $host = frail ] && [ ! -e "$FAKE/broke" ]; then
      touch "$FAKE/broke"; echo 1
      echo "client_loop: send disconnect: Broken pipe" >&2; exit 255
    fi
    if [ $host = broken ]; then echo "cannot measure" >&2; exit 4; fi
    exec sh -c "$2" ;;
  *) exec sh -c "$2" ;;
esac
"#;

/// A folder with that `ssh`, the suite, and a file of hosts.
fn machine(name: &str, hosts: &str) -> PathBuf {
    let folder = scratch(name);
    for (name, text) in [("ssh", SSH), ("shared.toml", SUITE), ("hosts", hosts)] {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::set_permissions(folder.join("ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn beside_ssh(folder: &Path) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = bench();
    command.env("PATH", format!("{}:{path}", folder.display())).env("FAKE", folder);
    command
}

fn sweep(folder: &Path, more: &[&str]) -> Output {
    let mut command = beside_ssh(folder);
    command.arg("run").arg(folder.join("shared.toml"));
    command.args(["--scale", "smoke", "--repetitions", "3", "--quiet", "--executor", "ssh"]);
    command.arg("--hosts").arg(folder.join("hosts")).arg("--results").arg(folder.join("results"));
    command.args(more).output().unwrap()
}

/// The merged run of a sweep that came to its end, and the nodes that measured it.
fn merged(output: &Output) -> (PathBuf, Vec<String>) {
    assert_eq!(output.status.code(), Some(0), "{}", errors(output));
    let run = PathBuf::from(told(output).lines().last().unwrap());
    let cells = cells(&run);
    assert!(cells.len() == 6 && cells.values().all(|times| *times == 1), "{cells:?}");
    let nodes = archive::load(&run).unwrap().0.nodes;
    (run, nodes.into_keys().collect())
}

#[test]
fn hosts_share_a_plan_and_keep_nothing() {
    let folder = machine("hosts", "# three\na\nme@b\nc\n");
    let output = sweep(&folder, &["--ssh=-p", "--ssh", "2222"]);
    let (run, nodes) = merged(&output);
    assert_eq!(nodes, ["a", "c", "me@b"], "by their names in the file");
    assert!(errors(&output).contains("3 shards on 3 host(s)"), "{}", errors(&output));
    let command = archive::load(&run).unwrap().0.command;
    assert_eq!(
        command,
        "nibble-bench run ./shared.toml --scale smoke --repetitions=3 --quiet --results 1"
    );
    let options = fs::read_to_string(folder.join("options")).unwrap();
    let is_after = |line: &str| line.starts_with("-p 2222 -T -oBatchMode=yes ");
    assert!(options.lines().all(is_after), "ours come after: {options}");
    for host in ["a", "me@b", "c"] {
        assert_eq!(fs::read_dir(folder.join(host)).unwrap().count(), 0, "{host}");
    }
}

#[test]
fn a_host_that_is_gone_is_said_at_once_and_the_others_measure_its_shard() {
    let folder = machine("hosts-gone", "gone\na\nfrail\n");
    let output = sweep(&folder, &[]);
    let (_, nodes) = merged(&output);
    let said = errors(&output);
    let (before, after) = said.split_once("3 shards on 2 host(s)").expect("hosts are counted");
    assert!(before.contains("left out: gone cannot be reached: ssh says: ssh: connect"), "{said}");
    assert!(before.contains("Connection refused; does sshd run there"), "{said}");
    assert!(after.contains("frail cannot be reached") && after.contains("Broken pipe"), "{said}");
    assert!(nodes.contains(&"a".to_owned()) && !nodes.contains(&"gone".to_owned()), "{nodes:?}");
}

#[test]
fn a_stopped_sweep_goes_on_with_other_hosts() {
    // One fails on what it is asked, the other is not there.
    let folder = machine("hosts-broken", "broken\ngone\n");
    let output = sweep(&folder, &[]);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("missing: shard 1/2, 2/2: shard 1 was given up"), "{said}");
    assert!(said.contains("broken: measuring failed: cannot measure"), "{said}");
    let sweep = only_folder(&folder.join("results/ssh")).expect("what goes on");
    fs::write(folder.join("hosts"), "a\n").unwrap();
    let mut command = beside_ssh(&folder);
    command
        .args(["run", "--quiet", "--resume"])
        .arg(sweep)
        .arg("--hosts")
        .arg(folder.join("hosts"));
    assert_eq!(merged(&command.output().unwrap()).1, ["a"]);
}

#[test]
fn unlike_hosts_are_refused_or_marked() {
    let folder = machine("hosts-unlike", "a\nother\n");
    let output = sweep(&folder, &[]);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a and other are unlike: cpu: `"), "{said}");
    assert!(
        said.contains("and `Another processor`") && said.contains("--allow-mismatch"),
        "{said}"
    );
    assert!(!folder.join("results/ssh").exists(), "nothing is left here");
    assert_eq!(fs::read_dir(folder.join("other")).unwrap().count(), 0, "and nothing there");
    // Its rows say what the processor is.
    assert_eq!(merged(&sweep(&folder, &["--allow-mismatch"])).1, ["a", "other"]);

    let folder = machine("hosts-old", "a\nold\n");
    let output = sweep(&folder, &[]);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("old (Old processor) lacks what this program was compiled for"),
        "{said}"
    );
    assert!(!folder.join("results/ssh").exists());
    let output = sweep(&folder, &["--allow-mismatch"]);
    assert_eq!(merged(&output).1, ["a"]);
    assert!(errors(&output).contains("left out: old (Old processor)"), "{}", errors(&output));
}

#[test]
fn hosts_that_cannot_be_are_refused_with_what_can() {
    for (hosts, code, text) in [
        ("# none\n", 2, "no host is in it; it holds one host a line"),
        ("a\nb slots=2\n", 2, "hosts: line 2: `b slots=2` is no host"),
        ("a\nb\nc\nd\n", 2, "ask for --repetitions 4 or more, or for 3 shard(s)"),
        ("gone\n", 3, "no host can be used: nothing was measured"),
    ] {
        let folder = machine("hosts-refused", hosts);
        let output = sweep(&folder, &[]);
        let said = errors(&output);
        assert!(output.status.code() == Some(code) && said.contains(text), "{said}");
        assert!(!folder.join("results/ssh").exists(), "nothing is left");
    }
    for (arguments, text) in [
        (&["--executor", "ssh"][..], "--hosts <FILE>"),
        (&["--hosts", "file"], "hosts are for --executor ssh"),
        (&["--executor", "ssh", "--hosts", "file", "--nodes", "2"], "--nodes"),
        (&["--executor", "slurm"], "--nodes <COUNT>"),
    ] {
        let output = run(&[&["run", "self-test"], arguments].concat());
        let said = errors(&output);
        assert!(output.status.code() == Some(2) && said.contains(text), "{said}");
    }
    let folder = machine("hosts-no-ssh", "a\n");
    fs::remove_file(folder.join("ssh")).unwrap();
    let mut command = bench();
    command.args(["run", "self-test", "--scale", "smoke", "--executor", "ssh", "--results"]);
    command.arg(folder.join("results")).arg("--hosts").arg(folder.join("hosts")).env("PATH", "");
    let output = command.output().unwrap();
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("`ssh` is not on this machine") && said.contains("--shard"), "{said}");
}
