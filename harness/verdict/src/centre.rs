//! Centres of samples, their resamples, and Student's interval of a centre.

use statrs::distribution::{ContinuousCDF, StudentsT};
use workloads::{Rng, Seed};

use crate::Interval;

/// Resamples that a standard error is taken from; they know it to 1/√(2·1000) = 2 %.
const RESAMPLES: usize = 1000;

/// What stands for the middle of a sample: the mean of its middle values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Centre {
    /// Of the middle one or two.
    Median,
    /// Of the middle three fifths: a fifth of the values at either end may be anything.
    TrimmedMean,
}

impl Centre {
    /// The values left out at either end of `count`.
    fn trim(self, count: usize) -> usize {
        match self {
            Self::Median => (count - 1) / 2,
            Self::TrimmedMean => count / 5,
        }
    }
}

/// Values that are resampled.
pub(crate) struct Sample {
    sorted: Vec<f64>,
    /// Of each value in the order given, its place among the sorted.
    rank: Vec<usize>,
}

impl Sample {
    /// `None` of fewer than three values or of values that are no numbers.
    pub(crate) fn new(values: &[f64]) -> Option<Self> {
        if values.len() < 3 || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
        let mut rank = vec![0; values.len()];
        for (place, at) in order.iter().enumerate() {
            rank[*at] = place;
        }
        Some(Self { sorted: order.iter().map(|at| values[*at]).collect(), rank })
    }

    /// From the lowest to the highest.
    pub(crate) fn range(&self) -> Interval {
        Interval { from: self.sorted[0], to: self.sorted[self.sorted.len() - 1] }
    }

    pub(crate) fn centre(&self, centre: Centre) -> f64 {
        self.centre_of(centre, &vec![1; self.sorted.len()])
    }

    /// The centres of `resamples` samples drawn from this one with replacement.
    pub(crate) fn resampled(&self, centre: Centre, resamples: usize, rng: &mut Rng) -> Vec<f64> {
        let count = self.rank.len();
        let mut times = vec![0_u32; count];
        (0..resamples)
            .map(|_| {
                times.fill(0);
                for _ in 0..count {
                    times[self.rank[rng.below(count as u64) as usize]] += 1;
                }
                self.centre_of(centre, &times)
            })
            .collect()
    }

    /// The square of the bootstrap's standard error. Resamples vary by 1 − 1/n too little; that is
    /// put right.
    pub(crate) fn variance(&self, centre: Centre, rng: &mut Rng) -> f64 {
        if self.sorted.first() == self.sorted.last() {
            // Exactly: rounding must not give equal values a width.
            return 0.0;
        }
        let centres = self.resampled(centre, RESAMPLES, rng);
        let mean = centres.iter().sum::<f64>() / RESAMPLES as f64;
        let squares: f64 = centres.iter().map(|centre| (centre - mean).powi(2)).sum();
        let count = self.sorted.len() as f64;
        squares / (RESAMPLES - 1) as f64 * count / (count - 1.0)
    }

    /// The centre of the sample in which the sorted values occur so many `times` each.
    fn centre_of(&self, centre: Centre, times: &[u32]) -> f64 {
        let count = self.sorted.len();
        let first = centre.trim(count);
        let end = count - first;
        let (mut sum, mut from) = (0.0, 0);
        for (value, times) in self.sorted.iter().zip(times) {
            let to = from + *times as usize;
            let taken = to.min(end).saturating_sub(from.max(first));
            sum += taken as f64 * value;
            if to >= end {
                break;
            }
            from = to;
        }
        sum / (end - first) as f64
    }
}

/// The centre of `values` with Student's interval of it at `confidence`, on the bootstrap's
/// standard error.
///
/// A percentile of resamples never leaves the range of the values, so with few of them it has no
/// way of being as sure as a comparison of many cells asks; and of a tail of 1 in 20 000 it sees
/// nothing. A standard error has neither limit: the interval of three values at 99.9 % is wide, as
/// it should be.
///
/// `None` of fewer than three values or of values that are no numbers.
pub(crate) fn student_interval(
    values: &[f64],
    centre: Centre,
    confidence: f64,
    seed: Seed,
) -> Option<(f64, Interval)> {
    let sample = Sample::new(values)?;
    let error = sample.variance(centre, &mut seed.rng()).sqrt();
    let half = student(confidence, (values.len() - 1) as f64) * error;
    let middle = sample.centre(centre);
    Some((middle, Interval { from: middle - half, to: middle + half }))
}

