//! The closed loop of single operations: the next request follows the answer to the last.
//!
//! Every instruction between two operations counts. A processor starts the next operation while the last
//! one waits for memory, as far as both fit into its window. Requests are therefore executed in spans.
//! Work that need not happen between two operations happens between two spans, while the clock is
//! stopped: generating values, and reading again and checking the values that were read.

use engine::KvEngine;
use platform::clock::monotonic_ns;
use workloads::requests::Request;

use super::lane::{Lane, SAMPLE_EVERY};
use super::recheck::recheck;

/// Longest span.
pub(super) const SPAN: usize = 1024;

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
        let executed = run_span::<E>(session, lane, first, span.iter().copied())?;
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
        let executed = run_span::<E>(session, lane, first, made)?;
        recheck::<E>(session, lane, (&span[..executed], first), 1);
        if executed < SPAN || lane.is_over() {
            return Ok(());
        }
        first += executed as u64;
    }
}

/// Executes `requests`, the first of which is the thread's `first`-th, until they end or the store is
/// full. Returns how many were executed.
#[inline(always)]
fn run_span<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    first: u64,
    mut requests: impl Iterator<Item = Request>,
) -> Result<usize, String> {
    let before = lane.done.operations;
    let mut index = first;
    // The first operation of each sampling period is timed, or all, or none: two loops, so that neither
    // has to decide.
    let (timed, plain) = match lane.shared.timed_every {
        1 => (SAMPLE_EVERY as usize, 0),
        u64::MAX => (0, SAMPLE_EVERY as usize),
        _ => (1, SAMPLE_EVERY as usize - 1),
    };
    loop {
        let begun = index;
        if lane.shared.is_stopped() {
            break;
        }
        for request in requests.by_ref().take(timed) {
            let operations = lane.done.operations + (index + 1 - first) - lane.counted;
            operate_timed::<E>(session, lane, (index, request), operations)?;
            lane.counted += operations;
            index += 1;
        }
        for request in requests.by_ref().take(plain) {
            lane.operate::<E>(session, index, request, false)?;
            index += 1;
        }
        if index - begun < SAMPLE_EVERY {
            break;
        }
    }
    let executed = index - first;
    lane.done.operations = before + executed;
    Ok(executed as usize)
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
    let ended = lane.operate::<E>(session, index, request, true)?;
    lane.keep_latency(request, started, ended, operations);
    Ok(())
}
