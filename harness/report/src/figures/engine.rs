//! The tables behind the figures about the engine itself: its index layouts and its knobs.

use std::collections::{BTreeMap, BTreeSet};

use super::asked_by;
use super::data::Data;
use super::samples::{NOT_MEASURED, estimate_of_runs, runs};
use super::table::{Column, Value};
use crate::figures::requests;
use record::{
    Row, System,
    repetition::{Repetition, Source, sources},
};
use stats::{Interval, spread};

/// Rows of the panel `throughput` have no keys, rows of the panel `index` no throughput.
const LAYOUT_COLUMNS: [Column; 13] = [
    Column::new("panel", "panel", 0),
    Column::new("place", "", 0),
    Column::new("group", "workload", 0),
    Column::new("below", "calls", 0),
    Column::new("order", "", 0),
    Column::new("series", "index layout", 0),
    Column::new("mops", "throughput, Mops/s (median)", 3),
    Column::new("mops-low", "95 % interval from", 3),
    Column::new("mops-high", "to", 3),
    Column::new("n", "n", 0),
    Column::new("keys", "keys", 0),
    Column::new("index-bytes", "index bytes per key", 2),
    Column::new("absent", "", 0),
];

/// `index-layouts`: throughput by layout, and index bytes for each key over the number of keys.
pub(super) fn index_layouts(suite: &str, rows: &[Row]) -> Data {
    let (mut data, all) = (Data::new(&LAYOUT_COLUMNS), asked_by(suite, rows));
    let systems: BTreeMap<String, String> =
        all.iter().map(|one| (layout(&one.cell.system), one.system.to_owned())).collect();
    let fill = most_repeated_fill(&all);
    let groups: BTreeSet<(u32, usize)> = all
        .iter()
        .filter_map(|one| requests(one))
        .filter(|work| Some(work.fill_percent) == fill)
        .map(|work| (100 - work.get_percent() as u32, work.batch()))
        .collect();
    for (order, (series, system)) in systems.iter().enumerate() {
        for (place, (put_percent, batch)) in groups.iter().enumerate() {
            let found = all.iter().filter(|one| {
                one.system == system
                    && requests(one).is_some_and(|work| {
                        Some(work.fill_percent) == fill
                            && (100 - work.get_percent() as u32, work.batch())
                                == (*put_percent, *batch)
                    })
            });
            let found: Vec<&Repetition<'_>> = found.collect();
            let group = format!("{} % GET", 100 - put_percent);
            let below = calls(*batch);
            let mops = throughput(&found);
            if mops.is_none() && !found.is_empty() {
                data.note_absence(series, &format!("{group}, {below}"), &found);
            }
            let row = layout_row(
                ("throughput", place.into()),
                (group.as_str(), &below),
                (order, series),
                mops,
                (None, None),
            );
            data.table.push(row, sources(&found));
        }
        for (keys, bytes, behind) in index_bytes(&all, system) {
            let row = layout_row(
                ("index", None.into()),
                ("", ""),
                (order, series),
                None,
                (Some(keys), Some(bytes)),
            );
            data.table.push(row, behind);
        }
    }
    if let Some(work) = all.first().and_then(|one| requests(one)) {
        data.notes.push(format!(
            "Values of {}, {} threads; throughput at {} % fill.",
            work.workload.value_bytes,
            work.threads,
            fill.unwrap_or(0)
        ));
    }
    data.note_processes();
    data
}

fn layout_row(
    (panel, place): (&str, Value),
    (group, below): (&str, &str),
    (order, series): (usize, &str),
    mops: Option<Interval>,
    (keys, bytes): (Option<f64>, Option<f64>),
) -> Vec<Value> {
    let mut row: Vec<Value> =
        vec![panel.into(), place, group.into(), below.into(), order.into(), series.into()];
    row.extend(ends(mops));
    row.extend([mops.map(|mops| mops.count as f64).into(), keys.into(), bytes.into()]);
    row.push(if mops.is_none() { NOT_MEASURED } else { "" }.into());
    row
}

