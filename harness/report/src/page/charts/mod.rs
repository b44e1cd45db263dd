//! A figure's table as charts: what the page draws, and what sentences are made from. Each panel of each
//! measure is a chart; each point keeps its interval and its cells.

mod looks;
mod panels;
mod wide;

use serde::{Serialize, Serializer};

use super::{cells::Cells, short};
use crate::figures::Drawn;

pub(super) use looks::{Look, looks};

/// Bars of what a store's values alone take, which no process holds alone.
const PARTIAL: &str = " log-only";

/// The horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Axis {
    /// Numbers.
    Numbers,
    /// Named places, counted from 0.
    Places,
}

/// One panel of one measure.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chart {
    /// The panel; empty where there is only one.
    pub(super) panel: String,
    /// What is measured, with its unit.
    pub(super) measure: String,
    pub(super) axis: Axis,
    /// The title of the horizontal axis.
    pub(super) x: String,
    pub(super) log_x: bool,
    pub(super) log_y: bool,
    /// A level to look around, as 1 of ratios.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base: Option<f64>,
    /// What the ends of intervals are, of three processes or more.
    pub(super) ends: &'static str,
    /// Places with a name, from the left.
    pub(super) places: Vec<(f64, String)>,
    pub(super) series: Vec<Series>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Series {
    pub(super) name: String,
    /// As in data files: `main`, `thin`, `level`, `reference`, `measured`.
    pub(super) role: String,
    pub(super) points: Vec<Point>,
}

impl Series {
    /// Whether it is a competitor, not a bound, a companion of another, or a part of what a process holds.
    pub(super) fn competes(&self) -> bool {
        let is_of_store = matches!(self.role.as_str(), "main" | "level" | "measured");
        is_of_store && !self.name.ends_with(PARTIAL)
    }
}

/// A number with its interval.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    /// `None` where there is no number.
    pub(super) value: Option<f64>,
    pub(super) low: f64,
    pub(super) high: f64,
    /// How many processes it comes from.
    pub(super) count: usize,
    /// As in data files: `full`, `overloaded`, or nothing.
    pub(super) mark: String,
    /// Where it stands, in words.
    pub(super) at: String,
    /// Places of its cells.
    pub(super) cells: Vec<usize>,
}

impl Serialize for Point {
    /// As a list: thousands of names would be longer than the numbers.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (x, value) = (short(self.x), self.value.and_then(short));
        let (low, high) = (short(self.low), short(self.high));
        (x, value, low, high, self.count, &self.mark, &self.at, &self.cells).serialize(serializer)
    }
}

/// The charts of a figure; none where its table has another form.
pub(super) fn charts(drawn: &Drawn, cells: &Cells) -> Vec<Chart> {
    let table = &drawn.table;
    let mut charts = match table.place("drawing") {
        Some(_) => panels::charts(table, cells),
        None => wide::charts(table, &drawn.figure.value, cells),
    };
    for chart in &mut charts {
        chart.series.retain(|series| {
            series.points.iter().any(|point| point.value.is_some() || !point.mark.is_empty())
        });
    }
    charts.retain(|chart| {
        let mut points = chart.series.iter().flat_map(|series| &series.points);
        points.any(|point| point.value.is_some())
    });
    charts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Drawings, by_name, draw, fixture};

    fn of(name: &str) -> (Vec<Chart>, Cells) {
        let folder = fixture::Folder::new(&format!("charts-{name}"));
        let rows = fixture::rows();
        let figure = by_name(name).expect("a figure");
        let drawn = draw(&folder.0, &rows, &[figure], Drawings::LeftOut).expect("a table");
        let cells = Cells::of(&rows);
        (charts(&drawn[0], &cells), cells)
    }

    #[test]
    fn every_panel_is_a_chart_and_every_point_knows_its_cells() {
        for (name, axis) in [("rivals", Axis::Numbers), ("store-bloat", Axis::Places)] {
            let (charts, _) = of(name);
            assert!(!charts.is_empty(), "{name}");
            for chart in &charts {
                assert_eq!(chart.axis, axis, "{name}");
                assert!(!chart.measure.is_empty() && !chart.series.is_empty(), "{name}: {chart:?}");
                for series in chart.series.iter().filter(|series| series.competes()) {
                    let points = series.points.iter().filter(|point| point.value.is_some());
                    for point in points {
                        assert!(!point.cells.is_empty(), "{name}: {}: {point:?}", series.name);
                        assert!(point.low <= point.high, "{name}: {point:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_short_and_missing_ones_are_null() {
        let point = Point {
            x: 1.0,
            value: None,
            low: f64::NAN,
            high: 1.0 / 3.0,
            count: 3,
            mark: "full".to_owned(),
            at: "80 %".to_owned(),
            cells: vec![7],
        };
        let text = serde_json::to_string(&point).unwrap();
        assert_eq!(text, "[1.0,null,null,0.3333333,3,\"full\",\"80 %\",[7]]");
    }
}
