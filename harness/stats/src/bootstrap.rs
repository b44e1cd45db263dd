//! The percentile bootstrap of a median.
//!
//! *Source*: Efron 1979; the ends are moved outwards for few values as Hesterberg ("What Teachers
//! Should Know About the Bootstrap", 2015, section 5.3) does: the normal quantile is replaced by
//! Student's, widened by √(n/(n−1)). Without that the interval of few values is too narrow.
//!
//! *Assumes* that the values are independent and come from one distribution, whatever its shape. So
//! blocks or whole repetitions are what is resampled: the runs within one share the machine's state.
//!
//! At 99.9 % the interval of up to a dozen values is their whole range: one in a thousand
//! comparisons without any difference then excludes 1, and hardly ever one of eight such
//! comparisons.

use statrs::distribution::{ContinuousCDF, Normal};
use workloads::Seed;

use crate::sample::{Centre, Sample};
use crate::student::student;
use crate::{Interval, Method};

/// Resamples drawn for an interval.
pub(crate) const RESAMPLES: usize = 20_000;

/// The level of a single performance target.
const STRICT: f64 = 0.999;

/// The median of `ratios`, one a block, with the 99.9 % interval that [`bootstrap_median`] gives
/// their logarithms.
///
/// `None` of fewer than three ratios or of ratios that are not positive numbers.
#[must_use]
pub fn bootstrap_ratio(ratios: &[f64], seed: u64) -> Option<Interval> {
    if !ratios.iter().all(|ratio| ratio.is_finite() && *ratio > 0.0) {
        return None;
    }
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    Some(bootstrap_median(&logs, seed)?.exp())
}

/// The median of `values` with a 99.9 % interval.
///
/// `None` of fewer than three values or of values that are no numbers.
#[must_use]
pub fn bootstrap_median(values: &[f64], seed: u64) -> Option<Interval> {
    bootstrap_median_at(values, STRICT, seed)
}

/// [`bootstrap_median`] at a `level` of choice.
pub(crate) fn bootstrap_median_at(values: &[f64], level: f64, seed: u64) -> Option<Interval> {
    let sample = Sample::new(values)?;
    let mut rng = Seed(seed).stream("bootstrap").rng();
    let medians = sample.resampled(Centre::Median, RESAMPLES, &mut rng);
    let (low, high) = between_percentiles(medians, values.len(), level);
    Some(Interval {
        estimate: sample.centre(Centre::Median),
        low,
        high,
        level: Some(level),
        count: values.len(),
        method: Method::Bootstrap,
    })
}

/// The median of `after` minus that of `before`, with its 95 % interval: both are resampled, and
/// the ends moved outwards as the smaller one asks for. `None` where [`bootstrap_median`] has none
/// for either.
pub(crate) fn bootstrap_shift(before: &[f64], after: &[f64], seed: u64) -> Option<Interval> {
    const LEVEL: f64 = 0.95;
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
    let (low, high) = between_percentiles(shifts, count, LEVEL);
    Some(Interval {
        estimate: after_median - before_median,
        low,
        high,
        level: Some(LEVEL),
        count,
        method: Method::BootstrapShift,
    })
}

/// The percentile interval of resampled statistics of `count` values.
fn between_percentiles(mut statistics: Vec<f64>, count: usize, level: f64) -> (f64, f64) {
    let tail = expanded_tail(count, level);
    let last = statistics.len() - 1;
    let mut at = |share: f64| {
        let place = ((share * last as f64).round() as usize).min(last);
        *statistics.select_nth_unstable_by(place, f64::total_cmp).1
    };
    (at(tail), at(1.0 - tail))
}

/// The share cut off at each end for `count` values: Φ(−t·√(n/(n−1))) with Student's t of the
/// wanted level and n − 1 degrees of freedom.
fn expanded_tail(count: usize, level: f64) -> f64 {
    let count = count as f64;
    let quantile = student(level, count - 1.0);
    Normal::standard().cdf(-quantile * (count / (count - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_difference_excludes_one_and_equal_runs_do_not() {
        let faster = [1.21, 1.18, 1.2, 1.22, 1.19, 1.2, 1.23, 1.17];
        let found = bootstrap_ratio(&faster, 1).unwrap();
        assert!((found.estimate - 1.2).abs() < 0.01);
        assert!(!found.contains(1.0) && found.contains(1.2));
        assert_eq!((found.level, found.count, found.method), (Some(0.999), 8, Method::Bootstrap));
        let equal = [1.02, 0.97, 1.01, 0.99, 1.0, 1.03, 0.98, 1.0];
        assert!(bootstrap_ratio(&equal, 1).unwrap().contains(1.0));
    }

    #[test]
    fn a_shift_is_that_of_the_medians_and_lies_within_its_interval() {
        let before = [1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02];
        let after = before.map(|value| value + 0.5);
        let shift = bootstrap_shift(&before, &after, 1).unwrap();
        assert!((shift.estimate - 0.5).abs() < 1e-12);
        assert!(shift.contains(shift.estimate) && shift.low > 0.3 && shift.high < 0.7);
        let none = bootstrap_shift(&before, &before, 1).unwrap();
        assert!(none.estimate == 0.0 && none.low < 0.0 && none.high > 0.0, "drawn independently");
        assert_eq!(bootstrap_shift(&before, &[1.0, 2.0], 1), None);
        assert_eq!(bootstrap_shift(&[1.0, f64::NAN, 2.0], &before, 1), None);
    }

    #[test]
    fn too_few_or_impossible_ratios_give_nothing() {
        assert_eq!(bootstrap_ratio(&[1.0, 1.0], 1), None);
        assert_eq!(bootstrap_ratio(&[1.0, 0.0, 1.0], 1), None);
        assert_eq!(bootstrap_ratio(&[1.0, f64::NAN, 1.0], 1), None);
        assert_eq!(bootstrap_median(&[1.0, f64::NAN, 1.0], 1), None);
        let zeros = bootstrap_median(&[0.0; 3], 1).unwrap();
        assert_eq!((zeros.low, zeros.estimate, zeros.high), (0.0, 0.0, 0.0), "nothing copied");
    }

    #[test]
    fn a_higher_level_has_a_wider_interval() {
        let values: Vec<f64> = (0..30_u32).map(|at| 0.9 + f64::from(at * 7 % 30) / 100.0).collect();
        let width = |level| {
            let found = bootstrap_median_at(&values, level, 1).unwrap();
            found.high - found.low
        };
        assert!(width(0.5) < width(0.95) && width(0.95) < width(0.999));
    }

    /// Fewer values cut off less, and in the end nothing: the interval is then their range.
    #[test]
    fn the_ends_of_few_values_are_moved_outwards() {
        let plain = 0.025;
        assert!(expanded_tail(6, 0.95) < expanded_tail(12, 0.95));
        assert!(expanded_tail(12, 0.95) < plain && expanded_tail(10_000, 0.95) > 0.99 * plain);
        let values = [1.01, 0.98, 1.02, 0.97, 1.0, 1.03, 0.99, 1.01];
        let found = bootstrap_median(&values, 1).unwrap();
        assert_eq!((found.low, found.high), (0.97, 1.03));
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
            let found = bootstrap_ratio(&noise, experiment).unwrap();
            covered += usize::from(found.contains(1.0));
        }
        assert!(covered * 1000 >= experiments as usize * 990, "{covered} of {experiments}");
    }
}
