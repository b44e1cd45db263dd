//! `targets`: measures the table of performance targets, a line each.

use std::collections::BTreeSet;

use expect::Verdict;
use serde_json::json;

use super::measure::{Session, record};
use super::{Failure, output};
use crate::cli::TargetsArguments;
use crate::plan::Plan;
use crate::runner::calibrate_apart;
use crate::suites::Bytes;
use crate::targets::{
    BUILT_IN, File, Kind, Line, Printer, Record, Sizes, Target, cells, judge, means, round_of,
    select,
};
use record::{Calibration, Cell, Row, unknown_name};
use worker::exit;
use worker::kernel::available_memory_bytes;

/// Version of `targets.json`.
const SCHEMA: u32 = 2;

/// Lists the targets, or measures and judges them.
pub(super) fn run(arguments: &TargetsArguments) -> Result<(), Failure> {
    let (name, file) = load(arguments)?;
    let targets = select(file.targets.clone(), &arguments.only).map_err(Failure::usage)?;
    let printer = Printer::new(&targets);
    if arguments.list {
        list(&targets, printer, arguments.json);
        return Ok(());
    }
    let sizes = sizes(&file, arguments)?;
    let planned: Vec<(&Target, Vec<Cell>)> = targets
        .iter()
        .map(|target| Ok((target, cells(&file, target, &sizes).map_err(Failure::usage)?)))
        .collect::<Result<_, Failure>>()?;
    let plan = distinct(&planned);
    check_memory(&plan.cells)?;
    let record = record("targets", None, &[], &plan);
    let session = Session::open(record, &plan, &[], &arguments.output)?;
    let mut bench = Bench {
        session,
        file: &file,
        sizes: &sizes,
        printer,
        rows: Vec::new(),
        calibrations: Vec::new(),
        lines: Vec::new(),
        json: arguments.json,
    };
    let (yardsticks, others): (Vec<_>, Vec<_>) =
        planned.iter().partition(|(target, _)| matches!(target.kind, Kind::Yardstick { .. }));
    for group in others.chunk_by(|(one, _), (next, _)| one.shares_loads_with(next)) {
        bench.measure(group);
    }
    bench.measure_against_yardsticks(&yardsticks)?;
    bench.judge_means();
    bench.conclude(name, arguments)
}

/// Prints what is asked, without measuring.
fn list(targets: &[Target], printer: Printer, json: bool) {
    let as_data = |target: &Target| {
        json!({
            "name": target.name(),
            "says": target.expectation.says,
            "source": target.expectation.source,
            "asked": target.bounds().to_string(),
        })
    };
    if json {
        output::print_json(&targets.iter().map(as_data).collect::<Vec<_>>());
    } else {
        targets.iter().for_each(|target| println!("{}", printer.listed(target)));
    }
}

struct Bench<'a> {
    session: Session,
    file: &'a File,
    sizes: &'a Sizes,
    printer: Printer,
    /// Rows of all cells so far; targets may share cells.
    rows: Vec<Row>,
    calibrations: Vec<Calibration>,
    lines: Vec<Line>,
    /// Whether lines are kept for the document at the end.
    json: bool,
}

