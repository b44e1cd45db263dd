//! A sample that is resampled, and the centres taken of it.

use workloads::Rng;

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

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::*;
    use crate::median;

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
}
