//! Charts of tables with several measures in a row: those of fragmentation cells, and a few others.

use super::{Axis, Chart, Point, Series};
use crate::figures::BESIDE;
use crate::figures::table::{Column, Table};
use crate::page::cells::Cells;
use crate::page::distinct;

pub(super) fn charts(table: &Table, value: &str, cells: &Cells) -> Vec<Chart> {
    if table.place("series").is_none() || table.place("group").is_none() {
        return Vec::new();
    }
    let panels = distinct((0..table.rows.len()).map(|row| table.text(row, "panel")));
    let mut charts = Vec::new();
    for measure in measures(table, value) {
        let panels = panels.iter().filter(|panel| !panel.starts_with(BESIDE));
        charts.extend(panels.map(|panel| chart(table, measure, panel, cells)));
    }
    charts
}

/// The columns with an interval over processes; where ranges are all there is, what the figure is about.
fn measures<'a>(table: &'a Table, value: &str) -> Vec<&'a Column> {
    let has_interval = |column: &&Column| table.place(&format!("{}-low", column.name)).is_some();
    let all: Vec<&Column> = table.columns.iter().filter(has_interval).collect();
    if all.is_empty() {
        table.columns.iter().filter(|column| column.name == value).collect()
    } else {
        all
    }
}

fn chart(table: &Table, measure: &Column, panel: &str, cells: &Cells) -> Chart {
    let name = measure.name;
    let is_range = table.place(&format!("{name}-low")).is_none();
    let ends = if is_range { ["-min", "-max"] } else { ["-low", "-high"] };
    let rows: Vec<usize> =
        (0..table.rows.len()).filter(|&row| table.text(row, "panel") == panel).collect();
    let mut places: Vec<(f64, String)> =
        rows.iter().map(|&row| (table.number(row, "place"), words(table, row, "\n"))).collect();
    places.sort_by(|one, other| one.0.total_cmp(&other.0));
    let places = distinct(places.iter().map(|(_, text)| text.as_str()));
    let mut series: Vec<Series> = Vec::new();
    for row in rows {
        let at = words(table, row, "\n");
        let value = table.number(row, name);
        let point = Point {
            x: places.iter().position(|place| *place == at).unwrap_or(0) as f64,
            value: value.is_finite().then_some(value),
            low: table.number(row, &format!("{name}{}", ends[0])),
            high: table.number(row, &format!("{name}{}", ends[1])),
            count: table.number(row, "n") as usize,
            mark: String::new(),
            at: words(table, row, ", "),
            cells: table.sources.get(row).map(|sources| cells.places(sources)).unwrap_or_default(),
        };
        let own = table.text(row, "series");
        match series.iter_mut().find(|series| series.name == own) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name: own.to_owned(),
                role: "main".to_owned(),
                points: vec![point],
            }),
        }
    }
    Chart {
        panel: panel.to_owned(),
        measure: measure.heading.trim_end_matches(" (median)").to_owned(),
        axis: Axis::Places,
        x: String::new(),
        log_x: false,
        log_y: false,
        base: None,
        ends: if is_range { "range" } else { "95 % interval" },
        places: (0..).map(f64::from).zip(places.into_iter().map(str::to_owned)).collect(),
        series,
    }
}

fn words(table: &Table, row: usize, between: &str) -> String {
    let words = ["group", "below"].map(|column| table.text(row, column));
    words.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(between)
}
