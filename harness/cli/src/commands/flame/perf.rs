//! Stacks sampled by `perf record`, from outside the worker. It starts disabled; two FIFOs tell it when to
//! sample, and back when it does.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use inferno::collapse::{Collapse, perf};
use rustix::fs::{CWD, Mode, mkfifoat};

use super::in_environment_of;
use super::steps::{Moment, follow};
use record::Cell;
use worker::FREQUENCY_HZ;

/// Events that need no hardware counter: all of the time, or that of user space alone, which the kernel lets
/// more users see.
const EVENTS: [&str; 2] = ["cpu-clock", "cpu-clock:u"];
/// The program has no frame pointers, so parts of the stack are kept and unwound afterwards.
const UNWINDING: &str = "dwarf,16384";

/// A perf that may record.
pub(super) struct Perf {
    event: &'static str,
}

impl Perf {
    /// Tries it.
    ///
    /// # Errors
    /// Why it cannot record here, and the remedy.
    pub(super) fn find(scratch: &Path) -> Result<Self, String> {
        let mut refusal = String::new();
        for event in EVENTS {
            let mut command = record(event, &scratch.join("probe"));
            match command.args(["--", "true"]).output() {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Err("`perf` is not installed (Debian: linux-perf)".to_owned());
                }
                Err(error) => return Err(format!("`perf` does not start: {error}")),
                Ok(output) if output.status.success() => return Ok(Self { event }),
                Ok(output) => refusal = last_words(&output),
            }
        }
        Err(format!(
            "`perf` may not record here ({refusal}); root allows it: sysctl \
             kernel.perf_event_paranoid=1"
        ))
    }

    pub(super) fn stacks(
        &self,
        program: &Path,
        cell: &Cell,
        scratch: &Path,
    ) -> Result<String, String> {
        let mut control = Control::create(scratch)?;
        let data = scratch.join("perf.data");
        let mut command = record(self.event, &data);
        command
            .args(["--call-graph", UNWINDING, "--delay=-1"])
            .arg(control.option())
            .arg("--")
            .arg(program)
            .arg("worker");
        follow(in_environment_of(cell, command), cell, |moment| control.tell(moment))?;
        fold(&data)
    }
}

fn record(event: &str, data: &Path) -> Command {
    let mut command = Command::new("perf");
    command
        .args(["record", "--quiet", "--event", event, "--freq", &FREQUENCY_HZ.to_string()])
        .arg("--output")
        .arg(data);
    command
}

/// The FIFOs by which perf is told to sample.
struct Control {
    paths: [PathBuf; 2],
    commands: File,
    answers: BufReader<File>,
}

impl Control {
    fn create(scratch: &Path) -> Result<Self, String> {
        let paths = ["commands", "answers"].map(|name| scratch.join(name));
        let open = |path: &PathBuf| -> std::io::Result<File> {
            mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR)?;
            // Opened for both, so that this does not wait for perf.
            OpenOptions::new().read(true).write(true).open(path)
        };
        let fail = |error: std::io::Error| format!("a FIFO in {}: {error}", scratch.display());
        let commands = open(&paths[0]).map_err(fail)?;
        let answers = BufReader::new(open(&paths[1]).map_err(fail)?);
        Ok(Self { paths, commands, answers })
    }

    fn option(&self) -> String {
        let [commands, answers] = &self.paths;
        format!("--control=fifo:{},{}", commands.display(), answers.display())
    }

    /// Tells perf, and waits until it has done it.
    fn tell(&mut self, moment: Moment) -> Result<(), String> {
        let command = match moment {
            Moment::Begins => "enable",
            Moment::Ended => "disable",
        };
        let fail = |error: std::io::Error| format!("telling perf to {command}: {error}");
        writeln!(self.commands, "{command}").map_err(fail)?;
        self.answers.read_until(b'\n', &mut Vec::new()).map_err(fail)?;
        Ok(())
    }
}

/// The stacks in perf's file, a line each with its count.
fn fold(data: &Path) -> Result<String, String> {
    let mut command = Command::new("perf");
    // Lines of inlined functions take perf minutes.
    command.args(["script", "--no-inline", "--input"]).arg(data);
    let output = command
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("`perf script` does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`perf script`: {}", last_words(&output)));
    }
    let mut folded = Vec::new();
    perf::Folder::from(perf::Options::default())
        .collapse(output.stdout.as_slice(), &mut folded)
        .map_err(|error| format!("the output of `perf script`: {error}"))?;
    Ok(String::from_utf8_lossy(&folded).into_owned())
}

/// The last line that says something.
fn last_words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rfind(|line| !line.trim().is_empty());
    line.unwrap_or("without a word").trim().to_owned()
}
