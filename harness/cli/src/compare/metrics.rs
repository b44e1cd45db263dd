//! The lines that a run adds to a history: for each cell the metrics that comparisons judge.

use std::collections::BTreeMap;

use compare::{Line, Series};
use xxhash_rust::xxh3::xxh3_64;

use record::{
    Cell, Row, archive::RunRecord, identity::EnvironmentClass, metrics::Metric, repetitions,
};

/// A digest of what a cell asks of what: 16 hexadecimal digits.
#[must_use]
pub fn asks(cell: &Cell) -> String {
    let text = serde_json::to_string(&(&cell.system, &cell.work)).expect("a cell is plain data");
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

/// A line of a run that has measured nothing yet.
#[must_use]
pub fn blank_line(run: &RunRecord, name: &str) -> Line {
    let suite = match &run.suites[..] {
        [(only, _)] => only,
        // Of many suites the names are many; the run is named by its command.
        _ => &run.name,
    };
    Line {
        schema: compare::LINE_SCHEMA,
        source: "nibble-bench".to_owned(),
        run: name.to_owned(),
        measured: run.started.clone(),
        revision: run.provenance.program.get("revision").cloned().unwrap_or_default(),
        suite: suite.clone(),
        scale: run.scale.as_ref().map(|scale| scale.name.clone()).unwrap_or_default(),
        environment: EnvironmentClass::of(&run.machine).facts,
        ..Line::default()
    }
}

/// What a run measured, a line a cell; cells without a sound repetition are left out.
#[must_use]
pub fn lines(run: &RunRecord, name: &str, rows: &[Row]) -> Vec<Line> {
    let of_nodes = rows.iter().any(|row| row.node != rows[0].node);
    let blank = blank_line(run, name);
    let mut lines: BTreeMap<String, Line> = BTreeMap::new();
    for repetition in repetitions(rows) {
        let name = repetition.cell.name();
        let line = lines.entry(name.to_owned()).or_insert_with(|| Line {
            cell: name.to_owned(),
            asks: asks(repetition.cell),
            ..blank.clone()
        });
        for metric in Metric::all_judged() {
            if let Some(value) = metric.of_process(&repetition) {
                let series = add(&mut line.metrics, metric, value);
                if of_nodes {
                    series.nodes.push(repetition.node().to_owned());
                }
            }
        }
    }
    lines.into_values().filter(|line| !line.metrics.is_empty()).collect()
}

/// Appends a value to the series of a metric.
pub fn add<'a>(
    metrics: &'a mut BTreeMap<String, Series>,
    metric: &Metric,
    value: f64,
) -> &'a mut Series {
    let series = metrics.entry(metric.short_name().to_owned()).or_insert_with(|| Series {
        unit: metric.unit.to_owned(),
        better: metric.better,
        values: Vec::new(),
        nodes: Vec::new(),
    });
    series.values.push(value);
    series
}
