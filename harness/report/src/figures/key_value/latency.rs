//! Latency: of PUTs by kind and value size, over the throughput, and of requests that keep to a schedule.

use std::collections::BTreeSet;

use super::{cells, finish, numbered, of_suite, panel, size, spot, system, threads};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::requests;
use crate::figures::samples::{Label, Mark, Measure, Point, Role, Spot, THROUGHPUT, points};
use record::{Flag, Row, dimensions::short};

/// `put-latency`: percentiles of inserts and of updates, a panel for each kind and value size.
pub(in crate::figures) fn put_latency(suite: &str, rows: &[Row]) -> Data {
    const LATENCY: Measure = Measure { rank: 0, title: "latency, µs", log: true };
    let all = cells(suite, rows);
    of_suite(&all, (Drawing::Lines, Axes::over("percentile")), |one| {
        let Some(work) = requests(one) else { return Vec::new() };
        let (series, role) = system(one);
        let mix = &work.workload.mix;
        let kinds = [("insert", mix.insert), ("update", mix.update)];
        let asked = kinds.iter().enumerate().filter(|(_, (_, share))| *share > 0.0);
        let spots = asked.flat_map(|(rank, (kind, _))| {
            let size = size(work);
            let text = format!("{kind}, values of {}", size.text);
            // Sizes of one kind side by side.
            let panel = Label::new(rank as f64 * 1e9 + size.at, text);
            let series = series.clone();
            ["p50", "p99", "p99.9"].into_iter().enumerate().map(move |(place, percentile)| {
                let x = Label::new(place as f64, percentile);
                let metric = format!("{kind}-{percentile}-ns");
                Spot { panel: panel.clone(), role, ..spot(LATENCY, metric, series.clone(), x) }
            })
        });
        spots.collect()
    })
}

/// `lsm-latency`: the time within which nine of ten operations end, over the throughput, a panel for each
/// distribution and mix. Each number of threads is a point.
pub(in crate::figures) fn over_throughput(suite: &str, rows: &[Row]) -> Data {
    const LATENCY: Measure = Measure { rank: 1, title: "90 % within, µs", log: true };
    let all = cells(suite, rows);
    let mut data = Data::default();
    let over_threads = points(&mut data, &all, |one| {
        let Some(work) = requests(one) else { return Vec::new() };
        let (series, role) = system(one);
        let of = |(measure, metric)| Spot {
            panel: panel(work),
            role,
            ..spot(measure, metric, series.clone(), numbered(work.threads as f64))
        };
        [(THROUGHPUT, "throughput"), (LATENCY, "p90-ns")].map(of).to_vec()
    });
    let throughput = |spot: &Spot| {
        let place = |spot: &Spot| (spot.panel.clone(), spot.series.clone(), spot.x.clone());
        let is_it =
            |point: &&Point| point.spot.measure == THROUGHPUT && place(&point.spot) == place(spot);
        Some(over_threads.iter().find(is_it)?.value?.estimate)
    };
    let points = over_threads.iter().filter(|point| point.spot.measure == LATENCY);
    let points = points.filter_map(|point| {
        let mops = throughput(&point.spot)?;
        let x = Label::new(mops, threads(point.spot.x.at as usize));
        Some(Point { spot: Spot { x, ..point.spot.clone() }, ..point.clone() })
    });
    let points: Vec<Point> = points.collect();
    finish(data, (Drawing::Lines, Axes::over("throughput, Mops/s")), &points, &all)
}

/// `open-loop`: latency over the scheduled rate, from the scheduled and from the real start.
pub(in crate::figures) fn open_loop(suite: &str, rows: &[Row]) -> Data {
    const LATENCY: Measure = Measure { rank: 0, title: "latency, µs", log: true };
    let all = cells(suite, rows);
    let mut data = Data::default();
    let points = points(&mut data, &all, |one| {
        let rate = requests(one).and_then(|work| work.rate_ops_per_s());
        let Some(rate) = rate else { return Vec::new() };
        let (series, role) = system(one);
        let x = Label::new(rate, short(rate));
        let both = ["p50", "p99.9"].into_iter().enumerate().flat_map(|(place, percentile)| {
            let panel = Label::new(place as f64, percentile);
            let [scheduled, real] =
                [format!("{percentile}-ns"), format!("service-{percentile}-ns")];
            [(role, scheduled), (Role::Thin, real)].map(|(role, metric)| Spot {
                panel: panel.clone(),
                role,
                ..spot(LATENCY, metric, series.clone(), x.clone())
            })
        });
        both.collect()
    });
    let late = all.iter().filter(|one| {
        let flags = one.step("run").map(|row| &row.flags);
        one.counts() && flags.is_some_and(|flags| flags.contains(&Flag::GeneratorLate))
    });
    let late = late.filter_map(|one| {
        let rate = requests(one)?.rate_ops_per_s()?;
        Some(format!("{} at {}/s", one.system, short(rate)))
    });
    let late: BTreeSet<String> = late.collect();
    if !late.is_empty() {
        data.notes.push(format!(
            "The harness sent requests late by more than a tenth of the latency it reports, in at \
             least one process: {}.",
            listed(late)
        ));
    }
    let overloaded = points.iter().filter(|point| point.mark == Mark::Overloaded);
    let overloaded: BTreeSet<String> = overloaded
        .map(|point| format!("{} at {}/s", point.spot.series.text, point.spot.x.text))
        .collect();
    if !overloaded.is_empty() {
        data.notes.push(format!("Overloaded (open circles): {}.", listed(overloaded)));
    }
    let axes = Axes { log_x: true, ..Axes::over("scheduled rate, requests/s") };
    finish(data, (Drawing::Lines, axes), &points, &all)
}

fn listed(names: BTreeSet<String>) -> String {
    names.into_iter().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::requests::{edited, rows_of};

    #[test]
    fn each_number_of_threads_is_a_point_at_its_throughput() {
        let rows = edited(&rows_of("lsm-threads"), "threads-2-", |row| {
            row.throughput_ops_per_s = 3e6;
        });
        let table = over_throughput("lsm-threads", &rows).table;
        let of_two = |row: &usize| table.text(*row, "group") == "2 threads";
        let at: Vec<f64> =
            (0..table.rows.len()).filter(of_two).map(|row| table.number(row, "x")).collect();
        assert_eq!(at, [3.0; 9], "two stores in four panels, and RocksDB in one");
        assert_eq!(table.rows.len(), 18);
        for row in 0..table.rows.len() {
            assert_eq!(table.text(row, "measure"), "90 % within, µs");
            assert!(table.number(row, "value") > 0.0);
        }
    }
}
