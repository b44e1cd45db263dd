//! What YCSB prints at its end: lines as `[READ], 99thPercentileLatency(us), 12`. Several outputs
//! in one file are repetitions of their workloads.

use std::collections::BTreeMap;

use super::field::measured;
use super::lines::{Imported, Lines, Quantity, THROUGHPUT, push};
use super::percentile::percentile;
use super::{ImportFault, Tool};

const OVERALL: &str = "OVERALL";
const RATE: &str = "Throughput(ops/sec)";
/// Closing a client: once a thread, and no part of a workload.
const CLEANUP: &str = "CLEANUP";
/// Operations that gave an error; their times are those of errors.
const FAILED: &str = "-FAILED";

/// Succeeds if YCSB wrote it; the error says why it did not.
pub(super) fn recognise(text: &str) -> Result<(), String> {
    let mut measurements = text.lines().filter_map(Measurement::of);
    match measurements.any(|measurement| measurement.section == OVERALL) {
        true => Ok(()),
        false => Err(format!("no line begins with [{OVERALL}], ")),
    }
}

/// One cell per workload, named by its file in the echoed command line (load phases apart), else by
/// `stem`.
pub(super) fn import(text: &str, stem: &str) -> Result<Imported, ImportFault> {
    if !text.ends_with('\n') && text.lines().last().is_some_and(|line| line.contains('[')) {
        return Err(ImportFault::Cut { line: text.lines().count() });
    }
    let mut lines = Lines::new(Tool::Ycsb, stem);
    let mut workload = None;
    let mut output: Option<Output<'_>> = None;
    for (number, line) in (1..).zip(text.lines()) {
        workload = named_workload(line).or(workload);
        let Some(measurement) = Measurement::of(line) else { continue };
        if output.as_ref().is_none_or(|output| output.is_ended_by(&measurement)) {
            if let Some(ended) = output.take() {
                ended.push_to(&mut lines)?;
            }
            let cell = workload.take().unwrap_or_else(|| stem.to_owned());
            output = Some(Output { cell, line: number, measurements: Vec::new() });
        }
        if let Some(output) = &mut output {
            output.measurements.push((number, measurement));
        }
    }
    if let Some(last) = output {
        last.push_to(&mut lines)?;
    }
    lines.finish()
}

/// `[section], name, value`.
#[derive(Clone, Copy, Debug)]
struct Measurement<'t> {
    section: &'t str,
    name: &'t str,
    value: &'t str,
}

impl<'t> Measurement<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let (section, rest) = line.trim().strip_prefix('[')?.split_once("], ")?;
        let (name, value) = rest.split_once(", ")?;
        Some(Self { section, name, value })
    }

    fn value(&self, line: usize) -> Result<f64, ImportFault> {
        let field = format!("line {line}, [{}], {}", self.section, self.name);
        match self.value.parse() {
            Ok(value) => measured(&field, value),
            Err(_) => {
                let found = format!("\"{}\"", self.value);
                Err(ImportFault::Shape { field, expected: "a number", found })
            }
        }
    }

    /// Our metric of a mean or percentile, and nanoseconds in its unit.
    fn latency(&self) -> Option<(String, f64)> {
        let (name, unit) = self.name.strip_suffix(')')?.split_once('(')?;
        let unit_ns = match unit {
            "ns" => 1.0,
            "us" => 1e3,
            "ms" => 1e6,
            _ => return None,
        };
        let metric = match name.strip_suffix("Latency")? {
            "Average" => "mean".to_owned(),
            other => percentile(other.strip_suffix("Percentile")?)?,
        };
        Some((metric, unit_ns))
    }
}

/// What one run of YCSB printed.
struct Output<'t> {
    cell: String,
    /// Its first line.
    line: usize,
    measurements: Vec<(usize, Measurement<'t>)>,
}

impl Output<'_> {
    /// Whether `next` belongs to another run: every run begins with its overall measurements, each
    /// of them once.
    fn is_ended_by(&self, next: &Measurement<'_>) -> bool {
        next.section == OVERALL
            && self
                .measurements
                .iter()
                .any(|(_, here)| here.section != OVERALL || here.name == next.name)
    }

    fn push_to(&self, lines: &mut Lines) -> Result<(), ImportFault> {
        let Self { cell, line: first, .. } = self;
        let mut operations = BTreeMap::new();
        let mut throughput = None;
        for (number, measurement) in &self.measurements {
            let Measurement { section, name, .. } = *measurement;
            if name == "Operations" {
                operations.insert(section, measurement.value(*number)?);
            } else if section == OVERALL && name == RATE {
                throughput = Some(measurement.value(*number)?);
            } else if let Some(status) = name.strip_prefix("Return=").filter(|&code| code != "OK") {
                let count = measurement.value(*number)?;
                lines.note(format!(
                    "{cell}: {count} operations {section} returned {status} (line {number})"
                ));
            }
        }
        let throughput = throughput.ok_or_else(|| ImportFault::Shape {
            field: format!("[{OVERALL}], {RATE} of the output that begins in line {first}"),
            expected: "there",
            found: "missing".to_owned(),
        })?;
        push(lines.line(cell), THROUGHPUT, Quantity::Rate, throughput);
        for (section, &count) in &operations {
            if section.ends_with(FAILED) && count > 0.0 {
                lines.note(format!(
                    "{cell}: {count} operations {section}: their times are left out"
                ));
            }
        }
        // Without operations there are no times, whatever is printed.
        let is_kept = |section: &str| {
            section != CLEANUP
                && !section.ends_with(FAILED)
                && operations.get(section) != Some(&0.0)
        };
        for (number, measurement) in &self.measurements {
            let Some((metric, unit_ns)) = measurement.latency() else { continue };
            if is_kept(measurement.section) {
                let operation = measurement.section.to_lowercase().replace('_', "-");
                let value_ns = measurement.value(*number)? * unit_ns;
                let metric = format!("{operation}-{metric}");
                push(lines.line(cell), &metric, Quantity::Nanoseconds, value_ns);
            }
        }
        Ok(())
    }
}

/// The workload that a line names, if it is YCSB's command line: the files behind `-P`, without
/// their folders.
fn named_workload(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_program = |word: &&str| {
        ["ycsb.Client", "bin/ycsb", "bin/ycsb.sh"].iter().any(|end| word.ends_with(end))
    };
    if !line.starts_with("Command line:") && !words.iter().any(is_program) {
        return None;
    }
    let files = words.windows(2).filter(|pair| pair[0] == "-P").map(|pair| pair[1]);
    let names: Vec<&str> = files.map(|file| file.rsplit('/').next().unwrap_or(file)).collect();
    let is_load = words.contains(&"-load") || words.contains(&"load");
    let phase = if is_load { "-load" } else { "" };
    (!names.is_empty()).then(|| names.join("+") + phase)
}
