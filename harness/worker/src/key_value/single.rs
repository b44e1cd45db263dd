//! The closed loop of single operations: the next request follows the answer to the last.
//!
//! Every instruction between two operations counts. A processor starts the next operation while the last
//! one waits for memory, as far as both fit into its window. Requests are therefore executed in spans.
//! Work that need not happen between two operations happens between two spans, while the clock is
//! stopped: generating values, and reading again and checking the values that were read. Spans of GETs
//! alone or of updates alone are executed as [bursts].

use engine::{FullMeaning, KvEngine};
use platform::clock::monotonic_ns;
use workloads::requests::{Request, RequestKind};

use super::bursts;
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
        let executed = run_span::<E>(session, lane, first, Prepared::of::<E>(span, lane.ahead))?;
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

/// Requests in their order.
trait Requests {
    fn next(&mut self) -> Option<Request>;

    /// Executes the next `most` of them, or fewer where they end or the store is full. The first is the
    /// thread's `first`-th. Returns how many were executed.
    fn execute<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        lane: &mut Lane<'_>,
        first: u64,
        most: usize,
    ) -> usize;
}

struct Prepared<'a> {
    rest: &'a [Request],
    only: Only,
}

/// What all requests of a span have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Only {
    /// They are GETs of keys that the store must have.
    Gets,
    /// They are updates, whose values are made.
    Updates,
    Nothing,
}

impl<'a> Prepared<'a> {
    fn of<E: KvEngine>(requests: &'a [Request], ahead: bool) -> Self {
        let all = |kind| requests.iter().all(|request| request.is(kind));
        let only = if E::TRAITS.full != FullMeaning::Evict && all(RequestKind::Get) {
            Only::Gets
        } else if ahead && all(RequestKind::Update) {
            Only::Updates
        } else {
            Only::Nothing
        };
        Self { rest: requests, only }
    }
}

impl Requests for Prepared<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<Request> {
        let (&next, later) = self.rest.split_first()?;
        self.rest = later;
        Some(next)
    }

    #[inline(always)]
    fn execute<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        lane: &mut Lane<'_>,
        first: u64,
        most: usize,
    ) -> usize {
        let (some, later) = self.rest.split_at(self.rest.len().min(most));
        self.rest = later;
        match self.only {
            Only::Gets => {
                let unfound = bursts::gets::<E>(session, some, lane.buffer);
                lane.note_lost(unfound);
                some.len()
            }
            Only::Updates => {
                let (executed, refused) = bursts::updates::<E>(session, some, lane.values);
                if let Some(put) = refused {
                    lane.stored(first + executed as u64 - 1, some[executed - 1], put);
                }
                executed
            }
            Only::Nothing => execute_each::<E>(session, lane, first, some.iter().copied()),
        }
    }
}

struct Generated<I>(I);

impl<I: Iterator<Item = Request>> Requests for Generated<I> {
    #[inline(always)]
    fn next(&mut self) -> Option<Request> {
        self.0.next()
    }

    #[inline(always)]
    fn execute<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        lane: &mut Lane<'_>,
        first: u64,
        most: usize,
    ) -> usize {
        execute_each::<E>(session, lane, first, self.0.by_ref().take(most))
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
            let Some(request) = requests.next() else { break };
            let operations = lane.done.operations + (index + 1 - first) - lane.counted;
            operate_timed::<E>(session, lane, (index, request), operations)?;
            lane.counted += operations;
            index += 1;
        }
        // A loop of its own, which need not decide what is timed.
        let wanted = lane.until_timed.min(SPAN as u64);
        let executed = requests.execute::<E>(session, lane, index, wanted as usize) as u64;
        lane.take_error()?;
        index += executed;
        lane.until_timed -= executed;
        if executed < wanted {
            break;
        }
    }
    let executed = index - first;
    lane.done.operations = before + executed;
    Ok(executed as usize)
}

/// Executes `requests`, the first of which is the thread's `first`-th, until they end or the store is
/// full. Returns how many were executed.
#[inline(always)]
fn execute_each<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    first: u64,
    requests: impl Iterator<Item = Request>,
) -> usize {
    let mut index = first;
    let mut unfound = 0;
    for request in requests {
        let at = index;
        index += 1;
        if request.is(RequestKind::Get) && E::TRAITS.full != FullMeaning::Evict {
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
