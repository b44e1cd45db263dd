//! Segments and blocks, compaction workers, and the routine that compaction copies with.

use std::collections::{BTreeMap, BTreeSet};

use workloads::bytes::format_bytes;

use super::{cells, finish, numbered, of_preset, of_suite, option, size, spot};
use crate::figures::axes::number;
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing, best, told};
use crate::figures::requests;
use crate::figures::samples::{Label, Measure, Point, Role, Spot, THROUGHPUT, points};
use record::{Row, Work, dimensions::in_bytes, repetition::Repetition};

const SEGMENTS: &str = "segment size";
const VALUES: &str = "value size";

/// `segment-block`: throughput over the sizes of segments and blocks; what was measured in segments of
/// one size only stands in a panel of its own, over the sizes of values and blocks.
pub(in crate::figures) fn segment_block(suite: &str, rows: &[Row]) -> Data {
    let all = cells(suite, rows);
    let mut segments: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (values, segment, block) in all.iter().filter_map(sizes) {
        segments.entry((values.text, block.text)).or_default().insert(segment.text);
    }
    let is_alone = |values: &Label, block: &Label| {
        segments.get(&(values.text.clone(), block.text.clone())).is_some_and(|all| all.len() == 1)
    };
    let alone = all.iter().filter_map(sizes).filter(|(values, _, block)| is_alone(values, block));
    let alone: BTreeSet<(Label, Label)> =
        alone.map(|(_, segment, block)| (segment, block)).collect();
    let mut data = Data::default();
    let points = points(&mut data, &all, |one| {
        let Some((values, segment, block)) = sizes(one) else { return Vec::new() };
        let at = |rank: f64, panel: String, below: &str, series: &Label| Spot {
            panel: Label::new(rank, of_preset(one, &panel)),
            below: below.to_owned(),
            ..spot(THROUGHPUT, "throughput", series.clone(), block.clone())
        };
        let mut spots = Vec::new();
        if !is_alone(&values, &block) {
            spots.push(at(0.0, format!("values of {}", values.text), SEGMENTS, &segment));
        }
        if alone.contains(&(segment.clone(), block.clone())) {
            spots.push(at(1.0, format!("segments of {}", segment.text), VALUES, &values));
        }
        spots
    });
    let name = |point: &Point| {
        let what = if point.spot.below == SEGMENTS { "segments" } else { "values" };
        format!("{what} of {}, blocks of {}", point.spot.series.text, point.spot.x.text)
    };
    let panels: BTreeSet<&Label> = points.iter().map(|point| &point.spot.panel).collect();
    data.notes.extend(panels.into_iter().filter_map(|panel| verdict(&points, panel, name)));
    finish(data, (Drawing::Heat, Axes::over("block size")), &points, &all)
}

/// Sizes of values, segments and blocks.
fn sizes(one: &Repetition<'_>) -> Option<(Label, Label, Label)> {
    let bytes = |name| {
        let bytes = number(option(one, name)?)?;
        Some(Label::new(bytes, format_bytes(bytes as usize)))
    };
    Some((size(requests(one)?), bytes("segment-bytes")?, bytes("block-bytes")?))
}

/// Which point of a panel is best, and how many cannot be told apart from it.
pub(super) fn verdict(
    points: &[Point],
    panel: &Label,
    name: impl Fn(&Point) -> String,
) -> Option<String> {
    let best = best(points, panel, THROUGHPUT)?;
    let value = best.value?;
    let alike = points.iter().filter(|point| {
        point.spot.panel == *panel
            && point.spot.measure == THROUGHPUT
            && point.spot != best.spot
            && point.value.is_some_and(|other| other.overlaps(&value))
    });
    let where_ = if panel.text.is_empty() { String::new() } else { format!(" ({})", panel.text) };
    let alike = match alike.count() {
        0 => "no other interval overlaps with it".to_owned(),
        1 => "the interval of 1 other point overlaps with it".to_owned(),
        count => format!("the intervals of {count} other points overlap with it"),
    };
    Some(format!("Best{where_}: {}: {}; {alike}.", name(best), told(best)))
}

/// `compaction-workers`: throughput and CPU time over the number of workers; without any as a
/// level.
pub(in crate::figures) fn workers(suite: &str, rows: &[Row]) -> Data {
    const CPU: Measure = Measure { rank: 1, title: "CPU time, ns/operation", log: false };
    let all = cells(suite, rows);
    let count = |one: &Repetition<'_>| number(option(one, "compaction-workers")?);
    let mut counts: Vec<f64> = all.iter().filter_map(count).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    of_suite(&all, (Drawing::Lines, Axes::over("compaction workers")), |one| {
        let Some(work) = requests(one) else { return Vec::new() };
        let panel = Label::new(work.fill_percent.into(), format!("{} % fill", work.fill_percent));
        let (role, places) = match count(one) {
            Some(count) => (Role::Main, vec![count]),
            None => (Role::Level, counts.clone()),
        };
        let series = Label::named(of_preset(one, option(one, "compaction").unwrap_or(one.system)));
        let both = [(THROUGHPUT, "throughput"), (CPU, "cpu-ns")];
        let at = places.iter().flat_map(|&count| {
            both.map(|(measure, metric)| Spot {
                panel: panel.clone(),
                role,
                ..spot(measure, metric, series.clone(), numbered(count))
            })
        });
        at.collect()
    })
}

/// `copy-routine`: throughput by value size and routine, and bytes copied by the routine alone.
pub(in crate::figures) fn copy_routine(suite: &str, rows: &[Row]) -> Data {
    let all = cells(suite, rows);
    of_suite(&all, (Drawing::Bars, Axes::default()), |one| {
        const ALONE: Measure = Measure { rank: 1, title: "copied, GB/s", log: false };
        let Some(routine) = option(one, "copy") else { return Vec::new() };
        let routine = Label::named(of_preset(one, routine));
        if let Work::Copy(copying) = &one.cell.work {
            let bytes = copying.copy_bytes;
            let group = Label::new(bytes as f64, in_bytes(&format_bytes(bytes)));
            let panel = Label::named(
                "alone, from random places to consecutive ones, by size of the copies",
            );
            return vec![Spot { panel, ..spot(ALONE, "copied-bytes-per-s", routine, group) }];
        }
        let Some(work) = requests(one) else { return Vec::new() };
        let group = size(work);
        let panel = Label::named("end to end, by size of the values");
        vec![Spot { panel, ..spot(THROUGHPUT, "throughput", routine, group) }]
    })
}
