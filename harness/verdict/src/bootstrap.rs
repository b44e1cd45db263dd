//! The bootstrap interval of a median ratio.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};
use workloads::Seed;

use crate::centre::{Centre, Sample, student};

/// Resamples drawn at least.
const RESAMPLES: usize = 20_000;

/// Resamples that have to lie in the tail cut off at each end, to say where it ends.
const IN_THE_TAIL: f64 = 10.0;

/// Values drawn for one interval at most, about 20 ms.
const DRAWS: usize = 5_500_000;

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

/// The ratio of two sides with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RatioEstimate {
    /// Centre of the blocks' ratios: of targets their median, of comparisons the mean of the
    /// middle three fifths of their logarithms.
    pub ratio: f64,
    /// Its bootstrap interval: of targets at 99.9 %.
    pub interval: Interval,
    /// Blocks.
    pub blocks: usize,
}

impl RatioEstimate {
    /// From the logarithm of the ratio and its interval.
    pub(crate) fn of_logs((log, interval): (f64, Interval), blocks: usize) -> Self {
        // A few wild blocks can send an end beyond all numbers, which no file of JSON can hold.
        let exp = |log: f64| log.exp().min(f64::MAX);
        let interval = Interval { from: exp(interval.from), to: exp(interval.to) };
        Self { ratio: exp(log), interval, blocks }
    }
}

/// The median of `ratios`, one a block, with a percentile bootstrap interval of it
/// ([`median_interval`]) of their logarithms.
///
/// `None` of fewer than three ratios or of ratios that are not positive numbers.
#[must_use]
pub fn median_ratio(ratios: &[f64], seed: u64) -> Option<RatioEstimate> {
    let logs = logs_of(ratios)?;
    Some(RatioEstimate::of_logs(median_interval(&logs, seed)?, logs.len()))
}

/// [`median_ratio`] at another `confidence`, a share: 0.95 is 95 %. The more it asks the more
/// resamples are drawn, so that ten lie beyond each end. Where that would take too long, the whole
/// range of the ratios stands for the interval: it may be wider than it has to be, never narrower
/// than any percentile.
///
/// `None` also of a confidence that is not between 0 and 1.
#[must_use]
pub fn median_ratio_at(ratios: &[f64], confidence: f64, seed: u64) -> Option<RatioEstimate> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let logs = logs_of(ratios)?;
    let estimate = match resamples_for(logs.len(), confidence) {
        Some(resamples) => percentile_interval(&logs, confidence, resamples, seed)?,
        None => {
            let sample = Sample::new(&logs)?;
            (sample.centre(Centre::Median), sample.range())
        }
    };
    Some(RatioEstimate::of_logs(estimate, logs.len()))
}

fn logs_of(ratios: &[f64]) -> Option<Vec<f64>> {
    let sound = ratios.len() >= 3 && ratios.iter().all(|ratio| ratio.is_finite() && *ratio > 0.0);
    sound.then(|| ratios.iter().map(|ratio| ratio.ln()).collect())
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
    percentile_interval(values, 0.999, RESAMPLES, seed)
}

/// [`median_interval`] at 95 %.
pub(crate) fn median_interval_95(values: &[f64], seed: u64) -> Option<(f64, Interval)> {
    percentile_interval(values, 0.95, RESAMPLES, seed)
}

/// [`median_interval`] at a `confidence` of choice, from so many `resamples`.
pub(crate) fn percentile_interval(
    values: &[f64],
    confidence: f64,
    resamples: usize,
    seed: u64,
) -> Option<(f64, Interval)> {
    let sample = Sample::new(values)?;
    let mut rng = Seed(seed).stream("bootstrap").rng();
    let medians = sample.resampled(Centre::Median, resamples, &mut rng);
    Some((sample.centre(Centre::Median), between_percentiles(medians, values.len(), confidence)))
}

