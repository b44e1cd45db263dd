//! `phases`: throughput, and a statistic of the store, while the share of PUTs changes in phases.

use std::collections::BTreeSet;
use std::path::Path;

use super::spot;
use super::timeline::seconds;
use crate::figures::asked_by;
use crate::figures::axes::common;
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing, fill};
use crate::figures::requests;
use crate::figures::samples::{Label, Mark, Measure, Point, THROUGHPUT, estimate_of};
use record::{Row, phase_of, repetition::without_repetition};

const SAMPLED: Measure = Measure { rank: 1, title: "sampled in the store", log: false };
const PUTS: Measure = Measure { rank: 2, title: "PUTs, %", log: false };

/// The cells of a suite that have phases, one process of each.
pub(in crate::figures) fn phases(folder: &Path, suite: &str, rows: &[Row]) -> Data {
    let mut all = asked_by(suite, rows);
    all.retain(|one| one.counts() && requests(one).is_some_and(|work| work.phases.is_some()));
    let mut seen = BTreeSet::new();
    all.retain(|one| seen.insert(without_repetition(&one.cell.id)));
    let mut data = Data::default();
    let mut points = Vec::new();
    for one in &all {
        let (Some(work), Some(row)) = (requests(one), one.step("run")) else { continue };
        let Some(phases) = &work.phases else { continue };
        let seconds = match seconds(folder, row) {
            Ok(seconds) => seconds,
            Err(reason) => {
                data.note_reason(one.system, "", reason);
                continue;
            }
        };
        let ends = work.phase_ends();
        let mut operations = 0;
        for second in &seconds {
            operations += second.operations;
            let puts = f64::from(phases.put_percents()[phase_of(&ends, operations)]);
            let told = [
                (THROUGHPUT, Some((second.middle_s, second.ops_per_s / 1e6))),
                // Both are of the interval's end.
                (SAMPLED, second.sampled.map(|value| (second.end_s, value))),
                (PUTS, Some((second.end_s, puts))),
            ];
            let told = told.into_iter().filter_map(|(measure, at)| Some((measure, at?)));
            points.extend(told.map(|(measure, (at_s, value))| {
                let x = Label::new(at_s, "");
                let spot = spot(measure, "throughput", Label::named(one.system), x);
                let sources = vec![one.source()];
                Point { spot, value: estimate_of(&[value]), mark: Mark::None, sources }
            }));
        }
    }
    if !all.is_empty() && points.is_empty() && data.missing().is_empty() {
        data.nothing =
            Some("No cell with phases was on the clock long enough for an interval.".to_owned());
        return data;
    }
    data.notes.extend(common(&all));
    points.sort_by(|a, b| a.spot.cmp(&b.spot));
    fill(&mut data, Drawing::Lines, Axes::over("s since the clock started"), &points);
    data
}
