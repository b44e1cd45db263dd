//! The figures of replayed allocation traces: throughput and most memory of each, and memory along
//! the trace.

use std::collections::BTreeMap;

use stats::median;

use super::data::Data;
use super::panels::{Axes, Drawing, fill_within};
use super::samples::{
    Label, Mark, Measure, Point, Role, Spot, THROUGHPUT, estimate_of, points, spot,
};
use super::table::{Column, Table, Value};
use super::variants::{apart, is_plain};
use super::versions::versions;
use record::{
    Allocations, Row, System, TracePosition, Work,
    metrics::peak_bytes,
    repetition::{Repetition, repetitions, sources},
};

const PEAK: Measure = Measure { rank: 1, title: "most resident ÷ most live", log: false };
const MEMORY: Measure = Measure { rank: 0, title: "memory, MiB", log: false };
const LIVE: &str = "live bytes";
const MIB: f64 = (1 << 20) as f64;

const SHOWN: [Column; 8] = [
    Column::new("panel", "trace", 0),
    Column::new("series", "system", 0),
    Column::new("n", "n", 0),
    Column::new("live-mib", "most live, MiB", 1),
    Column::new("peak-mib", "most resident, MiB (median)", 1),
    Column::new("end-live-mib", "live at the end, MiB", 1),
    Column::new("end-mib", "resident at the end, MiB (median)", 1),
    Column::new("purged-mib", "after purge, MiB (median)", 1),
];

/// Panels that all allocators and their variants need: for two measures, and for three traces.
const BAR_PANELS: usize = 8;
const LINE_PANELS: usize = 12;

/// `malloc-traces`: a bar for each allocator, a group for each trace, a panel for each variant.
pub(super) fn malloc_traces(rows: &[Row]) -> Data {
    let all = repetitions(rows);
    let mut data = Data::default();
    let points = points(&mut data, &all, |one| {
        let Some(work) = replayed(one) else { return Vec::new() };
        let both = [(THROUGHPUT, "throughput"), (PEAK, "overhead-peak")];
        let (panel, series) = apart("", &one.cell.system);
        let (series, trace) = (Label::named(series), Label::named(&work.trace));
        let spot = |(measure, metric)| Spot {
            panel: Label::named(panel.clone()),
            below: threads(work),
            ..spot(measure, metric, series.clone(), trace.clone())
        };
        both.map(spot).into()
    });
    data.notes.extend(sizes(&all));
    data.notes
        .extend(versions(rows.iter().filter(|row| matches!(row.cell.work, Work::Allocations(_)))));
    fill_within(&mut data, (Drawing::Bars, BAR_PANELS), Axes::default(), &points);
    data
}

/// `malloc-memory`: a line for each allocator over the trace, a panel for each trace and each variant.
pub(super) fn malloc_memory(rows: &[Row]) -> Data {
    let all = repetitions(rows);
    let mut places: BTreeMap<(&str, &str), Vec<&Repetition<'_>>> = BTreeMap::new();
    for one in &all {
        if let Some(work) = replayed(one) {
            places.entry((&work.trace, one.system)).or_default().push(one);
        }
    }
    let mut data = Data::default();
    let (mut lines, mut shown) = (Vec::new(), Table::new(&SHOWN));
    let mut live: BTreeMap<Label, Vec<Point>> = BTreeMap::new();
    for (&(trace, system), found) in &places {
        let runs: Vec<&Row> =
            found.iter().filter(|one| one.counts()).filter_map(|one| one.step("run")).collect();
        let Some(work) = replayed(found[0]).filter(|_| !runs.is_empty()) else {
            data.note_absence(system, trace, found);
            continue;
        };
        let (panel, series) = panel_of(trace, found[0]);
        let line = |role, series: &str, bytes: fn(&TracePosition) -> u64| {
            along(work, &runs, Spot { role, ..in_panel(&panel, series) }, bytes)
        };
        lines.extend(line(Role::Main, &series, |position| position.resident_bytes));
        live.entry(panel.clone())
            .or_insert_with(|| line(Role::Reference, LIVE, |position| position.live_bytes));
        shown.push(summed_up(work, system, &runs), sources(found));
    }
    lines.extend(live.into_values().flatten());
    lines.sort_by(|a, b| a.spot.cmp(&b.spot));
    data.notes.extend(sizes(&all));
    let axes = Axes::over("events replayed, %");
    fill_within(&mut data, (Drawing::Lines, LINE_PANELS), axes, &lines);
    data.shown = Some(shown);
    data
}

