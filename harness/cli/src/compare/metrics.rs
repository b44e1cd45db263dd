//! What is compared of a cell: throughput, the 99th percentile of latency, and memory.

use std::collections::BTreeMap;

use compare::{Line, Series};
use stats::Better;
use xxhash_rust::xxh3::xxh3_64;

use record::Cell;
use record::Row;
use record::archive::RunRecord;
use record::identity::EnvironmentClass;
use record::metrics;
use record::{Repetition, repetitions};

/// A metric that comparisons judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Operations per second of the step `run`, or else of the last step.
    Throughput,
    /// 99th percentile of the latency of all timed operations.
    P99,
    /// Most memory seen in any step ÷ most live bytes.
    Memory,
}

impl Metric {
    pub const ALL: [Self; 3] = [Self::Throughput, Self::P99, Self::Memory];

    /// Name on the command line and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::P99 => "p99",
            Self::Memory => "memory",
        }
    }

    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Throughput => "1/s",
            Self::P99 => "ns",
            Self::Memory => "ratio",
        }
    }

    #[must_use]
    pub fn better(self) -> Better {
        match self {
            Self::Throughput => Better::Higher,
            Self::P99 | Self::Memory => Better::Lower,
        }
    }

    /// The value of one process; `None` where one of its steps did not end as it should, or did not
    /// measure this.
    #[must_use]
    pub(crate) fn of(self, repetition: &Repetition<'_>) -> Option<f64> {
        if !repetition.counts() {
            return None;
        }
        let row = repetition.step("run").or(repetition.rows.last().copied())?;
        let value = match self {
            Self::Throughput => metrics::value(row, "throughput")?,
            Self::P99 => metrics::value(row, "p99-ns")?,
            Self::Memory => metrics::memory_of_process(&repetition.rows)?,
        };
        Some(value).filter(|value| value.is_finite() && *value > 0.0)
    }
}

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
    let blank = blank_line(run, name);
    let mut lines: BTreeMap<String, Line> = BTreeMap::new();
    for repetition in repetitions(rows) {
        let name = repetition.cell.name();
        let line = lines.entry(name.to_owned()).or_insert_with(|| Line {
            cell: name.to_owned(),
            asks: asks(repetition.cell),
            ..blank.clone()
        });
        for metric in Metric::ALL {
            if let Some(value) = metric.of(&repetition) {
                add(&mut line.metrics, metric, value);
            }
        }
    }
    lines.into_values().filter(|line| !line.metrics.is_empty()).collect()
}

/// Appends a value to the series of a metric.
pub fn add(metrics: &mut BTreeMap<String, Series>, metric: Metric, value: f64) {
    let series = metrics.entry(metric.name().to_owned()).or_insert_with(|| Series {
        unit: metric.unit().to_owned(),
        better: metric.better(),
        values: Vec::new(),
    });
    series.values.push(value);
}
