//! `flame`: a flamegraph of one cell, which is run once more for it.
//!
//! `perf` samples the worker from outside; where it is missing or forbidden, a timer within the worker does.
//! Either samples the measured steps only: the worker waits before each step until its parent lets it go
//! on.

mod drawing;
mod perf;
mod steps;
mod timer;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::cell::{pick, planned};
use super::{Failure, output};
use crate::cli::{FlameArguments, Sampling};
use crate::runner::prepare_environment;
use record::{Cell, archive};

/// Runs the cell, draws its stacks and prints where the drawing is.
pub(super) fn run(arguments: &FlameArguments) -> Result<(), Failure> {
    let cell = cell(arguments)?;
    let file = arguments.output.clone().unwrap_or_else(|| usual_file(arguments, &cell));
    let scratch = tempfile::tempdir()
        .map_err(|error| Failure::machine(format!("a temporary folder: {error}")))?;
    let sampler = sampler(arguments.with, scratch.path())?;
    let stacks = sampler.stacks(&cell, scratch.path()).map_err(|reason| {
        Failure::machine(format!("`{}` was not sampled by {}: {reason}", cell.id, sampler.name()))
    })?;
    let svg = drawing::svg(&cell, &stacks, sampler.name())
        .map_err(|reason| Failure::machine(format!("`{}`: {reason}", cell.id)))?;
    let fail = |error: std::io::Error| Failure::internal(format!("{}: {error}", file.display()));
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    archive::write_whole(&file, &svg).map_err(fail)?;
    let summary = drawing::Summary::of(&stacks);
    if arguments.json {
        let sampler = sampler.name();
        output::print_json(&Made { cell: &cell.id, sampler, file: &file, summary: &summary });
    } else {
        eprintln!("{}", summary.words());
        output::print(&format!("{}\n", file.display()));
    }
    if let (Some(run), None) = (&arguments.run, &arguments.output) {
        eprintln!("`nibble-bench report {}` links it", run.display());
    }
    Ok(())
}

/// What was made, for programs.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Made<'a> {
    cell: &'a str,
    sampler: &'a str,
    file: &'a Path,
    #[serde(flatten)]
    summary: &'a drawing::Summary,
}

/// The cell, of a run or of the suites.
fn cell(arguments: &FlameArguments) -> Result<Cell, Failure> {
    let Some(run) = &arguments.run else {
        return planned(&arguments.id, arguments.suite.as_deref(), &arguments.scale);
    };
    let (_, rows) = archive::load(run).map_err(Failure::usage)?;
    let mut cells: Vec<&Cell> = rows.iter().map(|row| &row.cell).collect();
    cells.dedup_by(|one, other| one.id == other.id);
    pick(cells, &arguments.id, "the report of the run lists its cells").cloned()
}

/// In the run's folder, where its report looks for it; without a run in the current folder.
fn usual_file(arguments: &FlameArguments, cell: &Cell) -> PathBuf {
    let path = PathBuf::from(archive::flame(&cell.id));
    match &arguments.run {
        Some(run) => run.join(path),
        None => path.file_name().map_or(path.clone(), PathBuf::from),
    }
}

/// Something that samples the stacks of a worker.
enum Sampler {
    Perf(perf::Perf),
    Timer,
}

/// The sampler asked for; by default perf where it works, else the timer.
fn sampler(asked: Option<Sampling>, scratch: &Path) -> Result<Sampler, Failure> {
    if asked == Some(Sampling::Timer) {
        return Ok(Sampler::Timer);
    }
    match perf::Perf::find(scratch) {
        Ok(perf) => Ok(Sampler::Perf(perf)),
        Err(reason) if asked.is_some() => Err(Failure::machine(format!(
            "{reason}; `--with timer` samples within the process instead"
        ))),
        Err(reason) => {
            eprintln!("note: {reason}; a timer within the process samples its stacks instead");
            Ok(Sampler::Timer)
        }
    }
}

impl Sampler {
    fn name(&self) -> &'static str {
        match self {
            Self::Perf(_) => "perf",
            Self::Timer => "a timer",
        }
    }

    /// The stacks of the cell's measured steps: lines of functions, outermost first, each with its count.
    fn stacks(&self, cell: &Cell, scratch: &Path) -> Result<String, String> {
        let program =
            std::env::current_exe().map_err(|error| format!("finding this program: {error}"))?;
        let stacks = match self {
            Self::Perf(perf) => perf.stacks(&program, cell, scratch),
            Self::Timer => timer::stacks(&program, cell, scratch),
        }?;
        if stacks.trim().is_empty() {
            return Err("its measured steps are too short for a single sample: choose a larger \
                        --scale"
                .to_owned());
        }
        Ok(stacks)
    }
}

/// `command` in the environment in which the cell's worker is measured.
fn in_environment_of(cell: &Cell, mut command: Command) -> Command {
    prepare_environment(&mut command, &cell.system);
    command
}