/// Keys and index bytes for each, by the store's own census after the load, and what they come from.
fn index_bytes(all: &[Repetition<'_>], system: &str) -> Vec<(f64, f64, Vec<Source>)> {
    let mut points: BTreeMap<u64, (Vec<f64>, Vec<Source>)> = BTreeMap::new();
    for one in all.iter().filter(|one| one.system == system && one.counts()) {
        let census = one.step("load").and_then(|row| row.census);
        if let Some(census) = census.filter(|census| census.live_objects > 0) {
            let per_key = census.index_bytes as f64 / census.live_objects as f64;
            let (values, behind) = points.entry(census.live_objects).or_default();
            values.push(per_key);
            behind.push(one.source());
        }
    }
    let median = |values: &[f64]| spread(values).map_or(f64::NAN, |spread| spread.estimate);
    let point =
        |(keys, (values, behind)): (u64, (Vec<f64>, _))| (keys as f64, median(&values), behind);
    points.into_iter().map(point).collect()
}

/// The fill at which most workloads were measured: that of the throughput.
fn most_repeated_fill(all: &[Repetition<'_>]) -> Option<u32> {
    let mut counts: BTreeMap<u32, BTreeSet<(u32, usize)>> = BTreeMap::new();
    for work in all.iter().filter_map(|one| requests(one)) {
        counts
            .entry(work.fill_percent)
            .or_default()
            .insert((work.get_percent() as u32, work.batch()));
    }
    counts.into_iter().max_by_key(|(_, workloads)| workloads.len()).map(|(fill, _)| fill)
}

const KNOB_COLUMNS: [Column; 13] = [
    Column::new("place", "", 0),
    Column::new("group", "workload", 0),
    Column::new("below", "", 0),
    Column::new("order", "", 0),
    Column::new("series", "knob", 0),
    Column::new("ratio", "throughput ÷ defaults (median)", 3),
    Column::new("ratio-low", "95 % interval from", 3),
    Column::new("ratio-high", "to", 3),
    Column::new("mops", "throughput, Mops/s (median)", 3),
    Column::new("n", "n", 0),
    Column::new("cpu-s", "CPU time of the step, s", 2),
    Column::prefixed("p99", "latency p99, ns"),
    Column::new("copied", "bytes copied ÷ appended since opening", 3),
];

/// The series that all others are compared with.
const DEFAULTS: &str = "defaults, appending (base)";
/// What every knob but its own is turned on: updates in place leave the log little to do.
const BASE: (&str, &str) = ("update", "append");

/// `engine-knobs`: each knob turned alone, as a share of the default configuration's throughput, the
/// fastest first.
pub(super) fn engine_knobs(suite: &str, rows: &[Row]) -> Data {
    let (mut data, all) = (Data::new(&KNOB_COLUMNS), asked_by(suite, rows));
    let knob = |one: &Repetition<'_>| knob_of(&one.cell.system);
    let mut series: Vec<String> =
        all.iter().map(knob).collect::<BTreeSet<_>>().into_iter().collect();
    let of = |name: &str| all.iter().filter(|one| knob(one) == name).collect::<Vec<_>>();
    let base = throughput(&of(DEFAULTS)).map(|mops| mops.estimate);
    let speed = |name: &str| throughput(&of(name)).map_or(0.0, |mops| mops.estimate);
    series.sort_by(|a, b| speed(b).total_cmp(&speed(a)).then(a.cmp(b)));
    for (order, name) in series.iter().enumerate() {
        let found = of(name);
        let mops = throughput(&found);
        if mops.is_none() {
            data.note_absence(name, "throughput", &found);
        }
        let share = |value: f64| base.map(|base| value / base);
        let rows: Vec<&Row> = runs(&found);
        let over = |value: fn(&Row) -> Option<f64>| -> Value {
            let values: Vec<f64> = rows.iter().filter_map(|row| value(row)).collect();
            spread(&values).map(|spread| spread.estimate).into()
        };
        let mut row: Vec<Value> =
            vec![0.into(), workload(&found).as_str().into(), "".into(), order.into()];
        row.push(name.as_str().into());
        row.extend([
            mops.and_then(|mops| share(mops.estimate)).into(),
            mops.and_then(|mops| share(mops.low)).into(),
            mops.and_then(|mops| share(mops.high)).into(),
            mops.map(|mops| mops.estimate).into(),
            mops.map(|mops| mops.count as f64).into(),
            over(|row| Some((row.cpu.user_ns + row.cpu.system_ns) as f64 / 1e9)),
            over(|row| row.latency_ns.get("p99").map(|ns| *ns as f64)),
            over(|row| {
                let appended =
                    row.statistics.get("appended_bytes").filter(|bytes| **bytes > 0.0)?;
                Some(row.statistics.get("copied_bytes")? / appended)
            }),
        ]);
        data.table.push(row, sources(&found));
    }
    data.note_processes();
    data
}

fn workload(found: &[&Repetition<'_>]) -> String {
    found.first().and_then(|one| requests(one)).map_or_else(String::new, |work| {
        format!(
            "{}, {} % GET, values of {}, {} % fill, {} threads",
            work.distribution(),
            work.get_percent(),
            work.workload.value_bytes,
            work.fill_percent,
            work.threads
        )
    })
}

/// The one setting in which the store differs from its siblings: `text` of `nibble@index=text`.
fn layout(system: &System) -> String {
    match system {
        System::Store { options, .. } => options.values().next().cloned(),
        System::Heap { .. } | System::Kernel | System::Way { .. } => None,
    }
    .unwrap_or_else(|| system.label())
}

/// `epoch=thread-ticks` of `nibble@epoch=thread-ticks@update=append`: what is set beyond the base. A preset
/// is shown whole.
fn knob_of(system: &System) -> String {
    let System::Store { options, .. } = system else { return DEFAULTS.to_owned() };
    let is_base = |(name, value): &(&String, &String)| (name.as_str(), value.as_str()) == BASE;
    let beyond: Vec<String> = options
        .iter()
        .filter(|set| !is_base(set))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match (options.is_empty(), beyond.is_empty()) {
        (true, _) => "update=in-place".to_owned(),
        (false, true) => DEFAULTS.to_owned(),
        (false, false) => beyond.join(" "),
    }
}

fn calls(batch: usize) -> String {
    if batch == 1 { "single operations".to_owned() } else { format!("batches of {batch}") }
}

fn throughput(found: &[&Repetition<'_>]) -> Option<Interval> {
    estimate_of_runs(&runs(found), |row| Some(row.throughput_ops_per_s / 1e6))
}

fn ends(value: Option<Interval>) -> [Value; 3] {
    [
        value.map(|value| value.estimate).into(),
        value.map(|value| value.low).into(),
        value.map(|value| value.high).into(),
    ]
}
