//! Figures of traces replayed on stores.

use workloads::requests::Mix;

use super::asked_by;
use super::{finish, spot, system};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::requests;
use crate::figures::samples::{Label, Measure, Role, Spot, THROUGHPUT, points};
use record::{Driver, KeyValue, Row, repetition::Repetition};

/// Time to completion, from 0.
const COMPLETION: Measure = Measure { rank: 0, title: "time to completion, s", log: false };
const PEAK: Measure = Measure { rank: 1, title: "highest resident ÷ live", log: false };

/// `fig11`: time to completion over threads, each with a working set of its own.
pub(in crate::figures) fn weak_scaling(rows: &[Row]) -> Data {
    let axes = Axes { x: "threads, a working set each", ..Axes::default() };
    over("postmark-scaling", axes, rows, |work| {
        Label::new(work.threads as f64, work.threads.to_string())
    })
}

/// `fig12`: time to completion over the fill.
pub(in crate::figures) fn over_utilisation(rows: &[Row]) -> Data {
    let axes = Axes { x: "fill where most is live, %", ..Axes::default() };
    over("postmark-utilisation", axes, rows, |work| {
        Label::new(f64::from(work.fill_percent), work.fill_percent.to_string())
    })
}

fn over(suite: &str, axes: Axes<'_>, rows: &[Row], x: impl Fn(&KeyValue) -> Label) -> Data {
    let all = asked_by(suite, rows);
    let mut data = Data::default();
    let points = points(&mut data, &all, |one| {
        let (Some(work), (series, Role::Main)) = (requests(one), system(one)) else {
            return Vec::new();
        };
        let of = |measure, metric| spot(measure, metric, series.clone(), x(work));
        vec![of(COMPLETION, "elapsed-s"), of(PEAK, "overhead-peak")]
    });
    data.notes.extend(traces(&all));
    finish(data, (Drawing::Lines, axes), &points, &all)
}

/// `real-traces`: stores side by side under each trace.
pub(in crate::figures) fn real_traces(suite: &str, rows: &[Row]) -> Data {
    let all = asked_by(suite, rows);
    let mut data = Data::default();
    let points = points(&mut data, &all, |one| {
        let (Some(work), (series, Role::Main)) = (requests(one), system(one)) else {
            return Vec::new();
        };
        let Some(replay) = &work.replay else { return Vec::new() };
        let group = Label::named(replay.trace.trim_start_matches("imported/"));
        let panel = match work.driver {
            Driver::Timed { speed } => Label::new(2.0, format!("at its own times × {speed}")),
            _ => Label::new(1.0, "as fast as it is answered"),
        };
        let of = |measure, metric| Spot {
            panel: panel.clone(),
            below: shares(&work.workload.mix),
            ..spot(measure, metric, series.clone(), group.clone())
        };
        vec![of(THROUGHPUT, "throughput"), of(PEAK, "overhead-peak")]
    });
    data.notes.extend(traces(&all));
    finish(data, (Drawing::Bars, Axes::default()), &points, &all)
}

/// The shares of a trace, rounded.
fn shares(mix: &Mix) -> String {
    let shares = mix.shares();
    let shares = shares.iter().filter(|(_, share)| *share >= 0.5);
    let shares: Vec<String> =
        shares.map(|(kind, share)| format!("{} {share:.0} %", kind.name())).collect();
    shares.join(", ")
}

/// What was replayed, in sentences.
fn traces(all: &[Repetition<'_>]) -> Vec<String> {
    let mut said = std::collections::BTreeSet::new();
    for work in all.iter().filter_map(requests) {
        let Some(replay) = &work.replay else { continue };
        let totals = &replay.totals;
        let copies = match replay.copies {
            1 => String::new(),
            copies => format!(", {copies} copies in step"),
        };
        said.insert(format!(
            "Trace {}: {} requests to {} keys, at most {:.1} MiB of values live{copies}, {} working \
             sets, a GET that misses stores {}",
            replay.trace,
            totals.requests,
            totals.records,
            totals.live_bytes_max as f64 / 1024.0 / 1024.0,
            replay.working_sets.word(),
            if replay.miss.name() == "set" { "the value" } else { "nothing" },
        ));
    }
    said.into_iter().collect()
}
