//! Rounds: values that were measured side by side are compared round by round, so that drift of the
//! machine meets both sides. The interval is a 99.9 % bootstrap interval of the median.

use verdict::{median, median_interval, median_ratio};

use crate::estimate::{Estimate, Interval, Sample};

/// Fewer have no interval of their median.
const LEAST: usize = 3;

/// The median of `values`, which are not empty. Of fewer than three their range stands for the
/// interval.
pub(crate) fn of(values: &[f64], seed: u64) -> Estimate {
    let (value, interval) = match median_interval(values, seed) {
        Some((value, interval)) => (value, Interval { low: interval.from, high: interval.to }),
        None => {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (f64::midpoint(low, high), Interval { low, high })
        }
    };
    Estimate { rounds: values.to_vec(), ..Estimate::new(value, Some(interval)) }
}

/// The median of the ratios of all rounds that measured both sides.
pub(crate) fn ratio(of: &Sample<'_>, to: &Sample<'_>, seed: u64) -> Result<Estimate, String> {
    let mut rounds: Vec<&str> = Vec::new();
    for round in of.rounds.iter().filter(|round| to.rounds.contains(round)) {
        if !rounds.contains(round) {
            rounds.push(round);
        }
    }
    if rounds.len() < LEAST {
        return Err(format!(
            "{} rounds measured both sides; at least {LEAST} are needed",
            rounds.len()
        ));
    }
    let ratios: Vec<f64> =
        rounds.iter().map(|round| (log_of(of, round) - log_of(to, round)).exp()).collect();
    let ratio = median_ratio(&ratios, seed).ok_or("a value of 0 has no ratio to others")?;
    let middle = |sample: &Sample<'_>| {
        let values: Vec<f64> = rounds.iter().flat_map(|round| values_of(sample, round)).collect();
        median(&values).unwrap_or(f64::NAN)
    };
    let interval = Interval { low: ratio.interval.from, high: ratio.interval.to };
    Ok(Estimate {
        value: ratio.ratio,
        interval: Some(interval),
        rounds: ratios,
        sides: Some([middle(of), middle(to)]),
    })
}

/// What was measured in a round.
fn values_of<'a>(sample: &'a Sample<'_>, round: &'a str) -> impl Iterator<Item = f64> + 'a {
    let values = sample.rounds.iter().zip(sample.values.iter());
    values.filter(move |(name, _)| **name == round).map(|(_, value)| *value)
}

/// The mean logarithm of a round.
fn log_of(sample: &Sample<'_>, round: &str) -> f64 {
    let logs: Vec<f64> = values_of(sample, round).map(f64::ln).collect();
    logs.iter().sum::<f64>() / logs.len() as f64
}
