//! The commands, one file each.

mod about;
mod agree;
mod cell;
mod choose;
mod claims;
mod closed_pipe;
mod cluster;
mod comparison;
mod completions;
mod decide;
mod doctor;
mod export;
mod few;
mod flame;
mod history;
mod import;
mod killtest;
mod latency;
mod list;
mod made;
mod manual;
mod measure;
mod merge;
mod model;
mod output;
mod plan;
mod programs;
mod report;
mod reproduce;
mod run;
mod search;
mod slurm;
mod splice;
mod ssh;
mod sweep;
mod targets;
mod time;
mod trace;
mod workload_options;
mod ycsb;

use clap::error::ErrorKind;
use engine::{Rule, Whole};

use crate::cli::{self, Command};
use record::{Scale, unknown_name};
use worker::exit;

/// Why a command failed.
#[derive(Debug)]
pub struct Failure {
    pub code: u8,
    /// What to tell the user; `None` if the rows already say it.
    pub message: Option<String>,
}

impl Failure {
    fn usage(message: impl Into<String>) -> Self {
        Self { code: exit::USAGE, message: Some(message.into()) }
    }

    fn machine(message: impl Into<String>) -> Self {
        Self { code: exit::MACHINE, message: Some(message.into()) }
    }

    fn internal(message: impl Into<String>) -> Self {
        Self { code: exit::INTERNAL, message: Some(message.into()) }
    }

    /// A failure that rows and summary have already reported.
    fn silent(code: u8) -> Self {
        Self { code, message: None }
    }
}

/// Runs the command of this process and returns the exit code.
#[must_use]
pub fn main() -> u8 {
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            let wanted = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if wanted { exit::OK } else { exit::USAGE };
        }
    };
    // A worker whose parent is gone says so itself.
    if !matches!(cli.command, Command::Worker { .. }) {
        closed_pipe::end_quietly();
    }
    match dispatch(cli.command) {
        Ok(()) => exit::OK,
        Err(Failure { code, message }) => {
            if let Some(message) = message {
                eprintln!("error: {message}");
            }
            code
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::List(arguments) => list::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Cluster(command) => cluster::run(&command),
        Command::Compare(arguments) => comparison::run(&arguments),
        Command::Measure(arguments) => programs::measure(&arguments),
        Command::Allocators(arguments) => programs::allocators(&arguments),
        Command::Traffic(arguments) => programs::traffic(&arguments),
        Command::Gate(arguments) => comparison::gate(&arguments),
        Command::History(arguments) => history::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Power(arguments) => comparison::power(&arguments),
        Command::About { json } => about::run(json),
        Command::Doctor { json, strict } => doctor::run(json, strict),
        Command::Cell(arguments) => cell::run(&arguments),
        Command::Worker { progress_descriptor, first_core, files, samples } => {
            files.into_iter().for_each(worker::keep_files_below);
            worker::run(progress_descriptor, first_core, samples.as_deref()).map_err(Failure::usage)
        }
        Command::Splice(arguments) => splice::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Agree(arguments) => agree::run(&arguments),
        Command::Choose(arguments) => choose::run(&arguments),
        Command::Claims(arguments) => claims::run(&arguments),
        Command::Flame(arguments) => flame::run(&arguments),
        Command::Killtest(arguments) => killtest::run(&arguments),
        Command::Targets(arguments) => targets::run(&arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::Ycsb(arguments) => ycsb::run(&arguments),
        Command::Trace(command) => trace::run(&command),
        Command::Model(command) => model::run(&command),
        Command::Latency(arguments) => latency::run(&arguments),
        Command::Export { run, csv } => export::run(&run, &csv),
        Command::Calibrate { bytes } => calibrate(&bytes),
        Command::Completions { shell } => {
            completions::run(shell);
            Ok(())
        }
        Command::Man { folder } => manual::run(folder.as_deref()),
        Command::Executor => {
            let Err(error) = worker::run_executor();
            Err(Failure::usage(error.to_string()))
        }
        Command::Reserve { bytes_max } => crate::runner::reserve(bytes_max)
            .map_err(|error| Failure::machine(format!("holding {bytes_max} bytes: {error}"))),
    }
}

/// Measures this machine's memory and prints the result as JSON.
fn calibrate(bytes: &str) -> Result<(), Failure> {
    let bytes = workloads::bytes::parse_bytes(bytes)
        .map_err(|error| Failure::usage(format!("bytes: {error}")))?;
    let rule = Rule::Whole(Whole::powers_of_two(1 << 20..=1 << 46));
    if !rule.accepts(&bytes.to_string()) {
        let nearest = rule.nearest(&bytes.to_string()).unwrap_or_default();
        return Err(Failure::usage(format!(
            "bytes = {bytes}: accepted are {rule}; the nearest is {nearest}"
        )));
    }
    let measured = worker::calibrate(bytes as u64)
        .map_err(|error| Failure::machine(format!("mapping {bytes} bytes: {error}")))?;
    if measured.bytes < bytes as u64 {
        eprintln!("note: {} bytes are measured: {bytes} do not fit the memory", measured.bytes);
    }
    println!("{}", serde_json::to_string(&measured).expect("plain data"));
    Ok(())
}

fn scale(name: &str) -> Result<Scale, Failure> {
    Scale::by_name(name).ok_or_else(|| Failure::usage(unknown_name("scale", name, Scale::NAMES)))
}
