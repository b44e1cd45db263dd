//! The answer to a question: its verdict, why, and everything behind it.

use std::iter;

use serde::Serialize;

use crate::judged::{Judged, Judging};
use crate::looks;
use crate::share;
use crate::words::words;
use crate::{Expectation, On, Question, Relation, Unit, Verdict};

/// The machine that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Cores that the process may use.
    pub cores: usize,
    /// NUMA nodes with memory.
    pub sockets: usize,
}

/// The answer to one question, put to one preset if there are presets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answer {
    /// The id of the expectation.
    pub id: String,
    /// Which of its questions, from 1.
    pub question: usize,
    /// The preset that it was put to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Where it is published, or who wants it.
    pub source: String,
    /// What is claimed.
    pub says: String,
    /// The report's figure that shows it.
    pub figure: Option<String>,
    /// Which machine the relation is expected on.
    pub on: On,
    /// The relation in words.
    pub expects: String,
    /// The metric that was judged.
    pub metric: String,
    /// The verdict on all that was measured.
    pub verdict: Verdict,
    /// Why, in a sentence; never empty.
    pub reason: String,
    /// The first selected row that could not be judged, with its reason, if others were judged.
    pub not_judged: Option<String>,
    /// Each value or ratio that was judged, in the order of its labels.
    pub measured: Vec<Measured>,
    /// What does not count because the one that does is worse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub better: Vec<Measured>,
}

/// A value or a ratio that was judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Measured {
    /// What is compared: systems, and the labels in which what was judged differs.
    pub compared: String,
    /// What the numbers are.
    pub unit: Unit,
    /// The geometric mean over processes, or a ratio of two; over rounds the median.
    pub value: f64,
    /// Lower end of its interval; `None` with one process.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The number of processes; of a ratio, those of the numerator.
    pub processes_of: usize,
    /// The number of processes of a ratio's denominator.
    pub processes_to: Option<usize>,
    /// Where it has to lie: `≥ 1.50×`.
    pub expected: String,
    /// Whether it does.
    pub verdict: Verdict,
    /// How far inside its nearest bound it is, as a share of that bound; negative outside. If
    /// it holds, by the worse end of its interval.
    pub margin: f64,
    /// The conditions in which the two sides of a ratio differ, which may explain it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unlike: Vec<String>,
    /// Ids of the cells behind it.
    pub cells: Vec<String>,
    /// For rounds: the value or ratio of each round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<f64>,
    /// For a ratio over rounds: what both sides measured, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<[f64; 2]>,
}

/// How many came to which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// [`Verdict::Holds`].
    pub holds: usize,
    /// [`Verdict::Fails`].
    pub fails: usize,
    /// [`Verdict::Undecided`].
    pub undecided: usize,
    /// [`Verdict::NotTestable`].
    pub not_testable: usize,
}

impl Counts {
    /// Of all `verdicts`.
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::Holds => &mut counts.holds,
                Verdict::Fails => &mut counts.fails,
                Verdict::Undecided => &mut counts.undecided,
                Verdict::NotTestable => &mut counts.not_testable,
            } += 1;
        }
        counts
    }

    /// `3 hold, 1 fails, 2 undecided`: those there are; `nothing` of none.
    #[must_use]
    pub fn words(&self) -> String {
        let holds = (self.holds > 0).then(|| format!("{} hold{}", self.holds, s(self.holds)));
        let parts: Vec<String> = holds.into_iter().chain(self.others()).collect();
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
    }

    /// How many of all hold: `23 of 24`.
    #[must_use]
    pub fn share(&self) -> String {
        let all = self.holds + self.fails + self.undecided + self.not_testable;
        format!("{} of {all}", self.holds)
    }

    /// `23 of 24 hold, 1 fails`.
    fn share_words(&self) -> String {
        let share = format!("{} hold{}", self.share(), s(self.holds));
        std::iter::once(share).chain(self.others()).collect::<Vec<_>>().join(", ")
    }

    /// What does not hold.
    fn others(&self) -> impl Iterator<Item = String> {
        [
            (self.fails, format!("fail{}", s(self.fails))),
            (self.undecided, "undecided".to_owned()),
            (self.not_testable, "not testable".to_owned()),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
    }
}

