//! How often each key is asked for: equally, or by a zipfian distribution (§4.2.2), with keys of nearly
//! equal probability in one group (§4.6.2).

use super::error::ParameterError;
use super::parameters::Workload;

/// Ranks with a group of their own. A sum over later ranks is an integral with its first correction,
/// whose error is then below 10⁻¹⁰ of the sum.
const ALONE: u64 = 256;
/// Last rank of a group ÷ its first.
const RATIO: f64 = 1.02;
/// The largest value of x² e⁻ˣ ÷ 2(1 − e⁻ˣ), rounded up: see [`Popularity::grouping_error`].
const CURVATURE: f64 = 0.324;

/// Keys of one probability.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Keys in it.
    pub(super) keys: f64,
    /// −ln(1 − probability of one key): the rate at which requests exhaust the chance of its absence.
    pub(super) rate: f64,
}

/// The probabilities of all keys.
#[derive(Clone, Debug)]
pub struct Popularity {
    keys: f64,
    groups: Vec<Group>,
    grouping_error: f64,
}

impl Popularity {
    /// The popularity of `workload`'s keys. Takes O(log keys) groups and time.
    ///
    /// # Errors
    /// The workload has fewer than two keys, or a skew that is out of range.
    pub fn new(workload: &Workload) -> Result<Self, ParameterError> {
        workload.check()?;
        let Workload { keys, skew } = *workload;
        if skew == 0.0 {
            let group = Group { keys: keys as f64, rate: rate(1.0 / keys as f64) };
            return Ok(Self { keys: keys as f64, groups: vec![group], grouping_error: 0.0 });
        }
        let spans = spans(keys);
        let weights: Vec<f64> = spans.iter().map(|&(from, to)| weight(from, to, skew)).collect();
        // Smallest first, so that no small weight is lost in a large sum.
        let total: f64 = weights.iter().rev().sum();
        let mut grouping_error: f64 = 0.0;
        let groups = spans
            .iter()
            .zip(&weights)
            .map(|(&(from, to), weight)| {
                let ranks = (to - from + 1) as f64;
                let mean = weight / ranks;
                let width = (from as f64).powf(-skew) - (to as f64).powf(-skew);
                // A variance is at most a quarter of the squared range (Popoviciu).
                let variance = (width / (2.0 * mean)).powi(2);
                grouping_error = grouping_error.max(CURVATURE * variance);
                Group { keys: ranks, rate: rate(mean / total) }
            })
            .collect();
        Ok(Self { keys: keys as f64, groups, grouping_error })
    }

    /// Number of keys.
    #[must_use]
    pub fn keys(&self) -> f64 {
        self.keys
    }

    /// Upper bound of the relative error that grouping adds to `unique` (which it can only raise).
    ///
    /// Of a group whose probabilities have a mean f and a relative variance v, `unique` counts
    /// 1 − (1 − f)^p for each key instead of the mean over its keys. To second order the difference is
    /// v x² e⁻ˣ ÷ 2 with x = pf, which is at most 0.324 v of 1 − e⁻ˣ.
    #[must_use]
    pub fn grouping_error(&self) -> f64 {
        self.grouping_error
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }
}

fn rate(probability: f64) -> f64 {
    -(-probability).ln_1p()
}

/// First and last rank of every group, ranks counted from 1.
fn spans(keys: u64) -> Vec<(u64, u64)> {
    let mut spans = Vec::new();
    let mut from = 1;
    while from <= keys {
        let last = if from <= ALONE { from } else { (from as f64 * RATIO) as u64 };
        let to = last.clamp(from, keys);
        spans.push((from, to));
        from = to + 1;
    }
    spans
}

/// The sum of rank^-skew over the ranks from `from` to `to`.
fn weight(from: u64, to: u64, skew: f64) -> f64 {
    if from == to {
        return (from as f64).powf(-skew);
    }
    let (low, high) = (from as f64 - 0.5, to as f64 + 0.5);
    let power = 1.0 - skew;
    // (high^power − low^power) ÷ power, also where power is almost 0.
    let span = (high / low).ln();
    let integral =
        if power.abs() < 1e-12 { span } else { low.powf(power) * (power * span).exp_m1() / power };
    let slope = |x: f64| -skew * x.powf(-skew - 1.0);
    integral - (slope(high) - slope(low)) / 24.0
}
