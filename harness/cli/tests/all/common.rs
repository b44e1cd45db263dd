//! What the integration tests share.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use record::{Cell, Row};
use worker::protocol::Event;

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a checkout")
}

/// A file of the workspace.
pub fn read(path: &str) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every Rust file of the workspace.
pub fn rust_files() -> Vec<PathBuf> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                if !["target", ".git", "results"].contains(&name.to_string_lossy().as_ref()) {
                    walk(&path, files);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&root(), &mut files);
    files
}

/// A folder of this test's own, emptied.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// The program.
pub fn bench() -> Command {
    Command::new(env!("CARGO_BIN_EXE_nibble-bench"))
}

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Output {
    bench().args(arguments).output().expect("the program starts")
}

/// What the program printed.
pub fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What the program said on standard error.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the worker says of `cell`, piped in by hand.
pub fn piped(cell: &Cell) -> Vec<Event> {
    let mut worker = bench()
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let text = serde_json::to_string(cell).expect("plain data");
    writeln!(worker.stdin.take().expect("piped"), "{text}").expect("it is read");
    let output = worker.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", errors(&output));
    let events = told(&output);
    events.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// A suite of requests to `store`, with those further lines in its table.
pub fn requests_to(store: &str, lines: &str) -> String {
    format!("question = \"?\"\n[[key-value]]\nstores = [\"{store}\"]\nroofline = false\n{lines}\n")
}

/// Writes `suite` as a TOML file, runs it at scale `smoke` and returns exit code, folder and rows.
pub fn run_suite(name: &str, suite: &str, more: &[&str]) -> (i32, PathBuf, Vec<Row>) {
    run_suite_in(&scratch(name), suite, more)
}

/// The same in a folder that is there, with traces below its `results/traces`.
pub fn run_suite_in(folder: &Path, suite: &str, more: &[&str]) -> (i32, PathBuf, Vec<Row>) {
    let file = folder.join("suite.toml");
    fs::write(&file, suite).expect("the suite is written");
    let results = folder.join("results");
    let output = bench()
        .args(["run", file.to_str().unwrap(), "--scale", "smoke", "--quiet", "--results"])
        .arg(&results)
        .args(more)
        .output()
        .expect("the program starts");
    let code = output.status.code().expect("an exit code");
    let run = only_folder(&results).unwrap_or_else(|| panic!("no run: {}", errors(&output)));
    let (_, rows) = record::archive::load(&run).expect("the run loads");
    (code, run, rows)
}

/// The one folder below `folder`, beside those of traces and of builds.
pub fn only_folder(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let is_run = |entry: &PathBuf| {
        entry.is_dir() && !entry.ends_with("traces") && !entry.ends_with("builds")
    };
    let mut entries = entries.filter(is_run);
    let first = entries.next()?;
    assert!(entries.next().is_none(), "one run in {}", folder.display());
    Some(first)
}

/// The processes that a process has started and not yet waited for.
pub fn children_of(parent: u32) -> Vec<u32> {
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        if status.lines().any(|line| line == format!("PPid:\t{parent}")) {
            children.push(pid);
        }
    }
    children
}
