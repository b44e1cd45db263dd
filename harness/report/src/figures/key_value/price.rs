//! The price of memory: throughput over the memory held for each live byte, a line for each store as its
//! fill varies, and the efficient frontier of all.

use std::collections::BTreeMap;

use stats::median;
use workloads::bytes::format_bytes;

use super::scaling::distribution;
use super::{cells, finish, mix, size, system};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing, refusals};
use crate::figures::requests;
use crate::figures::samples::{Label, Mark, Point, Role, Spot, THROUGHPUT, points, spot};
use record::{KeyValue, Row, dimensions::in_bytes, metrics, repetition::Repetition};

/// What the frontier is called.
const FRONTIER: &str = "efficient frontier";

/// `price-of-memory`: a panel for each workload.
pub(in crate::figures) fn price_of_memory(suite: &str, rows: &[Row]) -> Data {
    let mut all = cells(suite, rows);
    all.retain(|one| system(one).1 == Role::Main);
    let held = held(&all);
    let mut data = Data::default();
    let mut drawn = points(&mut data, &all, |one| {
        let Some(work) = requests(one) else { return Vec::new() };
        let place = (panel(work), one.system.to_owned(), work.fill_percent);
        let Some(&held) = held.get(&place) else { return Vec::new() };
        let (panel, _, fill) = place;
        let (x, below) = (Label::new(held, ""), format!("{fill} % fill"));
        vec![Spot { panel, below, ..spot(THROUGHPUT, "throughput", system(one).0, x) }]
    });
    let frontier = frontier(&drawn);
    drawn.extend(frontier);
    data.notes.extend(refusals(&drawn));
    finish(data, (Drawing::Lines, Axes::over("memory held ÷ live value bytes")), &drawn, &all)
}

/// Where a store stands in a panel: at the median over its processes.
type Place = (Label, String, u32);

fn held(all: &[Repetition<'_>]) -> BTreeMap<Place, f64> {
    let mut found: BTreeMap<Place, Vec<f64>> = BTreeMap::new();
    for one in all.iter().filter(|one| one.counts()) {
        let (Some(work), Some(run)) = (requests(one), one.step("run")) else { continue };
        // At the end of a trace little may be live: there the highest counts.
        let metric = if work.replay.is_some() { "overhead-peak" } else { "overhead" };
        let place = (panel(work), one.system.to_owned(), work.fill_percent);
        found.entry(place).or_default().extend(metrics::value(run, metric));
    }
    found.into_iter().filter_map(|(place, values)| Some((place, median(&values)?))).collect()
}

fn panel(work: &KeyValue) -> Label {
    match &work.replay {
        Some(replay) => Label::new(f64::MAX, format!("trace {}", replay.trace)),
        None => {
            let mean = in_bytes(&format_bytes(work.workload.mean_value_bytes().round() as usize));
            let keys = distribution(work).text;
            Label::new(size(work).at, format!("{mean} on average, {}, {keys}", mix(work).text))
        }
    }
}

/// The points that no other of their panel beats in both: none is faster with as little memory.
fn frontier(drawn: &[Point]) -> Vec<Point> {
    // A store that refused holds less than it was asked to.
    let holds = |point: &&Point| point.value.is_some() && point.mark != Mark::Full;
    let mut sorted: Vec<&Point> = drawn.iter().filter(holds).collect();
    sorted.sort_by(|one, other| {
        (&one.spot.panel, &one.spot.x).cmp(&(&other.spot.panel, &other.spot.x))
    });
    let mut frontier: Vec<Point> = Vec::new();
    let mut best: Option<(&Label, f64)> = None;
    for point in sorted {
        let throughput = point.value.map_or(0.0, |value| value.estimate);
        if best.is_some_and(|(panel, most)| *panel == point.spot.panel && throughput <= most) {
            continue;
        }
        best = Some((&point.spot.panel, throughput));
        let spot =
            Spot { role: Role::Reference, series: Label::named(FRONTIER), ..point.spot.clone() };
        frontier.push(Point { spot, ..point.clone() });
    }
    frontier
}

#[cfg(test)]
mod tests {
    use stats::of_processes;

    use super::*;

    fn point(panel: f64, series: &str, held: f64, mops: f64) -> Point {
        let spot = spot(THROUGHPUT, "throughput", Label::named(series), Label::new(held, ""));
        let panel = Label::new(panel, "");
        let value = of_processes(&[mops]);
        Point { spot: Spot { panel, ..spot }, value, mark: Mark::None, sources: Vec::new() }
    }

    #[test]
    fn the_frontier_is_what_nobody_beats_in_both_and_begins_anew_in_each_panel() {
        let drawn = [
            point(1.0, "a", 1.1, 2.0),
            point(1.0, "b", 1.2, 1.0),
            point(1.0, "a", 2.0, 3.0),
            point(1.0, "b", 2.5, 3.0),
            point(2.0, "b", 1.5, 0.5),
            Point { mark: Mark::Full, ..point(1.0, "c", 1.0, 9.0) },
        ];
        let found = frontier(&drawn);
        let places: Vec<(f64, f64)> =
            found.iter().map(|point| (point.spot.panel.at, point.spot.x.at)).collect();
        assert_eq!(places, [(1.0, 1.1), (1.0, 2.0), (2.0, 1.5)]);
        assert!(found.iter().all(|point| point.spot.role == Role::Reference));
    }
}
