//! What `run` and `reproduce` share: cells into a run folder, with a progress bar.

use std::collections::BTreeMap;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Failure;
use crate::archive::{Archive, RunRecord};
use crate::cell::Cell;
use crate::cli::OutputArguments;
use crate::environment::{available_memory_bytes, capture};
use crate::plan::Plan;
use crate::record::{Outcome, Row, SCHEMA};
use crate::runner::{CellRecord, Interrupt, ProcessRunner, Progress, run_all};
use crate::spec::{Scale, Suite};

/// Share of available memory that cells in flight may be expected to hold, in percent.
const IN_FLIGHT_PERCENT: u64 = 75;

/// What was measured.
#[derive(Debug)]
pub(super) struct Measured {
    /// The run's folder.
    pub(super) folder: PathBuf,
    /// Steps that ended in an outcome the plan does not allow for.
    pub(super) unexpected: usize,
    /// Whether the user stopped it.
    pub(super) interrupted: bool,
}

/// The record of a run that is about to begin.
pub(super) fn record(name: &str, scale: Option<Scale>, suites: &[Suite], plan: &Plan) -> RunRecord {
    RunRecord {
        schema: SCHEMA,
        name: name.to_owned(),
        command: command_line(),
        scale,
        suites: suites.iter().map(|suite| (suite.name.clone(), suite.question.clone())).collect(),
        figures: Vec::new(),
        notices: plan.notices.clone(),
        cells_planned: plan.cells.len(),
        started: String::new(),
        finished: None,
        interrupted: false,
        machine: capture(),
    }
}

/// Runs the cells into a fresh folder.
pub(super) fn measure(
    cells: &[Cell],
    record: RunRecord,
    output: &OutputArguments,
) -> Result<Measured, Failure> {
    let mut session = Session::open(record, output)?;
    session.run(cells);
    session.finish()
}

/// A run folder into which cells are measured, some now and some later.
pub(super) struct Session {
    runner: ProcessRunner,
    interrupt: Interrupt,
    keeper: Keeper,
    interrupted: bool,
}

impl Session {
    /// A fresh folder.
    pub(super) fn open(record: RunRecord, output: &OutputArguments) -> Result<Self, Failure> {
        let interrupt = Interrupt::register()
            .map_err(|error| Failure::internal(format!("registering for Ctrl-C: {error}")))?;
        let program = std::env::current_exe()
            .map_err(|error| Failure::internal(format!("finding this program: {error}")))?;
        let cells = record.cells_planned;
        let archive = Archive::create(&output.results, record).map_err(Failure::internal)?;
        eprintln!("writing {}", archive.folder().display());
        let keeper = Keeper {
            archive,
            bar: progress_bar(cells, output.quiet),
            rows: Vec::new(),
            unexpected: Vec::new(),
            unavailable: BTreeMap::new(),
            failure: None,
        };
        let runner = ProcessRunner { program, interrupt: interrupt.clone() };
        Ok(Self { runner, interrupt, keeper, interrupted: false })
    }

    /// Measures the cells and returns their rows; nothing more once the user has stopped the run.
    pub(super) fn run(&mut self, cells: &[Cell]) -> Vec<Row> {
        let memory_bytes = available_memory_bytes() / 100 * IN_FLIGHT_PERCENT;
        self.interrupted |=
            run_all(cells, &self.runner, memory_bytes, &self.interrupt, &mut self.keeper);
        std::mem::take(&mut self.keeper.rows)
    }

    /// Whether the user has stopped the run.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted || self.interrupt.is_set()
    }

    /// Prints a line to standard output, past the progress bar.
    pub(super) fn print(&self, line: &str) {
        self.keeper.bar.suspend(|| println!("{line}"));
    }

    /// Keeps a file beside the rows.
    pub(super) fn keep_file(&self, name: &str, text: &str) -> Result<(), Failure> {
        self.keeper.archive.keep_file(name, text).map_err(Failure::internal)
    }

    /// Notes the run's end and says what was left out or unexpected.
    pub(super) fn finish(mut self) -> Result<Measured, Failure> {
        let interrupted = self.is_interrupted();
        let keeper = &mut self.keeper;
        keeper.bar.finish_and_clear();
        keeper.archive.finish(interrupted).map_err(Failure::internal)?;
        if let Some(failure) = keeper.failure.take() {
            return Err(Failure::internal(failure));
        }
        for (system, reason) in &keeper.unavailable {
            eprintln!("left out: {system}: {reason}");
        }
        for line in &keeper.unexpected {
            eprintln!("unexpected: {line}");
        }
        Ok(Measured {
            folder: keeper.archive.folder().to_owned(),
            unexpected: keeper.unexpected.len(),
            interrupted,
        })
    }
}

struct Keeper {
    archive: Archive,
    bar: ProgressBar,
    /// Of the cells that are being measured.
    rows: Vec<Row>,
    unexpected: Vec<String>,
    unavailable: BTreeMap<String, String>,
    failure: Option<String>,
}

impl Progress for Keeper {
    fn finished(&mut self, cell: &Cell, record: CellRecord) {
        for row in &record.rows {
            let reason = row.reason.clone().unwrap_or_default();
            if row.outcome == Outcome::Unavailable {
                self.unavailable.insert(row.system.clone(), reason);
            } else if !row.expected {
                let outcome = row.outcome.word();
                self.unexpected.push(format!("{} {}: {outcome}: {reason}", cell.id, row.step));
            }
        }
        if let Err(error) = self.archive.keep(cell, &record) {
            self.failure.get_or_insert(error);
        }
        self.rows.extend(record.rows);
        self.bar.inc(1);
        self.bar.set_message(cell.id.clone());
    }
}

fn progress_bar(cells: usize, quiet: bool) -> ProgressBar {
    let target =
        if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(4) };
    let style = ProgressStyle::with_template("{pos}/{len} [{bar:30}] ETA {eta} {wide_msg}")
        .expect("a template that indicatif knows");
    ProgressBar::with_draw_target(Some(cells as u64), target).with_style(style)
}

/// This program's command line, as a shell would take it, with the program by its name.
fn command_line() -> String {
    let quote = |argument: String| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@,".contains(letter);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    };
    let arguments = std::env::args().skip(1).map(quote);
    std::iter::once("nibble-bench".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}
