//! Lines while they are collected.

use stats::Better;

use super::{ImportFault, Tool};
use crate::Series;
use crate::line::{LINE_SCHEMA, Line};

/// Metric of a tool's overall rate.
pub(super) const THROUGHPUT: &str = "throughput";

/// Results of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// One line per cell; never empty.
    pub lines: Vec<Line>,
    /// Notes for the reader: what was left out, and the limits of what was kept.
    pub notices: Vec<String>,
}

/// What a metric measures: its unit and good direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quantity {
    /// Operations a second.
    Rate,
    Nanoseconds,
    Seconds,
    Bytes,
}

impl Quantity {
    fn unit(self) -> &'static str {
        match self {
            Self::Rate => "1/s",
            Self::Nanoseconds => "ns",
            Self::Seconds => "s",
            Self::Bytes => "bytes",
        }
    }

    fn better(self) -> Better {
        match self {
            Self::Rate => Better::Higher,
            Self::Nanoseconds | Self::Seconds | Self::Bytes => Better::Lower,
        }
    }
}

/// One run of one tool.
#[derive(Debug)]
pub(super) struct Lines {
    tool: Tool,
    run: String,
    imported: Imported,
}

impl Lines {
    pub(super) fn new(tool: Tool, run: &str) -> Self {
        let imported = Imported { lines: Vec::new(), notices: Vec::new() };
        Self { tool, run: run.to_owned(), imported }
    }

    /// The line of `cell`, a new one if there is none.
    pub(super) fn line(&mut self, cell: &str) -> &mut Line {
        let lines = &mut self.imported.lines;
        let at = lines.iter().position(|line| line.cell == cell).unwrap_or_else(|| {
            lines.push(Line {
                schema: LINE_SCHEMA,
                source: self.tool.name().to_owned(),
                run: self.run.clone(),
                cell: cell.to_owned(),
                ..Line::default()
            });
            lines.len() - 1
        });
        &mut lines[at]
    }

    /// A new line of `cell`, which must have none yet.
    pub(super) fn new_line(&mut self, cell: &str) -> Result<&mut Line, ImportFault> {
        if self.imported.lines.iter().any(|line| line.cell == cell) {
            return Err(ImportFault::Same { cell: cell.to_owned() });
        }
        Ok(self.line(cell))
    }

    pub(super) fn note(&mut self, notice: String) {
        self.imported.notices.push(notice);
    }

    /// The finished import, with notices on values that have no ratio.
    pub(super) fn finish(mut self) -> Result<Imported, ImportFault> {
        let mut notices = Vec::new();
        for line in &self.imported.lines {
            let repetitions = line.metrics.get(THROUGHPUT).map(|series| series.values.len());
            for (metric, series) in &line.metrics {
                let (cell, count) = (&line.cell, series.values.len());
                let zeros = series.values.iter().filter(|&&value| value == 0.0).count();
                if zeros > 0 {
                    notices.push(format!(
                        "{cell}: {zeros} of {count} values of {metric} are 0, less than the source \
                         can tell: no ratio of them is known"
                    ));
                }
                if let Some(repetitions) = repetitions.filter(|&repetitions| count < repetitions) {
                    notices.push(format!(
                        "{cell}: {metric} was measured in {count} of {repetitions} repetitions"
                    ));
                }
            }
        }
        self.imported.notices.extend(notices);
        if self.imported.lines.is_empty() {
            let why = self.imported.notices.join("; ");
            return Err(ImportFault::Empty {
                why: if why.is_empty() { "there are none in it".to_owned() } else { why },
            });
        }
        Ok(self.imported)
    }
}

/// One more value of `metric`.
pub(super) fn push(line: &mut Line, metric: &str, quantity: Quantity, value: f64) {
    let series = line.metrics.entry(metric.to_owned()).or_insert_with(|| Series {
        unit: quantity.unit().to_owned(),
        better: quantity.better(),
        values: Vec::new(),
        nodes: Vec::new(),
    });
    series.values.push(value);
}
