//! The bootstrap interval of a median ratio.

use serde::{Deserialize, Serialize};
use workloads::Seed;

use super::summary::median;

/// Resamples drawn.
const RESAMPLES: usize = 20_000;

/// From where to where the ratio may lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Interval {
    /// Lower end.
    pub from: f64,
    /// Upper end.
    pub to: f64,
}

impl Interval {
    /// Whether `value` lies within.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }
}

/// A median ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RatioEstimate {
    /// Median of the blocks' ratios.
    pub ratio: f64,
    /// Its 99.9 % bootstrap interval.
    pub interval: Interval,
    /// Blocks.
    pub blocks: usize,
}

/// The median of `ratios`, one a block, with a percentile bootstrap interval of it
/// ([`median_interval`]) of their logarithms.
///
/// `None` of fewer than three ratios or of ratios that are not positive numbers.
#[must_use]
pub fn median_ratio(ratios: &[f64], seed: u64) -> Option<RatioEstimate> {
    if ratios.iter().any(|ratio| !(ratio.is_finite() && *ratio > 0.0)) {
        return None;
    }
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let (ratio, interval) = median_interval(&logs, seed)?;
    Some(RatioEstimate {
        ratio: ratio.exp(),
        interval: Interval { from: interval.from.exp(), to: interval.to.exp() },
        blocks: logs.len(),
    })
}

/// The median of `values` with a 99.9 % percentile bootstrap interval of it. Blocks (or whole
/// repetitions) are the unit that is resampled: the runs within one share the machine's state.
///
/// With few blocks the plain percentile interval is too narrow; its ends are moved outwards as
/// Hesterberg ("What Teachers Should Know About the Bootstrap", 2015, section 5.3) does: the
/// normal quantile is replaced by Student's, widened by √(n/(n−1)).
///
/// With up to a dozen blocks that is the whole range of their values: of comparisons without any
/// difference one in a thousand then excludes 1, and of eight such comparisons hardly ever one.
///
/// `None` of fewer than three values or of values that are no numbers.
#[must_use]
pub fn median_interval(values: &[f64], seed: u64) -> Option<(f64, Interval)> {
    interval_of_median(values, seed, &LEVEL_999)
}

/// [`median_interval`] at a level of choice.
pub(super) fn interval_of_median(
    values: &[f64],
    seed: u64,
    level: &Level,
) -> Option<(f64, Interval)> {
    if values.len() < 3 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let medians = resampled_medians(values, Seed(seed).stream("bootstrap"));
    Some((median(values)?, percentile_interval(medians, values.len(), level)))
}

/// The median of `after` less that of `before`, with its interval: both are resampled, and the ends
/// moved outwards as the smaller one asks for. `None` as of [`median_interval`], of either.
pub(super) fn interval_of_shift(
    before: &[f64],
    after: &[f64],
    seed: u64,
    level: &Level,
) -> Option<(f64, Interval)> {
    let count = before.len().min(after.len());
    if count < 3 || before.iter().chain(after).any(|value| !value.is_finite()) {
        return None;
    }
    let seed = Seed(seed).stream("bootstrap of a shift");
    let mut shifts = resampled_medians(after, seed.nth(1));
    for (shift, before) in shifts.iter_mut().zip(resampled_medians(before, seed.nth(0))) {
        *shift -= before;
    }
    Some((median(after)? - median(before)?, percentile_interval(shifts, count, level)))
}

/// The medians of [`RESAMPLES`] resamples.
fn resampled_medians(values: &[f64], seed: Seed) -> Vec<f64> {
    let mut rng = seed.rng();
    let mut resample = vec![0.0; values.len()];
    (0..RESAMPLES)
        .map(|_| {
            for value in &mut resample {
                *value = values[rng.below(values.len() as u64) as usize];
            }
            median(&resample).expect("at least three values")
        })
        .collect()
}

/// The percentile interval of resampled statistics of `count` values.
fn percentile_interval(mut statistics: Vec<f64>, count: usize, level: &Level) -> Interval {
    statistics.sort_by(f64::total_cmp);
    let tail = expanded_tail(count, level);
    let at = |share: f64| {
        let index = (share * (RESAMPLES - 1) as f64).round() as usize;
        statistics[index.min(RESAMPLES - 1)]
    };
    Interval { from: at(tail), to: at(1.0 - tail) }
}

/// Student's t of a two-sided interval.
#[derive(Debug)]
pub(super) struct Level {
    /// By degrees of freedom from 1.
    student: [f64; 20],
    /// For more degrees of freedom.
    beyond: f64,
}

