//! What is known of an ask: its verdict, why, and everything behind it.

use serde::Serialize;

use crate::judged::{Judged, Judging};
use crate::words::words;
use crate::{Ask, Expectation, On, Relation, Unit, Verdict};

/// The machine that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Cores that the process may use.
    pub cores: usize,
    /// NUMA nodes with memory.
    pub sockets: usize,
}

/// Of one ask.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answer {
    /// The expectation's.
    pub id: String,
    /// Which of its asks, from 1.
    pub ask: usize,
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
    /// Whose values were judged.
    pub metric: String,
    /// Of all that was measured together.
    pub verdict: Verdict,
    /// Why, in a sentence; never empty.
    pub reason: String,
    /// What was selected and could not be judged, the first with its reason, where anything was judged.
    pub not_judged: Option<String>,
    /// Each value or ratio that was judged, in the order of its labels.
    pub measured: Vec<Measured>,
    /// What was not judged because the one that was is worse.
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
    /// The geometric mean of processes, or a ratio of such; of rounds the median.
    pub value: f64,
    /// Lower end of its interval; `None` of one process.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Processes behind it: those of a ratio above its line.
    pub processes_of: usize,
    /// Processes below the line of a ratio.
    pub processes_to: Option<usize>,
    /// Where it has to lie: `≥ 1.50×`.
    pub expected: String,
    /// Whether it does.
    pub verdict: Verdict,
    /// How far inside its nearest bound it is, as a share of that bound; negative outside. What
    /// holds is held against it by the worse end of its interval.
    pub margin: f64,
    /// Ids of the cells behind it.
    pub cells: Vec<String>,
    /// What the interval is of, where that is of rounds: a value or a ratio each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<f64>,
    /// Of a ratio of rounds what both sides measured, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<[f64; 2]>,
}

/// How many were judged how.
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
        let s = |count| if count == 1 { "s" } else { "" };
        let parts: Vec<String> = [
            (self.holds, format!("hold{}", s(self.holds))),
            (self.fails, format!("fail{}", s(self.fails))),
            (self.undecided, "undecided".to_owned()),
            (self.not_testable, "not testable".to_owned()),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
    }
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
            cells,
            rounds: judged.estimate.rounds.clone(),
            sides: judged.estimate.sides,
        }
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
        let ask = &expectation.asks[at];
        let mut answer = Self {
            id: expectation.id.clone(),
            ask: at + 1,
            source: expectation.source.clone(),
            says: expectation.says.clone(),
            figure: expectation.figure.clone(),
            on: ask.on,
            expects: ask.expects.clone(),
            metric: ask.metric.name.clone(),
            verdict: Verdict::NotTestable,
            reason: String::new(),
            not_judged: None,
            measured: Vec::new(),
            better: Vec::new(),
        };
        match judging {
            Ok(judging) => answer.conclude(ask, &judging),
            Err(reason) => answer.reason = reason,
        }
        answer
    }

    fn conclude(&mut self, ask: &Ask, judging: &Judging<'_>) {
        self.measured = measured(ask, &judging.judged);
        if judging.worst && !self.measured.is_empty() {
            self.better = self.measured.split_off(1);
        }
        let missing = missing(&judging.skipped);
        let verdict = Verdict::together(self.measured.iter().map(|measured| measured.verdict));
        // The worst may be among what is missing; of others one that fails settles it.
        let settled = verdict == Verdict::Fails && !judging.worst;
        self.verdict = match &missing {
            Some(_) if ask.complete && !settled => Verdict::NotTestable,
            _ => verdict,
        };
        self.reason = match &missing {
            Some(missing) if self.verdict == Verdict::NotTestable => missing.clone(),
            _ => reason(&self.measured, missing.as_deref()),
        };
        self.not_judged = missing.filter(|_| !self.measured.is_empty());
    }

    /// How many of what was measured were judged how.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::of(self.measured.iter().map(|measured| measured.verdict))
    }

    /// What shows most: of what was judged like the whole, that which is farthest outside its
    /// bounds, or nearest to them. `None` where nothing was measured.
    #[must_use]
    pub fn telling(&self) -> Option<&Measured> {
        let alike = self.measured.iter().filter(|measured| measured.verdict == self.verdict);
        alike.min_by(|one, other| one.margin.total_cmp(&other.margin))
    }

    /// What shows most with its bound, and how many were judged how; else why nothing was. Never
    /// empty.
    #[must_use]
    pub fn line(&self) -> String {
        let Some(telling) = self.telling() else { return self.reason.clone() };
        let Measured { compared, expected, .. } = telling;
        let mut line = format!("{compared}: {}, expected {expected}", telling.shown());
        if self.measured.len() > 1 {
            line += &format!("; of {}: {}", self.measured.len(), self.counts().words());
        }
        if let Some(missing) = &self.not_judged {
            line += &format!("; not judged: {missing}");
        }
        line
    }
}

fn measured(ask: &Ask, judged: &[Judged<'_>]) -> Vec<Measured> {
    let unit = match ask.relation {
        Relation::Select { .. } => ask.metric.unit,
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
        (count, _) => format!("of {count} judged: {}", counts.words()),
    };
    if single > 0 && measured.len() > 1 {
        reason += &format!(" ({single} of one process: no interval)");
    }
    if let Some(missing) = missing {
        reason += &format!("; not judged: {missing}");
    }
    reason
}
