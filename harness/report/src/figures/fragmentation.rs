//! The table behind every figure of fragmentation cells: one row for each system and pattern.

use std::collections::{BTreeMap, BTreeSet};

use stats::{Interval, spread};
use workloads::bytes::format_bytes;

use super::data::Data;
use super::samples::{NOT_MEASURED, absence};
use super::seven::{self, Parts};
use super::styles;
use super::table::{Column, Table, Value};
use super::versions::versions;
use record::{
    Cell, Fragmentation, Row, Work, metrics,
    repetition::{Repetition, repetitions, sources},
};

/// What overhead means for a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Base {
    /// Resident ÷ live bytes.
    Resident,
    /// Capacity ÷ live value bytes.
    AllIn,
    /// Object memory ÷ live value bytes.
    LogOnly,
}

impl Base {
    /// The overhead's name in the table of metrics.
    fn metric(self) -> &'static str {
        match self {
            Self::Resident => "overhead",
            Self::AllIn => "overhead-all-in",
            Self::LogOnly => "overhead-log-only",
        }
    }

    /// Overhead at a later observation. Configured memory does not change with time, so only the
    /// resident base has one.
    fn later(self, row: &Row, metric: &str) -> Option<f64> {
        (self == Self::Resident).then(|| metrics::value(row, metric)).flatten()
    }
}

/// Where a cell goes in a figure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bar {
    pub(super) panel: String,
    /// Where among the groups; equal for equal groups.
    pub(super) group_key: (String, usize, u8),
    /// The group's name.
    pub(super) group: String,
    /// What stands under the name.
    pub(super) below: String,
    /// The series' name.
    pub(super) series: String,
    /// What overhead means for it.
    pub(super) base: Base,
}

/// How a figure chooses cells and arranges them.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    /// The bars a cell belongs to; none where the figure does not want it.
    pub(super) pick: &'a dyn Fn(&Cell, &Fragmentation) -> Vec<Bar>,
    /// Whether series that were measured in less than half of the groups are only in the table.
    pub(super) sparse_beside: bool,
    /// How many panels one may become where it has more than seven series.
    pub(super) room: usize,
}

/// The panel of series that are in the table and not in the drawing.
pub(crate) const BESIDE: &str = "table only";

/// Whether a panel is in the table and not in the drawing.
pub(super) fn is_beside(panel: &str) -> bool {
    panel == BESIDE
}

const COLUMNS: [Column; 24] = [
    Column::new("panel", "panel", 0),
    Column::new("place", "", 0),
    Column::new("group", "group", 0),
    Column::new("below", "sizes", 0),
    Column::new("order", "", 0),
    Column::new("series", "system", 0),
    Column::new("overhead", "overhead (median)", 3),
    Column::new("overhead-min", "min", 3),
    Column::new("overhead-max", "max", 3),
    Column::new("n", "n", 0),
    Column::new("after-idle", "overhead after idle", 3),
    Column::new("after-purge", "after purge", 3),
    Column::new("fill-overhead", "overhead after fill", 3),
    Column::new("live-mib", "live, MiB", 1),
    Column::prefixed("fill", "fill, operations/s (median)"),
    Column::prefixed("fill-min", "min"),
    Column::prefixed("fill-max", "max"),
    Column::prefixed("refill", "last filling, operations/s (median)"),
    Column::prefixed("refill-min", "min"),
    Column::prefixed("refill-max", "max"),
    Column::new("cpu-s", "CPU time, s (median)", 2),
    Column::new("idle-s", "", 1),
    Column::new("threads", "threads", 0),
    Column::new("absent", "", 0),
];

type Place = (String, String, (String, usize, u8));
type Places<'a, 'b> = BTreeMap<Place, (Bar, Vec<&'a Repetition<'b>>)>;

