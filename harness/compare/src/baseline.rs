//! What the next run is compared with: the runs since the level last changed.

use std::collections::BTreeMap;

use stats::{Better, ChangePoint, ChangeSettings, change_points, median};

use crate::Line;
use crate::runs::{CellKey, CellRuns, RunValues, runs};

/// How many of the level's newest runs are pooled: enough that no single run moves the median much,
/// few enough that the median follows a drift.
const POOL_RUNS: usize = 10;

/// Runs that a level needs before an outlier can be told.
const KNOWN_FROM: usize = 3;

/// The baseline of one metric of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineSeries {
    pub unit: String,
    /// Good direction.
    pub better: Better,
    /// The pool: at most the last ten runs of the level, in their order; at least one.
    pub runs: Vec<RunValues>,
    /// The change that began the level, its place counted in all runs of the cell; absent if the
    /// level never changed.
    pub since: Option<Since>,
    /// A possible change that is not yet significant.
    pub watched: Option<Watched>,
    /// Older runs left out because they have another unit or direction.
    pub left_out: usize,
}

/// Where a level began.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    pub change: ChangePoint,
    /// The first run of the level.
    pub run: RunValues,
}

/// The newest runs of a cell, all on one side of every pooled run before them. In histories without
/// any change, one in six ends in one such run and one in thirty in two: worth a look, not a
/// verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    pub first: RunValues,
    /// How many they are.
    pub count: usize,
    /// Their median ÷ the median of the runs before them.
    pub ratio: f64,
}

impl BaselineSeries {
    /// Median of the runs' medians: every run counts the same, however many processes it had.
    #[must_use]
    pub fn median(&self) -> f64 {
        median(&self.medians()).expect("a baseline has a run")
    }

    /// The pooled runs' medians, in their order.
    #[must_use]
    pub fn medians(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.median).collect()
    }

    /// All values of the pooled runs, in their order; those of a file with one run are that run's.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.runs.iter().flat_map(|run| &run.values).copied().collect()
    }
}

/// The baseline of `metric` for each cell of `lines` that has it, of lines whose environment is
/// `environment` (of all where none is asked for, see [`runs`]).
///
/// A baseline is the level since the last change point, so a lucky run does not raise the bar for
/// the next. Newest runs outside of the level are [`Watched`], and the last two of them (one fewer
/// than a level needs) stay out of the pool. If more follow, the older ones join the pool until the
/// change is significant; then they are the level. Fewer than three runs do not show how runs
/// differ, so all are pooled; so are all where a value is not positive.
#[must_use]
pub fn baseline(
    lines: &[Line],
    metric: &str,
    environment: Option<&BTreeMap<String, String>>,
    settings: &ChangeSettings,
) -> BTreeMap<CellKey, BaselineSeries> {
    let of = |(key, cell)| (key, of_cell(cell, settings));
    runs(lines, metric, environment).into_iter().map(of).collect()
}

fn of_cell(cell: CellRuns, settings: &ChangeSettings) -> BaselineSeries {
    let medians = cell.medians();
    let found = change_points(&medians, settings);
    let last_change = found.as_ref().and_then(|found| found.changes.last().copied());
    let since = last_change.map(|change| Since { run: cell.runs[change.at].clone(), change });
    let start = last_change.map_or(0, |change| change.at);
    let level = &medians[start..];
    // Without ratios there is nothing to watch.
    let count = if found.is_some() { streak(level) } else { 0 };
    let watched = (count > 0).then(|| {
        let (before, newest) = pool_and_rest(level, count);
        let middle = |values| median(values).expect("a level and a streak have a run");
        Watched {
            first: cell.runs[medians.len() - count].clone(),
            count,
            ratio: middle(newest) / middle(before),
        }
    });
    let held_back = count.min(settings.min_segment() - 1);
    let (pool, _) = pool_and_rest(&cell.runs[start..], held_back);
    BaselineSeries {
        unit: cell.unit,
        better: cell.better,
        runs: pool.to_vec(),
        since,
        watched,
        left_out: cell.left_out,
    }
}

/// The newest `count` runs, and at most [`POOL_RUNS`] before them.
fn pool_and_rest<T>(level: &[T], count: usize) -> (&[T], &[T]) {
    let (before, newest) = level.split_at(level.len() - count);
    (&before[before.len().saturating_sub(POOL_RUNS)..], newest)
}

