//! Rounds: values that were measured side by side are compared round by round, so that drift of the
//! machine affects both sides. The interval is a 99.9 % bootstrap interval of the median.

use stats::{bootstrap_median, bootstrap_ratio, median, spread};

use super::{Estimate, NO_RATIO, Sample};

/// The fewest rounds whose ratio has an interval.
const LEAST: usize = 3;

/// The median of `values`, which are not empty. With fewer than three, their range stands for
/// the interval.
pub(super) fn of(values: &[f64], seed: u64) -> Estimate {
    let interval = bootstrap_median(values, seed).or_else(|| spread(values));
    let interval = interval.expect("there are values, and they are numbers");
    Estimate { interval, rounds: values.to_vec(), sides: None }
}

/// The median of the ratios of all rounds that measured both sides.
pub(super) fn ratio(of: &Sample<'_>, to: &Sample<'_>, seed: u64) -> Result<Estimate, String> {
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
    let interval = bootstrap_ratio(&ratios, seed).ok_or(NO_RATIO)?;
    let middle = |sample: &Sample<'_>| {
        let values: Vec<f64> = rounds.iter().flat_map(|round| values_of(sample, round)).collect();
        median(&values).unwrap_or(f64::NAN)
    };
    let sides = Some([middle(of), middle(to)]);
    Ok(Estimate { interval, rounds: ratios, sides })
}

/// The values of one round.
fn values_of<'a>(sample: &'a Sample<'_>, round: &'a str) -> impl Iterator<Item = f64> + 'a {
    let values = sample.rounds.iter().zip(sample.values.iter());
    values.filter(move |(name, _)| **name == round).map(|(_, value)| *value)
}

/// The mean logarithm of a round.
fn log_of(sample: &Sample<'_>, round: &str) -> f64 {
    let logs: Vec<f64> = values_of(sample, round).map(f64::ln).collect();
    logs.iter().sum::<f64>() / logs.len() as f64
}
