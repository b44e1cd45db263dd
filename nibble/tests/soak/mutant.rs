//! Breaks the engine on purpose, and looks whether that is found.

use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use nibble::instrument::VARIABLE;

use super::fault;
use super::options::{Mode, Options};

/// Whether every mutant that is asked for is found in the given time.
pub(crate) fn all_found(options: &Options) -> ExitCode {
    let survivors = options.mutants.iter().filter(|name| !is_found(name, options)).count();
    println!("{} mutants, {survivors} not found by a check", options.mutants.len());
    if survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs this program again with the engine broken so. Only what a check found counts: what fails
/// otherwise, such as an assertion of the engine, is tried again.
fn is_found(name: &str, options: &Options) -> bool {
    let begin = Instant::now();
    let mut failures = 0;
    let (verdict, end) = loop {
        let left = options.lasts.saturating_sub(begin.elapsed());
        let output = broken(name, options, left).output().expect("this program starts again");
        let (code, end) = (output.status.code(), summary(&output));
        if code == Some(fault::EXIT.into()) {
            break ("found", end);
        }
        failures += u32::from(code != Some(0));
        if begin.elapsed() >= options.lasts || code == Some(0) {
            break ("NOT FOUND", end);
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    println!("{name} · {verdict} · {seconds:.1} s · {failures} other failures before · {end}");
    verdict == "found"
}

fn broken(name: &str, options: &Options, lasts: Duration) -> Command {
    let mode = match options.mode {
        Mode::Histories => "histories",
        Mode::Sequences => "sequences",
    };
    let mut command = Command::new(std::env::current_exe().expect("this program's own path"));
    let seconds = lasts.as_secs().to_string();
    command.args([mode, "--seconds", &seconds, "--operations", &options.operations.to_string()]);
    command.args(options.seed.iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]));
    command.env(VARIABLE, name).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// How it ended, and the beginning of what it said.
fn summary(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = errors.lines().take(3).collect();
    format!("{} · {}", output.status, lines.join(" "))
}
