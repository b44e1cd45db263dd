//! The table that figures of lines, bars and fields are drawn from: a row for each point.

use std::collections::BTreeSet;

use super::data::Data;
use super::samples::{Label, Mark, Measure, NOT_MEASURED, Point, Role, Spot, spot};
use super::table::{Column, Table};
use super::{seven, styles};

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    /// Lines over a horizontal axis.
    Lines,
    /// Grouped bars.
    Bars,
    /// Fields over two axes: series from below, groups from the left.
    Heat,
}

const COLUMNS: [Column; 22] = [
    Column::new("drawing", "", 0),
    Column::new("measure", "measure", 0),
    Column::new("log", "", 0),
    Column::new("log-x", "", 0),
    Column::new("panel", "panel", 0),
    Column::new("role", "", 0),
    Column::new("order", "", 0),
    Column::new("series", "series", 0),
    Column::new("place", "", 0),
    Column::new("x", "", 0),
    Column::new("group", "at", 0),
    Column::new("below", "", 0),
    Column::new("value", "median", 3),
    Column::new("value-low", "95 % interval from", 3),
    Column::new("value-high", "to", 3),
    Column::new("n", "n", 0),
    Column::new("mark", "mark", 0),
    Column::new("absent", "", 0),
    Column::new("best", "", 0),
    Column::new("x-title", "", 0),
    Column::new("y-title", "", 0),
    Column::new("base", "", 0),
];

/// What a figure's axes are called.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axes<'a> {
    /// The horizontal one, with its unit.
    pub(super) x: &'a str,
    /// The vertical one of fields; lines and bars take the measure's title.
    pub(super) y: &'a str,
    /// Whether the horizontal one is logarithmic.
    pub(super) log_x: bool,
    /// A value to draw a line at and to look around, as 1 of ratios.
    pub(super) base: Option<f64>,
}

/// Puts `points` into the table of `data`, ours first and at most seven series a panel, and says how
/// many processes stand behind them.
pub(super) fn fill(data: &mut Data, drawing: Drawing, axes: Axes<'_>, points: &[Point]) {
    fill_within(data, (drawing, seven::PANELS_MOST), axes, points);
}

/// The same for a figure that has room for so many panels before series are left to the table.
pub(super) fn fill_within(
    data: &mut Data,
    (drawing, panels_most): (Drawing, usize),
    axes: Axes<'_>,
    points: &[Point],
) {
    let points = ranked(points);
    let (drawn, left) = match drawing {
        Drawing::Heat => (points.clone(), Vec::new()),
        Drawing::Lines | Drawing::Bars => dealt(&points, panels_most),
    };
    let spots =
        |points: &[Point]| points.iter().map(|point| point.spot.clone()).collect::<Vec<_>>();
    if spots(&drawn) != spots(&points) && data.shown.is_none() {
        data.shown = Some(table(drawing, axes, &points));
    }
    data.table = table(drawing, axes, &drawn);
    data.notes.extend(seven::told(&left));
    data.note_processes();
}

/// Series of the registry of styles first, in its order.
fn ranked(points: &[Point]) -> Vec<Point> {
    let mut points = points.to_vec();
    for point in &mut points {
        let series = &mut point.spot.series;
        if series.at == 0.0 {
            series.at = styles::rank(&series.text);
        }
    }
    points.sort_by(|a, b| a.spot.cmp(&b.spot));
    points
}

