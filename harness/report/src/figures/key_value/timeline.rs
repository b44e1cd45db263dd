//! `timeline`: throughput and latency of long cells, second by second.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::spot;
use crate::figures::axes::{Axis, common, settings, values};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing, fill};
use crate::figures::requests;
use crate::figures::samples::{Label, Mark, Measure, Point, Spot, THROUGHPUT, estimate_of};
use record::{
    Row,
    repetition::{Repetition, repetitions, without_repetition},
};

/// Cells shorter than this have too few seconds to draw.
const SHORTEST_NS: u64 = 5_000_000_000;
/// Cells drawn.
const CELLS: usize = 3;

/// Throughput and p99 over time, of one process of each of the longest cells.
pub(in crate::figures) fn timeline(folder: &Path, rows: &[Row]) -> Data {
    const TAIL: Measure = Measure { rank: 1, title: "p99 latency, µs", log: true };
    let all = repetitions(rows);
    let mut long: Vec<(&Repetition<'_>, &Row)> = all
        .iter()
        .filter(|one| one.counts())
        .filter(|one| one.role() != record::Role::Roofline)
        // Those have a figure of their own, in which what changes is told.
        .filter(|one| requests(one).is_some_and(|work| work.phases.is_none()))
        .filter_map(|one| Some((one, one.step("run")?)))
        .filter(|(_, row)| row.timeline.is_some() && row.elapsed_ns >= SHORTEST_NS)
        .collect();
    let mut seen = BTreeSet::new();
    long.retain(|(one, _)| seen.insert(without_repetition(&one.cell.id)));
    long.sort_by_key(|(_, row)| u64::MAX - row.elapsed_ns);
    let left_out = long.len().saturating_sub(CELLS);
    long.truncate(CELLS);
    let cells: Vec<Repetition<'_>> = long.iter().map(|(one, _)| (*one).clone()).collect();
    let varied = values(&cells);
    // What tells the workload from the others'; what they share stands below the figure.
    let workload = |one: &Repetition<'_>| {
        let told = settings(one).into_iter().filter(|(axis, _)| {
            !matches!(axis, Axis::Store | Axis::Option(_)) && varied[axis].len() > 1
        });
        told.map(|(axis, value)| axis.words(&value)).collect::<Vec<_>>().join(", ")
    };
    let mut data = Data::default();
    let mut points = Vec::new();
    for (one, row) in &long {
        let panel = Label::named(workload(one));
        let seconds = match seconds(folder, row) {
            Ok(seconds) => seconds,
            Err(reason) => {
                data.note_reason(one.system, &panel.text, reason);
                continue;
            }
        };
        for second in seconds {
            let at = |measure, value: f64| {
                let x = Label::new(second.middle_s, "");
                let spot = Spot {
                    panel: panel.clone(),
                    ..spot(measure, "throughput", Label::named(one.system), x)
                };
                let sources = vec![one.source()];
                Point { spot, value: estimate_of(&[value]), mark: Mark::None, sources }
            };
            points.push(at(THROUGHPUT, second.ops_per_s / 1e6));
            points.push(at(TAIL, second.p99_ns / 1e3));
        }
    }
    if points.is_empty() && data.missing().is_empty() {
        data.nothing = Some(format!(
            "No key-value cell of this run was on the clock for {} s: longer ones are those of the \
             suite open-loop at scale standard, or of suites with a larger `operations-factor`.",
            SHORTEST_NS / 1_000_000_000
        ));
        return data;
    }
    if left_out > 0 {
        data.notes.push(format!("The {CELLS} longest cells; {left_out} more are not drawn."));
    }
    data.notes.extend(common(&cells));
    points.sort_by(|a, b| a.spot.cmp(&b.spot));
    fill(&mut data, Drawing::Lines, Axes::over("s since the clock started"), &points);
    data
}

/// A line of a timeline.
pub(super) struct Second {
    pub(super) middle_s: f64,
    pub(super) end_s: f64,
    pub(super) operations: u64,
    pub(super) ops_per_s: f64,
    pub(super) p99_ns: f64,
    /// The statistic that the cell samples.
    pub(super) sampled: Option<f64>,
}

/// The intervals of a row's timeline.
pub(super) fn seconds(folder: &Path, row: &Row) -> Result<Vec<Second>, String> {
    let name = row.timeline.as_deref().unwrap_or_default();
    let text = fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let place = |column: &str| {
        let place = header.iter().position(|name| *name == column);
        place.ok_or_else(|| format!("{name}: no column `{column}`"))
    };
    let (from, length, count) = (place("from_s")?, place("interval_s")?, place("operations")?);
    let (rate, p99) = (place("ops_per_s")?, place("p99_ns")?);
    let sampled = place("sampled").ok();
    let mut seconds: Vec<Second> = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |place: usize| {
            let number = fields.get(place).and_then(|field| field.parse::<f64>().ok());
            number.ok_or_else(|| format!("{name}: `{line}` is no line of a timeline"))
        };
        let (from_s, length_s) = (number(from)?, number(length)?);
        seconds.push(Second {
            middle_s: from_s + length_s / 2.0,
            end_s: from_s + length_s,
            operations: number(count)? as u64,
            ops_per_s: number(rate)?,
            p99_ns: number(p99)?,
            // Empty where nothing was sampled yet.
            sampled: sampled.and_then(|place| number(place).ok()),
        });
    }
    // The clock stopped within the last interval, whose rate is over its whole length all the same.
    let clock_s = row.elapsed_ns as f64 / 1e9;
    seconds.retain(|second| second.end_s <= clock_s * 1.002);
    Ok(seconds)
}
