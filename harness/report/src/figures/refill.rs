//! The figure `refill`: what each filling of a store takes, and what its deletes leave behind.

use std::collections::{BTreeMap, BTreeSet};

use stats::median;

use super::data::Data;
use super::memory_return::{Fate, MemoryReturn, RATIO_MAX, returns_memory};
use super::panels::{Axes, Drawing, fill};
use super::samples::{Label, Mark, Measure, Point, Spot, estimate_of, spot};
use super::table::{Column, Table, Value};
use super::variants::apart;
use record::{
    Basis, Fragmentation, Memory, MemoryPoint, Row, Work,
    repetition::{Repetition, repetitions, sources},
};

const FILLINGS: Measure = Measure { rank: 0, title: "filling ÷ first filling", log: false };
const REMAINDERS: Measure =
    Measure { rank: 1, title: "left by deletes ÷ first filling", log: false };

/// Beyond so many cycles lines have no points.
const CYCLES_MARKED: usize = 20;

const SHOWN: [Column; 9] = [
    Column::new("panel", "objects", 0),
    Column::new("series", "system", 0),
    Column::new("n", "n", 0),
    Column::new("first-mib", "resident after the first filling, MiB (median)", 1),
    Column::new("worst", "the highest ÷ the first (median)", 3),
    Column::new("verdict", "verdict", 0),
    Column::new("left", "left by the last deletes ÷ first filling (median)", 3),
    Column::new("left-idle", "after idle", 3),
    Column::new("left-trim", "after trim or purge", 3),
];

/// Processes that measured the same, and their cycles.
type Judged<'a> = Vec<(&'a Repetition<'a>, MemoryReturn)>;

/// Every pattern of cycles that was run, a panel for each, and for each variant of the heaps below.
pub(super) fn refill(rows: &[Row]) -> Data {
    let all = repetitions(rows);
    let mut places: BTreeMap<(Label, Label), Vec<&Repetition<'_>>> = BTreeMap::new();
    let wanted: Vec<(&Repetition<'_>, &Fragmentation)> =
        all.iter().filter_map(|one| Some((one, cycles_of(one)?))).collect();
    let bases: BTreeSet<(&str, Basis)> =
        wanted.iter().map(|(one, work)| (one.system, work.basis)).collect();
    for &(one, work) in &wanted {
        let both = [Basis::Ample, Basis::Bounded].map(|basis| bases.contains(&(one.system, basis)));
        let panel = panel(work);
        let (title, series) = apart(&panel.text, &one.cell.system);
        let name = match work.basis {
            Basis::Bounded if both == [true, true] => format!("{series} bounded"),
            _ => series,
        };
        let panel = Label::new(panel.at, title);
        places.entry((panel, Label::named(name))).or_default().push(one);
    }
    let mut data = Data::default();
    let (mut points, mut shown) = (Vec::new(), Table::new(&SHOWN));
    let mut beyond = Vec::new();
    for ((panel, series), found) in &places {
        let counting = found.iter().filter(|one| one.counts());
        let judged: Judged<'_> = counting
            .filter_map(|&one| Some((one, returns_memory(one.rows.iter().copied())?)))
            .collect();
        let Some(fate) = judged.iter().map(|(_, found)| found.fate).max() else {
            if found.iter().any(|one| one.counts()) {
                let reason = "measured, but it holds no memory, or was not observed in every cycle";
                data.note_reason(&series.text, &panel.text, reason.to_owned());
            } else {
                data.note_absence(&series.text, &panel.text, found);
            }
            continue;
        };
        if fate != Fate::Returned {
            beyond.push(format!("{} on {}: {}", series.text, panel.text, fate.word()));
        }
        for (measure, ratios) in [
            (FILLINGS, (|found| &found.fillings) as fn(&MemoryReturn) -> &Vec<f64>),
            (REMAINDERS, |found| &found.remainders),
        ] {
            points.extend(line(measure, panel, series, &judged, ratios));
        }
        shown.push(summed_up(panel, series, &judged, fate), sources(found));
    }
    if !points.is_empty() {
        data.notes.extend(notes(&wanted, &beyond));
    }
    points.sort_by(|a, b| a.spot.cmp(&b.spot));
    let axes = Axes { base: Some(1.0), ..Axes::over("cycle") };
    fill(&mut data, Drawing::Lines, axes, &points);
    data.shown = Some(shown);
    data
}

/// The work of a cell that fills again and again.
fn cycles_of<'a>(one: &Repetition<'a>) -> Option<&'a Fragmentation> {
    match &one.cell.work {
        Work::Fragmentation(work) if work.pattern.cycles.is_some() => Some(work),
        _ => None,
    }
}