fn replayed<'a>(one: &Repetition<'a>) -> Option<&'a Allocations> {
    match &one.cell.work {
        Work::Allocations(work) => Some(work),
        _ => None,
    }
}

fn threads(work: &Allocations) -> String {
    let plural = if work.threads == 1 { "" } else { "s" };
    format!("{} thread{plural}", work.threads)
}

/// The panel of a system along a trace, and its series there. Variants stand below all that is as it comes.
fn panel_of(trace: &str, one: &Repetition<'_>) -> (Label, String) {
    let system = &one.cell.system;
    let (title, series) = apart(trace, system);
    let below = match system {
        System::Heap { variant, .. } if variant == "fast" => 1.0,
        _ if is_plain(system) => 0.0,
        _ => 2.0,
    };
    (Label::new(below, title), series)
}

/// A place in a panel.
fn in_panel(panel: &Label, series: &str) -> Spot {
    let spot = spot(MEMORY, "overhead-peak", Label::named(series), Label::none());
    Spot { panel: panel.clone(), ..spot }
}

/// A line over the positions of the trace, combined over processes.
fn along(
    work: &Allocations,
    runs: &[&Row],
    spot: Spot,
    bytes: fn(&TracePosition) -> u64,
) -> Vec<Point> {
    let mut places: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for position in runs.iter().flat_map(|row| &row.positions) {
        places.entry(position.events).or_default().push(bytes(position) as f64 / MIB);
    }
    let point = |(events, values): (u64, Vec<f64>)| {
        let x = Label::new(events as f64 / work.events as f64 * 100.0, "");
        let spot = Spot { x, ..spot.clone() };
        // People read the table of sums.
        Point { spot, value: estimate_of(&values), mark: Mark::None, sources: Vec::new() }
    };
    places.into_iter().map(point).collect()
}

/// Row of the table shown in the report.
fn summed_up(work: &Allocations, system: &str, runs: &[&Row]) -> Vec<Value> {
    let over = |bytes: fn(&Row) -> Option<u64>| {
        let values = runs.iter().filter_map(|row| bytes(row)).map(|bytes| bytes as f64 / MIB);
        Value::from(median(&values.collect::<Vec<_>>()))
    };
    vec![
        work.trace.as_str().into(),
        system.into(),
        runs.len().into(),
        Some(work.live_bytes_max as f64 / MIB).into(),
        over(peak_bytes),
        over(|row| Some(row.positions.last()?.live_bytes)),
        over(|row| Some(row.positions.last()?.resident_bytes)),
        over(|row| Some(row.memory.as_ref()?.after_trim?.resident_bytes)),
    ]
}

