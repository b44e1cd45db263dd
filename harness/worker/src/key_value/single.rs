//! The closed loop of single operations: the next request follows the answer to the last.
//!
//! Every instruction between two operations counts. A processor starts the next operation while the last
//! one waits for memory, as far as both fit into its window. Requests are therefore executed in spans.
//! Work that need not happen between two operations happens between two spans, while the clock is
//! stopped: generating values, and reading again and checking the values that were read. Spans of GETs
//! alone or of updates alone are executed as [bursts](super::bursts).

use engine::KvEngine;
use platform::clock::monotonic_ns;
use workloads::requests::{Request, RequestKind};

use super::lane::Lane;
use super::recheck::recheck;

/// Longest span.
pub(super) const SPAN: usize = 1024;
/// Time from one sampled latency to the next, where operations are so fast that one in
/// [`SAMPLE_EVERY`](super::lane::SAMPLE_EVERY) comes more often.
const PAUSE_NS: u64 = 100_000;
/// Most operations from one sampled latency to the next.
const PERIOD_MAX: u64 = SPAN as u64;

/// Executes prepared requests one by one.
pub(super) fn run_prepared<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    requests: &[Request],
) -> Result<(), String> {
    let mut rest = requests;
    while !rest.is_empty() {
        let first = lane.first + (requests.len() - rest.len()) as u64;
        let ready = lane.make_values(&rest[..rest.len().min(SPAN)], first);
        let (span, later) = rest.split_at(ready);
        let executed = run_span::<E>(session, lane, first, Prepared::of::<E>(span, lane))?;
        recheck::<E>(session, lane, (&span[..executed], first), 1);
        if executed < ready || lane.is_over() {
            break;
        }
        rest = later;
    }
    Ok(())
}

/// As above, but the loop generates each request and its value.
pub(super) fn run_made<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    mut requests: impl Iterator<Item = Request>,
) -> Result<(), String> {
    let mut span = [Request::default(); SPAN];
    let mut first = lane.first;
    loop {
        let made = span.iter_mut().zip(&mut requests).map(|(kept, request)| {
            *kept = request;
            request
        });
        let executed = run_span::<E>(session, lane, first, Generated(made))?;
        recheck::<E>(session, lane, (&span[..executed], first), 1);
        if executed < SPAN || lane.is_over() {
            return Ok(());
        }
        first += executed as u64;
    }
}

/// Requests in their order, some at a time.
trait Requests {
    /// The next `most` of them, or fewer where they end.
    fn some(&mut self, most: usize) -> impl Iterator<Item = Request>;

    /// As above, where all are known to be of one kind.
    fn alike(&mut self, _most: usize) -> Option<Alike<'_>> {
        None
    }
}

/// Requests of one kind in a row.
#[derive(Clone, Copy)]
enum Alike<'a> {
    /// GETs of keys that the store must have.
    Gets(&'a [Request]),
    /// Updates, whose values are made.
    Updates(&'a [Request]),
}

struct Prepared<'a> {
    rest: &'a [Request],
    /// What makes them alike, if they are.
    kind: Option<fn(&'a [Request]) -> Alike<'a>>,
}

impl<'a> Prepared<'a> {
    fn of<E: KvEngine>(requests: &'a [Request], lane: &Lane<'_>) -> Self {
        let all = |kind| requests.iter().all(|request| request.is(kind));
        let kind: Option<fn(&'a [Request]) -> Alike<'a>> =
            if !lane.may_miss::<E>() && all(RequestKind::Get) {
                Some(Alike::Gets)
            } else if lane.ahead && all(RequestKind::Update) {
                Some(Alike::Updates)
            } else {
                None
            };
        Self { rest: requests, kind }
    }

    fn take(&mut self, most: usize) -> &'a [Request] {
        let (some, later) = self.rest.split_at(self.rest.len().min(most));
        self.rest = later;
        some
    }
}

impl Requests for Prepared<'_> {
    #[inline(always)]
    fn some(&mut self, most: usize) -> impl Iterator<Item = Request> {
        self.take(most).iter().copied()
    }

    #[inline(always)]
    fn alike(&mut self, most: usize) -> Option<Alike<'_>> {
        self.kind.map(|kind| kind(self.take(most)))
    }
}

struct Generated<I>(I);

impl<I: Iterator<Item = Request>> Requests for Generated<I> {
    #[inline(always)]
    fn some(&mut self, most: usize) -> impl Iterator<Item = Request> {
        self.0.by_ref().take(most)
    }
}

