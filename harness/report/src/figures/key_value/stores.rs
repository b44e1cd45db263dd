//! Stores side by side: YCSB's core workloads, and the first touch of memory.

use std::collections::BTreeSet;

use super::scaling::distribution;
use super::{cells, finish, mix, of_suite, spot, system};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::requests;
use crate::figures::samples::{Label, Measure, Point, Role, Spot, THROUGHPUT, points};
use crate::figures::variants::apart;
use record::Row;

const EFFICIENCY: Measure = Measure { rank: 1, title: "roofline's time ÷ own, %", log: false };

/// What can be shown of any cells: a name in declarations, its axis and its metric.
pub(in crate::figures) const SHOWN: [(&str, Measure, &str); 11] = [
    ("throughput", THROUGHPUT, "throughput"),
    ("efficiency", EFFICIENCY, "efficiency"),
    ("overhead", Measure { rank: 2, title: "resident ÷ live value bytes", log: false }, "overhead"),
    (
        "ns-per-operation",
        Measure { rank: 3, title: "wall time ÷ operations, ns", log: true },
        "wall-ns",
    ),
    ("hit-rate", Measure { rank: 4, title: "GETs that hit, %", log: false }, "hit-rate"),
    ("p90", Measure { rank: 5, title: "90 % within, µs", log: true }, "p90-ns"),
    ("p99", Measure { rank: 6, title: "99 % within, µs", log: true }, "p99-ns"),
    ("get-mean", Measure { rank: 7, title: "mean of GETs, µs", log: true }, "get-mean-ns"),
    ("update-mean", Measure { rank: 8, title: "mean of updates, µs", log: true }, "update-mean-ns"),
    ("line-ns", Measure { rank: 9, title: "one load, ns", log: true }, "line-ns"),
    (
        "read-amplification",
        Measure { rank: 10, title: "bytes read ÷ bytes asked for", log: false },
        "read-amplification",
    ),
];

/// What `show` names, from above.
pub(in crate::figures) fn shown(show: &[String]) -> Vec<(Measure, &'static str)> {
    let shown = SHOWN.iter().filter(|(name, ..)| show.iter().any(|wanted| wanted == name));
    shown.map(|(_, measure, metric)| (*measure, *metric)).collect()
}

/// The stores of a suite, in groups by workload and keys, and under them the operations per call.
pub(in crate::figures) fn side_by_side(suite: &str, show: &[String], rows: &[Row]) -> Data {
    let measures = shown(show);
    let all = cells(suite, rows);
    of_suite(&all, (Drawing::Bars, Axes::default()), |one| {
        let (Some(work), (_, Role::Main)) = (requests(one), system(one)) else {
            return Vec::new();
        };
        let keys = distribution(work);
        let group = match work.workload.name.starts_with("get-") {
            true => format!("{}, {}", mix(work).text, keys.text),
            false => format!("{}: {}", work.workload.name, work.workload.mix),
        };
        // A panel for each size of batches, and one for scans: they are no share of single operations.
        let panel = match work.batch() {
            _ if work.workload.scans() => Label::new(1.5, "scans"),
            1 => Label::new(1.0, "single operations"),
            batch => Label::new(batch as f64, format!("batches of {batch}")),
        };
        let group = Label::new(mix(work).at * 1e3 + keys.at, group);
        let (text, series) = apart(&panel.text, &one.cell.system);
        let (panel, series) = (Label::new(panel.at, text), Label::named(series));
        let spots = measures.iter().map(|&(measure, metric)| Spot {
            panel: panel.clone(),
            ..spot(measure, metric, series.clone(), group.clone())
        });
        spots.collect()
    })
}

/// `ycsb-core`: throughput, and how near it comes to memory alone.
pub(in crate::figures) fn ycsb_core(suite: &str, rows: &[Row]) -> Data {
    let all = cells(suite, rows);
    let mut data = Data::default();
    let mut points = points(&mut data, &all, |one| {
        let (Some(work), (series, Role::Main)) = (requests(one), system(one)) else {
            return Vec::new();
        };
        let group = Label::named(work.workload.name.as_str());
        let of = |measure, metric| Spot {
            below: work.workload.mix.to_string(),
            ..spot(measure, metric, series.clone(), group.clone())
        };
        [(THROUGHPUT, "throughput"), (EFFICIENCY, "efficiency")]
            .map(|(measure, metric)| of(measure, metric))
            .to_vec()
    });
    let scanning: BTreeSet<String> = all
        .iter()
        .filter_map(|one| requests(one))
        .filter(|work| work.workload.scans())
        .map(|work| work.workload.name.clone())
        .collect();
    points.extend(without_scans(&points, &scanning));
    finish(data, (Drawing::Bars, Axes::default()), &points, &all)
}

/// Places of stores that were asked for no scans in the groups that scan: they cannot.
fn without_scans(points: &[Point], scanning: &BTreeSet<String>) -> Vec<Point> {
    let scans = points.iter().filter(|point| scanning.contains(&point.spot.x.text));
    let places: BTreeSet<Spot> = scans.clone().map(|point| point.spot.clone()).collect();
    let scan: BTreeSet<&Label> = scans.map(|point| &point.spot.series).collect();
    let series: BTreeSet<&Label> = points.iter().map(|point| &point.spot.series).collect();
    let absent = series.difference(&scan).flat_map(|series| {
        let at = |spot: &Spot| Spot { series: (*series).clone(), ..spot.clone() };
        places.iter().map(at).collect::<BTreeSet<Spot>>()
    });
    absent.map(|spot| Point::absent(spot, "no scans")).collect()
}

/// `first-touch`: inserts into memory that is resident before the clock, and into memory that is
/// not.
pub(in crate::figures) fn first_touch(suite: &str, rows: &[Row]) -> Data {
    const SYSTEM: Measure = Measure { rank: 1, title: "system time ÷ CPU time, %", log: false };
    let all = cells(suite, rows);
    of_suite(&all, (Drawing::Bars, Axes::default()), |one| {
        let (Some(work), (series, Role::Main)) = (requests(one), system(one)) else {
            return Vec::new();
        };
        let group = if work.resident {
            Label::new(0.0, "resident before the clock")
        } else {
            Label::new(1.0, "first touched within the clock")
        };
        [(THROUGHPUT, "throughput"), (SYSTEM, "system-percent")]
            .map(|(measure, metric)| spot(measure, metric, series.clone(), group.clone()))
            .to_vec()
    })
}
