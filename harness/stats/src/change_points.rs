//! Where the level of a history changed: change points of a sequence with one value a run.
//!
//! The method is hierarchical with a permutation test, as E-divisive (Matteson and James 2014), the
//! method of MongoDB's and Apache Otava's change point detection. It differs in what it compares.
//! E-divisive compares distributions by the distances of all pairs; a history asks for its *level*, and
//! a machine that became noisier is no new level. Here the two sides of a split are compared by the
//! sums of their logarithms, each run's bounded to three robust deviations from the median of all
//! ([`bounded_scores`]), so that
//!
//! - a change of spread alone is no change point,
//! - a single wild run weighs three deviations, not ten, and its neighbours decide,
//! - a permutation costs one pass, not one over all pairs.
//!
//! The significance of a split is judged conservatively. The two runs of each side that favour it
//! most ([`sober_gain`]; one fewer than a level needs) count no more than the third of that side,
//! and the remaining gain is compared with the full gain of permutations. So one or two lucky runs
//! never make a level: of 9600 simulated histories with a run 20 % better at or near their end none
//! had a change; of 4800 with two such runs side by side five had one (`cargo test -p stats luck --
//! --ignored --nocapture`), which is the level of 0.1 %. Permutations assume no distribution of
//! what sessions do to runs, only that runs of one level are exchangeable: on a machine that
//! drifts, changes are found that nobody made.
//!
//! # How long a history has to be
//!
//! 13 runs, or 24 if the new level has three, have too few orders for a level of 0.1 %, however
//! large the step. A step of 3 % in the middle of 100 simulated histories (`cargo test -p stats
//! power -- --ignored --nocapture` counts again):
//!
//! | what sessions do to a run | runs | found in | off by at most, in nine of ten |
//! |---|---|---|---|
//! | uniform, ±5 % | 40, 60, 80, 120, 160 | 23, 40, 70, 98, 100 | 5, 5, 12, 10, 12 runs |
//! | log-normal, deviation 5 % | 120, 160, 200, 300, 500 | 23, 42, 61, 91, 99 | 17, 14, 19, 18, 17 runs |
//!
//! So 3 % need 120 runs under sessions of ±5 %, and 300 under log-normal ones of 5 %, whose
//! deviation is 1.7 times as large: a history of 120 runs shows one such step in four. Smaller
//! effects are for comparisons within one session.

use std::ops::Range;

use workloads::{Rng, Seed};

use crate::bootstrap::bootstrap_shift;
use crate::{Interval, median};

/// Runs that a level has at least.
const MIN_SEGMENT: usize = 3;

/// Robust deviations beyond which a run weighs no more.
const BOUND: f64 = 3.0;

/// The median absolute deviation of a normal variable is this share of its standard deviation.
const NORMAL_MAD: f64 = 0.674_489_75;

/// Permutations that may reach what was observed for a split to be significant; more permutations than
/// these over the level tell nothing of use.
const REACHED_MAX: usize = 5;

/// Passes in which change points are placed again between their neighbours.
const REFINEMENTS: usize = 8;

/// When a change of level counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeSettings {
    min_segment: usize,
    level: f64,
    seed: Seed,
}

impl Default for ChangeSettings {
    /// Three runs, 0.1 %.
    fn default() -> Self {
        Self { min_segment: MIN_SEGMENT, level: 0.001, seed: Seed(0x6368_616e) }
    }
}

impl ChangeSettings {
    /// Levels of at least `min_segment` runs, at a significance `level` (a share: 0.001 is 0.1 %),
    /// with permutations drawn from `seed`.
    ///
    /// # Errors
    /// What is out of range, and the range.
    pub fn new(min_segment: usize, level: f64, seed: Seed) -> Result<Self, String> {
        if min_segment < MIN_SEGMENT {
            return Err(format!(
                "a level of {min_segment} runs: of fewer than {MIN_SEGMENT} nobody knows whether \
                 they were lucky; ask for {MIN_SEGMENT} or more"
            ));
        }
        if !(0.0001..=0.1).contains(&level) {
            return Err(format!(
                "a significance level of {level}: it is a share from 0.0001 (0.01 %) to 0.1 (10 %)"
            ));
        }
        Ok(Self { min_segment, level, seed })
    }