/// The points in the panels that they are drawn in, and the series that no panel has room for.
fn dealt(points: &[Point], panels_most: usize) -> (Vec<Point>, Vec<String>) {
    let panels: BTreeSet<&Label> = points.iter().map(|point| &point.spot.panel).collect();
    let measures: BTreeSet<Measure> = points.iter().map(|point| point.spot.measure).collect();
    let competing = |panel: &Label| -> Vec<String> {
        let own = points
            .iter()
            .filter(|point| point.spot.panel == *panel && point.spot.role != Role::Reference);
        let series: BTreeSet<&Label> = own.map(|point| &point.spot.series).collect();
        series.into_iter().map(|series| series.text.clone()).collect()
    };
    let wanted: usize = panels.iter().map(|panel| seven::needed(&competing(panel))).sum();
    let room = if wanted * measures.len() <= panels_most { usize::MAX } else { 1 };
    let (mut drawn, mut left) = (Vec::new(), Vec::new());
    for panel in panels {
        let parts = seven::parts(&competing(panel), room);
        for (place, series) in parts.panels.iter().enumerate() {
            let title = seven::part_title(&panel.text, place, parts.panels.len());
            let own = points.iter().filter(|point| {
                let spot = &point.spot;
                spot.panel == *panel
                    && (spot.role == Role::Reference || series.contains(&spot.series.text))
            });
            drawn.extend(own.cloned().map(|mut point| {
                point.spot.panel.text.clone_from(&title);
                point
            }));
        }
        for series in parts.left {
            if !left.contains(&series) {
                left.push(series);
            }
        }
    }
    drawn.sort_by(|a, b| a.spot.cmp(&b.spot));
    (drawn, left)
}

fn table(drawing: Drawing, axes: Axes<'_>, points: &[Point]) -> Table {
    let mut table = Table::new(&COLUMNS);
    let points = if drawing == Drawing::Lines { points.to_vec() } else { every_place(points) };
    for point in &points {
        let spot = &point.spot;
        // Places are counted within a panel, so that none has room for what stands in others only.
        let beside = || points.iter().filter(|other| other.spot.panel == spot.panel);
        let all_series: BTreeSet<&Label> = beside().map(|point| &point.spot.series).collect();
        let groups: BTreeSet<(&Label, &str)> = beside().map(|point| group(&point.spot)).collect();
        let place = groups.iter().position(|known| *known == group(spot)).unwrap_or(0);
        let best = drawing == Drawing::Heat && is_best(point, &points);
        let own_y = drawing == Drawing::Heat && !spot.below.is_empty();
        let row = vec![
            word(drawing).into(),
            spot.measure.title.into(),
            usize::from(spot.measure.log).into(),
            usize::from(axes.log_x).into(),
            spot.panel.text.as_str().into(),
            spot.role.word().into(),
            position(&all_series, &spot.series).into(),
            spot.series.text.as_str().into(),
            place.into(),
            spot.x.at.into(),
            spot.x.text.as_str().into(),
            spot.below.as_str().into(),
            point.value.map(|value| value.estimate).into(),
            point.value.map(|value| value.low).into(),
            point.value.map(|value| value.high).into(),
            point.value.map_or(0, |value| value.count).into(),
            point.mark.word().into(),
            point.absence().into(),
            usize::from(best).into(),
            axes.x.into(),
            if own_y { spot.below.as_str() } else { axes.y }.into(),
            axes.base.into(),
        ];
        table.push(row, point.sources.clone());
    }
    table
}

/// What distinguishes two groups of a panel.
fn group(spot: &Spot) -> (&Label, &str) {
    (&spot.x, spot.below.as_str())
}

fn word(drawing: Drawing) -> &'static str {
    match drawing {
        Drawing::Lines => "lines",
        Drawing::Bars => "bars",
        Drawing::Heat => "heat",
    }
}

fn position(all: &BTreeSet<&Label>, label: &Label) -> usize {
    all.iter().position(|known| *known == label).unwrap_or(0)
}

/// The point of the highest median among those of the same panel and measure.
pub(super) fn best<'a>(points: &'a [Point], panel: &Label, measure: Measure) -> Option<&'a Point> {
    let median = |point: &Point| point.value.map_or(f64::NEG_INFINITY, |value| value.estimate);
    let here = points.iter().filter(|point| {
        point.spot.panel == *panel && point.spot.measure == measure && point.value.is_some()
    });
    here.max_by(|a, b| median(a).total_cmp(&median(b)))
}

fn is_best(point: &Point, points: &[Point]) -> bool {
    best(points, &point.spot.panel, point.spot.measure).is_some_and(|best| best.spot == point.spot)
}

