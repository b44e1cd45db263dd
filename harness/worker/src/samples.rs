//! Stacks sampled by a timer within the process, for flamegraphs where perf cannot record. Nothing of it
//! runs, and no memory is taken for it, unless a worker is asked for samples.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;

use pprof::{Frames, ProfilerGuard, ProfilerGuardBuilder};
use record::{Cell, Work};

/// Samples per second of processor time; a prime, so that no period of the program is always met.
pub const FREQUENCY_HZ: u32 = 997;

/// Functions of the sampler itself, which stand above those of the program.
const OWN: [&str; 2] = ["pprof::", "backtrace::"];

/// Whether the stacks of a step are of interest: of requests to a store, those that are measured.
#[must_use]
pub fn is_sampled(cell: &Cell, step: &str) -> bool {
    !matches!(cell.work, Work::KeyValue(_)) || step == "run"
}

/// Sampled stacks, and the file that they are written to.
pub(crate) struct Samples {
    file: PathBuf,
    cell: Cell,
    running: Option<ProfilerGuard<'static>>,
    /// How often each stack was seen; outermost function first, separated by `;`.
    stacks: BTreeMap<String, u64>,
    failure: Option<String>,
}

impl fmt::Debug for Samples {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Samples").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Samples {
    pub(crate) fn new(file: PathBuf, cell: Cell) -> Self {
        Self { file, cell, running: None, stacks: BTreeMap::new(), failure: None }
    }

    /// Begins to sample, if `step` is of interest.
    pub(crate) fn begin(&mut self, step: &str) {
        if !is_sampled(&self.cell, step) {
            return;
        }
        let frequency = i32::try_from(FREQUENCY_HZ).expect("a small number");
        match ProfilerGuardBuilder::default().frequency(frequency).build() {
            Ok(guard) => self.running = Some(guard),
            Err(error) => self.failure = Some(format!("sampling stacks: {error}")),
        }
    }

    /// Ends what [`Samples::begin`] began.
    pub(crate) fn end(&mut self) {
        let Some(guard) = self.running.take() else { return };
        match guard.report().build() {
            Ok(report) => {
                for (frames, count) in &report.data {
                    let count = u64::try_from(*count).unwrap_or_default();
                    *self.stacks.entry(folded(frames)).or_default() += count;
                }
            }
            Err(error) => self.failure = Some(format!("reading sampled stacks: {error}")),
        }
    }

    /// Writes the stacks, a line each with its count.
    pub(crate) fn write(&self) -> Result<(), String> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let lines = self.stacks.iter().map(|(stack, count)| format!("{stack} {count}\n"));
        fs::write(&self.file, lines.collect::<String>())
            .map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

/// A stack as a line: the thread, then its functions, those that were inlined included.
fn folded(frames: &Frames) -> String {
    let mut names: Vec<String> =
        frames.frames.iter().flatten().map(|symbol| symbol.name().replace(';', ":")).collect();
    let own = names.iter().rposition(|name| OWN.iter().any(|own| name.contains(own)));
    names.drain(..own.map_or(0, |place| place + 1));
    names.push(frames.thread_name_or_id());
    names.reverse();
    names.join(";")
}