    /// Runs that a level has at least.
    #[must_use]
    pub fn min_segment(&self) -> usize {
        self.min_segment
    }

    /// The false-positive rate of each split: the share of histories of one level in which a change
    /// is found.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// Index of the first run of the new level.
    pub at: usize,
    /// Centre after ÷ centre before, with its 95 % interval, given that the change is where it was
    /// found. A step that was only just found looks larger than it is.
    pub ratio: Interval,
    /// Share of permutations that show as much.
    pub p_value: f64,
}

/// Runs of one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Indices of its runs.
    pub runs: Range<usize>,
    /// Their median.
    pub centre: f64,
}

/// A sequence, cut at its change points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segmentation {
    /// In order; one more than there are changes, none where there are no runs.
    pub segments: Vec<Segment>,
    /// Between the segments.
    pub changes: Vec<ChangePoint>,
}

/// The change points of `values`, one a run in the order they were measured. The same values always
/// have the same change points; one more run may add or remove one that is barely significant.
///
/// `None` where a value is not a positive number.
#[must_use]
pub fn change_points(values: &[f64], settings: &ChangeSettings) -> Option<Segmentation> {
    if values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let mut splits = Vec::new();
    bisect(&logs, 0..logs.len(), settings, &mut splits);
    refine(&logs, settings, &mut splits);
    let ends: Vec<usize> = splits.iter().map(|split| split.at).chain([logs.len()]).collect();
    let mut start = 0;
    let mut segments = Vec::new();
    for end in ends {
        if let Some(centre) = median(&values[start..end]) {
            segments.push(Segment { runs: start..end, centre });
        }
        start = end;
    }
    let changes = splits.iter().zip(segments.windows(2)).map(|(split, pair)| {
        let [before, after] = pair else { unreachable!("windows of two") };
        let seed = split.at as u64;
        let shift = bootstrap_shift(&logs[before.runs.clone()], &logs[after.runs.clone()], seed)?;
        Some(ChangePoint { at: split.at, ratio: shift.exp(), p_value: split.p_value })
    });
    let changes = changes.collect::<Option<Vec<ChangePoint>>>()?;
    Some(Segmentation { segments, changes })
}

/// A significant split.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Split {
    at: usize,
    p_value: f64,
}

/// Splits `range` where its level changes most, then both sides, as long as that is significant.
fn bisect(logs: &[f64], range: Range<usize>, settings: &ChangeSettings, splits: &mut Vec<Split>) {
    let Some(found) = split(logs, range.clone(), settings) else { return };
    bisect(logs, range.start..found.at, settings, splits);
    splits.push(found);
    bisect(logs, found.at..range.end, settings, splits);
}

/// Places each split again between its neighbours, which were not known when it was found, and
/// removes it where it is not significant there.
fn refine(logs: &[f64], settings: &ChangeSettings, splits: &mut Vec<Split>) {
    for _ in 0..REFINEMENTS {
        let before = splits.clone();
        let mut index = 0;
        while index < splits.len() {
            let start = if index == 0 { 0 } else { splits[index - 1].at };
            let end = splits.get(index + 1).map_or(logs.len(), |next| next.at);
            match split(logs, start..end, settings) {
                Some(found) => {
                    splits[index] = found;
                    index += 1;
                }
                None => {
                    splits.remove(index);
                }
            }
        }
        if *splits == before {
            break;
        }
    }
}