/// 99.9 %.
const LEVEL_999: Level = Level {
    student: [
        636.619, 31.599, 12.924, 8.610, 6.869, 5.959, 5.408, 5.041, 4.781, 4.587, 4.437, 4.318,
        4.221, 4.140, 4.073, 4.015, 3.965, 3.922, 3.883, 3.850,
    ],
    beyond: 3.646,
};

/// 95 %.
pub(super) const LEVEL_95: Level = Level {
    student: [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    ],
    beyond: 2.080,
};

impl Level {
    /// Student's t of the interval of a mean of `count` values, of at least two.
    pub(super) fn student(&self, count: usize) -> f64 {
        self.student.get(count - 2).copied().unwrap_or(self.beyond)
    }
}

/// The share cut off at each end for `count` blocks: Φ(−t·√(n/(n−1))) with Student's t of the
/// wanted confidence and n − 1 degrees of freedom.
fn expanded_tail(count: usize, level: &Level) -> f64 {
    let student = level.student(count);
    let count = count as f64;
    normal_tail(student * (count / (count - 1.0)).sqrt())
}

/// P(Z > z) of a standard normal variable, for z ≥ 0: Abramowitz and Stegun 26.2.17, absolute
/// error below 7.5e-8.
fn normal_tail(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let polynomial = t
        * (0.319_381_530
            + t * (-0.356_563_782
                + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (density * polynomial).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_tail_is_right_where_tables_are() {
        assert!((normal_tail(0.0) - 0.5).abs() < 1e-6);
        assert!((normal_tail(1.959_964) - 0.025).abs() < 1e-6);
        assert!((normal_tail(2.575_829) - 0.005).abs() < 1e-6);
    }

    #[test]
    fn a_clear_difference_excludes_one_and_equal_runs_do_not() {
        let faster = [1.21, 1.18, 1.2, 1.22, 1.19, 1.2, 1.23, 1.17];
        let estimate = median_ratio(&faster, 1).unwrap();
        assert!((estimate.ratio - 1.2).abs() < 0.01);
        assert!(!estimate.interval.contains(1.0) && estimate.interval.contains(1.2));
        let equal = [1.02, 0.97, 1.01, 0.99, 1.0, 1.03, 0.98, 1.0];
        assert!(median_ratio(&equal, 1).unwrap().interval.contains(1.0));
    }

    #[test]
    fn a_shift_is_that_of_the_medians_and_lies_within_its_interval() {
        let before = [1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02];
        let after = before.map(|value| value + 0.5);
        let (shift, interval) = interval_of_shift(&before, &after, 1, &LEVEL_95).unwrap();
        assert!((shift - 0.5).abs() < 1e-12);
        assert!(interval.contains(shift) && interval.from > 0.3 && interval.to < 0.7);
        let (none, interval) = interval_of_shift(&before, &before, 1, &LEVEL_95).unwrap();
        assert!(none == 0.0 && interval.from < 0.0 && interval.to > 0.0, "drawn independently");
        assert_eq!(interval_of_shift(&before, &[1.0, 2.0], 1, &LEVEL_95), None);
        assert_eq!(interval_of_shift(&[1.0, f64::NAN, 2.0], &before, 1, &LEVEL_95), None);
    }

    #[test]
    fn too_few_or_impossible_ratios_give_nothing() {
        assert_eq!(median_ratio(&[1.0, 1.0], 1), None);
        assert_eq!(median_ratio(&[1.0, 0.0, 1.0], 1), None);
        assert_eq!(median_ratio(&[1.0, f64::NAN, 1.0], 1), None);
        assert_eq!(median_interval(&[1.0, f64::NAN, 1.0], 1), None);
        let zeros = Interval { from: 0.0, to: 0.0 };
        assert_eq!(median_interval(&[0.0; 3], 1), Some((0.0, zeros)), "nothing copied is a result");
    }

    /// The promise of the interval: of many experiments without any difference, about 99.9 % have
    /// an interval that contains 1, also with the few blocks that a comparison runs.
    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        let mut rng = Seed(7).rng();
        let (mut covered, experiments) = (0, 300);
        for experiment in 0..experiments {
            let noise: Vec<f64> = (0..12)
                .map(|_| {
                    let sum: f64 = (0..12).map(|_| rng.unit_f64()).sum();
                    (0.05 * (sum - 6.0)).exp()
                })
                .collect();
            let estimate = median_ratio(&noise, experiment).unwrap();
            covered += usize::from(estimate.interval.contains(1.0));
        }
        assert!(covered * 1000 >= experiments as usize * 990, "{covered} of {experiments}");
    }
}
