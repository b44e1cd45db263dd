//! A median of repetitions with its 95 % interval over processes.

use super::bootstrap::median_interval_95;
use super::centre::student;
use super::summary::spread;

/// Repetitions from which the bootstrap is used. The range of five covers their median in
/// 1 − 2·0.5⁵ = 93.75 % of all cases, so no percentile of theirs can give 95 %; that of six does.
const BOOTSTRAP_FROM: usize = 6;

/// Repetitions below which there is no interval.
const INTERVAL_FROM: usize = 3;

/// Seed of the resamples: the same values have the same interval, always.
const SEED: u64 = 95;

/// A median and where it may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median of the repetitions.
    pub median: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Repetitions; of fewer than three the ends are the lowest and the highest.
    pub count: usize,
}

impl Estimate {
    /// Whether the ends are those of an interval, not a range.
    #[must_use]
    pub fn is_interval(&self) -> bool {
        self.count >= INTERVAL_FROM
    }

    /// Whether the intervals have a point in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Half the interval's width, as a share of the median in percent.
    #[must_use]
    pub fn half_width_percent(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median * 100.0
    }
}

/// The median of `values`, one a process, with a 95 % interval. Processes are what varies, so what a
/// process measured many times has to be one value.
///
/// - From six values on: the percentile bootstrap of their median, on logarithms, its ends moved
///   outwards for few values (Hesterberg 2015), as in [`super::median_interval`].
/// - Of three to five: Student's interval of the mean of their logarithms. It supposes that processes differ
///   by log-normal factors, which then have one centre for mean and median.
/// - Of one or two: the range.
///
/// `None` of no values, or of values that are not positive numbers.
#[must_use]
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    if values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
        return None;
    }
    let spread = spread(values)?;
    let count = spread.count;
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let (low, high) = if count >= BOOTSTRAP_FROM {
        let (_, interval) = median_interval_95(&logs, SEED)?;
        (interval.from.exp(), interval.to.exp())
    } else if count >= INTERVAL_FROM {
        let mean = logs.iter().sum::<f64>() / count as f64;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        let error = (squares / (count - 1) as f64 / count as f64).sqrt();
        let half = student(0.95, (count - 1) as f64) * error;
        ((mean - half).exp(), (mean + half).exp())
    } else {
        (spread.lowest, spread.highest)
    };
    // Equal values meet in one point, which rounding must not move off the median.
    let (low, high) = (low.min(spread.median), high.max(spread.median));
    Some(Estimate { median: spread.median, low, high, count })
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::*;

    #[test]
    fn few_values_have_students_interval() {
        // Logarithms −0.1, 0, 0.1: deviation 0.1, t = 4.303, half-width 0.24844.
        let values = [(-0.1_f64).exp(), 1.0, 0.1_f64.exp()];
        let estimate = estimate(&values).unwrap();
        assert_eq!((estimate.median, estimate.count), (1.0, 3));
        assert!((estimate.low.ln() + 0.248_44).abs() < 1e-4, "{estimate:?}");
        assert!((estimate.high.ln() - 0.248_44).abs() < 1e-4, "{estimate:?}");
        assert!(estimate.is_interval());
    }

    #[test]
    fn one_or_two_values_have_their_range() {
        let pair = estimate(&[3.0, 5.0]).unwrap();
        assert_eq!((pair.low, pair.median, pair.high), (3.0, 4.0, 5.0));
        assert!(!pair.is_interval());
        assert_eq!(pair.half_width_percent(), 25.0);
        assert_eq!(estimate(&[3.0]).unwrap().half_width_percent(), 0.0);
    }

    #[test]
    fn equal_values_are_a_point_and_impossible_ones_nothing() {
        for count in [3, 5, 6, 12] {
            let estimate = estimate(&vec![1.1e6; count]).unwrap();
            assert!(estimate.low <= 1.1e6 && 1.1e6 <= estimate.high);
            assert!(estimate.half_width_percent() < 1e-9);
        }
        for values in [&[][..], &[1.0, 0.0, 2.0], &[1.0, -1.0, 2.0], &[1.0, f64::NAN, 2.0]] {
            assert_eq!(estimate(values), None, "{values:?}");
        }
    }

    #[test]
    fn intervals_that_touch_overlap() {
        let of = |low, high| Estimate { median: low, low, high, count: 3 };
        assert!(of(1.0, 2.0).overlaps(&of(2.0, 3.0)) && of(2.0, 3.0).overlaps(&of(1.0, 2.0)));
        assert!(!of(1.0, 2.0).overlaps(&of(2.1, 3.0)) && !of(2.1, 3.0).overlaps(&of(1.0, 2.0)));
        assert!(of(1.0, 9.0).overlaps(&of(4.0, 5.0)));
    }

    /// The promise of the interval, for every rule: of many cells whose median is known about
    /// 95 % have it within.
    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        let mut rng = Seed(11).rng();
        for (count, experiments) in [(3, 2000), (5, 2000), (6, 150), (9, 150)] {
            let mut covered = 0;
            for _ in 0..experiments {
                let values: Vec<f64> = (0..count)
                    .map(|_| {
                        let sum: f64 = (0..12).map(|_| rng.unit_f64()).sum();
                        1e6 * (0.05 * (sum - 6.0)).exp()
                    })
                    .collect();
                let estimate = estimate(&values).unwrap();
                covered += usize::from((estimate.low..=estimate.high).contains(&1e6));
            }
            assert!(covered * 1000 >= experiments * 925, "n = {count}: {covered}/{experiments}");
        }
    }
}
