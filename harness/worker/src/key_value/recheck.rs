//! Checks the values of GETs off the clock. A thread executes a span of requests, stops its clock, and
//! reads again the watched records that the span read, in the same way: one by one or in batches. Other
//! threads keep running, so values are read while they are overwritten. Every write that was noted
//! before, on the clock or off it, bounds the values that may be found.
//!
//! On the clock, such a check would cost far more than its own time: it waits for the value, and so do
//! all operations that the processor would have started behind it.

use engine::{KvEngine, KvSession, Op, Outcome as Answer, ValueBuffers};
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Request, RequestKind};

use super::batches::BATCH_MAX;
use super::calls::{self, Found};
use super::lane::Lane;

/// Notes the writes and checks the reads of watched records in `span`, which holds the requests executed
/// last; its first one is the thread's `first`-th.
#[inline(never)]
pub(super) fn recheck<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    (span, first): (&[Request], u64),
    batch: usize,
) {
    if !E::TRAITS.keeps_values {
        return;
    }
    let stopped_ns = monotonic_ns();
    lane.acknowledge(span, first);
    let ends = E::TRAITS.expiry.is_possible() && lane.lifetimes.are_on();
    if ends && !span.is_empty() {
        lane.lifetimes.note(first, stopped_ns);
    }
    let mut group = [0; BATCH_MAX];
    let mut grouped = 0;
    for (at, request) in span.iter().enumerate() {
        let (record, kind) = (request.record(), request.kind());
        let reads = matches!(kind, RequestKind::Get | RequestKind::ReadModifyWrite);
        if !reads || !lane.shared.tracked.watches(record) || is_deleted(record, &span[at..]) {
            continue;
        }
        group[grouped] = record;
        grouped += 1;
        if grouped == batch {
            check_group::<E>(session, lane, &group[..grouped]);
            grouped = 0;
        }
    }
    check_group::<E>(session, lane, &group[..grouped]);
    let resumed_ns = monotonic_ns();
    lane.done.off_clock_ns += resumed_ns - stopped_ns;
    lane.lifetimes.resume(resumed_ns);
}

/// Whether the thread has deleted `record` since. No other thread deletes the records that this one
/// reads.
fn is_deleted(record: u64, since: &[Request]) -> bool {
    since.iter().any(|later| later.record() == record && later.is(RequestKind::Delete))
}

fn check_group<E: KvEngine>(session: &mut E::Session<'_>, lane: &mut Lane<'_>, records: &[u64]) {
    for (slot, &record) in records.iter().enumerate() {
        lane.note_bounds(slot, record);
    }
    if let &[record] = records {
        if E::TRAITS.expiry.is_possible() && lane.lifetimes.are_on() {
            return lane.check_lifetime::<E>(session, record);
        }
        let found = calls::get::<E>(session, key_of(record), lane.buffer);
        return lane.check_again::<E>(session, record, 0, found);
    }
    let mut asked = [Op::Get { key: 0 }; BATCH_MAX];
    for (op, &record) in asked.iter_mut().zip(records) {
        *op = Op::Get { key: key_of(record) };
    }
    let mut answers = [Answer::Absent; BATCH_MAX];
    let mut buffers = ValueBuffers::new(lane.buffer, lane.slot_bytes);
    session.execute(&asked[..records.len()], &mut buffers, &mut answers[..records.len()]);
    for (slot, (&record, answer)) in records.iter().zip(answers).enumerate() {
        let found = match answer {
            Answer::Found(length) => Found::Value(length),
            _ => Found::Absent,
        };
        lane.check_again::<E>(session, record, slot, found);
    }
}
