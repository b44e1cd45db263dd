//! Tests of this crate. Programs are those that every system has: `sh`, `sleep`, `true`.

mod commands;
mod endings;
mod exports;
mod loaders;
mod looks;
mod runs;
mod sessions;

use std::ffi::OsString;
use std::time::Duration;

use crate::{Ending, Failure, Input, Launch, Output, Run, run};

/// The words of a line for a shell.
fn shell(line: &str) -> Vec<OsString> {
    ["sh", "-c", line].map(OsString::from).to_vec()
}

/// Runs a line with these outputs, for at most 20 s.
fn run_line(line: &str, output: &Output) -> Result<Run, Failure> {
    run_within(line, output, Duration::from_secs(20))
}

fn run_within(line: &str, output: &Output, timeout: Duration) -> Result<Run, Failure> {
    run(Launch {
        words: &shell(line),
        environment: &[],
        input: &Input::Null,
        output,
        timeout,
        servers_stay: false,
        stop: &|| false,
    })
}

/// A run that was made up.
fn made_up(elapsed_ms: u64) -> Run {
    Run {
        elapsed_ns: elapsed_ms * 1_000_000,
        user_ns: elapsed_ms * 900_000,
        system_ns: elapsed_ms * 100_000,
        peak_bytes: 50 << 20,
        minor_faults: 1000,
        major_faults: 0,
        voluntary_switches: 1,
        involuntary_switches: 1,
        ending: Ending::Exited(0),
        said: String::new(),
        left: Vec::new(),
        curve: Vec::new(),
    }
}
