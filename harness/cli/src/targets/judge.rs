//! From rows to a line of the table.

use serde::Serialize;
use stats::{bootstrap_median, bootstrap_ratio, median, spread};

use super::bar::{Estimate, Verdict};
use super::cells::rival_name;
use super::file::{Operation, Overhead, Part};
use super::sizes::Sizes;
use super::target::{Kind, Quantity, Target};
use crate::compare::{Side, blocks_of, ratios, throughput};
use record::Row;
use record::is_sound;
use record::{Cell, Work};

/// A target's line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) source: String,
    pub(crate) asked: String,
    pub(crate) verdict: Verdict,
    /// Of several comparisons the worst.
    pub(crate) measured: Option<Estimate>,
    /// What stands behind the number, in words.
    pub(crate) note: String,
    /// Each comparison, repetition or object count.
    pub(crate) details: Vec<Detail>,
}

/// One of the numbers behind a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Detail {
    pub(crate) what: String,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) measured: Option<Estimate>,
    /// Blocks, repetitions: what the interval is of.
    pub(crate) values: Vec<f64>,
    pub(crate) note: String,
}

/// Judges a target other than a yardstick by its rows.
pub(crate) fn judge(target: &Target, rows: &[Row], sizes: &Sizes, seed: u64) -> Line {
    match &target.kind {
        Kind::Compare { a, quantity, .. } => compared(target, a, quantity, rows, sizes, seed),
        Kind::Statistic { numerator, denominator, .. } => {
            statistic(target, [numerator, denominator], rows, seed)
        }
        Kind::Overhead { overhead, .. } => overheads(target, *overhead, rows, seed),
        Kind::Yardstick { .. } => blank(target, "a yardstick needs its calibrations"),
    }
}

/// A line without a number.
pub(crate) fn blank(target: &Target, note: &str) -> Line {
    Line {
        name: target.name.clone(),
        question: target.question.clone(),
        source: target.source.clone(),
        asked: target.bar.to_string(),
        verdict: Verdict::NotMeasured,
        measured: None,
        note: note.to_owned(),
        details: Vec::new(),
    }
}

fn compared(
    target: &Target,
    a: &[Part],
    quantity: &Quantity,
    rows: &[Row],
    sizes: &Sizes,
    seed: u64,
) -> Line {
    let mut details = Vec::new();
    for (rival, side) in a.iter().enumerate() {
        let name = rival_name(target, rival);
        let (blocks, unit) = match quantity {
            Quantity::Throughput => (blocks_of(&name, rows, sizes.blocks, throughput), "Mops/s"),
            Quantity::Latency { operation, percentile } => {
                let latency = |row: &Row| {
                    let kind = match operation {
                        Operation::Get => "get",
                        Operation::Put => "update",
                    };
                    row.latency_by_kind_ns.get(kind)?.get(percentile).map(|ns| *ns as f64)
                };
                (blocks_of(&name, rows, sizes.blocks, latency), "µs")
            }
        };
        let scale = if unit == "µs" { 1e3 } else { 1e6 };
        let of = |side: Side| {
            let values: Vec<f64> = blocks.iter().flat_map(|block| block.of(side)).collect();
            median(&values).unwrap_or(f64::NAN) / scale
        };
        let values = ratios(&blocks);
        let measured = bootstrap_ratio(&values, seed).map(|ratio| Estimate {
            median: ratio.estimate,
            from: ratio.low,
            to: ratio.high,
            count: ratio.count,
        });
        let note = match measured {
            Some(_) => format!("{:.2} ÷ {:.2} {unit}", of(Side::B), of(Side::A)),
            None => format!(
                "only {} of {} blocks were measured completely; at least 3 are needed",
                blocks.len(),
                sizes.blocks
            ),
        };
        details.push(Detail {
            what: format!("against {}", side.system.as_deref().unwrap_or_default()),
            verdict: Some(verdict_of(target, measured.as_ref(), None)),
            measured,
            values,
            note,
        });
    }
    worst_of(target, details)
}

fn statistic(target: &Target, [above, below]: [&String; 2], rows: &[Row], seed: u64) -> Line {
    let mut values = Vec::new();
    let mut missing = String::new();
    for cell in sound_cells(rows) {
        let counted = |name: &str| {
            let at = |step: &str| {
                let row = cell.iter().find(|row| row.step == step)?;
                row.statistics.get(name).copied()
            };
            Some(at("run")? - at("age")?)
        };
        match (counted(above), counted(below)) {
            (Some(above), Some(below)) if below > 0.0 => values.push(above / below),
            (Some(_), Some(_)) => missing = format!("`{below}` did not grow within the clock"),
            _ => missing = format!("{} reports no `{above}` or no `{below}`", cell[0].system),
        }
    }
    let measured = estimate(&values, seed);
    if measured.is_none() && missing.is_empty() {
        missing = format!("{} repetitions were measured; at least 3 are needed", values.len());
    }
    let note =
        if measured.is_some() { format!("{above} ÷ {below} within the clock") } else { missing };
    Line {
        verdict: verdict_of(target, measured.as_ref(), None),
        measured,
        details: vec![Detail {
            what: format!("{above} ÷ {below}"),
            verdict: None,
            measured,
            values,
            note: String::new(),
        }],
        ..blank(target, &note)
    }
}

