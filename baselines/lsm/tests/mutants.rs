//! Runs every mutant of the store against the test that must kill it; `scripts/mutants` builds the
//! test program and passes it as an argument. Arguments that name no file select mutants.
//!
//! A killing test must pass without a mutant and fail with it. One that is stopped because it takes
//! too long counts as surviving.

use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use baseline_lsm::{VARIABLE, mutants};

/// A killing test takes a few seconds.
const LIMIT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let (programs, selected): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.contains('/'));
    let program = programs.iter().find(|program| program.contains("baseline_lsm"));
    let Some(program) = program else {
        eprintln!("no test program: run scripts/mutants");
        return ExitCode::from(2);
    };
    let wanted = |name: &str| selected.is_empty() || selected.iter().any(|one| one == name);
    let table: Vec<_> = mutants().iter().filter(|(name, ..)| wanted(name)).collect();
    let mut wrong = 0;
    let mut killers: Vec<_> = table.iter().map(|(_, _, killer)| *killer).collect();
    killers.sort_unstable();
    killers.dedup();
    for killer in killers {
        let passes = run(program, killer, None);
        println!("no mutant · {killer} · {passes:?}");
        wrong += u32::from(passes != Some(true));
    }
    for (name, breaks, killer) in &table {
        let begin = Instant::now();
        let is_killed = run(program, killer, Some(name)) == Some(false);
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

/// Whether a test passes; `None` if it was stopped or is not there.
fn run(program: &str, killer: &str, mutant: Option<&str>) -> Option<bool> {
    let (_, test) = killer.split_once("::")?;
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
