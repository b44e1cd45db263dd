//! Throughput over threads and over utilisation, and updates in place beside appended ones.

use std::collections::{BTreeMap, BTreeSet};

use stats::of_processes;
use workloads::KeyDistribution;

use super::{cells, finish, mix, numbered, of_suite, spot, system, threads};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing, refusals};
use crate::figures::requests;
use crate::figures::samples::{Label, Mark, Measure, Point, Role, Spot, THROUGHPUT, place, points};
use record::{
    KeyValue, Row, metrics,
    repetition::{Repetition, Source},
};

/// The setting that tells updates in place from appended ones, and its values.
const UPDATE: &str = "update";
const IN_PLACE: &str = "in-place";
const APPEND: &str = "append";

/// Throughput over threads of a suite's cells, a panel for each distribution and mix.
pub(in crate::figures) fn over_threads(suite: &str, rows: &[Row]) -> Data {
    let all = cells(suite, rows);
    of_suite(&all, (Drawing::Lines, Axes::over("threads")), |one| {
        let Some(work) = requests(one) else { return Vec::new() };
        let (series, role) = system(one);
        let threads = numbered(work.threads as f64);
        vec![Spot { panel: panel(work), role, ..spot(THROUGHPUT, "throughput", series, threads) }]
    })
}

/// A panel for each distribution and mix: those of one distribution side by side, and read-only first.
pub(in crate::figures) fn panel(work: &KeyValue) -> Label {
    let (keys, asked) = (distribution(work), asked(work));
    Label::new(keys.at * 1e3 + asked.at, format!("{}, {}", keys.text, asked.text))
}

/// The share of GETs, or all shares where the others are not updates alone.
fn asked(work: &KeyValue) -> Label {
    let asked = &work.workload.mix;
    let gets = mix(work);
    if (asked.get + asked.update - 100.0).abs() < 1e-6 {
        return gets;
    }
    Label::new(gets.at + 0.5, asked.to_string())
}

/// A distribution, the least skewed first.
pub(in crate::figures) fn distribution(work: &KeyValue) -> Label {
    let skew = match work.workload.keys {
        KeyDistribution::Uniform => 0.0,
        // Less skewed than `zipfian:0.99` over as many records as memory holds.
        KeyDistribution::YcsbScrambled => 0.98,
        KeyDistribution::Zipfian { theta, .. } => theta,
        _ => 100.0,
    };
    Label::new(skew, work.distribution().replace(':', " "))
}

/// `utilisation`: throughput and the tail of updates over the fill.
pub(in crate::figures) fn utilisation(suite: &str, rows: &[Row]) -> Data {
    const TAIL: Measure = Measure { rank: 1, title: "p99.9 of updates, µs", log: true };
    let all = cells(suite, rows);
    let mut data = Data::default();
    let points = points(&mut data, &all, |one| {
        let Some(work) = requests(one) else { return Vec::new() };
        let (series, role) = system(one);
        let fill = numbered(work.fill_percent.into());
        let throughput =
            Spot { role, ..spot(THROUGHPUT, "throughput", series.clone(), fill.clone()) };
        if role == Role::Reference {
            return vec![throughput];
        }
        let tail = "update-p99.9-ns";
        vec![throughput, spot(TAIL, tail, series, fill)]
    });
    let points = with_levels(points);
    data.notes.extend(refusals(&points));
    finish(data, (Drawing::Lines, Axes::over("fill, % of object memory")), &points, &all)
}

/// A store that was measured at one fill, where others were at several, is the same at each of them.
fn with_levels(points: Vec<Point>) -> Vec<Point> {
    let fills: BTreeSet<&Label> = points.iter().map(|point| &point.spot.x).collect();
    let is_alone = |point: &&Point| {
        let alike = |other: &&Point| {
            other.spot.series == point.spot.series && other.spot.measure == point.spot.measure
        };
        points.iter().filter(alike).count() == 1
    };
    let mut all = points.clone();
    for point in points.iter().filter(is_alone) {
        for &fill in fills.iter().filter(|fill| ***fill != point.spot.x) {
            let spot = Spot { x: fill.clone(), ..point.spot.clone() };
            all.push(Point { spot, ..point.clone() });
        }
    }
    all
}