/// The best split of `range`, if it is significant.
fn split(logs: &[f64], range: Range<usize>, settings: &ChangeSettings) -> Option<Split> {
    let logs_here = &logs[range.clone()];
    let min = settings.min_segment;
    if logs_here.len() < 2 * min {
        return None;
    }
    let mut scores = bounded_scores(logs_here);
    let mut best = (0.0, 0);
    for at in min..=scores.len() - min {
        let gain = sober_gain(&scores, at, min);
        if gain > best.0 {
            best = (gain, at);
        }
    }
    let (observed, at) = best;
    if at == 0 {
        return None;
    }
    let place = settings.seed.stream("permutations").nth(range.start as u64).nth(range.end as u64);
    let p_value = p_value(&mut scores, observed, settings, &mut place.rng())?;
    Some(Split { at: range.start + at, p_value })
}

/// The share of permutations of `scores` that have a split of as much gain as `observed`; `None`
/// as soon as it is above the level.
fn p_value(
    scores: &mut [f64],
    observed: f64,
    settings: &ChangeSettings,
    rng: &mut Rng,
) -> Option<f64> {
    let permutations = (REACHED_MAX as f64 / settings.level).ceil() as usize - 1;
    // The order of a sum moves its last digits.
    let reaches = observed * (1.0 - 1e-9);
    let mut reached = 0;
    for _ in 0..permutations {
        for last in (1..scores.len()).rev() {
            scores.swap(last, rng.below(last as u64 + 1) as usize);
        }
        reached +=
            usize::from(gains(scores, settings.min_segment).any(|(_, gain)| gain >= reaches));
        // The observed order is one of them.
        if reached + 1 > REACHED_MAX {
            return None;
        }
    }
    Some((reached + 1) as f64 / (permutations + 1) as f64)
}

/// How far each run is from the median of all, bounded, less the mean of that. Where most runs are
/// equal, as of counts that do not depend on time, there is no deviation to bound by.
fn bounded_scores(logs: &[f64]) -> Vec<f64> {
    let centre = median(logs).unwrap_or_default();
    let mut scores: Vec<f64> = logs.iter().map(|log| log - centre).collect();
    let distances: Vec<f64> = scores.iter().map(|score| score.abs()).collect();
    let bound = BOUND * median(&distances).unwrap_or_default() / NORMAL_MAD;
    if bound > 0.0 {
        scores.iter_mut().for_each(|score| *score = score.clamp(-bound, bound));
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    scores.iter_mut().for_each(|score| *score -= mean);
    scores
}

/// By how much each split into two levels reduces the sum of squares, for splits that leave each
/// side `min` runs.
fn gains(scores: &[f64], min: usize) -> impl Iterator<Item = (usize, f64)> {
    let count = scores.len();
    let mut sum = 0.0;
    scores[..count - min].iter().enumerate().filter_map(move |(index, score)| {
        sum += score;
        let left = index + 1;
        (left >= min).then(|| (left, sum * sum * count as f64 / (left * (count - left)) as f64))
    })
}

/// The gain of a split at `at` where the runs of each side that speak most for it, one fewer than a
/// level needs, count no more than the next one of their side.
fn sober_gain(scores: &[f64], at: usize, min: usize) -> f64 {
    let (before, after) = scores.split_at(at);
    let mean = |side: &[f64]| side.iter().sum::<f64>() / side.len() as f64;
    let sign = if mean(after) > mean(before) { 1.0 } else { -1.0 };
    let sober_mean = |side: &[f64], sign: f64| {
        let mut raised: Vec<f64> = side.iter().map(|score| sign * score).collect();
        raised.sort_by(|one, other| other.total_cmp(one));
        let next = raised[min - 1];
        raised[..min].fill(next);
        sign * mean(&raised)
    };
    let step = sign * (sober_mean(after, sign) - sober_mean(before, -sign));
    let gain = step * step * (before.len() * after.len()) as f64 / scores.len() as f64;
    if step > 0.0 { gain } else { 0.0 }
}

#[cfg(test)]
mod tests;
