//! The bare loop: the minimal loop that sends a store the same requests, and the closed loop beside it. It
//! times nothing, and checks only that every key was present. The closed loop's extra time is the cost of the
//! harness.
//!
//! The loops take turns over one store, in windows of a few milliseconds. From process to process, and from
//! second to second, a store's throughput moves by more than the loops differ.
//!
//! There are two bare loops, and the faster counts. One is the burst that the closed loop runs, in the shape that
//! is fastest for the store ([super::shapes]), over values that were made for its keys while the clock was
//! stopped. Its own time tells what the harness adds to it. The other is written as a program would be: a branch
//! on each outcome, PUTs of the same bytes every time. That ought not to matter. On some processors it decides
//! whether the next operation overlaps this one: GETs of one store take 2.5 times as long in one of the two, PUTs
//! of another a sixth longer, with the same instructions within the store. GETs and updates in turn have one bare
//! loop, over values made for their keys: their GETs are checked.

use std::hint::black_box;

use engine::{FullMeaning, KvEngine};
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Request, RequestKind};

use super::bursts;
use super::calls::{self, Found};
use super::lane::Lane;
use super::shapes::GetShape;
use super::single::{SPAN, run_prepared};

/// Requests of a window.
const WINDOW: usize = 8192;
/// Windows of a group, in mirrored order: a linear drift falls on all loops alike.
const GROUP: [Loop; 6] =
    [Loop::Burst, Loop::Plain, Loop::Closed, Loop::Closed, Loop::Plain, Loop::Burst];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    /// The bare loop that the closed one runs.
    Burst,
    /// The other bare loop.
    Plain,
    Closed,
}

/// What the requests of a window are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Requests {
    Gets,
    Updates,
    Both,
}

impl Requests {
    fn of(window: &[Request]) -> Self {
        let gets = window.iter().filter(|request| request.is(RequestKind::Get)).count();
        match gets {
            0 => Self::Updates,
            _ if gets == window.len() => Self::Gets,
            _ => Self::Both,
        }
    }
}

/// Why GETs and updates in turn have no bare loop.
const TOO_LONG: &str = "a bare loop of GETs and updates needs their values made before it: use values of \
                        at most 4 KiB";

/// Nanoseconds an operation takes in each loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LoopTimes {
    /// Of the faster bare loop.
    pub(super) bare_ns: f64,
    pub(super) burst_ns: f64,
    pub(super) closed_ns: f64,
}

impl LoopTimes {
    /// Of groups of windows, each with the times of all loops. The closed loop's is the median. A bare
    /// loop's is that times the median of the share that it takes of it in each group: a processor that is
    /// twice as fast in some groups is so for all loops of them.
    fn of(groups: &[[f64; 3]]) -> Option<Self> {
        let median = |of: &dyn Fn(&[f64; 3]) -> f64| {
            stats::median(&groups.iter().map(of).collect::<Vec<_>>())
        };
        let closed_ns = median(&|group| group[Loop::Closed as usize])?;
        let share = |of: Loop| median(&|group| group[of as usize] / group[Loop::Closed as usize]);
        let burst_ns = closed_ns * share(Loop::Burst)?;
        let plain_ns = closed_ns * share(Loop::Plain)?;
        Some(Self { bare_ns: burst_ns.min(plain_ns), burst_ns, closed_ns })
    }
}

/// Executes `words`, which are GETs and updates, in all loops by turns. Of fewer requests than two
/// groups have, nothing is told: the first group finds cold caches, and an incomplete one is unfair.
///
/// # Errors
/// A GET that found nothing in a store that does not evict, a refused PUT, or what the closed loop says.
pub(super) fn by_turns<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    words: &[Request],
) -> Result<Option<LoopTimes>, String> {
    let value = vec![1; lane.buffer.len()];
    let mut groups = Vec::new();
    for (at, group) in words.chunks(WINDOW * GROUP.len()).enumerate() {
        let mut spent_ns = [0; 3];
        for (&turn, window) in GROUP.iter().zip(group.chunks(WINDOW)) {
            spent_ns[turn as usize] += timed::<E>(session, lane, (turn, &value), window)?;
        }
        if at > 0 && group.len() == WINDOW * GROUP.len() {
            groups.push(spent_ns.map(|ns| ns as f64 / (2 * WINDOW) as f64));
        }
    }
    Ok(LoopTimes::of(&groups))
}

