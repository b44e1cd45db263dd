//! A median of repetitions with its 95 % interval over processes.
//!
//! The unit of variation is the process, so what one process measured many times has to be one
//! value.
//!
//! - From six values on: the percentile bootstrap of their median, on logarithms ([`bootstrap`]).
//!   *Assumes* independent processes.
//! - Of three to five: Student's interval of the mean of their logarithms (Student 1908). *Assumes*
//!   that processes differ by log-normal factors, which then have one centre for mean and median.
//! - Of one or two: the range ([`spread`](fn@spread)).
//!
//! [`bootstrap`]: crate::bootstrap

use crate::bootstrap::bootstrap_median_at;
use crate::student::student;
use crate::{Interval, Method, spread};

/// Repetitions from which the bootstrap is used. The range of five covers their median in
/// 1 − 2·0.5⁵ = 93.75 % of all cases, so no percentile of theirs can give 95 %; that of six does.
const BOOTSTRAP_FROM: usize = 6;

/// Repetitions below which there is no interval.
const INTERVAL_FROM: usize = 3;

/// What share of intervals hold the median.
const LEVEL: f64 = 0.95;

/// Seed of the resamples: the same values have the same interval, always.
const SEED: u64 = 95;

/// The median of `values`, one a process, with a 95 % interval.
///
/// `None` of no values, or of values that are not positive numbers.
#[must_use]
pub fn of_processes(values: &[f64]) -> Option<Interval> {
    if values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
        return None;
    }
    let range = spread(values)?;
    if range.count < INTERVAL_FROM {
        return Some(range);
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let found = if range.count >= BOOTSTRAP_FROM {
        bootstrap_median_at(&logs, LEVEL, SEED)?.exp()
    } else {
        mean_of_logs(&logs).exp()
    };
    // Equal values meet in one point, which rounding must not move off the median.
    Some(Interval {
        estimate: range.estimate,
        low: found.low.min(range.estimate),
        high: found.high.max(range.estimate),
        ..found
    })
}

/// Student's interval of the mean of `logs`.
pub(crate) fn mean_of_logs(logs: &[f64]) -> Interval {
    let count = logs.len();
    let mean = logs.iter().sum::<f64>() / count as f64;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let error = (squares / (count - 1) as f64 / count as f64).sqrt();
    let half = student(LEVEL, (count - 1) as f64) * error;
    Interval {
        estimate: mean,
        low: mean - half,
        high: mean + half,
        level: Some(LEVEL),
        count,
        method: Method::Student,
    }
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::*;

    #[test]
    fn few_values_have_students_interval() {
        // Logarithms −0.1, 0, 0.1: deviation 0.1, t = 4.303, half-width 0.24844.
        let values = [(-0.1_f64).exp(), 1.0, 0.1_f64.exp()];
        let found = of_processes(&values).unwrap();
        assert_eq!((found.estimate, found.count, found.method), (1.0, 3, Method::Student));
        assert!((found.low.ln() + 0.248_44).abs() < 1e-4, "{found:?}");
        assert!((found.high.ln() - 0.248_44).abs() < 1e-4, "{found:?}");
        assert!(found.has_level());
    }

    #[test]
    fn six_values_have_the_bootstraps_interval() {
        let found = of_processes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(
            (found.method, found.level, found.estimate),
            (Method::Bootstrap, Some(0.95), 3.5)
        );
        assert!(found.low >= 1.0 - 1e-12 && found.high <= 6.0 + 1e-12, "{found:?}");
    }

    #[test]
    fn one_or_two_values_have_their_range() {
        let pair = of_processes(&[3.0, 5.0]).unwrap();
        assert_eq!((pair.low, pair.estimate, pair.high), (3.0, 4.0, 5.0));
        assert!(!pair.has_level() && pair.method == Method::Range);
        assert_eq!(pair.half_width_percent(), 25.0);
        assert_eq!(of_processes(&[3.0]).unwrap().half_width_percent(), 0.0);
    }

    #[test]
    fn equal_values_are_a_point_and_impossible_ones_nothing() {
        for count in [3, 5, 6, 12] {
            let found = of_processes(&vec![1.1e6; count]).unwrap();
            assert!(found.low <= 1.1e6 && 1.1e6 <= found.high);
            assert!(found.half_width_percent() < 1e-9);
        }
        for values in [&[][..], &[1.0, 0.0, 2.0], &[1.0, -1.0, 2.0], &[1.0, f64::NAN, 2.0]] {
            assert_eq!(of_processes(values), None, "{values:?}");
        }
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
                covered += usize::from(of_processes(&values).unwrap().contains(1e6));
            }
            assert!(covered * 1000 >= experiments * 925, "n = {count}: {covered}/{experiments}");
        }
    }
}
