//! What `run` and `reproduce` share: cells into a run folder, with a progress bar.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Failure;
use super::decide::decide;
use crate::cli::{OutputArguments, Retry};
use crate::doctor::quiet;
use crate::environment::{capture, node_name};
use crate::plan::{Plan, estimate_s};
use crate::runner::{Interrupt, ProcessRunner, Progress, Reserve, Rooflines, run_all};
use crate::shell::quoted;
use crate::suites::Suite;
use crate::traces::Traces;
use record::{
    Cell, CellRecord, MachineRecord, Outcome, Row, SCHEMA, Scale,
    archive::{Again, Archive, Resumed, RunRecord},
    identity::Provenance,
};
use report::suites::KEPT;
use worker::exit;
use worker::kernel::available_memory_bytes;

/// Share of available memory that cells in flight may be expected to hold, in percent.
const IN_FLIGHT_PERCENT: u64 = 85;

/// A finished or stopped run.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) folder: PathBuf,
    /// Steps that ended in an outcome the plan does not allow for.
    pub(super) unexpected: usize,
    pub(super) interrupted: bool,
}

/// What disturbs a run at `scale` before it begins, for its notices.
///
/// # Errors
/// The same, where the run is to be `strict`.
pub(super) fn disturbance(scale: &Scale, strict: bool) -> Result<Option<String>, Failure> {
    // Nobody concludes from the smallest scale.
    if scale.name == "smoke" && !strict {
        return Ok(None);
    }
    match quiet::disturbance() {
        Some(busy) if strict => Err(Failure {
            code: exit::DISTURBED,
            message: Some(format!("{busy} Nothing was measured.")),
        }),
        busy => Ok(busy),
    }
}

/// The record of a new run.
pub(super) fn record(name: &str, scale: Option<Scale>, suites: &[Suite], plan: &Plan) -> RunRecord {
    let machine = capture();
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
        resumed: Vec::new(),
        finished: None,
        interrupted: false,
        provenance: provenance(&machine, &plan.cells),
        machine,
        decide_s: None,
        within_s: None,
        split: None,
        nodes: BTreeMap::new(),
    }
}

/// What rows of `cells` are a result of. Allocators stay unopened: a worker is to measure them.
fn provenance(machine: &MachineRecord, cells: &[Cell]) -> Provenance {
    Provenance::of(machine, cells, |name| worker::registry::heap(name)?.version_unopened())
}

/// Runs the cells into a fresh folder, beside what is known of the traces that they replay.
pub(super) fn measure(
    plan: &Plan,
    record: RunRecord,
    (suites, traces): (&[Suite], &Traces),
    output: &OutputArguments,
) -> Result<Measured, Failure> {
    let mut session = Session::open(record, plan, suites, output)?;
    for (name, account) in traces.accounts().map_err(Failure::internal)? {
        session.keep_file(&name, &account)?;
    }
    session.run(&plan.cells);
    decide(&mut session)?;
    session.finish()
}

/// Runs the cells that the run in `folder` lacks; `None` where it lacks none.
pub(super) fn complete(
    folder: &Path,
    retry: Option<Retry>,
    quiet: bool,
) -> Result<Option<Measured>, Failure> {
    let machine = capture();
    let node = node_name();
    let again = Again { failed: retry == Some(Retry::Failed), node: &node };
    let resumed = Archive::resume(folder, |cells| provenance(&machine, cells), again)
        .map_err(Failure::usage)?;
    let Resumed { mut archive, rows, missing, planned, again } = resumed;
    if !archive.record().provenance.names_a_commit() {
        eprintln!(
            "note: this program was not built from a commit; whether its sources are those the run \
             was begun with cannot be told"
        );
    }
    let there = planned - missing.len();
    if missing.is_empty() {
        if archive.record().finished.is_none() {
            archive.finish(false).map_err(Failure::internal)?;
        }
        eprintln!("{}: nothing is missing, all {planned} cells are there", folder.display());
        return Ok(None);
    }
    archive.on_node(&node, &machine).map_err(Failure::internal)?;
    let failed = if again > 0 { format!(", {again} of them again") } else { String::new() };
    eprintln!(
        "resuming {}: {there} of {planned} cells are there, {} are run{failed}: {}",
        folder.display(),
        missing.len(),
        super::plan::size(&missing)
    );
    let mut session = Session::new(archive, missing.len(), quiet)?;
    for row in &rows {
        session.keeper.note(row);
    }
    session.run(&missing);
    // Whether deciding had begun shows in the plan.
    let first = session.record().scale.as_ref().map_or(0, |scale| scale.repetitions);
    if !rows.iter().any(|row| row.cell.repetition >= first) {
        decide(&mut session)?;
    }
    session.finish().map(Some)
}