impl Bench<'_> {
    /// Runs those cells that no earlier target has run.
    fn run(&mut self, cells: &[Cell]) {
        let known: BTreeSet<&str> = self.rows.iter().map(|row| row.cell.id.as_str()).collect();
        let fresh: Vec<Cell> =
            cells.iter().filter(|cell| !known.contains(cell.id.as_str())).cloned().collect();
        // Requests by themselves, each cell in a process of its own: in one that it shared, a side would
        // meet what the other side, or its own first turn, has left in the store.
        let (alone, others): (Vec<Cell>, Vec<Cell>) =
            fresh.into_iter().partition(Cell::is_exclusive);
        for cells in alone.chunks(1).chain([&others[..]]) {
            let rows = self.session.run(cells);
            self.rows.extend(rows);
        }
    }

    fn rows_of(&self, cells: &[Cell]) -> Vec<Row> {
        let ids: BTreeSet<&str> = cells.iter().map(|cell| cell.id.as_str()).collect();
        self.rows.iter().filter(|row| ids.contains(row.cell.id.as_str())).cloned().collect()
    }

    /// Measures targets that share loads; of more than one, cells at the same place of their comparisons
    /// belong to one process.
    fn measure(&mut self, group: &[&(&Target, Vec<Cell>)]) {
        match group {
            [(_, cells)] => self.run(cells),
            _ => {
                let places = group.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
                for place in 0..places {
                    let there = group.iter().filter_map(|(_, cells)| cells.get(place));
                    let there: Vec<Cell> = there.cloned().collect();
                    let rows = self.session.run(&there);
                    self.rows.extend(rows);
                }
            }
        }
        for (target, cells) in group {
            // A line of half its cells would look like a failure.
            if !self.session.is_interrupted() {
                self.judge(target, cells);
            }
        }
    }

    /// Round by round: a calibration, then a repetition of every yardstick, so that drift of the
    /// machine meets both.
    fn measure_against_yardsticks(
        &mut self,
        planned: &[&(&Target, Vec<Cell>)],
    ) -> Result<(), Failure> {
        let rounds = if planned.is_empty() { 0 } else { self.sizes.repetitions };
        for round in 0..rounds {
            if self.session.is_interrupted() {
                return Ok(());
            }
            let calibration =
                calibrate_apart(self.sizes.calibration.0).map_err(Failure::internal)?;
            self.calibrations.push(calibration);
            let cells = planned.iter().flat_map(|(_, cells)| cells);
            let cells: Vec<Cell> = cells.filter(|cell| round_of(cell) == round).cloned().collect();
            self.run(&cells);
        }
        if !self.session.is_interrupted() {
            for (target, cells) in planned {
                self.judge(target, cells);
            }
        }
        Ok(())
    }

    fn judge(&mut self, target: &Target, cells: &[Cell]) {
        let rows = self.rows_of(cells);
        let line = judge(self.file, target, &rows, self.sizes, &self.calibrations);
        if !self.json {
            self.session.print(&self.printer.line(&line));
        }
        self.lines.push(line);
    }

    /// Whole expectations, once all of their targets are measured.
    fn judge_means(&mut self) {
        let lines = means(self.file, &self.lines);
        if !self.json {
            lines.iter().for_each(|line| self.session.print(&self.printer.line(line)));
        }
        self.lines.extend(lines);
    }

    /// Writes `targets.json` and `targets.txt` beside the rows, and says what came of it.
    fn conclude(self, file: String, arguments: &TargetsArguments) -> Result<(), Failure> {
        let record = Record {
            schema: SCHEMA,
            file,
            scale: arguments.scale.clone(),
            sizes: self.sizes.clone(),
            calibration_made: self.file.plan.calibration,
            calibrations: self.calibrations,
            lines: self.lines,
        };
        let json = serde_json::to_string_pretty(&record).expect("a record is plain data");
        let mut text = format!("{}\n\n", record.summary());
        text.extend(record.lines.iter().map(|line| self.printer.line(line) + "\n"));
        text.push('\n');
        for note in record.notes() {
            text += &format!("{note}\n");
        }
        self.session.keep_file("targets.json", &(json + "\n"))?;
        self.session.keep_file("targets.txt", &text)?;
        let measured = self.session.finish()?;
        if arguments.json {
            output::print_json(&record);
        } else {
            println!("{}", record.summary());
        }
        for note in record.notes() {
            eprintln!("note: {note}");
        }
        if !arguments.json {
            println!("{}", measured.folder.display());
        }
        let is = |verdict: Verdict| record.lines.iter().any(|line| line.verdict == verdict);
        if measured.interrupted {
            Err(Failure::silent(exit::INTERRUPTED))
        } else if measured.unexpected > 0 || is(Verdict::NotTestable) {
            Err(Failure::silent(exit::UNEXPECTED))
        } else if arguments.strict && is(Verdict::Fails) {
            Err(Failure::silent(exit::TARGET_MISSED))
        } else {
            Ok(())
        }
    }
}

/// Reads the built-in targets or the given file.
fn load(arguments: &TargetsArguments) -> Result<(String, File), Failure> {
    let (name, text) = match &arguments.file {
        None => (BUILT_IN.0.to_owned(), BUILT_IN.1.to_owned()),
        Some(path) => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::usage(format!("{name}: cannot be read: {error}")))?;
            (name, text)
        }
    };
    let file = File::parse(&name, &text).map_err(|error| Failure::usage(error.to_string()))?;
    Ok((name, file))
}

/// Sizes of the scale, overridden by options.
fn sizes(file: &File, arguments: &TargetsArguments) -> Result<Sizes, Failure> {
    let scale = &arguments.scale;
    let known = || file.plan.scales.keys().map(String::as_str);
    let mut sizes = file
        .plan
        .scales
        .get(scale)
        .cloned()
        .ok_or_else(|| Failure::usage(unknown_name("scale", scale, known())))?;
    if let Some(text) = &arguments.object_memory {
        let bytes: Bytes =
            text.parse().map_err(|error| Failure::usage(format!("object-memory: {error}")))?;
        // Every target's, whatever it asks for.
        (sizes.object_memory, sizes.object_memory_max) = (bytes, Some(bytes));
    }
    sizes.operations = arguments.operations.unwrap_or(sizes.operations);
    sizes.blocks = arguments.blocks.unwrap_or(sizes.blocks);
    sizes.repetitions = arguments.repetitions.unwrap_or(sizes.repetitions);
    sizes.check().map_err(Failure::usage)?;
    Ok(sizes)
}

fn distinct(planned: &[(&Target, Vec<Cell>)]) -> Plan {
    let mut seen = BTreeSet::new();
    let cells = planned.iter().flat_map(|(_, cells)| cells);
    let cells = cells.filter(|cell| seen.insert(cell.id.clone())).cloned().collect();
    Plan { cells, ..Plan::default() }
}

fn check_memory(cells: &[Cell]) -> Result<(), Failure> {
    let wanted = cells.iter().map(Cell::expected_bytes).max().unwrap_or(0);
    let available = available_memory_bytes();
    if wanted > available / 10 * 9 {
        return Err(Failure::machine(format!(
            "a cell may need {} MiB and {} MiB are available: lower --object-memory or --scale, \
             or leave large targets out with --only",
            wanted >> 20,
            available >> 20
        )));
    }
    Ok(())
}