/// How large the traces are, as a sentence.
fn sizes(all: &[Repetition<'_>]) -> Option<String> {
    let traces: BTreeMap<&str, &Allocations> =
        all.iter().filter_map(replayed).map(|work| (work.trace.as_str(), work)).collect();
    let told = traces.values().map(|work| {
        format!(
            "{} has {:.2} million events of {} and at most {:.1} MiB live",
            work.trace,
            work.events as f64 / 1e6,
            threads(work),
            work.live_bytes_max as f64 / MIB
        )
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("{}.", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::figures::fixture;
    use record::Outcome;

    fn number(table: &Table, column: &str, wanted: &[(&str, &str)]) -> Vec<f64> {
        let here = |row: &usize| wanted.iter().all(|(name, text)| table.text(*row, name) == *text);
        (0..table.rows.len()).filter(here).map(|row| table.number(row, column)).collect()
    }

    #[test]
    fn bars_are_throughput_and_the_peak_of_the_positions() {
        let mut rows = fixture::rows();
        for row in &mut rows {
            if row.cell.id.starts_with("allocations/malloc-interpreter/jemalloc/") {
                row.throughput_ops_per_s = 7e6;
                let Work::Allocations(work) = &row.cell.work else { panic!("{}", row.cell.id) };
                row.positions[3].resident_bytes = 5 * work.live_bytes_max;
            }
        }
        let table = malloc_traces(&rows).table;
        let (group, series) = (("group", "malloc-interpreter"), ("series", "jemalloc"));
        let panels = (0..table.rows.len()).map(|row| table.text(row, "panel"));
        let panels: BTreeSet<&str> = panels.collect();
        assert_eq!(panels.into_iter().collect::<Vec<_>>(), ["1 of 2", "2 of 2", "fast", "small"]);
        // As it comes it is in one of the two first.
        let value = |measure: &Measure| -> Vec<f64> {
            let at = |panel| [("panel", panel), group, series, ("measure", measure.title)];
            let found = ["1 of 2", "2 of 2"].map(|panel| number(&table, "value", &at(panel)));
            found.concat()
        };
        assert_eq!(value(&THROUGHPUT), [7.0]);
        assert_eq!(value(&PEAK), [5.0]);
        for variant in ["fast", "small"] {
            let at = [("panel", variant), group, series];
            assert_eq!(number(&table, "n", &at), [3.0, 3.0]);
            assert!(number(&table, "value", &at).iter().all(|value| ![5.0, 7.0].contains(value)));
        }
    }

    #[test]
    fn lines_follow_the_trace_and_live_bytes_are_drawn_once() {
        let mut rows = fixture::rows();
        let failed =
            |row: &&mut Row| row.cell.id.starts_with("allocations/malloc-interpreter/scudo/");
        for row in rows.iter_mut().filter(failed) {
            row.outcome = Outcome::OutOfMemory;
            row.expected = false;
            row.reason = Some("an object of 7 bytes was refused".to_owned());
        }
        let data = malloc_memory(&rows);
        // More allocators than a panel has room for are dealt to several.
        let panels = (0..data.table.rows.len()).map(|row| data.table.text(row, "panel"));
        let panel = panels.filter(|panel| panel.starts_with("malloc-interpreter")).find(|panel| {
            !number(&data.table, "x", &[("panel", panel), ("series", "glibc")]).is_empty()
        });
        let drawn = ("panel", panel.expect("glibc is drawn"));
        let perl = ("panel", "malloc-interpreter");
        let places = number(&data.table, "x", &[drawn, ("series", "glibc")]);
        assert!(places.len() > 10 && places.is_sorted(), "{places:?}");
        assert_eq!(places.last(), Some(&100.0));
        let live = number(&data.table, "value", &[drawn, ("series", LIVE)]);
        assert_eq!(live.len(), places.len());
        let resident = number(&data.table, "value", &[drawn, ("series", "glibc")]);
        assert!(live.iter().zip(&resident).all(|(live, resident)| live < resident));
        let shown = data.shown.as_ref().unwrap();
        let most = number(shown, "peak-mib", &[perl, ("series", "glibc")]);
        assert_eq!(most, [resident.iter().copied().fold(0.0, f64::max)]);
        // A variant is a line of the same name in a panel of its own, with live bytes beside it.
        let fast = ("panel", "malloc-interpreter, fast");
        for series in ["glibc", LIVE] {
            assert_eq!(number(&data.table, "x", &[fast, ("series", series)]).len(), places.len());
        }
        assert_eq!(number(shown, "peak-mib", &[perl, ("series", "glibc-fast")]).len(), 1);
        assert!(number(shown, "n", &[perl, ("series", "scudo")]).is_empty());
        let missing = data.missing().join(" ");
        assert!(missing.contains("scudo (malloc-interpreter): out-of-memory"), "{missing}");
    }
}
