//! Lines that are predicted, the measured points beside them, and what is said about both.

use std::collections::{BTreeMap, BTreeSet};

use model::{ASSUMPTIONS, Curve};
use stats::Interval;

use super::{Aim, Pick, described};
use crate::figures::axes::common;
use crate::figures::data::Data;
use crate::figures::key_value::numbered;
use crate::figures::panels::{Axes, Drawing, fill};
use crate::figures::requests;
use crate::figures::samples::{
    Label, Mark, Measure, Point, Role, Spot, estimate_of_metric, runs, spot,
};
use record::repetition::{Repetition, Source, sources};

/// How much longer operations are where it is asked what follows from the speed of cores.
const LONGER: f64 = 10.0;

/// What a figure shows of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Operations of all threads together.
    Throughput,
    /// Time in which every thread does as much as one was measured at.
    Completion,
}

impl Shown {
    fn measure(self) -> Measure {
        let title = match self {
            Self::Throughput => "predicted, not measured: Mops/s",
            Self::Completion => "predicted, not measured: s",
        };
        Measure { rank: 0, title, log: true }
    }

    fn metric(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Completion => "elapsed-s",
        }
    }
}

/// A line and the cells it is fitted to and checked by.
struct Line<'a> {
    pick: Pick,
    by_threads: BTreeMap<usize, Vec<&'a Repetition<'a>>>,
}

/// The lines that `pick` makes of the cells of `suite`.
pub(super) fn predict<'a>(
    suite: &str,
    (aim, shown): (Aim, Shown),
    all: &'a [Repetition<'a>],
    pick: impl Fn(&Repetition<'a>) -> Vec<Pick>,
) -> Data {
    let mut data = Data::default();
    let mut lines: BTreeMap<(Label, Label), Line<'a>> = BTreeMap::new();
    let mut unknown: BTreeSet<&str> = BTreeSet::new();
    let mut drawn: Vec<Repetition<'a>> = Vec::new();
    for one in all {
        let Some(work) = requests(one) else { continue };
        if one.role() == record::Role::Roofline {
            continue;
        }
        for pick in pick(one) {
            if described(one, &pick.options, work).is_none() {
                unknown.insert(one.system);
                continue;
            }
            if work.threads > 1 && !pick.is_checked {
                continue;
            }
            drawn.push(one.clone());
            let key = (pick.panel.clone(), pick.series.clone());
            let line = lines.entry(key).or_insert(Line { pick, by_threads: BTreeMap::new() });
            line.by_threads.entry(work.threads).or_default().push(one);
        }
    }
    let mut points = Vec::new();
    let mut checks: BTreeMap<Label, Vec<String>> = BTreeMap::new();
    let mut ends: BTreeMap<Label, Vec<(String, End)>> = BTreeMap::new();
    for line in lines.values() {
        match fitted(line, aim, shown) {
            Ok(fitted) => {
                points.extend(fitted.points);
                if !fitted.check.is_empty() {
                    checks.entry(line.pick.panel.clone()).or_default().push(fitted.check);
                }
                let series = line.pick.series.text.clone();
                ends.entry(line.pick.panel.clone()).or_default().push((series, fitted.end));
            }
            Err(reason) => {
                data.note_reason(&line.pick.series.text, &line.pick.panel.text, reason);
            }
        }
    }
    if points.is_empty() && !lines.is_empty() {
        data.nothing = Some(format!(
            "This run has no sound row of one thread, which predictions are fitted to: the suite \
             {suite} measures them."
        ));
    }
    let axes = Axes { log_x: true, ..Axes::over("threads") };
    points.sort_by(|a, b| a.spot.cmp(&b.spot));
    fill(&mut data, Drawing::Lines, axes, &points);
    data.notes.extend(common(&drawn));
    data.notes.extend(told_unknown(&unknown));
    data.notes.push(format!(
        "Predicted for {}, {} cores; fitted to the median of one thread on this machine.",
        aim.machine().title,
        aim.machine().cores()
    ));
    data.notes.push("Assumed:".to_owned());
    let sentences = ASSUMPTIONS.iter().zip(1..);
    data.notes.extend(sentences.map(|(sentence, number)| format!("({number}) {sentence}")));
    let place = |panel: &Label| match panel.text.as_str() {
        "" => String::new(),
        text => format!(" ({text})"),
    };
    data.notes.extend(ends.iter().filter_map(|(panel, ends)| told_ends(&place(panel), ends)));
    let checks = checks.iter();
    data.notes
        .extend(checks.map(|(panel, told)| format!("Check{}: {}.", place(panel), told.join("; "))));
    data
}

/// Throughput on all cores, operations per second.
#[derive(Clone, Copy, Debug)]
struct End {
    fitted: f64,
    /// Were every operation [`LONGER`].
    longer: f64,
}

