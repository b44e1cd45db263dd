//! Points of the key-value figures: which number of a cell stands where, combined over the
//! processes of the cell.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use stats::{Interval, of_nodes, of_processes, spread};

use super::data::Data;
use record::{
    Flag, Outcome, Row,
    metrics::{self, Metric},
    repetition::{Repetition, Source, sources},
};

/// A text with its place among others of its kind.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// Its place: on an axis of numbers, the number.
    pub(super) at: f64,
    /// What is written.
    pub(super) text: String,
}

impl Label {
    pub(super) fn new(at: f64, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }

    /// A label placed by its text.
    pub(super) fn named(text: impl Into<String>) -> Self {
        Self::new(0.0, text)
    }

    /// The only one of its kind, which needs no name.
    pub(super) fn none() -> Self {
        Self::named("")
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Label {}

/// A vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Measure {
    /// Its place from above.
    pub(super) rank: u8,
    /// Title with the unit.
    pub(super) title: &'static str,
    /// Whether it is logarithmic.
    pub(super) log: bool,
}

/// Throughput, from 0.
pub(super) const THROUGHPUT: Measure = Measure { rank: 0, title: "throughput, Mops/s", log: false };

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// As a line with points and error bars.
    #[default]
    Main,
    /// As a thin line beside the series of the same name.
    Thin,
    /// As a level with its interval: it has no place on the axis.
    Level,
    /// As a thin grey line: a bound, not a competitor.
    Reference,
    /// As points without a line, beside the predicted line of the same series.
    Measured,
}

impl Role {
    /// The word in data files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Thin => "thin",
            Self::Level => "level",
            Self::Reference => "reference",
            Self::Measured => "measured",
        }
    }
}

/// Where a number stands; spots are in the order in which tables list them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    /// The vertical axis.
    pub(super) measure: Measure,
    pub(super) panel: Label,
    /// How the series is drawn.
    pub(super) role: Role,
    pub(super) series: Label,
    /// The place on the horizontal axis, or the group of bars.
    pub(super) x: Label,
    /// What a second line under a group of bars says; of lines in panels with axes of their own,
    /// the title of the horizontal one.
    pub(super) below: String,
    /// Which metric of the measured step it is, by its name in the table of metrics.
    pub(super) metric: Cow<'static, str>,
}

/// A spot in the only panel; figures change what is different.
pub(super) fn spot(
    measure: Measure,
    metric: impl Into<Cow<'static, str>>,
    series: Label,
    x: Label,
) -> Spot {
    Spot {
        measure,
        panel: Label::none(),
        role: Role::Main,
        series,
        x,
        below: String::new(),
        metric: metric.into(),
    }
}

/// What a mark at a point says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing.
    None,
    /// The store refused in at least one process.
    Full,
    /// The store did not keep up with the schedule in at least one process.
    Overloaded,
    /// A model says so; nothing was measured.
    Predicted,
    /// There is no number, for the reason that the drawing shows in its place.
    Absent(&'static str),
}

impl Mark {
    /// The word in data files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::None | Self::Absent(_) => "",
            Self::Full => "full",
            Self::Overloaded => "overloaded",
            Self::Predicted => "predicted",
        }
    }
}

/// A number of the figure.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Where it stands.
    pub(super) spot: Spot,
    /// Median and interval over processes; `None` where no process came to it.
    pub(super) value: Option<Interval>,
    /// What is to be said about it.
    pub(super) mark: Mark,
    /// What it comes from; nothing where people read another table.
    pub(super) sources: Vec<Source>,
}

impl Point {
    /// A place without a number, and why.
    pub(super) fn absent(spot: Spot, word: &'static str) -> Self {
        Self { spot, value: None, mark: Mark::Absent(word), sources: Vec::new() }
    }

    /// The words that a drawing shows in place of a number; empty where there is one.
    pub(super) fn absence(&self) -> &'static str {
        match (self.value, self.mark) {
            (Some(_), _) => "",
            (None, Mark::Full) => REFUSES,
            (None, Mark::Absent(word)) => word,
            (None, _) => NOT_MEASURED,
        }
    }
}

/// What drawings say where nothing was measured.
pub(super) const NOT_MEASURED: &str = "not measured";
const REFUSES: &str = "refuses";