fn overheads(target: &Target, overhead: Overhead, rows: &[Row], seed: u64) -> Line {
    // By object memory, one number a repetition.
    let mut sizes: Vec<(u64, Vec<f64>)> = Vec::new();
    let mut failed = 0;
    let ids = ids(rows);
    for id in &ids {
        let cell: Vec<&Row> = rows.iter().filter(|row| row.cell.id == *id).collect();
        match cell.iter().all(|row| is_sound(row)).then(|| overhead_of(&cell, overhead)).flatten() {
            Some((bytes, value)) => match sizes.iter_mut().find(|(known, _)| *known == bytes) {
                Some((_, values)) => values.push(value),
                None => sizes.push((bytes, vec![value])),
            },
            None => failed += 1,
        }
    }
    let details: Vec<Detail> = sizes
        .iter()
        .map(|(bytes, values)| Detail {
            what: format!("{} MiB", bytes >> 20),
            verdict: None,
            measured: estimate(values, seed),
            values: values.clone(),
            note: String::new(),
        })
        .collect();
    if failed > 0 || details.is_empty() {
        let note = format!("{failed} of {} cells failed", ids.len());
        return Line { details, ..blank(target, &note) };
    }
    let middle = |detail: &Detail| detail.measured.map_or(f64::NAN, |measured| measured.median);
    let worst = details.iter().max_by(|a, b| middle(a).total_cmp(&middle(b)));
    let best = details.iter().map(middle).fold(f64::INFINITY, f64::min);
    let measured = worst.and_then(|worst| worst.measured);
    let note = format!(
        "worst of {} object counts, at {}; best {best:.3}",
        details.len(),
        worst.map_or("", |worst| worst.what.as_str())
    );
    Line {
        verdict: verdict_of(target, measured.as_ref(), None),
        measured,
        details,
        ..blank(target, &note)
    }
}

/// Object memory of a bounded cell, and its configured memory ÷ live bytes with keys.
fn overhead_of(cell: &[&Row], overhead: Overhead) -> Option<(u64, f64)> {
    let last =
        cell.iter().rev().find(|row| row.memory.as_ref().is_some_and(|m| m.overheads.is_some()))?;
    let Work::Fragmentation(work) = &last.cell.work else { return None };
    if last.step != "refill" {
        return None;
    }
    let memory = last.memory.as_ref()?;
    let (configured, live) = (memory.overheads?, memory.at_once?);
    let bytes = match overhead {
        Overhead::AllIn => configured.capacity_bytes,
        Overhead::LogOnly => configured.object_memory_bytes,
    };
    Some((work.live_bytes, bytes as f64 / (live.live_bytes + 8 * live.live_objects) as f64))
}

/// An estimate of at least three repetitions; of fewer, their range.
pub(super) fn estimate(values: &[f64], seed: u64) -> Option<Estimate> {
    let found = bootstrap_median(values, seed)
        .or_else(|| spread(values).filter(|range| range.estimate.is_finite()))?;
    Some(Estimate { median: found.estimate, from: found.low, to: found.high, count: found.count })
}

pub(super) fn verdict_of(
    target: &Target,
    measured: Option<&Estimate>,
    margin: Option<f64>,
) -> Verdict {
    measured.map_or(Verdict::NotMeasured, |measured| target.bar.judge(measured, margin))
}

/// The line of several comparisons: all have to hold, and the worst is shown.
pub(super) fn worst_of(target: &Target, details: Vec<Detail>) -> Line {
    let sign = if target.bar.asks_for_more() { 1.0 } else { -1.0 };
    let goodness =
        |detail: &Detail| detail.measured.map_or(f64::INFINITY, |measured| sign * measured.median);
    let worst = details.iter().min_by(|a, b| goodness(a).total_cmp(&goodness(b)));
    let mut note = worst.map_or_else(String::new, |worst| worst.note.clone());
    if let (Some(worst), true) = (worst, details.len() > 1) {
        note = format!("{} ({note})", worst.what);
    }
    if let Some(failed) = details.iter().find(|detail| detail.measured.is_none()) {
        note = format!("{}: {}", failed.what, failed.note);
    }
    Line {
        verdict: Verdict::all(details.iter().filter_map(|detail| detail.verdict)),
        measured: worst.and_then(|worst| worst.measured),
        details,
        ..blank(target, &note)
    }
}

/// Rows by cell, of cells that ended in nothing unexpected.
pub(super) fn sound_cells(rows: &[Row]) -> Vec<Vec<&Row>> {
    ids(rows)
        .into_iter()
        .map(|id| rows.iter().filter(|row| row.cell.id == id).collect::<Vec<_>>())
        .filter(|cell| cell.iter().all(|row| is_sound(row)))
        .collect()
}

fn ids(rows: &[Row]) -> Vec<&str> {
    let mut ids: Vec<&str> = Vec::new();
    for Row { cell: Cell { id, .. }, .. } in rows {
        if !ids.contains(&id.as_str()) {
            ids.push(id);
        }
    }
    ids
}
