//! The bare loop: the minimal loop that sends a store the same requests, and the closed loop beside it. It
//! times nothing, checks only that every key was present, and stores the same bytes every time. The closed
//! loop's extra time is the cost of the harness.
//!
//! Both loops take turns over one store, in windows of a few milliseconds. From process to process, and from
//! second to second, a store's throughput moves by more than the loops differ.

use std::hint::black_box;

use engine::{FullMeaning, KvEngine, PutOutcome};
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Request, RequestKind};

use super::calls;
use super::lane::Lane;
use super::single::run_prepared;

/// Requests of a window.
const WINDOW: usize = 8192;
/// Windows of a group, in mirrored order: a linear drift falls on both loops alike.
const GROUP: [Loop; 4] = [Loop::Bare, Loop::Closed, Loop::Closed, Loop::Bare];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    Bare,
    Closed,
}

/// Nanoseconds an operation takes in each loop: medians of all groups of windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LoopTimes {
    pub(super) bare_ns: f64,
    pub(super) closed_ns: f64,
}

/// Executes `words`, which are all GETs and updates, in both loops by turns. Of fewer requests than two
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
    let mut groups = [Vec::new(), Vec::new()];
    for (at, group) in words.chunks(WINDOW * GROUP.len()).enumerate() {
        let mut spent_ns = [0, 0];
        for (&turn, window) in GROUP.iter().zip(group.chunks(WINDOW)) {
            spent_ns[turn as usize] += timed::<E>(session, lane, (turn, &value), window)?;
        }
        if at > 0 && group.len() == WINDOW * GROUP.len() {
            let each = group.len() as f64 / 2.0;
            groups.iter_mut().zip(spent_ns).for_each(|(all, ns)| all.push(ns as f64 / each));
        }
    }
    let [bare, closed] = groups.map(|times| stats::median(&times));
    Ok(bare.zip(closed).map(|(bare_ns, closed_ns)| LoopTimes { bare_ns, closed_ns }))
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
        Loop::Bare => lane.done.operations += run::<E>(session, window, value, lane.buffer)?,
        Loop::Closed => run_prepared::<E>(session, lane, window)?,
    }
    let elapsed_ns = monotonic_ns() - started_ns;
    lane.first += window.len() as u64;
    Ok(elapsed_ns - (lane.done.off_clock_ns - off_clock_ns))
}

/// Executes `words` and returns their number. Updates store the front of `value`.
#[inline(never)]
fn run<E: KvEngine>(
    session: &mut E::Session<'_>,
    words: &[Request],
    value: &[u8],
    buffer: &mut [u8],
) -> Result<u64, String> {
    let mut failed = 0_u64;
    // Added up without a branch, outcomes are read in one wide load of two narrow stores, which waits
    // until both have left the store buffer: PUTs of a locked map then take half as long again.
    for word in words {
        let key = key_of(word.record());
        if word.is(RequestKind::Get) {
            if !matches!(calls::get::<E>(session, key, buffer), Ok(Some(_))) {
                count(&mut failed);
            }
        } else {
            let stored = calls::put::<E>(session, key, &value[..word.size()]);
            if !matches!(stored, Ok(PutOutcome::Inserted | PutOutcome::Updated)) {
                count(&mut failed);
            }
        }
    }
    black_box(buffer);
    let may_miss = !E::TRAITS.keeps_values || E::TRAITS.full == FullMeaning::Evict;
    match failed {
        0 => Ok(words.len() as u64),
        _ if may_miss => Ok(words.len() as u64),
        failed => Err(format!("{failed} of {} operations of the bare loop failed", words.len())),
    }
}

/// Counts what failed, out of the loop's way.
#[cold]
#[inline(never)]
fn count(failed: &mut u64) {
    *failed += 1;
}