/// Executes `window` in one loop, and returns how long that took on the clock.
fn timed<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    (turn, value): (Loop, &[u8]),
    window: &[Request],
) -> Result<u64, String> {
    let off_clock_ns = lane.done.off_clock_ns;
    let started_ns = monotonic_ns();
    match turn {
        Loop::Closed => run_prepared::<E>(session, lane, window)?,
        Loop::Burst | Loop::Plain => {
            let is_made = lane.values.are_made_ahead();
            let failed = match (Requests::of(window), turn) {
                (Requests::Gets, Loop::Burst) => {
                    lane.shapes.gets::<E>(session, window, lane.buffer)
                }
                (Requests::Gets, _) => {
                    bursts::gets::<E>(session, window, lane.buffer, GetShape::Branched)
                }
                (Requests::Updates, Loop::Burst) if is_made => {
                    by_spans(lane, window, |lane, span| puts_made::<E>(session, lane, span))
                }
                (Requests::Updates, _) => puts::<E>(session, window, value),
                (Requests::Both, _) if is_made => {
                    by_spans(lane, window, |lane, span| both_made::<E>(session, lane, span))
                }
                (Requests::Both, _) => return Err(TOO_LONG.to_owned()),
            };
            lane.done.operations += window.len() as u64;
            let may_miss = !E::TRAITS.keeps_values || E::TRAITS.full == FullMeaning::Evict;
            if failed > 0 && !may_miss {
                return Err(format!(
                    "{failed} of {} operations of the bare loop failed",
                    window.len()
                ));
            }
        }
    }
    let elapsed_ns = monotonic_ns() - started_ns;
    lane.first += window.len() as u64;
    Ok(elapsed_ns - (lane.done.off_clock_ns - off_clock_ns))
}

/// Stores the front of `value` for all of `words`, and returns how many were refused.
#[inline(never)]
fn puts<E: KvEngine>(session: &mut E::Session<'_>, words: &[Request], value: &[u8]) -> u64 {
    let mut failed = 0;
    for word in words {
        let stored = calls::put::<E>(session, key_of(word.record()), &value[..word.size()]);
        if !stored.is_stored() {
            bursts::count(&mut failed);
        }
    }
    failed
}

/// Executes `words` span by span with their values, which are made while the clock is stopped, and returns how
/// many failed.
fn by_spans(
    lane: &mut Lane<'_>,
    words: &[Request],
    mut execute: impl FnMut(&mut Lane<'_>, &[Request]) -> u64,
) -> u64 {
    let mut rest = words;
    let mut failed = 0;
    while !rest.is_empty() {
        let first = lane.first + (words.len() - rest.len()) as u64;
        let ready = lane.make_values(&rest[..rest.len().min(SPAN)], first);
        let (span, later) = rest.split_at(ready);
        failed += execute(lane, span);
        rest = later;
    }
    failed
}

fn puts_made<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    span: &[Request],
) -> u64 {
    let (executed, refused) = lane.shapes.updates::<E>(session, span, lane.values);
    (span.len() - executed) as u64 + u64::from(refused.is_some())
}

#[inline(never)]
fn both_made<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    span: &[Request],
) -> u64 {
    let mut rest = lane.values.untaken();
    let mut failed = 0;
    for word in span {
        let key = key_of(word.record());
        let is_done = if word.is(RequestKind::Get) {
            matches!(calls::get::<E>(session, key, lane.buffer), Found::Value(_))
        } else {
            let (value, later) = rest.split_at(word.size());
            rest = later;
            calls::put::<E>(session, key, value).is_stored()
        };
        if !is_done {
            bursts::count(&mut failed);
        }
    }
    black_box(&lane.buffer);
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_told_by_what_they_ask() {
        let request = |kind| Request::new(kind, 64, 1);
        let (get, update) = (request(RequestKind::Get), request(RequestKind::Update));
        assert_eq!(Requests::of(&[get, get]), Requests::Gets);
        assert_eq!(Requests::of(&[update, update]), Requests::Updates);
        assert_eq!(Requests::of(&[update, get, update]), Requests::Both);
    }

    #[test]
    fn a_core_that_is_slow_at_times_is_slow_for_all_loops() {
        let group = |times: f64| [100.0 * times, 110.0 * times, 105.0 * times];
        // Medians of each loop by itself would come from fast groups or from slow ones.
        let groups = [1.0, 2.0, 1.0, 2.0].map(group);
        let times = LoopTimes::of(&groups).unwrap();
        assert_eq!(times.closed_ns, 157.5);
        assert!((times.bare_ns / times.closed_ns - 100.0 / 105.0).abs() < 1e-12);
        assert_eq!(times.burst_ns, times.bare_ns);
        let faster = LoopTimes::of(&[[120.0, 90.0, 100.0]]).unwrap();
        assert!((faster.bare_ns - 90.0).abs() < 1e-12, "the faster bare loop counts");
        assert!((faster.burst_ns - 120.0).abs() < 1e-12);
        assert_eq!(LoopTimes::of(&[]), None);
    }
}
