//! Runs every mutant of the engine against the test that must kill it; `scripts/mutants` builds
//! the test programs and passes them as arguments. Arguments that name no file select mutants.
//!
//! A killing test must pass without a mutant and fail with it. One that is stopped because it
//! takes too long counts as surviving: a test whose mutant makes it hang bounds itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nibble::instrument::{VARIABLE, mutants};

/// A killing test takes a few seconds.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    Stopped,
    /// There is no such test.
    Missing,
}

fn main() -> ExitCode {
    let (files, selected): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.contains('/'));
    let programs: BTreeMap<String, PathBuf> = files.iter().map(|file| program(file)).collect();
    let wanted = |name: &str| selected.is_empty() || selected.iter().any(|one| one == name);
    let table: Vec<_> = mutants().iter().filter(|&&(name, ..)| wanted(name)).collect();
    if table.is_empty() || programs.is_empty() {
        eprintln!("no mutant selected, or no test programs: run scripts/mutants");
        return ExitCode::from(2);
    }

    let mut wrong = Vec::new();
    let mut sound = BTreeSet::new();
    for &killer in table.iter().map(|(_, _, killer)| killer).collect::<BTreeSet<_>>() {
        let (end, seconds) = run(&programs, killer, None);
        println!("no mutant · {killer} · {end:?} · {seconds:.1}");
        if end == End::Passed {
            sound.insert(killer);
        } else {
            wrong.push(format!("{killer} without a mutant: {end:?}"));
        }
    }
    for &&(name, breaks, killer) in &table {
        if !sound.contains(killer) {
            wrong.push(format!("{name} has no test"));
            continue;
        }
        let (end, seconds) = run(&programs, killer, Some(name));
        if end == End::Failed {
            println!("{name} · {killer} · {seconds:.1}");
        } else {
            println!("{name} · SURVIVES {killer} ({end:?}) · {seconds:.1}");
            wrong.push(format!("{name} survives: {breaks}"));
        }
    }
    for one in &wrong {
        eprintln!("{one}");
    }
    println!("{} mutants, {} wrong", table.len(), wrong.len());
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A test program's name is its file's, without the hash.
fn program(file: &str) -> (String, PathBuf) {
    let path = PathBuf::from(file);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    (stem.rsplit_once('-').map_or(stem.clone(), |(name, _)| name.to_owned()), path)
}

/// Runs `binary::path::test`; answers how it ended and after how many seconds.
fn run(programs: &BTreeMap<String, PathBuf>, killer: &str, mutant: Option<&str>) -> (End, f64) {
    let (binary, test) = killer.split_once("::").expect("checked by a unit test");
    let Some(program) = programs.get(binary) else { return (End::Missing, 0.0) };
    let mut listing = Command::new(program);
    let listed = listing.args(["--exact", test, "--list"]).output().expect("the program runs");
    if !String::from_utf8_lossy(&listed.stdout).contains(": test") {
        return (End::Missing, 0.0);
    }
    let mut command = Command::new(program);
    command.args(["--exact", test]).stdout(Stdio::null()).stderr(Stdio::null());
    command.env_remove(VARIABLE).envs(mutant.map(|name| (VARIABLE, name)));
    let begin = Instant::now();
    let end = outcome(command.spawn().expect("the program runs"), begin + LIMIT);
    (end, begin.elapsed().as_secs_f64())
}

fn outcome(mut child: Child, deadline: Instant) -> End {
    loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) if status.success() => return End::Passed,
            Some(_) => return End::Failed,
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            None => {
                child.kill().expect("a child can be stopped");
                child.wait().expect("a child can be waited for");
                return End::Stopped;
            }
        }
    }
}
