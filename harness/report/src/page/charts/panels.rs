//! Charts of the table that most figures have: a row for each point, which names its panel and measure.

use super::{Axis, Chart, Point, Series};
use crate::figures::table::Table;
use crate::page::cells::Cells;

pub(super) fn charts(table: &Table, cells: &Cells) -> Vec<Chart> {
    let mut charts: Vec<Chart> = Vec::new();
    for row in 0..table.rows.len() {
        let (measure, panel) = (table.text(row, "measure"), table.text(row, "panel"));
        let known = |chart: &Chart| chart.measure == measure && chart.panel == panel;
        let place = charts.iter().position(known).unwrap_or_else(|| {
            charts.push(chart(table, row));
            charts.len() - 1
        });
        add(&mut charts[place], table, row, cells);
    }
    for chart in &mut charts {
        chart.places.sort_by(|one, other| one.0.total_cmp(&other.0));
        for series in &mut chart.series {
            series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
        }
    }
    charts
}

/// The chart that `row` is the first point of.
fn chart(table: &Table, row: usize) -> Chart {
    let numbers = table.text(row, "drawing") == "lines";
    let given = table.text(row, "x-title");
    let base = table.number(row, "base");
    Chart {
        panel: table.text(row, "panel").to_owned(),
        measure: table.text(row, "measure").to_owned(),
        axis: if numbers { Axis::Numbers } else { Axis::Places },
        // Panels with axes of their own name them below.
        x: if given.is_empty() && numbers { table.text(row, "below") } else { given }.to_owned(),
        log_x: table.number(row, "log-x") == 1.0,
        log_y: table.number(row, "log") == 1.0,
        base: base.is_finite().then_some(base),
        ends: "95 % interval",
        places: Vec::new(),
        series: Vec::new(),
    }
}

fn add(chart: &mut Chart, table: &Table, row: usize, cells: &Cells) {
    let (name, role) = (table.text(row, "series"), table.text(row, "role"));
    let at = words(chart, table, row);
    let (x, name_of_place) = match chart.axis {
        Axis::Numbers => (table.number(row, "x"), table.text(row, "group").to_owned()),
        Axis::Places => (table.number(row, "place"), at.join("\n")),
    };
    if !x.is_finite() {
        return;
    }
    if !name_of_place.is_empty() && !chart.places.iter().any(|(known, _)| *known == x) {
        chart.places.push((x, name_of_place));
    }
    let value = table.number(row, "value");
    let point = Point {
        x,
        value: value.is_finite().then_some(value),
        low: table.number(row, "value-low"),
        high: table.number(row, "value-high"),
        count: table.number(row, "n") as usize,
        mark: table.text(row, "mark").to_owned(),
        at: at.join(", "),
        cells: table.sources.get(row).map(|sources| cells.places(sources)).unwrap_or_default(),
    };
    let known = |series: &Series| series.name == name && series.role == role;
    match chart.series.iter_mut().find(|series| known(series)) {
        Some(series) => series.points.push(point),
        None => chart.series.push(Series {
            name: name.to_owned(),
            role: role.to_owned(),
            points: vec![point],
        }),
    }
}

/// Where a point stands: its group, and what is written below it.
fn words(chart: &Chart, table: &Table, row: usize) -> Vec<String> {
    let group = table.text(row, "group");
    let below = Some(table.text(row, "below")).filter(|below| *below != chart.x);
    let words = [Some(group), below].into_iter().flatten();
    words.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}