/// The median of `after` less that of `before`, with its 95 % interval: both are resampled, and the
/// ends moved outwards as the smaller one asks for. `None` as of [`median_interval`], of either.
pub(crate) fn shift_interval_95(
    before: &[f64],
    after: &[f64],
    seed: u64,
) -> Option<(f64, Interval)> {
    let seed = Seed(seed).stream("bootstrap of a shift");
    let resampled = |values: &[f64], place: u64| {
        let sample = Sample::new(values)?;
        let medians = sample.resampled(Centre::Median, RESAMPLES, &mut seed.nth(place).rng());
        Some((sample.centre(Centre::Median), medians))
    };
    let ((before_median, before_medians), (after_median, mut shifts)) =
        (resampled(before, 0)?, resampled(after, 1)?);
    for (shift, before) in shifts.iter_mut().zip(before_medians) {
        *shift -= before;
    }
    let count = before.len().min(after.len());
    Some((after_median - before_median, between_percentiles(shifts, count, 0.95)))
}

/// The percentile interval of resampled statistics of `count` values.
fn between_percentiles(mut statistics: Vec<f64>, count: usize, confidence: f64) -> Interval {
    let tail = expanded_tail(count, confidence);
    let last = statistics.len() - 1;
    let mut at = |share: f64| {
        let place = ((share * last as f64).round() as usize).min(last);
        *statistics.select_nth_unstable_by(place, f64::total_cmp).1
    };
    Interval { from: at(tail), to: at(1.0 - tail) }
}

/// The share cut off at each end for `count` blocks: Φ(−t·√(n/(n−1))) with Student's t of the
/// wanted confidence and n − 1 degrees of freedom.
fn expanded_tail(count: usize, confidence: f64) -> f64 {
    let count = count as f64;
    let quantile = student(confidence, count - 1.0);
    Normal::standard().cdf(-quantile * (count / (count - 1.0)).sqrt())
}

/// `None` where as many as are needed would take too long.
fn resamples_for(count: usize, confidence: f64) -> Option<usize> {
    let needed = (IN_THE_TAIL / expanded_tail(count, confidence)).ceil();
    let most = (DRAWS / count).max(RESAMPLES);
    (needed <= most as f64).then(|| (needed as usize).max(RESAMPLES))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (shift, interval) = shift_interval_95(&before, &after, 1).unwrap();
        assert!((shift - 0.5).abs() < 1e-12);
        assert!(interval.contains(shift) && interval.from > 0.3 && interval.to < 0.7);
        let (none, interval) = shift_interval_95(&before, &before, 1).unwrap();
        assert!(none == 0.0 && interval.from < 0.0 && interval.to > 0.0, "drawn independently");
        assert_eq!(shift_interval_95(&before, &[1.0, 2.0], 1), None);
        assert_eq!(shift_interval_95(&[1.0, f64::NAN, 2.0], &before, 1), None);
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

    #[test]
    fn any_confidence_may_be_asked_for() {
        let ratios: Vec<f64> = (0..30_u32).map(|at| 0.9 + f64::from(at * 7 % 30) / 100.0).collect();
        let width = |confidence| {
            let interval = median_ratio_at(&ratios, confidence, 1).unwrap().interval;
            interval.to - interval.from
        };
        let usual = median_ratio(&ratios, 1).unwrap().interval;
        assert!(width(0.5) < width(0.95) && width(0.95) < width(0.999));
        assert!((width(0.999) - (usual.to - usual.from)).abs() < 0.02);
        for impossible in [0.0, 1.0, f64::NAN, 2.0] {
            assert_eq!(median_ratio_at(&ratios, impossible, 1), None);
        }
    }

    #[test]
    fn a_thin_tail_has_more_resamples_or_the_whole_range() {
        let family = 1.0 - 0.02 / 18.0;
        assert_eq!(resamples_for(12, 0.95), Some(RESAMPLES));
        for count in [20, 40, 60] {
            let resamples = resamples_for(count, family).unwrap();
            let in_the_tail = resamples as f64 * expanded_tail(count, family);
            assert!(in_the_tail >= IN_THE_TAIL, "{count}: {in_the_tail}");
            assert!(resamples * count <= DRAWS, "{count}: {resamples}");
        }
        assert_eq!(resamples_for(8, family), None);
        let ratios = [1.01, 0.98, 1.02, 0.97, 1.0, 1.03, 0.99, 1.01];
        let interval = median_ratio_at(&ratios, family, 1).unwrap().interval;
        assert!((interval.from - 0.97).abs() < 1e-12 && (interval.to - 1.03).abs() < 1e-12);
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