/// `nibble-2`: throughput with updates in place ÷ appended, cell by cell.
pub(in crate::figures) fn in_place_ratio(suite: &str, rows: &[Row]) -> Data {
    const RATIO: Measure = Measure { rank: 0, title: "in place ÷ appended", log: false };
    let all = cells(suite, rows);
    let by_id: BTreeMap<&str, &Repetition<'_>> =
        all.iter().map(|one| (one.cell.id.as_str(), one)).collect();
    let mut ratios: BTreeMap<Spot, (Vec<f64>, Vec<Source>)> = BTreeMap::new();
    let mixes: BTreeSet<Label> = all.iter().filter_map(|one| Some(mix(requests(one)?))).collect();
    let mut data = Data::default();
    for named in &all {
        let (Some(work), Some(pair)) = (requests(named), pair(named)) else { continue };
        let keys = distribution(work);
        let series = Label::new(work.threads as f64, threads(work.threads));
        // Mixes side by side, however near their shares are.
        let mut mix = mix(work);
        mix.at = mixes.iter().take_while(|known| **known < mix).count() as f64;
        let spot = Spot { panel: keys, ..spot(RATIO, "throughput", series, mix) };
        let mops = |one: &Repetition<'_>| {
            let row = one.step("run").filter(|_| one.counts())?;
            metrics::shown(row, "throughput").filter(|mops| *mops > 0.0)
        };
        // A ratio is one within a node.
        let beside = |id: &str| by_id.get(id).copied().filter(|one| one.node() == named.node());
        let [in_place, appended] = pair.each_ref().map(|id| beside(id));
        let (found, behind) = ratios.entry(spot.clone()).or_default();
        behind.extend(in_place.into_iter().chain(appended).map(Repetition::source));
        if let (Some(of), Some(to)) = (in_place.and_then(mops), appended.and_then(mops)) {
            found.push(of / to);
            continue;
        }
        for (side, one) in [("in place", in_place), ("appended", appended)] {
            if one.and_then(mops).is_none() {
                let reason = one.map_or("not measured".to_owned(), Repetition::reason);
                let series = format!("{} ({side})", spot.series.text);
                data.note_reason(&series, &place(&spot), reason);
            }
        }
    }
    let points: Vec<Point> = ratios
        .into_iter()
        .map(|(spot, (values, sources))| {
            let value = of_processes(&values);
            Point { spot, value, mark: Mark::None, sources }
        })
        .collect();
    let axes = Axes { base: Some(1.0), ..Axes::over("mix") };
    finish(data, (Drawing::Lines, axes), &points, &all)
}

/// The ids of a repetition with updates in place and of the same work by the same store with appended ones.
/// Presets differ in which of the two needs no setting. `None` of stores that name neither.
fn pair(one: &Repetition<'_>) -> Option<[String; 2]> {
    let system = &one.cell.system;
    let without = |value| system.without(UPDATE, value).map(|other| one.cell.id_with(&other));
    let own = one.cell.id.clone();
    match without(IN_PLACE) {
        Some(appended) => Some([own, appended]),
        None => without(APPEND).map(|in_place| [in_place, own]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::requests::rows_of;

    #[test]
    fn what_is_asked_in_another_mix_has_a_panel_of_its_own() {
        let table = over_threads("lsm-threads", &rows_of("lsm-threads")).table;
        let panels: BTreeSet<&str> =
            (0..table.rows.len()).map(|row| table.text(row, "panel")).collect();
        assert_eq!(panels.len(), 4, "{panels:?}");
        assert!(panels.iter().any(|panel| panel.contains("scan 9 %")), "{panels:?}");
        // Three processes measured each cell, and a point is of one cell.
        for row in 0..table.rows.len() {
            assert_eq!(table.number(row, "n"), 3.0, "{}", table.text(row, "panel"));
        }
    }
}