/// A run folder into which cells are measured, some now and some later.
pub(super) struct Session {
    runner: ProcessRunner,
    interrupt: Interrupt,
    keeper: Keeper,
    interrupted: bool,
    reserve: Reserve,
    /// What all cells so far took, and what they were expected to take.
    took_s: f64,
    expected_s: f64,
}

impl Session {
    /// A fresh folder, in which the cells of `plan` are to be measured, with the texts of `suites`.
    pub(super) fn open(
        record: RunRecord,
        plan: &Plan,
        suites: &[Suite],
        output: &OutputArguments,
    ) -> Result<Self, Failure> {
        let Plan { cells, suites: asking, .. } = plan;
        let machine = record.machine.clone();
        let mut archive = Archive::create(&output.results, record, cells, asking.clone())
            .map_err(Failure::internal)?;
        archive.on_node(&node_name(), &machine).map_err(Failure::internal)?;
        // Its figures stay what they are now, however the suites are edited.
        for suite in suites.iter().filter(|suite| !suite.text.is_empty()) {
            archive
                .keep_file(&format!("{KEPT}/{}.toml", suite.name), &suite.text)
                .map_err(Failure::internal)?;
        }
        if !cells.is_empty() {
            eprintln!("{}", super::plan::size(cells));
        }
        eprintln!("writing {}", archive.folder().display());
        Self::new(archive, cells.len(), output.quiet)
    }

    fn new(archive: Archive, cells: usize, quiet: bool) -> Result<Self, Failure> {
        let interrupt = Interrupt::register()
            .map_err(|error| Failure::internal(format!("registering for Ctrl-C: {error}")))?;
        let program = std::env::current_exe()
            .map_err(|error| Failure::internal(format!("finding this program: {error}")))?;
        let keeper = Keeper {
            archive,
            bar: progress_bar(cells, quiet),
            rows: Vec::new(),
            unexpected: Vec::new(),
            unavailable: BTreeMap::new(),
            failure: None,
            rooflines: Rooflines::default(),
            rows_only: false,
        };
        let runner = ProcessRunner { program, interrupt: interrupt.clone() };
        let (took_s, expected_s) = (0.0, 0.0);
        let reserve = Reserve::here();
        Ok(Self { runner, interrupt, keeper, interrupted: false, reserve, took_s, expected_s })
    }

    /// Keeps rows only, no curves and no histograms: for runs of very many processes.
    pub(super) fn keep_rows_only(&mut self) {
        self.keeper.rows_only = true;
    }

    /// Says how many cells more are going to be measured.
    pub(super) fn expect(&self, cells: usize) {
        self.keeper.bar.inc_length(cells as u64);
    }

    /// Takes further repetitions of planned cells into the plan.
    pub(super) fn extend(&mut self, cells: &[Cell]) -> Result<(), Failure> {
        self.expect(cells.len());
        self.keeper.archive.extend(cells).map_err(Failure::internal)
    }

    /// Adds a sentence to what the report says of the run as a whole.
    pub(super) fn note(&mut self, notice: String) {
        self.keeper.archive.note(notice);
    }

    /// What the cells so far took, as a multiple of the estimate.
    pub(super) fn pace(&self) -> f64 {
        if self.expected_s > 0.0 { self.took_s / self.expected_s } else { 1.0 }
    }

