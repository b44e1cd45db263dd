//! `memory-convergence`: memory ÷ live bytes over the live bytes, and from where on it stays what it is.

use std::collections::BTreeMap;

use record::{Row, Work};
use workloads::bytes::format_bytes;

use super::asked_by;
use super::data::Data;
use super::panels::{Axes, Drawing, fill};
use super::samples::{Label, Measure, Point, Spot, points, spot};
use super::variants::apart;

const MEMORY: Measure = Measure { rank: 0, title: "memory ÷ live bytes", log: false };
/// A value holds where no larger live set changes it by more.
const HOLDS_WITHIN: f64 = 0.1;

/// A panel for each pattern and each variant of allocators, a line for each system.
pub(super) fn memory_convergence(suite: &str, rows: &[Row]) -> Data {
    let mut data = Data::default();
    let points = points(&mut data, &asked_by(suite, rows), |one| {
        let Work::Fragmentation(work) = &one.cell.work else { return Vec::new() };
        let panel = format!("{}: {}", work.pattern.name, work.pattern.label);
        let (panel, series) = apart(&panel, &one.cell.system);
        let x = Label::new(work.live_bytes as f64, format_bytes(work.live_bytes as usize));
        let spot = spot(MEMORY, "overhead-held", Label::named(series), x);
        vec![Spot { panel: Label::named(panel), ..spot }]
    });
    data.notes.extend(holds_from(&points));
    fill(&mut data, Drawing::Lines, Axes { log_x: true, ..Axes::over("live bytes") }, &points);
    data
}

/// For each panel, from which live set on each line is level.
fn holds_from(points: &[Point]) -> Vec<String> {
    let mut lines: BTreeMap<(&Label, &Label), Vec<(&Label, f64)>> = BTreeMap::new();
    for point in points {
        if let Some(value) = point.value {
            let line = lines.entry((&point.spot.panel, &point.spot.series)).or_default();
            line.push((&point.spot.x, value.estimate));
        }
    }
    let mut panels: BTreeMap<&Label, Vec<String>> = BTreeMap::new();
    for ((panel, series), mut line) in lines {
        line.sort_by(|one, other| one.0.cmp(other.0));
        let told = match first_level(&line) {
            Some(x) => format!("{} from {}", series.text, x.text),
            None => format!("{} nowhere here", series.text),
        };
        panels.entry(panel).or_default().push(told);
    }
    let within = HOLDS_WITHIN * 100.0;
    let told = panels
        .into_iter()
        .map(|(panel, all)| format!("Within {within} % on {}: {}.", panel.text, all.join(", ")));
    told.collect()
}

/// The smallest place but the last from which on no value differs by more than [`HOLDS_WITHIN`].
fn first_level<'a>(line: &[(&'a Label, f64)]) -> Option<&'a Label> {
    let level = |at: usize| {
        let here = line[at].1;
        line[at + 1..].iter().all(|(_, later)| (later / here - 1.0).abs() <= HOLDS_WITHIN)
    };
    (0..line.len().saturating_sub(1)).find(|&at| level(at)).map(|at| line[at].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_level_from_where_no_later_value_is_far() {
        let labels: Vec<Label> =
            (0..4).map(|at| Label::new(f64::from(at), at.to_string())).collect();
        let found = |values: [f64; 4]| {
            let line: Vec<(&Label, f64)> = labels.iter().zip(values).collect();
            first_level(&line).map(|label| label.at)
        };
        assert_eq!(found([2.77, 1.97, 1.73, 1.70]), Some(2.0));
        assert_eq!(found([1.0, 1.05, 1.0, 1.02]), Some(0.0));
        assert_eq!(found([1.0, 1.2, 1.4, 1.6]), None, "the last has nothing to be held against");
    }
}
