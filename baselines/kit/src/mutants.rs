//! Runs every mutant of a crate against the test that must kill it; `scripts/mutants` builds the test
//! programs and passes them as arguments. Arguments that name no file select mutants.
//!
//! A killing test must pass without a mutant and fail with it. One that is stopped because it takes
//! too long counts as surviving.

use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use platform::mutants::{Entry, VARIABLE};

/// A killing test takes a few seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs those of `table` that the program's arguments select. `is_program` tells whether a file is the test
/// program of that name.
pub fn run(table: &[Entry], is_program: impl Fn(&str, &str) -> bool) -> ExitCode {
    let (programs, selected): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.contains('/'));
    let wanted = |name: &str| selected.is_empty() || selected.iter().any(|one| one == name);
    let table: Vec<_> = table.iter().filter(|(name, ..)| wanted(name)).collect();
    let mut tests = Vec::new();
    for (.., killer) in &table {
        let (name, test) = killer.split_once("::").expect("a program and a test");
        let Some(program) = programs.iter().find(|file| is_program(name, file)) else {
            eprintln!("no test program `{name}`: run scripts/mutants");
            return ExitCode::from(2);
        };
        tests.push(Test { killer, program, test });
    }
    let mut wrong = 0;
    let mut sound = tests.clone();
    sound.sort_unstable();
    sound.dedup();
    for test in sound {
        let passes = test.passes(None);
        println!("no mutant · {} · {passes:?}", test.killer);
        wrong += u32::from(passes != Some(true));
    }
    for ((name, breaks, killer), test) in table.iter().zip(tests) {
        let begin = Instant::now();
        let is_killed = test.passes(Some(name)) == Some(false);
        let verdict = if is_killed { "killed by" } else { "SURVIVES" };
        println!("{name} · {verdict} {killer} · {:.1}", begin.elapsed().as_secs_f64());
        if !is_killed {
            eprintln!("{name} survives: {breaks}");
            wrong += 1;
        }
    }
    println!("{} mutants, {wrong} wrong", table.len());
    if wrong == 0 && !table.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Test<'run> {
    killer: &'run str,
    program: &'run str,
    test: &'run str,
}

impl Test<'_> {
    /// Whether it passes; `None` if it was stopped or is not there.
    fn passes(&self, mutant: Option<&str>) -> Option<bool> {
        let Self { program, test, .. } = *self;
        let listed = Command::new(program).args(["--exact", test, "--list"]).output().ok()?;
        if !String::from_utf8_lossy(&listed.stdout).contains(": test") {
            return None;
        }
        let mut command = Command::new(program);
        command.args(["--exact", test]).stdout(Stdio::null()).stderr(Stdio::null());
        command.env_remove(VARIABLE).envs(mutant.map(|name| (VARIABLE, name)));
        let mut child = command.spawn().ok()?;
        let deadline = Instant::now() + LIMIT;
        while Instant::now() < deadline {
            if let Some(status) = child.try_wait().ok()? {
                return Some(status.success());
            }
            thread::sleep(Duration::from_millis(10));
        }
        child.kill().ok()?;
        child.wait().ok()?;
        None
    }
}