/// Student's t of a two-sided interval at `confidence`, a share, with so many degrees of `freedom`.
///
/// # Panics
///
/// If `freedom` is not above 0.
#[must_use]
pub fn student(confidence: f64, freedom: f64) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom above 0");
    -distribution.inverse_cdf((1.0 - confidence) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::percentile_interval;
    use crate::median;
    use crate::simulation::Noise;

    #[test]
    fn students_quantiles_are_those_of_tables() {
        for (confidence, freedom, table) in [
            (0.95, 1.0, 12.706),
            (0.95, 19.0, 2.093),
            (0.999, 1.0, 636.619),
            (0.999, 11.0, 4.437),
            (0.999, 30.0, 3.646),
        ] {
            let quantile = student(confidence, freedom);
            assert!((quantile - table).abs() < 6e-4, "{confidence} {freedom}: {quantile}");
        }
        // 1 − 0.02 of 1000 intervals together.
        assert!((student(1.0 - 2e-5, 1e6) - 4.2649).abs() < 1e-3);
    }

    #[test]
    fn centres_are_means_of_the_middle() {
        let of = |values: &[f64], centre| Sample::new(values).unwrap().centre(centre);
        assert_eq!(of(&[9.0, 1.0, 2.0], Centre::Median), 2.0);
        assert_eq!(of(&[9.0, 1.0, 2.0, 4.0], Centre::Median), 3.0);
        assert_eq!(of(&[-70.0, 3.0, 4.0, 8.0, 900.0], Centre::TrimmedMean), 5.0);
        assert_eq!(of(&[1.0, 2.0, 6.0], Centre::TrimmedMean), 3.0, "nothing to trim of three");
        assert!(Sample::new(&[1.0, 2.0]).is_none() && Sample::new(&[1.0, 2.0, f64::NAN]).is_none());
    }

    #[test]
    fn resamples_are_samples_of_the_same_values() {
        let values = [3.0, 1.0, 2.0, 5.0];
        let sample = Sample::new(&values).unwrap();
        let counted = sample.resampled(Centre::Median, 50, &mut Seed(3).rng());
        let mut rng = Seed(3).rng();
        for centre in counted {
            let drawn: Vec<f64> = (0..4).map(|_| values[rng.below(4) as usize]).collect();
            assert_eq!(Some(centre), median(&drawn));
        }
    }

    #[test]
    fn equal_values_have_a_point() {
        let (centre, interval) =
            student_interval(&[0.1; 7], Centre::TrimmedMean, 0.9999, Seed(1)).unwrap();
        assert_eq!((interval.from, interval.to), (centre, centre));
    }

    /// Why comparisons take the trimmed mean: at the confidence of 18 metrics together it covers
    /// as often as it says and is narrower than the percentile interval of the median, which
    /// covers too seldom or is the range of the values.
    #[test]
    fn the_trimmed_mean_covers_and_is_narrower_than_the_median() {
        const CONFIDENCE: f64 = 1.0 - 0.02 / 18.0;
        let mut rng = Seed(13).rng();
        let noise = Noise { deviation: 0.03, outliers: 0.05 };
        for blocks in [12, 30] {
            let (experiments, mut covered) = (300, [0; 2]);
            let mut width = [0.0; 2];
            for experiment in 0..experiments {
                let logs: Vec<f64> = (0..blocks).map(|_| noise.draw(&mut rng)).collect();
                let seed = Seed(experiment);
                let trimmed =
                    student_interval(&logs, Centre::TrimmedMean, CONFIDENCE, seed).unwrap().1;
                covered[0] += u32::from(trimmed.contains(0.0));
                width[0] += trimmed.to - trimmed.from;
                // The median's takes long, so it is asked less often.
                if experiment % 10 == 0 {
                    let (_, median) =
                        percentile_interval(&logs, CONFIDENCE, 20_000, experiment).unwrap();
                    covered[1] += u32::from(median.contains(0.0));
                    width[1] += (median.to - median.from) * 10.0;
                }
            }
            assert!(covered[0] >= 299, "{blocks} blocks: {covered:?}");
            assert!(covered[1] >= 28, "{blocks} blocks: {covered:?}");
            assert!(width[0] < width[1], "{blocks} blocks: {width:?}");
        }
    }
}
