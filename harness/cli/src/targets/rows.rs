//! Summary rows of what was run for a target. Their labels are those that the target's question selects
//! by, so that a side has one name whatever size its cells have.

use std::collections::BTreeMap;

use expect::Summary;

use super::cells::rival_name;
use super::file::{File, Reference};
use super::sizes::Sizes;
use super::target::{Kind, Side, Target, latency};
use crate::compare::blocks_of;
use record::{Calibration, Cell, Row, Work, is_sound};

/// What a target's question is put to: `rows` are those of its cells, `calibrations` those of the rounds.
pub(super) fn summaries(
    file: &File,
    target: &Target,
    rows: &[Row],
    sizes: &Sizes,
    calibrations: &[Calibration],
) -> Vec<Summary> {
    let metric = target.question().metric.name.as_str();
    match &target.kind {
        Kind::Compare { a, b } => {
            let rivals = a.iter().enumerate();
            let both = |(rival, a)| {
                let name = rival_name(target, rival);
                beside(&name, [a, b], metric, rows, sizes.blocks)
            };
            rivals.flat_map(both).collect()
        }
        Kind::Counters { side, counters } => vec![counted(side, counters, rows)],
        Kind::Overhead { side } => overheads(side, metric, rows),
        Kind::Yardstick { side, yardsticks } => {
            let made = file.plan.calibration.expect("a target of yardsticks has one");
            let scaled = Scaled { file, made, calibrations };
            scaled.against(side, yardsticks, rows).unwrap_or_default()
        }
    }
}

/// Both sides of a comparison: the four values of each complete block are of one round.
fn beside(
    name: &str,
    [a, b]: [&Side; 2],
    metric: &str,
    rows: &[Row],
    planned: u32,
) -> [Summary; 2] {
    let blocks = blocks_of(name, rows, planned, |row| match latency(metric) {
        None => Some(row.throughput_ops_per_s),
        Some((kind, percentile)) => {
            row.latency_by_kind_ns.get(kind)?.get(percentile).map(|ns| *ns as f64)
        }
    });
    let round = |at: usize| format!("{name}/{at}");
    let of = |side: &Side, letter: &str, values: Vec<f64>| {
        let is_of = |id: &str| id.starts_with(name) && id.contains(&format!("-{letter}/"));
        Summary {
            labels: side.labels.clone(),
            rounds: (0..values.len()).map(|at| round(at / 2)).collect(),
            absent: values
                .is_empty()
                .then(|| format!("none of {planned} blocks was measured completely")),
            metrics: [(metric.to_owned(), values)].into(),
            cells: ids(rows).filter(|id| is_of(id)).map(str::to_owned).collect(),
            ..Summary::default()
        }
    };
    let [mut first, mut second] = [Vec::new(), Vec::new()];
    for [a1, b1, b2, a2] in blocks {
        first.extend([a1, a2]);
        second.extend([b1, b2]);
    }
    [of(a, "A", first), of(b, "B", second)]
}

/// In place of a counter: the bytes that clients wrote within the clock, which no store needs to count.
const WRITTEN: &str = "written_bytes";

/// How the counters grew within the clock.
fn counted(side: &Side, counters: &[String; 2], rows: &[Row]) -> Summary {
    let mut metrics: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let cells = sound_cells(rows);
    for cell in &cells {
        let grown = counters.each_ref().map(|name| {
            if name == WRITTEN {
                return written(cell);
            }
            let at = |step: &str| {
                let row = cell.iter().find(|row| row.step == step)?;
                row.statistics.get(name).copied()
            };
            // What begins with the run has grown from nothing.
            Some(at("run")? - at("age").unwrap_or(0.0))
        });
        // Of both or of neither: a quotient takes them in pairs.
        if let [Some(above), Some(below)] = grown {
            for (name, value) in counters.iter().zip([above, below]) {
                metrics.entry(name.clone()).or_default().push(value);
            }
        }
    }
    let [above, below] = counters;
    let absent = match cells.first() {
        None => "no repetition was measured".to_owned(),
        Some(cell) => format!("{} reports no `{above}` or no `{below}`", cell[0].system),
    };
    Summary {
        labels: side.labels.clone(),
        absent: metrics.is_empty().then_some(absent),
        metrics,
        cells: ids(rows).map(str::to_owned).collect(),
        ..Summary::default()
    }
}

/// Bytes of keys and values that a cell's clients wrote within the clock.
fn written(cell: &[&Row]) -> Option<f64> {
    let run = cell.iter().find(|row| row.step == "run")?;
    match &run.cell.work {
        Work::KeyValue(work) => Some(work.written_bytes(run.operations)),
        _ => None,
    }
}