/// The ending of a verb after a count.
fn s(count: usize) -> &'static str {
    if count == 1 { "s" } else { "" }
}

impl Measured {
    fn new(judged: &Judged<'_>, unit: Unit, compared: String) -> Self {
        let mut cells: Vec<String> = judged.of.row.cells.clone();
        if let Some(to) = &judged.to {
            cells.extend(to.row.cells.iter().cloned());
        }
        Self {
            compared,
            unit,
            value: judged.estimate.interval.estimate,
            low: judged.decides().map(|interval| interval.low),
            high: judged.decides().map(|interval| interval.high),
            processes_of: judged.of.sample.count(),
            processes_to: judged.to.as_ref().map(|to| to.sample.count()),
            expected: judged.bounds.shown(unit),
            verdict: judged.verdict,
            margin: judged.margin(),
            unlike: judged.unlike(),
            cells,
            rounds: judged.estimate.rounds.clone(),
            sides: judged.estimate.sides,
        }
    }

    /// How many processes are likely to decide it, if further ones vary as these do; nothing where the last
    /// look is likely to leave it undecided.
    #[must_use]
    pub fn likely_decided_by(&self) -> Option<usize> {
        let count = self.processes_of.min(self.processes_to.unwrap_or(usize::MAX));
        let (Some(low), Some(high)) = (self.low, self.high) else { return looks::next_look(count) };
        let sides = if self.processes_to.is_some() { 2 } else { 1 };
        let half_width = (high / low).ln() / 2.0;
        let decides = |later: &usize| {
            half_width * looks::width_left((count, *later), sides) < self.margin.abs().ln_1p()
        };
        iter::successors(looks::next_look(count), |later| looks::next_look(*later)).find(decides)
    }

    /// `1.50× (1.40 … 1.60)`.
    #[must_use]
    pub fn shown(&self) -> String {
        match (self.low, self.high) {
            (Some(low), Some(high)) => self.unit.shown_with_interval(self.value, low, high),
            _ => format!("{} (one process: no interval)", self.unit.shown(self.value)),
        }
    }
}

impl Answer {
    /// What was judged, or why nothing was.
    pub(crate) fn new(
        expectation: &Expectation,
        at: usize,
        judging: Result<Judging<'_>, String>,
    ) -> Self {
        let question = &expectation.questions[at];
        let mut answer = Self {
            id: expectation.id.clone(),
            question: question.number,
            preset: question.preset.as_ref().map(|preset| preset.name.clone()),
            source: expectation.source.clone(),
            says: expectation.says.clone(),
            figure: expectation.figure.clone(),
            on: question.on,
            expects: question.expects.clone(),
            metric: question.metric.name.clone(),
            verdict: Verdict::NotTestable,
            reason: String::new(),
            not_judged: None,
            measured: Vec::new(),
            better: Vec::new(),
        };
        match judging {
            Ok(judging) => answer.conclude(question, &judging),
            Err(reason) => answer.reason = reason,
        }
        answer
    }

    fn conclude(&mut self, question: &Question, judging: &Judging<'_>) {
        self.measured = measured(question, &judging.judged);
        if judging.worst && !self.measured.is_empty() {
            self.better = self.measured.split_off(1);
        }
        let missing = missing(&judging.skipped);
        let verdict = if question.complete {
            Verdict::together(self.measured.iter().map(|measured| measured.verdict))
        } else {
            let case = |judged: &Judged<'_>| (judged.verdict, judged.is_far_beyond());
            let cases = judging.judged.iter().take(self.measured.len());
            share::together(&cases.map(case).collect::<Vec<_>>())
        };
        // The worst may be among what is missing; of others one that fails settles it.
        let settled = verdict == Verdict::Fails && !judging.worst;
        self.verdict = match &missing {
            Some(_) if question.complete && !settled => Verdict::NotTestable,
            _ => verdict,
        };
        self.reason = match &missing {
            Some(missing) if self.verdict == Verdict::NotTestable => missing.clone(),
            _ => reason(&self.measured, missing.as_deref()),
        };
        self.not_judged = missing.filter(|_| !self.measured.is_empty());
    }

