//! The trimmed mean with Student's interval on the bootstrap's standard error: what comparisons
//! judge by.
//!
//! *Source*: Tukey and McLaughlin 1963 for the interval of a trimmed mean; the standard error is the
//! bootstrap's (Efron 1979) in place of theirs. Sides measured apart have Welch's degrees of freedom.
//!
//! *Assumes* that blocks are independent, and that the middle three fifths of their logarithms have a
//! mean that is about normal. A fifth of the blocks at either end may be anything.
//!
//! A percentile of resamples never leaves the range of the values, so with few of them it has no
//! way of being as sure as a comparison of many cells asks; and of a tail of 1 in 20 000 it sees
//! nothing. A standard error has neither limit: the interval of three values at 99.9 % is wide, as
//! it should be. Where a few blocks in a hundred are disturbed, the interval is about as wide as
//! that of the median with 20 blocks and narrower with fewer or more; and it covers as often as it
//! says at the level of many entries together, which the median's does not.

use workloads::Seed;

use crate::sample::{Centre, Sample};
use crate::student::student;
use crate::{Interval, Method};

/// The centre of ratios whose logarithms are `logs`, one a block, with its interval at `level`.
///
/// `None` of fewer than three values or of values that are no numbers.
#[must_use]
pub fn trimmed_ratio(logs: &[f64], level: f64, seed: Seed) -> Option<Interval> {
    Some(trimmed_mean(logs, level, seed)?.exp())
}

/// B ÷ A from the logarithms of `a` and of `b`, which share no blocks, with its interval at
/// `level`. Each side is resampled by itself.
///
/// `None` as of [`trimmed_ratio`], of either side.
#[must_use]
pub fn trimmed_ratio_apart([a, b]: [&[f64]; 2], level: f64, seed: Seed) -> Option<Interval> {
    let samples = [Sample::new(a)?, Sample::new(b)?];
    let [of_a, of_b] = [("a", &samples[0]), ("b", &samples[1])]
        .map(|(side, sample)| sample.variance(Centre::TrimmedMean, &mut seed.stream(side).rng()));
    let variance = of_a + of_b;
    let half = if variance > 0.0 {
        let parts = of_a.powi(2) / (a.len() - 1) as f64 + of_b.powi(2) / (b.len() - 1) as f64;
        student(level, variance.powi(2) / parts) * variance.sqrt()
    } else {
        0.0
    };
    let log = samples[1].centre(Centre::TrimmedMean) - samples[0].centre(Centre::TrimmedMean);
    Some(around(log, half, level, a.len().min(b.len())).exp())
}

fn trimmed_mean(values: &[f64], level: f64, seed: Seed) -> Option<Interval> {
    let sample = Sample::new(values)?;
    let error = sample.variance(Centre::TrimmedMean, &mut seed.rng()).sqrt();
    let half = student(level, (values.len() - 1) as f64) * error;
    Some(around(sample.centre(Centre::TrimmedMean), half, level, values.len()))
}

fn around(estimate: f64, half: f64, level: f64, count: usize) -> Interval {
    Interval {
        estimate,
        low: estimate - half,
        high: estimate + half,
        level: Some(level),
        count,
        method: Method::TrimmedMean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::bootstrap_median_at;
    use crate::noise::Noise;

    #[test]
    fn equal_values_have_a_point() {
        let found = trimmed_mean(&[0.1; 7], 0.9999, Seed(1)).unwrap();
        assert_eq!((found.low, found.high), (found.estimate, found.estimate));
        let apart = trimmed_ratio_apart([&[0.1; 7], &[0.1; 4]], 0.9999, Seed(1)).unwrap();
        assert_eq!((apart.low, apart.estimate, apart.high, apart.count), (1.0, 1.0, 1.0, 4));
    }

    #[test]
    fn too_few_or_impossible_values_give_nothing() {
        assert_eq!(trimmed_ratio(&[0.1; 2], 0.95, Seed(1)), None);
        assert_eq!(trimmed_ratio(&[0.1, f64::NAN, 0.1], 0.95, Seed(1)), None);
        assert_eq!(trimmed_ratio_apart([&[0.1; 9], &[0.1; 2]], 0.95, Seed(1)), None);
    }

    /// Why comparisons take the trimmed mean: at the level of 18 metrics together it covers as
    /// often as it says and is narrower than the percentile interval of the median, which covers
    /// too seldom or is the range of the values.
    #[test]
    fn the_trimmed_mean_covers_and_is_narrower_than_the_median() {
        const LEVEL: f64 = 1.0 - 0.02 / 18.0;
        let mut rng = Seed(13).rng();
        let noise = Noise { deviation: 0.03, outliers: 0.05 };
        for blocks in [12, 30] {
            let (experiments, mut covered) = (300, [0; 2]);
            let mut width = [0.0; 2];
            for experiment in 0..experiments {
                let logs: Vec<f64> = (0..blocks).map(|_| noise.draw(&mut rng)).collect();
                let trimmed = trimmed_mean(&logs, LEVEL, Seed(experiment)).unwrap();
                covered[0] += u32::from(trimmed.contains(0.0));
                width[0] += trimmed.high - trimmed.low;
                // The median's takes long, so it is asked less often.
                if experiment % 10 == 0 {
                    let median = bootstrap_median_at(&logs, LEVEL, experiment).unwrap();
                    covered[1] += u32::from(median.contains(0.0));
                    width[1] += (median.high - median.low) * 10.0;
                }
            }
            assert!(covered[0] >= 299, "{blocks} blocks: {covered:?}");
            assert!(covered[1] >= 28, "{blocks} blocks: {covered:?}");
            assert!(width[0] < width[1], "{blocks} blocks: {width:?}");
        }
    }

    /// The promise of the interval, with sides of unlike numbers and noise.
    #[test]
    fn sides_apart_are_covered_as_often_as_they_say() {
        let mut rng = Seed(23).rng();
        let mut draw = |count: usize, deviation: f64| -> Vec<f64> {
            let noise = Noise { deviation, outliers: 0.05 };
            (0..count).map(|_| noise.draw(&mut rng)).collect()
        };
        let (experiments, mut covered) = (1000, 0);
        for experiment in 0..experiments {
            let [a, b] = [draw(6, 0.05), draw(14, 0.02)];
            let found = trimmed_ratio_apart([&a, &b], 0.95, Seed(experiment)).unwrap();
            covered += u32::from(found.contains(1.0));
        }
        assert!((935..=995).contains(&covered), "{covered} of {experiments}");
    }
}