/// Executes `requests`, the first of which is the thread's `first`-th, until they end or the store is
/// full. Returns how many were executed.
#[inline(always)]
fn run_span<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    first: u64,
    mut requests: impl Requests,
) -> Result<usize, String> {
    let before = lane.done.operations;
    let mut index = first;
    while !lane.shared.is_stopped() {
        if lane.until_timed == 0 {
            let Some(request) = requests.some(1).next() else { break };
            let operations = lane.done.operations + (index + 1 - first) - lane.counted;
            operate_timed::<E>(session, lane, (index, request), operations)?;
            lane.counted += operations;
            index += 1;
        }
        // A loop of its own, which need not decide what is timed.
        let wanted = lane.until_timed.min(SPAN as u64) as usize;
        let executed = match requests.alike(wanted) {
            Some(alike) => execute_alike::<E>(session, lane, index, alike),
            None => execute_each::<E>(session, lane, index, requests.some(wanted)),
        };
        lane.take_error()?;
        index += executed as u64;
        lane.until_timed -= executed as u64;
        if executed < wanted {
            break;
        }
    }
    let executed = index - first;
    lane.done.operations = before + executed;
    Ok(executed as usize)
}

/// Executes requests of one kind, the first of which is the thread's `first`-th, until they end or the
/// store is full. Returns how many were executed.
#[inline(always)]
fn execute_alike<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    first: u64,
    alike: Alike<'_>,
) -> usize {
    match alike {
        Alike::Gets(gets) => {
            let unfound = lane.shapes.gets::<E>(session, gets, lane.buffer);
            lane.note_lost(unfound);
            gets.len()
        }
        Alike::Updates(updates) => {
            let (executed, refused) = lane.shapes.updates::<E>(session, updates, lane.values);
            if let Some(put) = refused {
                lane.stored(first + executed as u64 - 1, updates[executed - 1], put);
            }
            executed
        }
    }
}

/// Executes any requests in the same way.
#[inline(always)]
fn execute_each<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    first: u64,
    requests: impl Iterator<Item = Request>,
) -> usize {
    let mut index = first;
    let mut unfound = 0;
    let may_miss = lane.may_miss::<E>();
    for request in requests {
        let at = index;
        index += 1;
        if request.is(RequestKind::Get) && !may_miss {
            // Added up, so that no branch waits for what was found.
            unfound += lane.get::<E>(session, request);
            continue;
        }
        lane.operate::<E>(session, at, request, false);
        // After a refusal each further PUT may wait as long as the refused one.
        if lane.shared.is_stopped() {
            break;
        }
    }
    lane.note_lost(unfound);
    (index - first) as usize
}

/// Executes one request and records its latency, standing for `operations` operations. Kept out of the
/// loop, whose other operations it would slow down.
#[cold]
#[inline(never)]
fn operate_timed<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    (index, request): (u64, Request),
    operations: u64,
) -> Result<(), String> {
    let started = monotonic_ns();
    let ended = lane.operate::<E>(session, index, request, true);
    lane.take_error()?;
    lane.keep_latency(request, started, ended, operations);
    lane.until_timed = match lane.shared.timed_every {
        1 => 0,
        least => period(least, operations, ended.saturating_sub(lane.timed_ns)) - 1,
    };
    lane.timed_ns = ended;
    Ok(())
}

/// Operations from one timed operation to the next, after `operations` took `elapsed_ns`: a power of two,
/// at least `least`.
///
/// To read a clock waits for all that the processor has begun, which costs as much as several fast
/// operations. So one in some tens of microseconds is timed, however many others there are.
fn period(least: u64, operations: u64, elapsed_ns: u64) -> u64 {
    let in_pause = PAUSE_NS * operations / elapsed_ns.max(1);
    (1 << in_pause.max(1).ilog2()).clamp(least, PERIOD_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_operations_are_timed_as_often_as_asked_and_fast_ones_less() {
        assert_eq!(period(64, 64, 64 * 20_000), 64, "a server's");
        assert_eq!(period(64, 64, 64 * 1000), 64);
        assert_eq!(period(64, 64, 64 * 350), 256);
        assert_eq!(period(64, 512, 512 * 170), 512);
        assert_eq!(period(64, 1024, 1024 * 5), 1024, "at most once a span");
        assert_eq!((period(64, 1, 0), period(64, 1, u64::MAX)), (1024, 64));
    }
}
