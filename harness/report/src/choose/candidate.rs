//! A store that may suit a description: its numbers at the point that suits it best, and what it misses.

use record::Driver;
use serde::Serialize;
use stats::Interval;

use super::Wanted;
use super::distance::{Gap, of_live_set};
use super::point::{MEMORY, P999, Point, in_words};
use super::words::{amount, digits, time};

/// A median over processes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Number {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    pub processes: usize,
    /// The share of such intervals that hold the median; absent where the ends are the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
}

impl From<Interval> for Number {
    fn from(interval: Interval) -> Self {
        let Interval { estimate, low, high, level, count, .. } = interval;
        Self { median: estimate, low, high, processes: count, level }
    }
}

/// A bound that a store misses.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Miss {
    /// `memory`, `p99.9`, `processes` or `distance`.
    pub bound: &'static str,
    /// What it misses by how much, in words.
    pub words: String,
    /// What was measured ÷ what is allowed; absent where that has no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<f64>,
}

/// A store at one fill.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Candidate {
    pub store: String,
    /// The store without its settings.
    pub engine: String,
    /// Requests answered per second; absent where no process ended as it should.
    pub throughput: Option<Number>,
    /// Memory of the process ÷ live value bytes, at that throughput.
    pub memory_ratio: Option<Number>,
    /// The same for the live set of the description.
    pub memory_bytes: Option<f64>,
    pub p999_ns: Option<Number>,
    /// Whether requests kept to a schedule, so that waits in the queue are part of the latency.
    pub scheduled: bool,
    pub fill_percent: u32,
    /// Value bytes that were live.
    pub live_bytes: u64,
    /// The requests that it answered, in words.
    pub requests: String,
    /// How far its live set and its fills are from the description.
    pub gaps: Vec<Gap>,
    /// Conditions in which it differs from most stores here.
    pub conditions: Vec<String>,
    /// What it misses; nothing where it qualifies.
    pub misses: Vec<Miss>,
    /// The cells that the numbers come from.
    pub cells: Vec<String>,
}

impl Candidate {
    /// Its throughput; 0 where there is none.
    pub(super) fn speed(&self) -> f64 {
        self.throughput.map_or(0.0, |number| number.median)
    }

    /// How far it is from the bounds: the largest of its misses.
    pub(super) fn worst(&self) -> f64 {
        let times = self.misses.iter().map(|miss| miss.times.unwrap_or(f64::INFINITY));
        times.fold(0.0, f64::max)
    }
}

/// The fastest of a store's points that qualifies; where none does, the nearest to the bounds.
///
/// # Panics
/// If there are no points.
pub(super) fn best(points: &[&Point<'_>], wanted: &Wanted) -> Candidate {
    let all = || points.iter().map(|point| candidate(point, wanted));
    let faster = |one: &Candidate, other: &Candidate| one.speed().total_cmp(&other.speed());
    let qualifies = |one: &Candidate| one.misses.is_empty();
    all()
        .filter(qualifies)
        .max_by(faster)
        .or_else(|| all().min_by(|one, other| one.worst().total_cmp(&other.worst())))
        .expect("a store that was measured has a point")
}

fn candidate(point: &Point<'_>, wanted: &Wanted) -> Candidate {
    let memory_ratio = point.number(MEMORY).map(Number::from);
    let live = wanted.live_bytes.map(|bytes| bytes as f64);
    let mut candidate = Candidate {
        store: point.system(),
        engine: point.engine(),
        throughput: point.number("throughput").map(Number::from),
        memory_ratio,
        memory_bytes: live.zip(memory_ratio).map(|(live, ratio)| live * ratio.median),
        p999_ns: point.number(P999).map(Number::from),
        scheduled: matches!(point.work.driver, Driver::Open { .. }),
        fill_percent: point.work.fill_percent,
        live_bytes: point.live_bytes(),
        requests: in_words(point.work),
        gaps: of_live_set(point.live_bytes(), point.is_cached(), wanted),
        conditions: Vec::new(),
        misses: Vec::new(),
        cells: point.cells(),
    };
    let ended = ended(point);
    // Where no process ended as it should, there is nothing else to hold against the bounds.
    let is_measured = ended.is_none() || candidate.throughput.is_some();
    let bounds = [memory(&candidate, wanted), latency(&candidate, wanted)];
    let bounds = bounds.into_iter().flatten().filter(|_| is_measured);
    candidate.misses = ended.into_iter().chain(bounds).collect();
    candidate
}

/// A store that holds a live set in some processes only cannot be relied on to hold it.
fn ended(point: &Point<'_>) -> Option<Miss> {
    let (count, reason) = point.failed()?;
    let words = format!(
        "{count} of {} processes did not end as they should at {} % fill ({reason})",
        point.processes.len(),
        point.work.fill_percent
    );
    Some(Miss { bound: "processes", words, times: None })
}

fn memory(candidate: &Candidate, wanted: &Wanted) -> Option<Miss> {
    let (budget, live) = (wanted.memory_bytes? as f64, wanted.live_bytes? as f64);
    let Some(needed) = candidate.memory_bytes else {
        let words = "its memory was not observed".to_owned();
        return Some(Miss { bound: "memory", words, times: None });
    };
    (needed > budget).then(|| {
        let words = format!(
            "needs {} for {} live, {} ({} %) more than {}",
            amount(needed),
            amount(live),
            amount(needed - budget),
            digits((needed / budget - 1.0) * 100.0),
            amount(budget)
        );
        Miss { bound: "memory", words, times: Some(needed / budget) }
    })
}

fn latency(candidate: &Candidate, wanted: &Wanted) -> Option<Miss> {
    let bound = wanted.p999_ns? as f64;
    let Some(p999) = candidate.p999_ns else {
        let words = "its p99.9 was not measured".to_owned();
        return Some(Miss { bound: "p99.9", words, times: None });
    };
    let times = p999.median / bound;
    (times > 1.0).then(|| {
        let words =
            format!("p99.9 of {}, {} times {}", time(p999.median), digits(times), time(bound));
        Miss { bound: "p99.9", words, times: Some(times) }
    })
}
