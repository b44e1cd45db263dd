//! The stores of a run that suit a description, ranked by throughput.
//!
//! No run holds the very requests that somebody has in mind. So each store is read from the requests
//! *nearest* to the description (`distance`), and only stores that answered the same requests are ranked
//! with one another. Of a store's fills and rates the fastest that meets the bounds counts.

mod candidate;
mod distance;
mod point;
#[cfg(test)]
mod tests;
mod wanted;
mod words;

use std::collections::BTreeMap;
use std::fmt;

use record::{Repetition, Row, repetitions};
use serde::Serialize;

use crate::figures::unlike::Unlike;
use candidate::best;
use distance::{of_live_set, of_requests, of_room, sum};
use point::{Kind, Point, in_words, points};

pub use candidate::{Candidate, Miss, Number};
pub use distance::Gap;
pub use point::{MEMORY, P999};
pub use wanted::Wanted;

/// Requests farther than this from a description answer it no more.
pub const FARTHEST: f64 = 5.0;

/// The answer to a description.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Choice {
    pub wanted: Wanted,
    /// Stores that qualify, by the requests that they were measured under, the nearest first.
    pub qualifying: Vec<Ranking>,
    /// Stores that do not, the nearest to the bounds first.
    pub failing: Vec<Candidate>,
    /// All stores that were measured under the nearest requests.
    pub nearest: Vec<String>,
}

/// Stores that answered the same requests, the fastest first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Ranking {
    /// The requests, in words.
    pub requests: String,
    /// How these differ from the description.
    pub gaps: Vec<Gap>,
    /// The distance from the description; see `docs/src/questions.md`.
    pub distance: f64,
    pub stores: Vec<Candidate>,
}

/// A run without rows that could answer a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NothingMeasured {
    /// The stores that were to be chosen from; none where all were.
    pub only: Vec<String>,
}

impl fmt::Display for NothingMeasured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.only.as_slice() {
            [] => String::new(),
            names => format!(" of {}", names.join(", ")),
        };
        write!(
            formatter,
            "the run has no rows{of} of single GETs and PUTs, from which a store can be chosen: name \
             another run, measure one (`nibble-bench run price-of-memory`), or add --measure"
        )
    }
}

impl std::error::Error for NothingMeasured {}

/// Chooses from the stores of `rows`; from those named `only`, with or without settings, where there are
/// any.
///
/// # Errors
/// No row can answer.
pub fn choose(rows: &[Row], wanted: &Wanted, only: &[String]) -> Result<Choice, NothingMeasured> {
    let all = repetitions(rows);
    let mut points = points(&all, wanted);
    let is_asked = |point: &Point<'_>| {
        only.is_empty() || only.iter().any(|name| [point.system(), point.engine()].contains(name))
    };
    points.retain(is_asked);
    let mut engines: BTreeMap<String, BTreeMap<Kind, Vec<&Point<'_>>>> = BTreeMap::new();
    for point in &points {
        engines.entry(point.engine()).or_default().entry(point.kind()).or_default().push(point);
    }
    let read: Vec<Read<'_>> =
        engines.into_values().filter_map(|kinds| Read::nearest(kinds, wanted)).collect();
    if read.is_empty() {
        return Err(NothingMeasured { only: only.to_vec() });
    }
    Ok(answer(&read, wanted))
}

/// What a store is judged by: its points under the requests nearest to the description.
struct Read<'a> {
    kind: Kind,
    distance: f64,
    points: Vec<&'a Point<'a>>,
}

impl<'a> Read<'a> {
    fn nearest(kinds: BTreeMap<Kind, Vec<&'a Point<'a>>>, wanted: &Wanted) -> Option<Self> {
        let read = kinds.into_iter().map(|(kind, points)| {
            let distance = distance(&points, wanted);
            Self { kind, distance, points }
        });
        read.min_by(|one, other| one.distance.total_cmp(&other.distance))
    }

    /// The points of each of the store's settings.
    fn by_system(&self) -> BTreeMap<String, Vec<&'a Point<'a>>> {
        let mut systems: BTreeMap<String, Vec<&Point<'_>>> = BTreeMap::new();
        for point in &self.points {
            systems.entry(point.system()).or_default().push(point);
        }
        systems
    }
}

/// The distance of a store's points under one kind of requests: that of its nearest live set.
fn distance(points: &[&Point<'_>], wanted: &Wanted) -> f64 {
    let Some(first) = points.first() else { return f64::INFINITY };
    let live =
        |point: &&Point<'_>| sum(&of_live_set(point.live_bytes(), point.is_cached(), wanted));
    let live = points.iter().map(live).fold(f64::INFINITY, f64::min);
    let room = room(points, wanted).map_or(0.0, |gap| gap.size);
    sum(&of_requests(first.work, wanted)) + live + room
}

/// What the points leave open about memory: nothing where one meets the budget, or the store failed at
/// its fullest.
fn room(points: &[&Point<'_>], wanted: &Wanted) -> Option<Gap> {
    if points.iter().any(|point| point.failed().is_some()) {
        return None;
    }
    let ratios = points.iter().filter_map(|point| Some(point.number(MEMORY)?.estimate));
    of_room(ratios.min_by(f64::total_cmp)?, wanted)
}

fn answer(read: &[Read<'_>], wanted: &Wanted) -> Choice {
    let least = read.iter().map(|read| read.distance).fold(f64::INFINITY, f64::min);
    let kind = read.iter().find(|read| read.distance <= least).map(|read| &read.kind);
    let nearest = read.iter().filter(|read| Some(&read.kind) == kind);
    let nearest = nearest.flat_map(|read| read.by_system().into_keys()).collect();
    let processes: Vec<Repetition<'_>> = read
        .iter()
        .flat_map(|read| &read.points)
        .flat_map(|point| point.processes.iter().map(|one| (*one).clone()))
        .collect();
    let unlike = Unlike::of(&processes);
    let mut rankings: BTreeMap<&Kind, Ranking> = BTreeMap::new();
    let mut failing = Vec::new();
    for read in read {
        for (system, points) in read.by_system() {
            let room = room(&points, wanted);
            let mut candidate = best(&points, wanted);
            candidate.gaps.extend(room);
            candidate.conditions = unlike.differences(&system).to_vec();
            candidate.misses.extend(too_far(read));
            if candidate.misses.is_empty() {
                let ranking =
                    rankings.entry(&read.kind).or_insert_with(|| Ranking::of(read, wanted));
                ranking.distance = ranking.distance.min(read.distance);
                ranking.stores.push(candidate);
            } else {
                failing.push(candidate);
            }
        }
    }
    let mut qualifying: Vec<Ranking> = rankings.into_values().collect();
    for ranking in &mut qualifying {
        ranking.stores.sort_by(|one, other| other.speed().total_cmp(&one.speed()));
    }
    qualifying.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    failing.sort_by(|one: &Candidate, other| one.worst().total_cmp(&other.worst()));
    Choice { wanted: wanted.clone(), qualifying, failing, nearest }
}

/// What speaks against a store whose nearest requests are others altogether.
fn too_far(read: &Read<'_>) -> Option<Miss> {
    (read.distance > FARTHEST).then(|| {
        let words = format!(
            "measured only under requests too unlike these: a distance of {:.1}, where {FARTHEST} is \
             the most",
            read.distance
        );
        Miss { bound: "distance", words, times: None }
    })
}

impl Ranking {
    fn of(read: &Read<'_>, wanted: &Wanted) -> Self {
        let work = read.points[0].work;
        Self {
            requests: in_words(work),
            gaps: of_requests(work, wanted),
            distance: read.distance,
            stores: Vec::new(),
        }
    }
}