    /// How many comparisons came to which verdict.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::of(self.measured.iter().map(|measured| measured.verdict))
    }

    /// How many of what was measured hold, `23 of 24`; `None` where one number alone decides.
    #[must_use]
    pub fn share(&self) -> Option<String> {
        (self.measured.len() > 1).then(|| self.counts().share())
    }

    /// The comparison to show: of those judged like the whole, the one farthest outside its bounds, or
    /// nearest to them. Where the whole is undecided, anything that does not hold counts.
    /// `None` where nothing was measured.
    #[must_use]
    pub fn telling(&self) -> Option<&Measured> {
        let tells = |measured: &&Measured| match self.verdict {
            Verdict::Undecided => measured.verdict != Verdict::Holds,
            whole => measured.verdict == whole,
        };
        let telling = self.measured.iter().filter(tells);
        telling.min_by(|one, other| one.margin.total_cmp(&other.margin))
    }

    /// The comparison to show with its bound, and how many hold; without one, why nothing was judged.
    /// Never empty.
    #[must_use]
    pub fn line(&self) -> String {
        let Some(telling) = self.telling() else { return self.reason.clone() };
        let Measured { compared, expected, .. } = telling;
        let mut line = format!("{compared}: {}, expected {expected}", telling.shown());
        if self.measured.len() > 1 {
            line += &format!("; {}", self.counts().share_words());
        }
        if let Some(missing) = &self.not_judged {
            line += &format!("; not judged: {missing}");
        }
        if !telling.unlike.is_empty() {
            line += &format!("; under unlike conditions: {}", telling.unlike.join(", "));
        }
        line
    }

    /// Whether a comparison behind it is one of unlike conditions.
    #[must_use]
    pub fn is_of_unlike(&self) -> bool {
        self.measured.iter().any(|measured| !measured.unlike.is_empty())
    }
}

fn measured(question: &Question, judged: &[Judged<'_>]) -> Vec<Measured> {
    let unit = match question.relation {
        Relation::Select { .. } => question.metric.unit,
        Relation::Ratio { .. } | Relation::Monotone { .. } | Relation::Crossover { .. } => {
            Unit::Times
        }
    };
    let words = words(judged);
    judged.iter().zip(words).map(|(judged, words)| Measured::new(judged, unit, words)).collect()
}

/// The first of what could not be judged, and how many there are.
fn missing(skipped: &[String]) -> Option<String> {
    skipped.first().map(|first| match skipped.len() {
        1 => first.clone(),
        count => format!("{first} (the first of {count})"),
    })
}

/// A sentence for what was judged, and for what could not be.
fn reason(measured: &[Measured], missing: Option<&str>) -> String {
    let counts = Counts::of(measured.iter().map(|measured| measured.verdict));
    let single = measured.iter().filter(|measured| measured.low.is_none()).count();
    let mut reason = match (measured.len(), missing) {
        (0, Some(missing)) => return missing.to_owned(),
        (0, None) => return "nothing of what was selected can be judged".to_owned(),
        (1, _) => match measured[0].verdict {
            Verdict::Holds => "the whole interval lies within its bounds".to_owned(),
            Verdict::Fails => "the whole interval lies outside a bound".to_owned(),
            _ if single == 1 => "one process: no interval".to_owned(),
            _ => "the interval holds a bound".to_owned(),
        },
        (_, _) => counts.share_words(),
    };
    if single > 0 && measured.len() > 1 {
        reason += &format!(" ({single} of one process: no interval)");
    }
    if let Some(missing) = missing {
        reason += &format!("; not judged: {missing}");
    }
    reason
}
