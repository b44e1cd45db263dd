//! Breaks the engine on purpose, and looks whether that is found.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use nibble::instrument::VARIABLE;

use super::fault;
use super::options::{Mode, Options};

/// Whether every mutant that is asked for is found in the given time.
pub(crate) fn all_found(options: &Options) -> ExitCode {
    let survivors = options.mutants.iter().filter(|name| !is_found(name, options)).count();
    println!("{} mutants, {survivors} not found", options.mutants.len());
    if survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs this program again with the engine broken so. Only what a check found counts.
fn is_found(name: &str, options: &Options) -> bool {
    let mode = match options.mode {
        Mode::Histories => "histories",
        Mode::Sequences => "sequences",
    };
    let program = std::env::current_exe().expect("this program's own path");
    let mut command = Command::new(program);
    let minutes = options.lasts.as_secs().div_ceil(60).to_string();
    command.args([mode, "--minutes", &minutes, "--operations", &options.operations.to_string()]);
    command.args(options.seed.iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]));
    command.env(VARIABLE, name).stdout(Stdio::null()).stderr(Stdio::piped());
    let begin = Instant::now();
    let output = command.output().expect("this program starts again");
    let seconds = begin.elapsed().as_secs_f64();
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = errors.lines().take(3).collect();
    let found = output.status.code() == Some(fault::EXIT.into());
    let verdict = match (found, output.status.success()) {
        (true, _) => "found",
        (_, true) => "NOT FOUND",
        _ => "FAILED WITHOUT A CHECK",
    };
    println!("{name} · {verdict} · {seconds:.1} s · {} · {}", output.status, lines.join(" "));
    found
}