/// The table and what there is to say about it.
pub(super) fn build(rows: &[Row], selection: Selection<'_>) -> Data {
    let all = repetitions(rows);
    let mut places: Places<'_, '_> = BTreeMap::new();
    for repetition in &all {
        let Work::Fragmentation(work) = &repetition.cell.work else { continue };
        for bar in (selection.pick)(repetition.cell, work) {
            let place = (bar.panel.clone(), bar.series.clone(), bar.group_key.clone());
            places.entry(place).or_insert_with(|| (bar, Vec::new())).1.push(repetition);
        }
    }
    if selection.sparse_beside {
        places = set_sparse_aside(places);
    }
    let mut data = Data::new(&COLUMNS);
    let panels: BTreeSet<String> = places.keys().map(|place| place.0.clone()).collect();
    for panel in &panels {
        add_panel((panel, panel), &series_of(panel, &places), &places, &mut data);
    }
    let whole = std::mem::replace(&mut data.table, Table::new(&COLUMNS));
    let mut left = Vec::new();
    for panel in &panels {
        let series = series_of(panel, &places);
        let room = if is_beside(panel) { None } else { Some(selection.room) };
        let parts = room.map(|room| seven::parts(&series, room));
        let parts = parts.unwrap_or(Parts { panels: vec![series], left: Vec::new() });
        for (place, series) in parts.panels.iter().enumerate() {
            let title = seven::part_title(panel, place, parts.panels.len());
            add_panel((panel, &title), series, &places, &mut data);
        }
        left.extend(parts.left);
    }
    data.shown = (whole != data.table).then_some(whole);
    left.sort();
    left.dedup();
    data.notes.extend(seven::told(&left));
    data.notes.extend(protocol(&places));
    let shown = places.values().flat_map(|(_, all)| all.iter());
    data.notes.extend(versions(shown.filter_map(|one| last(one))));
    data.note_repetitions();
    data
}

fn set_sparse_aside<'a, 'b>(places: Places<'a, 'b>) -> Places<'a, 'b> {
    let groups: BTreeSet<_> = places.keys().map(|place| place.2.clone()).collect();
    let mut measured: BTreeMap<String, usize> = BTreeMap::new();
    for place in places.keys() {
        *measured.entry(place.1.clone()).or_default() += 1;
    }
    let aside = |mut place: Place, mut value: (Bar, Vec<&'a Repetition<'b>>)| {
        if measured[&place.1] * 2 < groups.len() {
            BESIDE.clone_into(&mut place.0);
            BESIDE.clone_into(&mut value.0.panel);
        }
        (place, value)
    };
    places.into_iter().map(|(place, value)| aside(place, value)).collect()
}

/// What was done and with how many live bytes, as a sentence.
fn protocol(places: &Places<'_, '_>) -> Option<String> {
    let works = places.values().flat_map(|(_, all)| all).filter_map(|one| match &one.cell.work {
        Work::Fragmentation(work) => Some(work.live_bytes),
        _ => None,
    });
    let live: BTreeSet<u64> = works.collect();
    let (least, most) = (live.first()?, live.last()?);
    let bytes = |bytes: &u64| format_bytes(*bytes as usize);
    let range =
        if least == most { bytes(most) } else { format!("{} to {}", bytes(least), bytes(most)) };
    Some(format!(
        "Protocol: fill, delete at random, fill again with other sizes, at most {range} live; each \
         repetition is a process of its own."
    ))
}

/// The series of a panel, ours first.
fn series_of(panel: &str, places: &Places<'_, '_>) -> Vec<String> {
    let within = places.keys().filter(|place| place.0 == panel);
    let mut names: Vec<String> = within.map(|place| place.1.clone()).collect();
    names.sort_by(|a, b| styles::rank(a).total_cmp(&styles::rank(b)).then(a.cmp(b)));
    names.dedup();
    names
}

