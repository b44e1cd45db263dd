//! `history`: a metric over all runs, and where it changed; what other commands append to it and take
//! from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use compare::{CellHistory, Line, Series};
use serde_json::{Value, json};
use stats::ChangeSettings;

use super::{Failure, output};
use crate::cli::HistoryArguments;
use crate::targets::Estimate;
use record::{
    Row,
    archive::{RunRecord, write_whole},
    metrics::Metric,
    unknown_name,
};
use report::figures::{draw_table, gnuplot_available};

/// Gnuplot script of the history.
const SCRIPT: &str = include_str!("../../../../plots/history.gp");

/// Prints the history of a metric, and draws it.
pub(super) fn run(arguments: &HistoryArguments) -> Result<(), Failure> {
    let mut lines = read(&arguments.file)?;
    let metrics: BTreeSet<String> =
        lines.iter().flat_map(|line| line.metrics.keys().cloned()).collect();
    if !metrics.contains(&arguments.metric) {
        let known = metrics.iter().map(String::as_str);
        return Err(Failure::usage(format!(
            "{}: {}",
            arguments.file.display(),
            unknown_name("metric", &arguments.metric, known)
        )));
    }
    if let Some(text) = &arguments.cell {
        lines.retain(|line| line.cell.contains(text.as_str()));
        if lines.is_empty() {
            return Err(Failure::usage(format!(
                "{}: no cell's name contains `{text}`",
                arguments.file.display()
            )));
        }
    }
    // Machines are not mixed into one line: the newest one's.
    let environment = lines.last().map(|line| line.environment.clone()).unwrap_or_default();
    let others = lines.iter().filter(|line| line.environment != environment).count();
    if others > 0 {
        eprintln!("left out: {others} line(s) of other machines or builds than the newest");
    }
    let settings = ChangeSettings::default();
    let histories = compare::history(&lines, &arguments.metric, Some(&environment), &settings);
    if arguments.json {
        output::print_json(&as_data(&arguments.metric, &histories));
    } else {
        println!("{}\n", headline(&histories));
        print!("{}", compare::history_text(&histories));
    }
    if let Some(folder) = &arguments.plots {
        gnuplot_available().map_err(Failure::machine)?;
        let table = compare::history_table(&histories);
        let svg = draw_table(folder, "history", &table, SCRIPT).map_err(Failure::internal)?;
        // The drawing is no part of the data.
        if arguments.json { eprintln!("{}", svg.display()) } else { println!("{}", svg.display()) }
    }
    Ok(())
}

/// In how many cells the newest level is another one than the first.
fn headline(histories: &[CellHistory]) -> String {
    let changed = histories.iter().filter(|history| !history.changes.is_empty()).count();
    let cells = histories.len();
    match changed {
        0 => format!("no change of level in {cells} cell(s)"),
        _ => format!("{changed} of {cells} cell(s) changed their level"),
    }
}

fn as_data(metric: &str, histories: &[CellHistory]) -> Value {
    let cells = histories.iter().map(|history| {
        let runs = history.rows.iter().map(|row| {
            json!({
                "run": row.run.run,
                "revision": row.run.revision,
                "measured": row.run.measured,
                "median": row.run.median,
                "from": row.low,
                "to": row.high,
                "level": row.centre,
            })
        });
        let changes = history.changes.iter().map(|change| {
            json!({ "at": change.at, "ratio": Estimate::from(change.ratio), "p-value": change.p_value })
        });
        json!({
            "cell": history.key.cell,
            "unit": history.unit,
            "better": history.better,
            "runs": runs.collect::<Vec<_>>(),
            "changes": changes.collect::<Vec<_>>(),
            "left-out": history.left_out,
        })
    });
    json!({ "metric": metric, "cells": cells.collect::<Vec<_>>() })
}

/// The lines of a file; what was left out of it is said.
pub(super) fn read(path: &Path) -> Result<Vec<Line>, Failure> {
    let read = compare::read_lines(path).map_err(|error| Failure::usage(error.to_string()))?;
    if let Some(incomplete) = read.incomplete {
        eprintln!("note: {incomplete}");
    }
    if read.lines.is_empty() {
        return Err(Failure::usage(format!("{}: it holds no line", path.display())));
    }
    Ok(read.lines)
}

/// Appends lines to the history: to the file named, or to `history.jsonl` below `results`.
pub(super) fn append(lines: &[Line], file: Option<&Path>, results: &Path) -> Result<(), Failure> {
    if lines.is_empty() {
        return Ok(());
    }
    let path = file.map_or_else(|| results.join("history.jsonl"), PathBuf::from);
    let mended =
        compare::append_lines(&path, lines).map_err(|error| Failure::machine(error.to_string()))?;
    if let Some(incomplete) = mended {
        eprintln!("note: {incomplete}");
    }
    Ok(())
}

/// Appends what a run measured to the history beside its folder, unless it was stopped.
pub(super) fn remember(folder: &Path, run: &RunRecord, rows: &[Row]) -> Result<(), Failure> {
    let results = folder.parent().unwrap_or(Path::new("."));
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    append(&crate::compare::lines(run, &name, rows), None, results)
}

/// Replaces a baseline file; it holds these lines or what it held before.
pub(super) fn replace(path: &Path, lines: &[Line]) -> Result<(), Failure> {
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line).expect("a line is plain data");
        text.push('\n');
    }
    path.parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| write_whole(path, text.as_bytes()))
        .map_err(|error| Failure::machine(format!("{}: {error}", path.display())))
}

/// What a gate compares with.
#[derive(Clone, Debug, Default)]
pub(super) struct Baseline {
    /// One line a cell: the values of the runs since the last change point.
    pub(super) lines: Vec<Line>,
    /// Changes that are being watched, in sentences.
    pub(super) notes: Vec<String>,
}

/// The baseline that lines amount to: of a file of one run its values, of a history the runs of its
/// last level.
pub(super) fn baseline(lines: &[Line]) -> Baseline {
    let mut baseline = Baseline::default();
    let settings = ChangeSettings::default();
    for metric in Metric::all_judged().map(Metric::short_name) {
        for (key, series) in compare::baseline(lines, metric, None, &settings) {
            if let Some(watched) = &series.watched {
                baseline.notes.push(format!(
                    "{}: {}: the newest {} run(s) lie at {:.1} % of the level before; not yet a change, \
                     so the level before is the baseline",
                    key.cell,
                    metric,
                    watched.count,
                    watched.ratio * 100.0
                ));
            }
            let known = baseline
                .lines
                .iter()
                .position(|line| line.cell == key.cell && line.asks == key.asks);
            let place = known.unwrap_or_else(|| {
                let newest =
                    lines.iter().rfind(|line| line.cell == key.cell && line.asks == key.asks);
                let newest = newest.cloned().unwrap_or_default();
                baseline.lines.push(Line { metrics: Default::default(), ..newest });
                baseline.lines.len() - 1
            });
            let values = series.values();
            baseline.lines[place].metrics.insert(
                metric.to_owned(),
                Series { unit: series.unit, better: series.better, values, nodes: Vec::new() },
            );
        }
    }
    baseline
}