    /// What all cells so far took, in seconds.
    pub(super) fn took_s(&self) -> f64 {
        self.took_s
    }

    pub(super) fn folder(&self) -> &Path {
        self.keeper.archive.folder()
    }

    pub(super) fn record(&self) -> &RunRecord {
        self.keeper.archive.record()
    }

    /// Measures one cell by the workers of another program.
    pub(super) fn run_by(&mut self, program: &Path, cell: &Cell) -> Vec<Row> {
        let own = std::mem::replace(&mut self.runner.program, program.to_owned());
        let rows = self.run(std::slice::from_ref(cell));
        self.runner.program = own;
        rows
    }

    /// Measures the cells and returns their rows; nothing more once the user has stopped the run.
    pub(super) fn run(&mut self, cells: &[Cell]) -> Vec<Row> {
        let available_bytes = available_memory_bytes() + self.reserve.held_bytes();
        let memory_bytes = available_bytes / 100 * IN_FLIGHT_PERCENT;
        let began = Instant::now();
        self.interrupted |= run_all(
            &longest_first(cells),
            &self.runner,
            (memory_bytes, &self.reserve),
            &self.interrupt,
            &mut self.keeper,
        );
        self.took_s += began.elapsed().as_secs_f64();
        self.expected_s += estimate_s(cells);
        std::mem::take(&mut self.keeper.rows)
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted || self.interrupt.is_set()
    }

    /// Prints a line to standard output, past the progress bar.
    pub(super) fn print(&self, line: &str) {
        self.keeper.bar.suspend(|| super::output::print(&format!("{line}\n")));
    }

    /// Writes a file beside the rows.
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

/// Those that run side by side begin with the longest, so that no core is left with one at the end; those
/// that run alone keep their order.
fn longest_first(cells: &[Cell]) -> Vec<Cell> {
    let key = |cell: &Cell| match cell.is_exclusive() {
        true => 0.0,
        false => estimate_s(std::slice::from_ref(cell)),
    };
    let mut cells = cells.to_vec();
    cells.sort_by(|one, other| key(other).total_cmp(&key(one)));
    cells
}

struct Keeper {
    archive: Archive,
    bar: ProgressBar,
    /// Rows of the cells being measured.
    rows: Vec<Row>,
    unexpected: Vec<String>,
    unavailable: BTreeMap<String, String>,
    failure: Option<String>,
    rooflines: Rooflines,
    rows_only: bool,
}

impl Keeper {
    /// Remembers what is to be said of a row at the end.
    fn note(&mut self, row: &Row) {
        self.rooflines.note(row);
        let reason = row.reason.clone().unwrap_or_default();
        if row.outcome == Outcome::Unavailable {
            self.unavailable.insert(row.system.clone(), reason);
        } else if !row.expected {
            let (id, outcome) = (&row.cell.id, row.outcome.word());
            self.unexpected.push(format!("{id} {}: {outcome}: {reason}", row.step));
        }
    }
}

impl Progress for Keeper {
    fn finished(&mut self, cell: &Cell, mut record: CellRecord) {
        for row in &mut record.rows {
            self.rooflines.complete(row);
            self.note(row);
        }
        if self.rows_only {
            record = CellRecord { rows: record.rows, ..CellRecord::default() };
        }
        if let Err(error) = self.archive.keep(cell, &record) {
            self.failure.get_or_insert(error);
        }
        self.rows.extend(record.rows);
        self.bar.inc(1);
        self.bar.set_message(cell.id.clone());
    }
}

pub(super) fn progress_bar(cells: usize, quiet: bool) -> ProgressBar {
    let target =
        if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(4) };
    let style = ProgressStyle::with_template("{pos}/{len} [{bar:30}] ETA {eta} {wide_msg}")
        .expect("a template that indicatif knows");
    ProgressBar::with_draw_target(Some(cells as u64), target).with_style(style)
}

/// This program's command line, as a shell would take it, with the program by its name.
pub(super) fn command_line() -> String {
    let arguments = std::env::args().skip(1).map(|argument| quoted(&argument));
    std::iter::once("nibble-bench".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}