/// The most newest runs that are all above, or all below, every run of the pool before them.
fn streak(level: &[f64]) -> usize {
    let is_outside = |count: &usize| {
        let (before, newest) = pool_and_rest(level, *count);
        let all = |beyond: fn(f64, f64) -> bool| {
            newest.iter().all(|new| before.iter().all(|old| beyond(*new, *old)))
        };
        all(|new, old| new > old) || all(|new, old| new < old)
    };
    (1..=level.len().saturating_sub(KNOWN_FROM)).rev().find(is_outside).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::*;
    use crate::runs::tests::{line, lines};

    fn of(values: &[f64]) -> BaselineSeries {
        let found = baseline(&lines(values), "throughput", None, &ChangeSettings::default());
        found.into_values().next().expect("one cell")
    }

    /// Runs of one level under sessions of ±5 %.
    fn one_level(runs: usize, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).stream("baseline").rng();
        (0..runs).map(|_| 1e6 * (0.95 + 0.1 * rng.unit_f64())).collect()
    }

    #[test]
    fn never_moves_a_baseline_because_of_one_lucky_run() {
        for seed in 0..20 {
            for runs in [3, 10, 11, 40] {
                let mut values = one_level(runs, seed);
                let before = of(&values).median();
                let best = values.iter().copied().fold(0.0, f64::max);
                for lucky in 1..=2 {
                    values.push(best * 1.1);
                    let after = of(&values);
                    let moved = after.median() / before - 1.0;
                    assert!(moved.abs() < 0.01, "seed {seed}: {lucky} of {runs} moved it {moved}");
                    assert!(after.medians().iter().all(|&median| median <= best));
                    let watched = after.watched.expect("it is watched");
                    assert!(watched.count >= lucky && watched.ratio > 1.04, "{watched:?}");
                    assert_eq!(after.since, None);
                }
            }
        }
    }

    /// Also when it is no longer the newest and has joined the pool.
    #[test]
    fn a_lucky_run_among_others_moves_the_median_by_a_place() {
        let values: Vec<f64> = (0..10).map(|run| 1e6 + 1e3 * f64::from(run * 7 % 10)).collect();
        let mut lucky = values.clone();
        lucky[4] *= 1.1;
        let (before, after) = (of(&values), of(&lucky));
        assert_eq!(before.runs.len(), 10);
        assert_eq!(after.watched, None);
        assert!((after.median() / before.median() - 1.0).abs() <= 0.001);
    }

    #[test]
    fn a_new_level_counts_once_it_is_a_change_and_is_watched_before() {
        let mut values: Vec<f64> = one_level(60, 9);
        let before = of(&values).median();
        for count in 1..=2 {
            values.push(1.4e6 + 1e3 * f64::from(count));
            let found = of(&values);
            assert!((found.median() / before - 1.0).abs() < 0.01);
            let watched = found.watched.expect("it is watched");
            assert_eq!(watched.first.run, "run-60");
            assert_eq!(watched.count, count as usize);
            assert!((1.35..1.5).contains(&watched.ratio));
        }
        values.push(1.403e6);
        let found = of(&values);
        let since = found.since.clone().expect("three runs are a level");
        assert_eq!((since.change.at, since.run.run.as_str()), (60, "run-60"));
        assert_eq!(found.medians(), [1.401e6, 1.402e6, 1.403e6]);
        assert_eq!(found.watched, None);
    }

    #[test]
    fn a_change_too_early_to_be_significant_is_watched_and_the_pool_follows() {
        let found = of(&[1.0e6, 1.01e6, 0.99e6, 1.3e6, 1.31e6, 1.32e6, 1.3e6]);
        assert_eq!(found.since, None, "of seven runs no order is rare enough");
        assert_eq!(found.watched.as_ref().map(|watched| watched.count), Some(4));
        assert_eq!(found.medians(), [1.0e6, 1.01e6, 0.99e6, 1.3e6, 1.31e6]);
        assert_eq!(found.median(), 1.01e6);
    }

    #[test]
    fn the_pool_is_the_last_ten_runs_of_the_level() {
        let mut values = vec![2e6; 30];
        values.extend((0..25).map(|run| 1e6 + 1e3 * f64::from(run * 7 % 25)));
        let found = of(&values);
        assert_eq!(found.since.as_ref().map(|since| since.change.at), Some(30));
        assert_eq!(found.medians(), values[45..]);
    }

    #[test]
    fn a_file_with_one_run_is_that_runs_values() {
        let lines = [line(0, &[3.0, 1.0, 2.0])];
        let found = baseline(&lines, "throughput", None, &ChangeSettings::default());
        let [only] = &found.into_values().collect::<Vec<_>>()[..] else { panic!("one cell") };
        assert_eq!(only.values(), [3.0, 1.0, 2.0]);
        assert_eq!((only.median(), &only.since, &only.watched), (2.0, &None, &None));
    }

    #[test]
    fn values_that_are_not_positive_are_one_level() {
        let found = of(&[0.0; 12]);
        assert_eq!((found.median(), found.runs.len(), found.since), (0.0, 10, None));
        assert_eq!(of(&[0.0, 0.0, 0.0, 5.0]).watched, None);
    }
}