/// What drawings say in place of a number to which none of `found` came.
pub(super) fn absence(found: &[&Repetition<'_>]) -> &'static str {
    let rows = found.iter().flat_map(|one| one.rows.iter());
    let word = |row: &Row| match row.outcome {
        Outcome::Measured | Outcome::Full => None,
        Outcome::EarlyRefusal => Some(REFUSES),
        Outcome::OutOfMemory => Some("out of memory"),
        Outcome::Crashed => Some("crashed"),
        Outcome::Timeout => Some("timed out"),
        Outcome::WrongValues => Some("wrong values"),
        Outcome::Failed => Some("failed"),
        Outcome::Unavailable => Some("unavailable"),
    };
    let refuses = found.iter().any(|one| refused(one)).then_some(REFUSES);
    let mut failed = rows.filter(|row| !row.expected || row.outcome == Outcome::Unavailable);
    refuses.or_else(|| failed.find_map(|row| word(row))).unwrap_or(NOT_MEASURED)
}

/// Median and 95 % interval of `values`; their range where some of them are 0.
pub(super) fn estimate_of(values: &[f64]) -> Option<Interval> {
    of_processes(values).or_else(|| spread(values))
}

/// The same of a number of rows, which may come from several nodes.
pub(super) fn estimate_of_runs(
    runs: &[&Row],
    number: impl Fn(&Row) -> Option<f64>,
) -> Option<Interval> {
    let values = runs.iter().filter_map(|row| Some((row.node.as_str(), number(row)?)));
    let values: Vec<(&str, f64)> = values.collect();
    let all = || values.iter().map(|(_, value)| *value).collect::<Vec<_>>();
    of_nodes(&values).or_else(|| spread(&all()))
}

/// The estimate of a metric over processes. A share of the whole is at most the whole, and so is the end
/// of its interval.
pub(super) fn estimate_of_metric(metric: &str, runs: &[&Row]) -> Option<Interval> {
    let value = estimate_of_runs(runs, |row| metrics::shown(row, metric))?;
    let is_share = Metric::by_name(metric).is_some_and(|metric| metric.unit == "%");
    Some(if is_share { Interval { high: value.high.min(100.0), ..value } } else { value })
}

/// The points of `all`, in the order of their spots. Those without a number are noted in `data`.
pub(super) fn points<'a>(
    data: &mut Data,
    all: &[Repetition<'a>],
    pick: impl Fn(&Repetition<'a>) -> Vec<Spot>,
) -> Vec<Point> {
    let mut places: BTreeMap<Spot, Vec<&Repetition<'a>>> = BTreeMap::new();
    for one in all {
        for spot in pick(one) {
            places.entry(spot).or_default().push(one);
        }
    }
    let first = places.keys().map(|spot| spot.measure).min();
    let mut points = Vec::new();
    for (spot, found) in places {
        let runs = runs(&found);
        let value = estimate_of_metric(&spot.metric, &runs);
        // Once for all axes, and not for lines that accompany another.
        if runs.is_empty() && Some(spot.measure) == first && spot.role != Role::Thin {
            data.note_absence(&spot.series.text, &place(&spot), &found);
        }
        let mark = if found.iter().any(|one| refused(one)) {
            Mark::Full
        } else if runs.iter().any(|row| row.flags.contains(&Flag::Overloaded)) {
            Mark::Overloaded
        } else if runs.is_empty() {
            Mark::Absent(absence(&found))
        } else {
            Mark::None
        };
        points.push(Point { spot, value, mark, sources: sources(&found) });
    }
    points
}

/// Where a spot is, in words.
pub(super) fn place(spot: &Spot) -> String {
    let parts = [&spot.panel.text, &spot.x.text, &spot.below].map(String::as_str);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The rows of the measured step that count: of requests `run`, of fillings the second.
pub(super) fn runs<'a>(found: &[&Repetition<'a>]) -> Vec<&'a Row> {
    let counting = found.iter().filter(|one| one.counts());
    counting.filter_map(|one| one.step("run").or_else(|| one.step("refill"))).collect()
}

/// Whether the store refused requests, before the clock or within it. Fillings end with a refusal.
fn refused(one: &Repetition<'_>) -> bool {
    one.requests().is_some()
        && one.rows.iter().any(|row| matches!(row.outcome, Outcome::Full | Outcome::EarlyRefusal))
}
