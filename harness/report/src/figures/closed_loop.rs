//! The table behind the figure of closed-loop cells.

use std::collections::{BTreeMap, BTreeSet};

use stats::{Interval, median};

use super::data::Data;

use super::samples::{absence, estimate_of_runs, runs};
use super::styles;
use super::table::{Column, Value};
use crate::figures::requests;
use record::{
    KeyValue, Row,
    repetition::{Repetition, sources},
};

const COLUMNS: [Column; 17] = [
    Column::new("place", "", 0),
    Column::new("group", "workload", 0),
    Column::new("below", "share", 0),
    Column::new("order", "", 0),
    Column::new("series", "system", 0),
    Column::new("mops", "throughput, Mops/s (median)", 3),
    Column::new("mops-low", "95 % interval from", 3),
    Column::new("mops-high", "to", 3),
    Column::new("overhead", "resident ÷ live value bytes (median)", 3),
    Column::new("overhead-low", "95 % interval from", 3),
    Column::new("overhead-high", "to", 3),
    Column::new("n", "n", 0),
    Column::new("cpu-s", "CPU time of the step, s", 2),
    Column::prefixed("p50", "latency p50, ns"),
    Column::prefixed("p99", "p99, ns"),
    Column::new("live-mib", "live values, MiB", 1),
    Column::new("absent", "", 0),
];

/// What distinguishes two workloads, in the order of the axis.
type Key = (String, u32, String, u32, usize, usize);

fn key(work: &KeyValue) -> Key {
    let value_bytes = work.workload.value_bytes.to_string();
    // Read-mostly first.
    let puts = 100 - work.get_percent() as u32;
    (work.distribution(), puts, value_bytes, work.fill_percent, work.threads, work.batch())
}

/// The table and what there is to say about it.
pub(super) fn throughput_memory(suite: &str, rows: &[Row]) -> Data {
    let mut all = record::repetitions(rows);
    all.retain(|one| one.asked_by(suite) && one.role() != record::Role::Roofline);
    let mut places: BTreeMap<(&str, Key), Vec<&Repetition<'_>>> = BTreeMap::new();
    for repetition in &all {
        if let Some(work) = requests(repetition) {
            places.entry((repetition.system, key(work))).or_default().push(repetition);
        }
    }
    let mut data = Data::new(&COLUMNS);
    let mut systems: Vec<&str> = places.keys().map(|place| place.0).collect();
    systems.dedup();
    systems.sort_by(|a, b| styles::rank(a).total_cmp(&styles::rank(b)).then(a.cmp(b)));
    let keys: BTreeSet<&Key> = places.keys().map(|place| &place.1).collect();
    let settings: BTreeSet<String> = keys.iter().map(|key| rest(key)).collect();
    for (order, system) in systems.iter().enumerate() {
        for (place, key) in keys.iter().enumerate() {
            let found = places.get(&(*system, (*key).clone())).map_or(&[][..], Vec::as_slice);
            let group = key.0.replace(':', " ");
            let mut below = format!("{} % GET", 100 - key.1);
            if settings.len() > 1 {
                below = format!("{below}, {}", rest(key));
            }
            let counting = runs(found);
            if counting.is_empty() && !found.is_empty() {
                data.note_absence(system, &format!("{group} {below}"), found);
            }
            let mut row: Vec<Value> = vec![
                place.into(),
                group.as_str().into(),
                below.as_str().into(),
                order.into(),
                (*system).into(),
            ];
            row.extend(numbers(&counting));
            let absent = if counting.is_empty() { absence(found) } else { "" };
            row.push(absent.into());
            data.table.push(row, sources(found));
        }
    }
    if settings.len() == 1 {
        data.notes.extend(settings.into_iter().map(|rest| format!("All with {rest}.")));
    }
    data.note_processes();
    data
}

/// The settings that do not stand on the axis.
fn rest((_, _, value_bytes, fill_percent, threads, batch): &Key) -> String {
    let threads = if *threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    let batch = match batch {
        1 => "single operations".to_owned(),
        batch => format!("batches of {batch}"),
    };
    format!("values of {value_bytes}, {fill_percent} % fill, {threads}, {batch}")
}

fn numbers(rows: &[&Row]) -> Vec<Value> {
    let of = |value: fn(&Row) -> Option<f64>| -> Vec<f64> {
        rows.iter().filter_map(|row| value(row)).collect()
    };
    let middle = |value: fn(&Row) -> Option<f64>| Value::from(median(&of(value)));
    let ends = |value: Option<Interval>| {
        [
            Value::from(value.map(|value| value.estimate)),
            value.map(|value| value.low).into(),
            value.map(|value| value.high).into(),
        ]
    };
    let over_runs = |value: fn(&Row) -> Option<f64>| ends(estimate_of_runs(rows, value));
    let mut values = over_runs(|row| Some(row.throughput_ops_per_s / 1e6)).to_vec();
    values.extend(over_runs(|row| row.memory.as_ref()?.at_once?.overhead));
    values.push(rows.len().into());
    values.push(middle(|row| Some((row.cpu.user_ns + row.cpu.system_ns) as f64 / 1e9)));
    values.push(middle(|row| row.latency_ns.get("p50").map(|ns| *ns as f64)));
    values.push(middle(|row| row.latency_ns.get("p99").map(|ns| *ns as f64)));
    values.push(middle(|row| {
        Some(row.memory.as_ref()?.at_once?.live_bytes as f64 / f64::from(1 << 20))
    }));
    values
}