fn panel(work: &Fragmentation) -> Label {
    let mut text = format!("{}: {}", work.pattern.name, work.pattern.label);
    if work.threads > 1 {
        text += &format!(", {} threads", work.threads);
    }
    Label::new(work.pattern.first.mean(), text)
}

/// A ratio over the cycles, combined over processes.
fn line(
    measure: Measure,
    panel: &Label,
    series: &Label,
    judged: &Judged<'_>,
    ratios: fn(&MemoryReturn) -> &Vec<f64>,
) -> Vec<Point> {
    let cycles = judged.iter().map(|(_, found)| ratios(found).len()).max().unwrap_or(0);
    let point = |place: usize| {
        let values: Vec<f64> =
            judged.iter().filter_map(|(_, found)| ratios(found).get(place).copied()).collect();
        let cycle = place + 1;
        let text = if cycles > CYCLES_MARKED { String::new() } else { cycle.to_string() };
        let x = Label::new(cycle as f64, text);
        let spot = Spot { panel: panel.clone(), ..spot(measure, "throughput", series.clone(), x) };
        // People read the table of verdicts.
        Point { spot, value: estimate_of(&values), mark: Mark::None, sources: Vec::new() }
    };
    (0..cycles).map(point).collect()
}

/// Row of the table shown in the report.
fn summed_up(panel: &Label, series: &Label, judged: &Judged<'_>, fate: Fate) -> Vec<Value> {
    let over = |value: fn(&Repetition<'_>, &MemoryReturn) -> Option<f64>| {
        median(&judged.iter().filter_map(|(one, found)| value(one, found)).collect::<Vec<_>>())
    };
    vec![
        panel.text.as_str().into(),
        series.text.as_str().into(),
        judged.len().into(),
        over(|_, found| Some(found.first_fill_bytes as f64 / f64::from(1 << 20))).into(),
        over(|_, found| Some(found.worst_ratio)).into(),
        fate.word().into(),
        over(|_, found| found.remainders.last().copied()).into(),
        over(|one, found| left(one, found, |memory| memory.after_idle)).into(),
        over(|one, found| left(one, found, |memory| memory.after_trim)).into(),
    ]
}

/// What is left at an observation after the last deletes, of what the first filling took.
fn left(
    one: &Repetition<'_>,
    found: &MemoryReturn,
    point: fn(&Memory) -> Option<MemoryPoint>,
) -> Option<f64> {
    let seen = point(one.rows.last()?.memory.as_ref()?)?;
    Some(seen.resident_bytes as f64 / found.first_fill_bytes as f64)
}