/// Adds the rows of `wanted` of a panel, which is called `title` in the table.
fn add_panel(
    (panel, title): (&str, &str),
    wanted: &[String],
    places: &Places<'_, '_>,
    data: &mut Data,
) {
    let within = || places.iter().filter(|(place, _)| place.0 == panel);
    let groups: BTreeMap<_, _> =
        within().map(|(place, (bar, _))| (&place.2, (&bar.group, &bar.below))).collect();
    for (order, name) in wanted.iter().enumerate() {
        for (position, (key, (group, below))) in groups.iter().enumerate() {
            let place = (panel.to_owned(), name.clone(), (*key).clone());
            let found = places.get(&place);
            let counting: Vec<&Repetition<'_>> = found
                .iter()
                .flat_map(|(_, repetitions)| repetitions.iter().copied())
                .filter(|repetition| repetition.counts())
                .collect();
            if let Some((bar, repetitions)) = found
                && over(&counting, bar.base, overhead).is_none()
            {
                let at = format!("{panel}, {group} {below}");
                if counting.iter().any(|repetition| last(repetition).is_some()) {
                    data.note_reason(name, at.trim(), unknown(bar.base));
                } else {
                    data.note_absence(name, at.trim(), repetitions);
                }
            }
            let mut row: Vec<Value> = vec![
                title.into(),
                position.into(),
                group.as_str().into(),
                below.as_str().into(),
                order.into(),
                name.as_str().into(),
            ];
            row.extend(NUMBERS.into_iter().flat_map(|(told, number)| {
                values(told, found.and_then(|(bar, _)| over(&counting, bar.base, number)))
            }));
            let work = found.and_then(|(_, repetitions)| match &repetitions.first()?.cell.work {
                Work::Fragmentation(work) => Some(work),
                _ => None,
            });
            row.push(work.map(|work| work.idle_ms as f64 / 1e3).into());
            row.push(work.map(|work| work.threads as f64).into());
            row.push(
                match found {
                    Some((bar, _)) if over(&counting, bar.base, overhead).is_some() => "",
                    Some((_, repetitions)) => absence(repetitions),
                    None => NOT_MEASURED,
                }
                .into(),
            );
            let behind = found.map(|(_, repetitions)| sources(repetitions));
            data.table.push(row, behind.unwrap_or_default());
        }
    }
}

/// What the table says of a number: its median alone, or with the ends of its interval.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Median,
    Ends,
    EndsAndCount,
}

type Number = fn(&Repetition<'_>, Base) -> Option<f64>;

/// The numbers of a bar, in the order of the columns.
const NUMBERS: [(Told, Number); 8] = [
    (Told::EndsAndCount, overhead),
    (Told::Median, |one, base| base.later(last(one)?, "overhead-after-idle")),
    (Told::Median, |one, base| base.later(last(one)?, "overhead-after-trim")),
    (Told::Median, |one, base| metrics::value(one.step("fill")?, base.metric())),
    (Told::Median, |one, _| {
        let point = last(one)?.memory.as_ref()?.at_once?;
        Some(point.live_bytes as f64 / f64::from(1 << 20))
    }),
    (Told::Ends, |one, _| Some(one.step("fill")?.throughput_ops_per_s)),
    (Told::Ends, |one, _| Some(last(one)?.throughput_ops_per_s)),
    (Told::Median, |one, _| last(one).map(|_| one.cpu_s())),
];

fn overhead(one: &Repetition<'_>, base: Base) -> Option<f64> {
    metrics::value(last(one)?, base.metric())
}

/// Median and range over the repetitions of one bar.
fn over(repetitions: &[&Repetition<'_>], base: Base, number: Number) -> Option<Interval> {
    spread(&repetitions.iter().filter_map(|one| number(one, base)).collect::<Vec<_>>())
}

fn values(told: Told, value: Option<Interval>) -> Vec<Value> {
    let mut values = vec![value.map(|spread| spread.estimate).into()];
    if told != Told::Median {
        values.push(value.map(|spread| spread.low).into());
        values.push(value.map(|spread| spread.high).into());
    }
    if told == Told::EndsAndCount {
        values.push(value.map_or(0, |spread| spread.count).into());
    }
    values
}

/// The row of the last phase: `refill`, or `fill` where the pattern has no second size.
fn last<'a>(repetition: &Repetition<'a>) -> Option<&'a Row> {
    let Work::Fragmentation(work) = &repetition.cell.work else { return None };
    repetition.step(if work.pattern.second.is_some() { "refill" } else { "fill" })
}

/// Why a step that was measured has no overhead.
fn unknown(base: Base) -> String {
    match base {
        Base::Resident => "measured, but its memory was not observed",
        Base::AllIn | Base::LogOnly => {
            "measured, but the store does not say how much memory it may hold, so there is no \
             overhead with this base"
        }
    }
    .to_owned()
}

/// Whether the table holds a number to draw in a panel other than [`BESIDE`].
pub(super) fn is_drawable(table: &Table, value: &str) -> bool {
    (0..table.rows.len())
        .any(|row| !is_beside(table.text(row, "panel")) && table.number(row, value).is_finite())
}