/// One row for each object memory; without values where one of its cells failed.
fn overheads(side: &Side, metric: &str, rows: &[Row]) -> Vec<Summary> {
    let mut sizes: Vec<(u64, Summary)> = Vec::new();
    for id in ids(rows) {
        let cell: Vec<&Row> = rows.iter().filter(|row| row.cell.id == id).collect();
        let Work::Fragmentation(work) = &cell[0].cell.work else { continue };
        let bytes = work.live_bytes;
        if !sizes.iter().any(|(known, _)| *known == bytes) {
            let mut summary = Summary { labels: side.labels.clone(), ..Summary::default() };
            let label = format!("{}MiB", bytes as f64 / f64::from(1 << 20));
            summary.labels.insert("object-memory-bytes".to_owned(), label);
            sizes.push((bytes, summary));
        }
        let summary = sizes.iter_mut().find(|(known, _)| *known == bytes);
        let (_, summary) = summary.expect("it was put there if it was missing");
        summary.cells.push(id.to_owned());
        let sound = cell.iter().all(|row| is_sound(row));
        match sound.then(|| overhead_of(&cell, metric)).flatten() {
            Some(value) => summary.metrics.entry(metric.to_owned()).or_default().push(value),
            None => summary.absent = Some(format!("{id} failed")),
        }
    }
    for (_, summary) in sizes.iter_mut().filter(|(_, summary)| summary.absent.is_some()) {
        summary.metrics.clear();
    }
    sizes.into_iter().map(|(_, summary)| summary).collect()
}

/// Memory of a bounded cell ÷ its live bytes with keys: the log's as configured; all of it as configured
/// or as the process held it, whichever is more.
fn overhead_of(cell: &[&Row], metric: &str) -> Option<f64> {
    let last =
        cell.iter().rev().find(|row| row.memory.as_ref().is_some_and(|m| m.overheads.is_some()))?;
    if last.step != "refill" {
        return None;
    }
    let memory = last.memory.as_ref()?;
    let (configured, live) = (memory.overheads?, memory.at_once?);
    let bytes = match metric {
        "overhead-log-only-key-value" => configured.object_memory_bytes,
        _ => configured.capacity_bytes.max(live.resident_bytes),
    };
    Some(bytes as f64 / (live.live_bytes + last.cell.key_bytes_of(live.live_objects)) as f64)
}

/// Systems measured elsewhere, scaled by what the memory of both machines is capable of.
struct Scaled<'a> {
    file: &'a File,
    made: Reference,
    calibrations: &'a [Calibration],
}

impl Scaled<'_> {
    /// What was measured in each round, and what each of `yardsticks` would have reached then.
    fn against(&self, side: &Side, yardsticks: &[Side], rows: &[Row]) -> Option<Vec<Summary>> {
        let value_bytes: usize = side.number("value-bytes", None).ok()?;
        let get_percent = side.get_percent().ok()?;
        let mut measured = Vec::new();
        let mut scaled: Vec<(u32, f64)> = Vec::new();
        for cell in sound_cells(rows) {
            let run = cell.iter().find(|row| row.step == "run");
            let round = cell[0].cell.repetition;
            let calibration = self.calibrations.get(round as usize);
            let Some((run, calibration)) = run.zip(calibration) else { continue };
            let Reference { random_line_ns, copy_gb_per_s } = self.made;
            measured.push(run.throughput_ops_per_s);
            scaled.push((round, calibration.factor(random_line_ns, copy_gb_per_s, value_bytes)));
        }
        let row = |labels: &BTreeMap<String, String>, values: Vec<f64>| Summary {
            labels: labels.clone(),
            absent: values.is_empty().then(|| "no repetition was measured".to_owned()),
            metrics: [("throughput".to_owned(), values)].into(),
            rounds: scaled.iter().map(|(round, _)| format!("round/{round}")).collect(),
            ..Summary::default()
        };
        let cells = ids(rows).map(str::to_owned).collect();
        let mut all = vec![Summary { cells, ..row(&side.labels, measured) }];
        for yardstick in yardsticks {
            let mops = self.file.plan.mops(yardstick.yardstick()?, value_bytes, get_percent)?;
            let values = scaled.iter().map(|(_, factor)| mops * factor * 1e6).collect();
            all.push(row(&yardstick.labels, values));
        }
        Some(all)
    }
}

/// Rows by cell, of cells that ended in nothing unexpected.
fn sound_cells(rows: &[Row]) -> Vec<Vec<&Row>> {
    ids(rows)
        .map(|id| rows.iter().filter(|row| row.cell.id == id).collect::<Vec<_>>())
        .filter(|cell| cell.iter().all(|row| is_sound(row)))
        .collect()
}

/// Each once, in the order of the rows.
fn ids(rows: &[Row]) -> impl Iterator<Item = &str> {
    let mut ids: Vec<&str> = Vec::new();
    for Row { cell: Cell { id, .. }, .. } in rows {
        if !ids.contains(&id.as_str()) {
            ids.push(id);
        }
    }
    ids.into_iter()
}
