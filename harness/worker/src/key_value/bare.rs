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
//! of another a sixth longer, with the same instructions within the store.

use engine::{FullMeaning, KvEngine};
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Request, RequestKind};

use super::bursts;
use super::calls;
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

/// Executes `words`, which are all GETs or all updates, in all loops by turns. Of fewer requests than two
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
            let reads = window.first().is_some_and(|first| first.is(RequestKind::Get));
            let failed = match (reads, turn) {
                (true, Loop::Burst) => lane.shapes.gets::<E>(session, window, lane.buffer),
                (true, _) => bursts::gets::<E>(session, window, lane.buffer, GetShape::Branched),
                (false, Loop::Burst) if lane.values.are_made_ahead() => {
                    put_made::<E>(session, lane, window)
                }
                (false, _) => puts::<E>(session, window, value),
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

/// Stores for all of `words` the values that are made for them, and returns how many were not stored.
fn put_made<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    words: &[Request],
) -> u64 {
    let mut rest = words;
    let mut unstored = 0;
    while !rest.is_empty() {
        let first = lane.first + (words.len() - rest.len()) as u64;
        let ready = lane.make_values(&rest[..rest.len().min(SPAN)], first);
        let (some, later) = rest.split_at(ready);
        let (executed, refused) = lane.shapes.updates::<E>(session, some, lane.values);
        unstored += (some.len() - executed) as u64 + u64::from(refused.is_some());
        rest = later;
    }
    unstored
}

#[cfg(test)]
mod tests {
    use super::*;

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