fn notes(wanted: &[(&Repetition<'_>, &Fragmentation)], beyond: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    let percent = (RATIO_MAX - 1.0) * 100.0;
    notes.push(if beyond.is_empty() {
        format!("No filling took more than {percent:.0} % over the first.")
    } else {
        format!(
            "More than {percent:.0} % over the first filling: {} (fragmentation came to an end, a \
             leak did not).",
            beyond.join("; ")
        )
    });
    let bounded = wanted.iter().filter(|(_, work)| work.basis == Basis::Bounded);
    let bounded: BTreeSet<&str> = bounded.map(|(one, _)| one.system).collect();
    if !bounded.is_empty() {
        let bounded: Vec<&str> = bounded.into_iter().collect();
        notes.push(format!("Filled until they refused: {}.", bounded.join(", ")));
    }
    let idle = wanted.first().map(|(_, work)| work.idle_ms as f64 / 1e3);
    notes.extend(idle.map(|idle_s| format!("The idle wait was {idle_s} s.")));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture;
    use record::Outcome;

    /// Row of the table shown in the report, for a system on a pattern.
    fn told<'a>(shown: &'a Table, system: &str, pattern: &str) -> Vec<&'a Value> {
        let row = (0..shown.rows.len()).find(|&row| {
            shown.text(row, "series") == system && shown.text(row, "panel").starts_with(pattern)
        });
        shown.rows[row.unwrap_or_else(|| panic!("{system} on {pattern}"))].iter().collect()
    }

    #[test]
    fn a_variant_of_the_heap_is_a_line_of_the_same_name_in_a_panel_of_its_own() {
        let mut rows = fixture::rows();
        let of_maps = |row: &&mut Row| {
            row.system == "dashmap:jemalloc" && matches!(row.cell.work, Work::Fragmentation(_))
        };
        for row in rows.iter_mut().filter(of_maps) {
            row.cell.system = fixture::store("dashmap:jemalloc-fast");
            row.system = row.cell.system.label();
        }
        let shown = refill(&rows).shown.unwrap();
        let found =
            (0..shown.rows.len()).filter(|&row| shown.text(row, "series") == "dashmap:jemalloc");
        let panels: Vec<&str> = found.map(|row| shown.text(row, "panel")).collect();
        assert_eq!(panels.len(), 1, "{panels:?}");
        assert!(panels[0].starts_with("refill-mixed: "), "{panels:?}");
        assert!(panels[0].ends_with(", heaps: fast"), "{panels:?}");
    }

    #[test]
    fn verdicts_are_told_and_void_processes_are_not() {
        let mut rows = fixture::rows();
        let data = refill(&rows);
        let shown = data.shown.as_ref().unwrap();
        for (system, verdict) in
            [("nibble", "returned"), ("heapstore:mimalloc", "fragmentation"), ("btree", "leak")]
        {
            assert_eq!(*told(shown, system, "refill-mixed")[5], verdict.into(), "{system}");
        }
        let beyond = &data.notes[0];
        assert!(beyond.contains("btree on refill-small: 64 B: leak"), "{beyond}");
        assert!(!beyond.contains("nibble"), "{beyond}");
        let bounded = "Filled until they refused: mica, mica@preset=nibble-paper, nibble, \
                       nibble@update=append, ramcloud.";
        assert_eq!(data.notes[1], bounded);
        let fills = (0..data.table.rows.len()).filter(|&row| {
            data.table.text(row, "series") == "btree"
                && data.table.text(row, "panel").starts_with("refill-small")
                && data.table.text(row, "measure") == FILLINGS.title
        });
        let fills: Vec<f64> = fills.map(|row| data.table.number(row, "value")).collect();
        assert_eq!((fills.len(), fills[0]), (10, 1.0));
        assert!(fills.is_sorted() && fills[9] > 1.5, "{fills:?}");
        // The same store with and without a bound is told apart.
        for row in rows.iter_mut().filter(|row| row.system == "hashmap") {
            if let (Work::Fragmentation(work), 1) = (&mut row.cell.work, row.cell.repetition) {
                work.basis = Basis::Bounded;
            }
        }
        let shown = refill(&rows).shown.unwrap();
        for (system, processes) in [("hashmap", 2_usize), ("hashmap bounded", 1)] {
            assert_eq!(*told(&shown, system, "refill-small")[2], processes.into(), "{system}");
        }
        // What holds nothing has nothing to compare with.
        for row in rows.iter_mut().filter(|row| row.system == "heapstore:glibc") {
            if let Some(point) = row.memory.as_mut().and_then(|memory| memory.at_once.as_mut()) {
                point.resident_bytes = 0;
            }
        }
        let missing = refill(&rows).missing().join(" ");
        assert!(missing.contains("measured, but it holds no memory"), "{missing}");
        // A value that was lost in any step voids all of the process.
        for row in rows.iter_mut().filter(|row| row.system == "btree" && row.step == "delete-3") {
            row.outcome = Outcome::WrongValues;
            row.reason = Some("lost".to_owned());
        }
        let data = refill(&rows);
        assert!(!data.notes[0].contains("btree"));
        assert!(
            data.missing().iter().any(|told| told.starts_with("btree") && told.contains("lost"))
        );
    }
}