/// How far the highest line is from the lowest, and how far it would be were operations longer:
/// factors depend on the speed of cores, which the model does not know.
fn told_ends(place: &str, ends: &[(String, End)]) -> Option<String> {
    let by_end = |a: &&(String, End), b: &&(String, End)| a.1.fitted.total_cmp(&b.1.fitted);
    let (high, highest) = ends.iter().max_by(by_end)?;
    let (low, lowest) = ends.iter().min_by(by_end)?;
    (high != low).then(|| {
        format!(
            "On all cores{place} the throughput of {high} ÷ {low} is {:.1}; were every operation \
             of one thread {LONGER} times as long, {:.1}.",
            highest.fitted / lowest.fitted,
            highest.longer / lowest.longer
        )
    })
}

/// What came of a line.
struct Fitted {
    /// Predicted and measured points.
    points: Vec<Point>,
    /// Its checks, in words.
    check: String,
    end: End,
}

fn told_unknown(unknown: &BTreeSet<&str>) -> Option<String> {
    let named: Vec<&str> = unknown.iter().copied().collect();
    (!named.is_empty()).then(|| format!("Not described by the model: {}.", named.join(", ")))
}

fn fitted(line: &Line<'_>, aim: Aim, shown: Shown) -> Result<Fitted, String> {
    let medians = |metric: &str, all: &[&Repetition<'_>]| estimate_of_metric(metric, &runs(all));
    let [one, ..] = line.by_threads.get(&1).map(Vec::as_slice).unwrap_or_default() else {
        return Err("no cell of one thread was measured, which it is fitted to".to_owned());
    };
    let alone = &line.by_threads[&1];
    let mops = medians("throughput", alone).filter(|mops| mops.estimate > 0.0);
    let Some(mops) = mops else { return Err(one.reason()) };
    let work = requests(one).expect("picked cells ask requests");
    let scenario = described(one, &line.pick.options, work).expect("picked stores are described");
    let machine = aim.machine();
    let curve_of =
        |ns: f64| Curve::fit(machine, scenario.clone(), ns).map_err(|error| error.to_string());
    let one_thread_ns = 1e3 / mops.estimate;
    let curve = curve_of(one_thread_ns)?;
    let on_all = |curve: &Curve<'_>| curve.ops_per_s(machine.cores()).expect("as many as it has");
    let end = End { fitted: on_all(&curve), longer: on_all(&curve_of(one_thread_ns * LONGER)?) };
    let operations = runs(alone).first().map_or(0.0, |row| row.operations as f64);

    let mut points = Vec::new();
    let mut told = Vec::new();
    for &threads in aim.threads {
        let value = match shown {
            Shown::Throughput => curve.ops_per_s(threads).map(|ops| ops / 1e6),
            Shown::Completion => curve.completion_s(threads, operations),
        };
        // No process stands behind it.
        let value = value.map(|value| Interval::exact(value, 0));
        points.push(point(line, shown, Role::Main, threads, (value, sources(alone))));
    }
    // Other settings than the line's: alone they cost the same, but they are no points of it.
    let beside = line.by_threads.iter().filter(|_| line.pick.is_checked);
    for (&threads, all) in beside {
        let value = medians(shown.metric(), all);
        points.push(point(line, shown, Role::Measured, threads, (value, sources(all))));
        let measured = medians("throughput", all).filter(|_| threads > 1);
        let check = measured.and_then(|mops| curve.check(threads, mops.estimate * 1e6));
        told.extend(check.map(|check| check.to_string()));
    }
    let check = match told.as_slice() {
        [] => String::new(),
        told => format!("{}, {}", line.pick.series.text, told.join(", ")),
    };
    Ok(Fitted { points, check, end })
}

fn point(
    line: &Line<'_>,
    shown: Shown,
    role: Role,
    threads: usize,
    (value, sources): (Option<Interval>, Vec<Source>),
) -> Point {
    let (series, x) = (line.pick.series.clone(), numbered(threads as f64));
    let spot = Spot {
        panel: line.pick.panel.clone(),
        role,
        below: "threads".to_owned(),
        ..spot(shown.measure(), shown.metric(), series, x)
    };
    let mark = if role == Role::Main { Mark::Predicted } else { Mark::None };
    Point { spot, value, mark, sources }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::requests::{edited, rows_of};
    use crate::figures::model::{NIBBLES, breakdown, completion, merge_trees, throughput};
    use record::Row;

    fn suite(name: &str) -> Vec<Row> {
        rows_of(name)
    }

    fn rows_in(data: &Data, series: &str, role: &str) -> Vec<(f64, f64, f64)> {
        let table = &data.table;
        let found = (0..table.rows.len())
            .filter(|&row| table.text(row, "series") == series && table.text(row, "role") == role);
        found
            .map(|row| ["x", "value", "n"].map(|name| table.number(row, name)))
            .map(|[x, value, n]| (x, value, n))
            .collect()
    }

    #[test]
    fn lines_go_through_one_thread_and_measurements_stand_beside_them() {
        let rows = edited(&suite("postmark-scaling"), "threads-1-batch-1/nibble/", |row| {
            row.throughput_ops_per_s = 2e6;
            row.operations = 4_000_000;
        });
        let rows = edited(&rows, "threads-2-batch-1/nibble/", |row| {
            row.throughput_ops_per_s = 3e6;
            row.elapsed_ns = 2_700_000_000;
        });
        let data = completion(&rows);
        let predicted = rows_in(&data, "nibble", "main");
        assert_eq!(predicted.len(), NIBBLES.threads.len());
        let (x, value, n) = predicted[0];
        assert!(x == 1.0 && (value - 2.0).abs() < 1e-9 && n == 0.0, "4 M operations at 2 Mops/s");
        assert!(predicted.iter().map(|point| point.1).collect::<Vec<_>>().is_sorted());
        let measured = rows_in(&data, "nibble", "measured");
        assert_eq!(measured.len(), 2);
        assert!((measured[1].1 - 2.7).abs() < 1e-9 && measured[1].2 == 3.0);
        let check = data.notes.iter().find(|note| note.starts_with("Check")).unwrap();
        assert!(
            check.contains("nibble, 2 threads: predicted ") && check.contains("measured 1.50×")
        );
        assert!(data.notes.iter().any(|note| note.contains("model: heapstore:jemalloc.")));
        for sentence in ASSUMPTIONS {
            assert!(data.notes.iter().any(|note| note.ends_with(sentence)), "{sentence}");
        }
    }

    /// Throughput of writes with 16 threads of the paper's machine.
    #[test]
    fn merge_trees_are_predicted_for_the_machine_of_their_paper() {
        let rows = edited(&suite("lsm-threads"), "threads-1-", |row| {
            row.throughput_ops_per_s = 4e5;
        });
        let data = merge_trees(&rows);
        let at_sixteen = |series: &str| {
            let points = rows_in(&data, series, "main");
            assert_eq!(points.iter().filter(|point| point.0 == 16.0).count(), 3, "{series}");
            let writes = points.iter().filter(|point| point.0 == 16.0).map(|point| point.1);
            writes.fold(f64::INFINITY, f64::min)
        };
        let (clsm, lsm) = (at_sixteen("clsm"), at_sixteen("lsm@sync=global-lock"));
        assert!(clsm > 1.2 * lsm, "{clsm} and {lsm} Mops/s");
        assert!(data.notes.iter().any(|note| note.contains("16 cores")), "{:?}", data.notes);
    }

    #[test]
    fn predictions_are_marked_and_measurements_are_not() {
        let table = throughput(&suite("rivals")).table;
        for row in 0..table.rows.len() {
            let is_measured = table.text(row, "role") == "measured";
            assert_eq!(table.text(row, "mark") == "predicted", !is_measured);
            assert_eq!(table.number(row, "n") > 0.0, is_measured);
            assert!(table.text(row, "measure").contains("predicted, not measured"));
        }
        let panels: BTreeSet<&str> =
            (0..table.rows.len()).map(|row| table.text(row, "panel")).collect();
        assert_eq!(panels.len(), 5, "{panels:?}");
    }

    #[test]
    fn each_component_has_a_panel_and_heads_go_to_those_of_a_socket() {
        let data = breakdown(&suite("components"));
        let panels: BTreeSet<&str> =
            (0..data.table.rows.len()).map(|row| data.table.text(row, "panel")).collect();
        assert_eq!(panels.len(), 4, "{panels:?}");
        for series in ["thread-ticks", "key", "1 at random", "4 at random", "one a core"] {
            assert!(!rows_in(&data, series, "main").is_empty(), "{series}");
            assert!(rows_in(&data, series, "measured").iter().any(|point| point.0 == 2.0));
        }
        // Nothing here has fifteen heads: fitted to four, and not checked.
        assert!(rows_in(&data, "15 at random", "measured").is_empty());
        assert!(!rows_in(&data, "15 at random", "main").is_empty());
    }

    #[test]
    fn without_one_thread_there_is_nothing_and_the_suite_is_named() {
        let only_two: Vec<Row> =
            suite("rivals").into_iter().filter(|row| row.cell.id.contains("threads-2-")).collect();
        let data = throughput(&only_two);
        assert!(data.table.rows.is_empty());
        assert!(data.nothing.as_ref().unwrap().contains("suite rivals"), "{:?}", data.nothing);
        assert!(data.missing().iter().all(|told| told.contains("one thread")));
    }
}
