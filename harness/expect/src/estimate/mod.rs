//! The estimate of a value or a ratio, with its interval, by either method.

mod nodes;
mod rounds;

use std::borrow::Cow;
use std::collections::BTreeMap;

use stats::{Interval, Prior, WelchSide, welch_mean, welch_ratio};

use crate::metric::Values;
use crate::{Look, Method, Metric, Summary};

/// A value with its interval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) interval: Interval,
    /// For rounds: the value or ratio of each round.
    pub(crate) rounds: Vec<f64>,
    /// For a ratio over rounds: the medians of both sides.
    pub(crate) sides: Option<[f64; 2]>,
}

impl Estimate {
    fn of_processes(interval: Interval) -> Self {
        Self { interval, rounds: Vec::new(), sides: None }
    }

    /// The interval, if it may decide. For rounds a mere range may: with few of them it is all there
    /// is, and counts hardly vary.
    pub(crate) fn decides(&self) -> Option<Interval> {
        Some(self.interval).filter(|interval| interval.has_level() || !self.rounds.is_empty())
    }
}

/// The fewest pairs that are compared as pairs: of two or three, Student's t is too large to decide.
const PAIRS_MIN: usize = 4;

/// Why two values have no ratio.
pub(crate) const NO_RATIO: &str = "a value of 0 has no ratio to others";

/// The values of one metric in one row.
#[derive(Clone, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) values: Cow<'a, [f64]>,
    /// The round of each value; empty if not measured in rounds.
    pub(crate) rounds: Vec<&'a str>,
    /// The value, if it cannot vary.
    pub(crate) exact: Option<f64>,
    /// The repetition of each value; empty if it is not known of all.
    repetitions: Vec<u32>,
    /// The node of each value; empty where one node measured all.
    nodes: Vec<&'a str>,
    /// How far processes of this metric differ, if that is known before.
    prior: Option<Prior>,
    method: Method,
    look: Look,
}

impl<'a> Sample<'a> {
    /// # Errors
    ///
    /// Why a row has no numbers of `metric` that the method can judge.
    pub(crate) fn new(row: &'a Summary, metric: &Metric, method: Method) -> Result<Self, String> {
        let Values { values, rounds, repetitions, nodes } = metric.values(row)?;
        let first = values[0];
        let exact = row.exact && values.iter().all(|value| *value == first);
        let exact = exact.then_some(first).filter(|value| value.is_finite());
        let is_sound = |value: &f64| match method {
            Method::Welch { .. } => value.is_finite() && *value > 0.0,
            Method::Rounds { .. } => value.is_finite() && *value >= 0.0,
        };
        match values.iter().find(|value| !is_sound(value)) {
            Some(value) if exact.is_none() => Err(format!(
                "{} is {value}, and only positive numbers can be compared",
                metric.name
            )),
            _ => {
                let look = method.looks()[0];
                let prior = metric.prior();
                Ok(Self { values, rounds, exact, repetitions, nodes, prior, method, look })
            }
        }
    }

    /// How often it may be judged.
    pub(crate) fn looks(&self) -> &'static [Look] {
        self.method.looks()
    }

    /// What `look` sees of it.
    pub(crate) fn seen_by(&self, look: Look) -> Self {
        let mut seen = Self { look, ..self.clone() };
        if self.count() > look.processes {
            seen.values.to_mut().truncate(look.processes);
            seen.rounds.truncate(look.processes);
            seen.repetitions.truncate(look.processes);
            seen.nodes.truncate(look.processes);
        }
        seen
    }

    /// The number of processes.
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    /// Whether there can be a ratio to `other`: with rounds, only if one round measured both.
    pub(crate) fn meets(&self, other: &Sample<'_>) -> bool {
        match self.method {
            Method::Welch { .. } => true,
            Method::Rounds { .. } => self.rounds.iter().any(|round| other.rounds.contains(round)),
        }
    }

    /// The geometric mean over processes, or the median over rounds.
    pub(crate) fn estimate(&self) -> Estimate {
        match (self.exact, self.method) {
            (None, Method::Rounds { seed }) => rounds::of(&self.values, seed),
            (None, _) if !self.nodes.is_empty() => nodes::of(self),
            _ => {
                let mean = welch_mean(self.side(), self.look.level());
                Estimate::of_processes(mean.expect("values were checked"))
            }
        }
    }

    /// The estimate ÷ that of `to`; for rounds the median of their ratios.
    ///
    /// # Errors
    ///
    /// Why there is no ratio.
    pub(crate) fn ratio(&self, to: &Sample<'_>) -> Result<Estimate, String> {
        if let Method::Rounds { seed } = self.method {
            return rounds::ratio(self, to, seed);
        }
        if !(self.nodes.is_empty() && to.nodes.is_empty()) {
            return nodes::ratio(self, to);
        }
        let level = self.look.level();
        let paired = self.look.is_paired.then(|| self.paired(to)).flatten();
        let ratio = match &paired {
            Some(ratios) => welch_mean(self.processes(ratios, Prior::of_ratio), level),
            None => welch_ratio(self.side(), to.side(), level),
        };
        ratio.map(Estimate::of_processes).ok_or_else(|| NO_RATIO.to_owned())
    }

    /// The ratio in each repetition that measured both; `None` where fewer than [`PAIRS_MIN`] are known,
    /// or where one side cannot vary.
    fn paired(&self, to: &Sample<'_>) -> Option<Vec<f64>> {
        if self.exact.is_some() || to.exact.is_some() {
            return None;
        }
        let others: BTreeMap<u32, f64> =
            to.repetitions.iter().copied().zip(to.values.iter().copied()).collect();
        let own = self.repetitions.iter().zip(self.values.iter());
        let ratios = own.filter_map(|(repetition, value)| Some(value / others.get(repetition)?));
        let ratios: Vec<f64> = ratios.collect();
        (ratios.len() >= PAIRS_MIN).then_some(ratios)
    }

    fn side(&self) -> WelchSide<'_> {
        match self.exact {
            Some(value) => WelchSide::Exact(value, self.values.len()),
            None => self.processes(&self.values, |prior| prior),
        }
    }

    /// `values` with the prior that the look grants the metric, as `of` has it.
    fn processes<'b>(&self, values: &'b [f64], of: impl Fn(Prior) -> Prior) -> WelchSide<'b> {
        match self.prior.filter(|_| self.look.is_moderated) {
            Some(prior) => WelchSide::Moderated(values, of(prior)),
            None => WelchSide::Processes(values),
        }
    }
}
