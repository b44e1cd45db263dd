//! From an answer to a line of the table.

use std::slice;

use expect::{Answer, Machine, Measured, Verdict};
use serde::Serialize;
use stats::Interval;

use super::file::File;
use super::rows::summaries;
use super::sizes::Sizes;
use super::target::Target;
use record::{Calibration, Row};

/// A target's line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) says: String,
    pub(crate) source: String,
    /// The conditions.
    pub(crate) expects: String,
    pub(crate) asked: String,
    pub(crate) verdict: Verdict,
    /// Of several comparisons the one that shows most.
    pub(crate) measured: Option<Estimate>,
    /// What stands behind the number, in words.
    pub(crate) note: String,
    /// Each comparison, or each object memory.
    pub(crate) details: Vec<Detail>,
}

/// One of the numbers behind a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Detail {
    pub(crate) what: String,
    /// `None` of what was not judged because another is worse.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) measured: Option<Estimate>,
    /// Blocks or repetitions: what the interval is of.
    pub(crate) values: Vec<f64>,
}

/// A number with the interval it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Estimate {
    pub(crate) median: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Blocks or repetitions.
    pub(crate) count: usize,
}

impl From<Interval> for Estimate {
    fn from(found: Interval) -> Self {
        let Interval { estimate, low, high, count, .. } = found;
        Self { median: estimate, from: low, to: high, count }
    }
}

/// The line of a target whose cells have these `rows`.
pub(crate) fn judge(
    file: &File,
    target: &Target,
    rows: &[Row],
    sizes: &Sizes,
    calibrations: &[Calibration],
) -> Line {
    let summaries = summaries(file, target, rows, sizes, calibrations);
    // Targets are asked on any machine.
    let machine = Machine { cores: 1, sockets: 1 };
    let answers = expect::evaluate(slice::from_ref(&target.expectation), &summaries, &machine);
    line(target, &answers[0])
}

/// The lines of expectations as a whole, of which every target has one.
pub(crate) fn means(file: &File, lines: &[Line]) -> Vec<Line> {
    let means = file.plan.means.iter();
    means.filter_map(|mean| mean.line(lines, &file.targets, file.seed)).collect()
}

/// The line that shows an answer.
pub(super) fn line(target: &Target, answer: &Answer) -> Line {
    let telling = answer.telling();
    let judged = answer.measured.iter().map(|one| detail(one, Some(one.verdict)));
    let better = answer.better.iter().map(|one| detail(one, None));
    Line {
        name: target.name().to_owned(),
        says: answer.says.clone(),
        source: answer.source.clone(),
        expects: answer.expects.clone(),
        asked: target.bounds().to_string(),
        verdict: answer.verdict,
        measured: telling.and_then(estimate),
        note: telling.map_or_else(|| answer.reason.clone(), |one| note(target, answer, one)),
        details: judged.chain(better).collect(),
    }
}

fn detail(one: &Measured, verdict: Option<Verdict>) -> Detail {
    Detail {
        what: one.compared.clone(),
        verdict,
        measured: estimate(one),
        values: one.rounds.clone(),
    }
}

fn estimate(one: &Measured) -> Option<Estimate> {
    let (from, to) = one.low.zip(one.high)?;
    Some(Estimate { median: one.value, from, to, count: one.rounds.len() })
}

fn note(target: &Target, answer: &Answer, telling: &Measured) -> String {
    let metric = &target.question().metric;
    let compared = &telling.compared;
    if let Some([above, below]) = &metric.quotient {
        return format!("{above} ÷ {below} within the clock");
    }
    if let Some([of, to]) = telling.sides {
        return format!("{compared} ({} ÷ {})", metric.unit.shown(of), metric.unit.shown(to));
    }
    let best = answer.better.iter().map(|one| one.value).fold(telling.value, f64::min);
    format!("worst of {} object counts, {compared}; best {best:.3}", answer.better.len() + 1)
}
