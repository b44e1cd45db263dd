//! The history of one metric: every run of each cell, with the levels its runs belong to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use stats::{Better, ChangePoint, ChangeSettings, change_points, of_processes, spread};

use crate::Line;
use crate::runs::{CellKey, CellRuns, RunValues, runs};

/// One metric of one cell, over all of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct CellHistory {
    pub key: CellKey,
    pub metric: String,
    pub unit: String,
    /// Its good direction.
    pub better: Better,
    /// Its runs, in the order of the lines.
    pub rows: Vec<HistoryRow>,
    /// Where its level changed: indices of `rows`.
    pub changes: Vec<ChangePoint>,
    /// Significance level of the changes, a share.
    pub level: f64,
    /// Older runs left out because they have another unit or direction.
    pub left_out: usize,
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryRow {
    /// What was measured, and when, of what.
    pub run: RunValues,
    /// Lower end of the 95 % interval of the run's median over its processes; the lowest value
    /// where there are fewer than three.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Median of the runs of the same level; absent where a value of the cell is not positive.
    pub centre: Option<f64>,
}

/// The history of `metric` for each cell of `lines` that has it, of lines whose environment is
/// `environment` (of all where none is asked for, see [`runs`]).
#[must_use]
pub fn history(
    lines: &[Line],
    metric: &str,
    environment: Option<&BTreeMap<String, String>>,
    settings: &ChangeSettings,
) -> Vec<CellHistory> {
    let of = |(key, cell)| of_cell(key, metric, cell, settings);
    runs(lines, metric, environment).into_iter().map(of).collect()
}

fn of_cell(key: CellKey, metric: &str, cell: CellRuns, settings: &ChangeSettings) -> CellHistory {
    let found = change_points(&cell.medians(), settings).unwrap_or_default();
    let centre = |index: usize| {
        found.segments.iter().find(|level| level.runs.contains(&index)).map(|level| level.centre)
    };
    let row = |(index, run): (usize, RunValues)| {
        let found = of_processes(&run.values).or_else(|| spread(&run.values));
        let (low, high) = found.map_or((run.median, run.median), |found| (found.low, found.high));
        HistoryRow { run, low, high, centre: centre(index) }
    };
    CellHistory {
        key,
        metric: metric.to_owned(),
        unit: cell.unit,
        better: cell.better,
        rows: cell.runs.into_iter().enumerate().map(row).collect(),
        changes: found.changes,
        level: settings.level(),
        left_out: cell.left_out,
    }
}

impl CellHistory {
    /// The change that begins with the run at `index`.
    #[must_use]
    pub fn change_at(&self, index: usize) -> Option<&ChangePoint> {
        self.changes.iter().find(|change| change.at == index)
    }

    /// A change in words: `3.1 % lower from 1a2b3c4 on (run 81 of 160; 0.1 % level)`, whether that is
    /// worse or better, and the ratio's 95 % interval.
    #[must_use]
    pub fn describe(&self, change: &ChangePoint) -> String {
        let from = self.rows.get(change.at).map_or("", |row| row.run.label());
        let effect = if self.better.is_worse(change.ratio.estimate) { "worse" } else { "better" };
        format!(
            "{} from {from} on (run {} of {}; {} % level): {effect}, {:.4} to {:.4} times (95 %)",
            step(change.ratio.estimate),
            change.at + 1,
            self.rows.len(),
            self.level * 100.0,
            change.ratio.low,
            change.ratio.high,
        )
    }
}

/// A ratio as a change in percent.
pub(crate) fn step(ratio: f64) -> String {
    let percent = (ratio - 1.0).abs() * 100.0;
    let direction = if ratio < 1.0 { "lower" } else { "higher" };
    if percent < 0.05 {
        return format!("less than 0.1 % {direction}");
    }
    format!("{percent:.1} % {direction}")
}

/// The histories as text: a table of the runs of each cell, and its changes below in words.
#[must_use]
pub fn history_text(histories: &[CellHistory]) -> String {
    let mut text = String::new();
    for history in histories {
        if !text.is_empty() {
            text.push('\n');
        }
        let direction = match history.better {
            Better::Higher => "more is better",
            Better::Lower => "less is better",
        };
        let CellHistory { key, metric, unit, rows, .. } = history;
        let count = rows.len();
        let s = if count == 1 { "" } else { "s" };
        let _ = writeln!(text, "{key}: {metric} in {unit}, {direction}; {count} run{s}");
        write_rows(&mut text, history);
        for change in &history.changes {
            let _ = writeln!(text, "  {}", history.describe(change));
        }
        if history.changes.is_empty() {
            let _ = writeln!(text, "  no change of level ({} % level)", history.level * 100.0);
        }
        if history.left_out > 0 {
            let _ = writeln!(
                text,
                "  left out: {} older runs, which have another unit or direction",
                history.left_out
            );
        }
    }
    text
}

