//! The runs of each cell among lines: what histories and baselines are made of.

use std::collections::BTreeMap;
use std::fmt;

use stats::{Better, median};

use crate::Line;

/// A cell and its work: cells of the same name with different work have nothing in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellKey {
    /// The cell, without its repetition.
    pub cell: String,
    /// The digest of what it asks; empty where the source gives none.
    pub asks: String,
}

impl fmt::Display for CellKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.cell)
    }
}

/// What one run measured of one metric of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct RunValues {
    pub run: String,
    /// When it began; empty where that is not known.
    pub measured: String,
    /// The program's revision; empty where that is not known.
    pub revision: String,
    /// One value a process.
    pub values: Vec<f64>,
    /// Their median: what counts as the run's value.
    pub median: f64,
}

impl RunValues {
    /// Its label for readers: the first letters of its revision, else its name.
    #[must_use]
    pub fn label(&self) -> &str {
        const REVISION_LETTERS: usize = 7;
        if self.revision.is_empty() {
            return &self.run;
        }
        let end = self.revision.char_indices().nth(REVISION_LETTERS);
        end.map_or(self.revision.as_str(), |(end, _)| &self.revision[..end])
    }
}

/// One metric of one cell, run by run.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRuns {
    /// Unit, that of the newest run.
    pub unit: String,
    /// Good direction, that of the newest run.
    pub better: Better,
    /// In the order of the lines; at least one.
    pub runs: Vec<RunValues>,
    /// Older runs left out because they have another unit or direction.
    pub left_out: usize,
}

impl CellRuns {
    #[must_use]
    pub fn medians(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.median).collect()
    }
}

/// The runs of each cell that has `metric`, of lines whose environment is `environment`, or of all
/// lines where none is asked for: the caller then vouches that they are comparable.
///
/// A run counts once: of several lines with the same run, time and revision, the last one counts,
/// as when a file is imported again. Lines without values are passed over.
#[must_use]
pub fn runs(
    lines: &[Line],
    metric: &str,
    environment: Option<&BTreeMap<String, String>>,
) -> BTreeMap<CellKey, CellRuns> {
    let mut cells: BTreeMap<CellKey, CellRuns> = BTreeMap::new();
    for line in lines {
        if environment.is_some_and(|wanted| *wanted != line.environment) {
            continue;
        }
        let Some(series) = line.metrics.get(metric) else { continue };
        let Some(median) = median(&series.values) else { continue };
        let run = RunValues {
            run: line.run.clone(),
            measured: line.measured.clone(),
            revision: line.revision.clone(),
            values: series.values.clone(),
            median,
        };
        let key = CellKey { cell: line.cell.clone(), asks: line.asks.clone() };
        let cell = cells.entry(key).or_insert_with(|| CellRuns {
            unit: series.unit.clone(),
            better: series.better,
            runs: Vec::new(),
            left_out: 0,
        });
        if (cell.unit.as_str(), cell.better) != (series.unit.as_str(), series.better) {
            cell.left_out += cell.runs.len();
            cell.runs.clear();
            cell.unit.clone_from(&series.unit);
            cell.better = series.better;
        }
        let same = |known: &&mut RunValues| {
            (&known.run, &known.measured, &known.revision)
                == (&run.run, &run.measured, &run.revision)
        };
        match cell.runs.iter_mut().find(same) {
            Some(known) => *known = run,
            None => cell.runs.push(run),
        }
    }
    cells
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{LINE_SCHEMA, Series};

    /// A run's line of the cell `a`, with the metric `throughput`.
    pub(crate) fn line(run: usize, values: &[f64]) -> Line {
        let series = Series {
            unit: "1/s".into(),
            better: Better::Higher,
            values: values.to_vec(),
            nodes: Vec::new(),
        };
        Line {
            schema: LINE_SCHEMA,
            source: "nibble-bench".into(),
            run: format!("run-{run}"),
            measured: format!("2026-01-{:02}T00:00:00Z", 1 + run % 28),
            revision: format!("{:07x}fedcba", 0x01a2_b3c0 + run),
            cell: "a".into(),
            asks: "d1".into(),
            metrics: BTreeMap::from([("throughput".into(), series)]),
            ..Line::default()
        }
    }

    /// One line a run, each of one value.
    pub(crate) fn lines(values: &[f64]) -> Vec<Line> {
        values.iter().enumerate().map(|(run, &value)| line(run, &[value])).collect()
    }

    #[test]
    fn cells_are_told_apart_by_name_and_by_what_they_ask() {
        let other_asks = Line { asks: "d2".into(), ..line(1, &[3.0]) };
        let other_cell = Line { cell: "b".into(), ..line(1, &[4.0]) };
        let cells = runs(&[line(0, &[1.0, 2.0]), other_asks, other_cell], "throughput", None);
        let medians: Vec<(String, Vec<f64>)> = cells
            .iter()
            .map(|(key, cell)| (format!("{key} {}", key.asks), cell.medians()))
            .collect();
        let expected = [("a d1", 1.5), ("a d2", 3.0), ("b d1", 4.0)];
        assert_eq!(medians, expected.map(|(key, value)| (key.to_owned(), vec![value])));
        assert!(runs(&[line(0, &[1.0])], "p99", None).is_empty());
    }

    #[test]
    fn only_the_wanted_environment_counts() {
        let here = BTreeMap::from([("cpu".to_owned(), "x".to_owned())]);
        let nowhere = BTreeMap::new();
        let lines = [line(0, &[1.0]), Line { environment: here.clone(), ..line(1, &[2.0]) }];
        let medians =
            |wanted| runs(&lines, "throughput", wanted).values().next().map(CellRuns::medians);
        assert_eq!(medians(Some(&here)), Some(vec![2.0]));
        assert_eq!(medians(Some(&nowhere)), Some(vec![1.0]));
        assert_eq!(medians(None), Some(vec![1.0, 2.0]));
    }

    #[test]
    fn a_run_counts_once_and_the_last_line_of_it_holds() {
        let lines = [line(0, &[1.0]), line(1, &[2.0]), line(0, &[5.0]), line(2, &[])];
        let cells = runs(&lines, "throughput", None);
        assert_eq!(cells.values().next().unwrap().medians(), [5.0, 2.0]);
        let again = Line { measured: "later".into(), ..line(0, &[6.0]) };
        let cells = runs(&[line(0, &[1.0]), again], "throughput", None);
        assert_eq!(cells.values().next().unwrap().medians(), [1.0, 6.0]);
    }

    #[test]
    fn runs_of_another_unit_than_the_newest_are_left_out_and_counted() {
        let mut lines = lines(&[1.0, 2.0, 3.0]);
        lines[2].metrics.get_mut("throughput").unwrap().unit = "MiB/s".into();
        let cells = runs(&lines, "throughput", None);
        let cell = cells.values().next().unwrap();
        assert_eq!((cell.unit.as_str(), cell.medians(), cell.left_out), ("MiB/s", vec![3.0], 2));
    }

    #[test]
    fn a_run_is_known_by_its_revision_else_by_its_name() {
        let mut line = line(0, &[1.0]);
        let label = |line: &Line| {
            let cells = runs(std::slice::from_ref(line), "throughput", None);
            cells.values().next().unwrap().runs[0].label().to_owned()
        };
        assert_eq!(label(&line), "1a2b3c0");
        line.revision = "v2".into();
        assert_eq!(label(&line), "v2");
        line.revision.clear();
        assert_eq!(label(&line), "run-0");
    }
}