/// The points with empty ones in between, so that every panel has each of its series in each of its
/// groups.
fn every_place(points: &[Point]) -> Vec<Point> {
    let panels: BTreeSet<(Measure, &Label)> =
        points.iter().map(|point| (point.spot.measure, &point.spot.panel)).collect();
    let mut all = Vec::new();
    for (measure, panel) in panels {
        let beside = || points.iter().filter(|point| point.spot.panel == *panel);
        let series: BTreeSet<&Label> = beside().map(|point| &point.spot.series).collect();
        let groups: BTreeSet<(&Label, &str)> = beside().map(|point| group(&point.spot)).collect();
        let Some(like) = beside().find(|point| point.spot.measure == measure) else {
            continue;
        };
        for series in &series {
            for (x, below) in &groups {
                let metric = like.spot.metric.clone();
                let spot = Spot {
                    panel: panel.clone(),
                    below: (*below).to_owned(),
                    ..spot(measure, metric, (*series).clone(), (*x).clone())
                };
                // Groups of bars may show one metric each.
                let found = points.iter().find(|point| {
                    let metric = spot.metric.clone();
                    Spot { metric, ..point.spot.clone() } == spot
                });
                let empty = || Point::absent(spot.clone(), NOT_MEASURED);
                all.push(found.cloned().unwrap_or_else(empty));
            }
        }
    }
    all
}

/// The value of a point with its interval, as `5.310 Mops/s (95 % interval 5.1 to 5.5, n = 3)`.
pub(super) fn told(point: &Point) -> String {
    let Some(value) = point.value else { return "no number".to_owned() };
    let unit = point.spot.measure.title.split_once(", ").map_or("", |(_, unit)| unit);
    let ends = match value.level {
        Some(level) if level < 1.0 => format!("{} % interval", level * 100.0),
        _ => "range".to_owned(),
    };
    format!(
        "{:.3} {unit} ({ends} {:.3} to {:.3}, n = {})",
        value.estimate, value.low, value.high, value.count
    )
}

impl Axes<'_> {
    /// Axes of lines over `x`.
    pub(super) fn over(x: &str) -> Axes<'_> {
        Axes { x, ..Axes::default() }
    }
}

/// Cells in which the store refused, by series and place; `None` where there are none.
pub(super) fn refusals(points: &[Point]) -> Option<String> {
    let full = points.iter().filter(|point| point.mark == Mark::Full);
    let mut named: Vec<String> = Vec::new();
    for point in full {
        let name = format!("{} at {}", point.spot.series.text, super::samples::place(&point.spot));
        if !named.contains(&name) {
            named.push(name);
        }
    }
    (!named.is_empty()).then(|| format!("Refuses (cross on the axis): {}.", named.join("; ")))
}

#[cfg(test)]
mod tests {
    use stats::of_processes;

    use super::super::samples::THROUGHPUT;
    use super::*;

    fn point(series: &str, x: f64, value: f64) -> Point {
        let x = Label::new(x, x.to_string());
        let spot = spot(THROUGHPUT, "throughput", Label::named(series), x);
        Point { spot, value: of_processes(&[value]), mark: Mark::None, sources: Vec::new() }
    }

    #[test]
    fn fields_are_complete_and_have_one_best() {
        let points = [point("a", 2.0, 1.0), point("b", 1.0, 3.0), point("b", 2.0, 2.0)];
        let mut data = Data::default();
        fill(&mut data, Drawing::Heat, Axes::over("x"), &points);
        let table = &data.table;
        assert_eq!(table.rows.len(), 4, "two series, two groups");
        let best: Vec<usize> = (0..4).filter(|&row| table.number(row, "best") == 1.0).collect();
        assert_eq!(best.len(), 1);
        assert_eq!((table.text(best[0], "series"), table.number(best[0], "place")), ("b", 0.0));
        assert!(table.number(0, "value").is_nan(), "a at 1");
    }

    #[test]
    fn values_are_told_with_their_ends() {
        let told = told(&point("a", 1.0, 5.5));
        assert_eq!(told, "5.500 Mops/s (range 5.500 to 5.500, n = 1)");
    }
}