/// One line per run, columns aligned: text to the left, numbers to the right.
fn write_rows(text: &mut String, history: &CellHistory) {
    const HEADINGS: [&str; 8] =
        ["run", "revision", "measured", "median", "95 % from", "to", "level", ""];
    const TEXTS: [usize; 3] = [1, 2, 7];
    let largest = history.rows.iter().map(|row| row.run.median.abs()).fold(0.0, f64::max);
    let number = |value: f64| format!("{value:.*}", decimals(largest));
    let cells = |(index, row): (usize, &HistoryRow)| {
        let mark = history.change_at(index).map(|change| step(change.ratio.estimate));
        [
            (index + 1).to_string(),
            row.run.label().to_owned(),
            row.run.measured.clone(),
            number(row.run.median),
            number(row.low),
            number(row.high),
            row.centre.map_or_else(|| "–".to_owned(), number),
            mark.map_or_else(String::new, |step| format!("<- {step}")),
        ]
    };
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    lines.extend(history.rows.iter().enumerate().map(cells));
    let letters = |text: &String| text.chars().count();
    let width = |place: usize| lines.iter().map(|line| letters(&line[place])).max().unwrap_or(0);
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(width);
    for line in &lines {
        let mut row = String::new();
        for (place, (cell, width)) in line.iter().zip(widths).enumerate() {
            let _ = if TEXTS.contains(&place) {
                write!(row, "  {cell:<width$}")
            } else {
                write!(row, "  {cell:>width$}")
            };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
}

/// Digits after the point that give `largest` five significant ones.
fn decimals(largest: f64) -> usize {
    if largest > 0.0 { (4.0 - largest.log10().floor()).clamp(0.0, 12.0) as usize } else { 0 }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::runs::tests::{line, lines};

    fn of(lines: &[Line]) -> Vec<CellHistory> {
        history(lines, "throughput", None, &ChangeSettings::default())
    }

    /// 160 runs, 3.1 % slower from the 81st on.
    pub(crate) fn with_a_step() -> Vec<Line> {
        let value = |run: u32| {
            let level = if run < 80 { 1e6 } else { 0.969e6 };
            level + f64::from(run * 7 % 11) * 100.0
        };
        lines(&(0..160).map(value).collect::<Vec<f64>>())
    }

    #[test]
    fn rows_have_medians_intervals_and_the_centre_of_their_level() {
        let found = of(&with_a_step());
        let [history] = &found[..] else { panic!("one cell") };
        let places: Vec<usize> = history.changes.iter().map(|change| change.at).collect();
        assert_eq!(places, [80]);
        assert_eq!(history.rows.len(), 160);
        assert_eq!(history.rows[0].centre, Some(1_000_500.0));
        assert_eq!(history.rows[79].centre, history.rows[0].centre);
        assert_eq!(history.rows[80].centre, history.rows[159].centre);
        assert!(history.change_at(80).is_some() && history.change_at(79).is_none());
        let found = of(&[line(0, &[9.0, 11.0, 10.0, 9.5, 10.5, 10.2])]);
        let row = &found[0].rows[0];
        assert!(row.low < row.run.median && row.run.median < row.high);
        assert_eq!(row.run.median, 10.1);
    }

    #[test]
    fn changes_are_said_in_words() {
        let text = history_text(&of(&with_a_step()));
        let lower = "\n  3.1 % lower from 1a2b410 on (run 81 of 160; 0.1 % level): worse, 0.96";
        assert!(text.contains(lower), "{text}");
        assert_eq!(text.matches("<- 3.1 % lower\n").count(), 1);
        assert!(text.starts_with("a: throughput in 1/s, more is better; 160 runs\n"), "{text}");
        let even = history_text(&of(&lines(&[1e6; 20])));
        assert!(even.ends_with("  no change of level (0.1 % level)\n"), "{even}");
        assert_eq!(step(1.0001), "less than 0.1 % higher");
    }

    #[test]
    fn columns_are_aligned() {
        let lines = [line(0, &[1.5, 2.5, 20.0]), line(9, &[0.25])];
        let text = history_text(&of(&lines));
        let expected = "\
a: throughput in 1/s, more is better; 2 runs
  run  revision  measured              median  95 % from        to   level
    1  1a2b3c0   2026-01-01T00:00:00Z  2.5000     0.1396  127.4125  1.3750
    2  1a2b3c9   2026-01-10T00:00:00Z  0.2500     0.2500    0.2500  1.3750
  no change of level (0.1 % level)
";
        assert_eq!(text, expected);
    }

    #[test]
    fn values_that_are_not_positive_have_a_range_and_no_level() {
        let found = of(&lines(&[0.0, 3.0, 1.0]));
        assert!(found[0].changes.is_empty());
        assert_eq!((found[0].rows[0].low, found[0].rows[0].centre), (0.0, None));
        assert!(history_text(&found).contains("–"));
    }

    #[test]
    fn runs_of_another_unit_are_said_to_be_left_out() {
        let mut lines = lines(&[1.0, 2.0, 3.0]);
        lines[2].metrics.get_mut("throughput").unwrap().unit = "MiB/s".into();
        assert!(history_text(&of(&lines)).contains("left out: 2 older runs"));
        assert!(history_text(&[]).is_empty());
    }
}
