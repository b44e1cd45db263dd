//! One thread's execution of requests: the operation itself, and the checks of its answer.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::{DeleteOutcome, EngineTraits, FullMeaning, KvEngine, Rmw};
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Request, RequestKind, RequestStream};
use workloads::value::{Condition, ValueChecker, ValueWriter};

use super::super::mapped::MappedSlice;
use super::bare::LoopTimes;
use super::calls::{self, Found, Stored};
use super::kit::Kit;
use super::latency::{Latencies, place};
use super::lifetimes::Lifetimes;
use super::moments::Moments;
use super::open::Pacing;
use super::seconds::Seconds;
use super::shapes::Shapes;
use super::tracked::{Tracked, is_old};
use super::values::Values;
use record::Verification;

/// Operations between two timed ones where latency is sampled, at least; a power of two.
pub(super) const SAMPLE_EVERY: u64 = 64;
/// Capacity for refused writes: a batch stops after the first.
const REFUSED_MAX: usize = 64;

/// One thread's results of a step.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) started_ns: u64,
    pub(super) ended_ns: u64,
    /// Time spent on checks between start and end, which is not on the clock.
    pub(super) off_clock_ns: u64,
    pub(super) operations: u64,
    /// Indices of writes that the store refused.
    pub(super) refused: Vec<u64>,
    pub(super) inserted: u64,
    pub(super) inserted_bytes: u64,
    pub(super) deleted: u64,
    pub(super) verification: Verification,
    /// Of a bare and a closed loop by turns.
    pub(super) loops: Option<LoopTimes>,
    pub(super) broken: Option<String>,
}

impl Done {
    pub(super) fn refuse(&mut self, index: u64) {
        if self.refused.len() < REFUSED_MAX {
            self.refused.push(index);
        }
    }

    #[inline]
    pub(super) fn note_insert(&mut self, value_bytes: usize) {
        self.inserted += 1;
        self.inserted_bytes += value_bytes as u64;
    }
}

/// State shared by all threads of a cell.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) tracked: Tracked,
    /// Raised by the first refusal: further requests would no longer be the workload.
    pub(super) stop: AtomicBool,
    /// Latency is timed on one in this many operations at most, and on all if it is 1; a power of two, or
    /// `u64::MAX` for none.
    pub(super) timed_every: u64,
    /// Whether a GET that misses stores the value.
    pub(super) sets_on_miss: bool,
    /// Time on the clock after which no further span begins.
    pub(super) at_most_ns: u64,
}

impl Shared {
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        // Relaxed: a hint to end soon; joining the threads hands over their results.
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn raise_stop(&self) {
        // Relaxed: as above.
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A thread's kit, split into borrows for the loop.
pub(super) struct Lane<'a> {
    pub(super) thread: usize,
    pub(super) shared: &'a Shared,
    pub(super) writers: &'a mut [ValueWriter],
    pub(super) values: &'a mut Values,
    /// The loops that bursts run in.
    pub(super) shapes: &'a mut Shapes,
    /// Whether the values of the current requests were generated ahead.
    pub(super) ahead: bool,
    pub(super) checker: &'a ValueChecker,
    pub(super) buffer: &'a mut [u8],
    pub(super) bounds: &'a mut [u32],
    /// Length of a slot in the buffer, in bytes.
    pub(super) slot_bytes: usize,
    /// Bounds per slot: one per thread.
    pub(super) threads: usize,
    pub(super) moments: &'a mut Moments,
    pub(super) lifetimes: &'a mut Lifetimes,
    pub(super) latency: &'a mut Latencies,
    pub(super) seconds: &'a mut Seconds,
    pub(super) done: &'a mut Done,
    /// The place of the first request: more than 0 where the thread has executed others before.
    pub(super) first: u64,
    /// Time on the clock after which no further span begins.
    at_most_ns: u64,
    /// Operations up to the last timed one.
    pub(super) counted: u64,
    /// When the last timed operation ended.
    pub(super) timed_ns: u64,
    /// Operations until the next timed one.
    pub(super) until_timed: u64,
    /// What an operation failed with, until the loop asks.
    pub(super) error: Option<String>,
    /// Whether an absent key may have been evicted.
    pub(super) evicts: bool,
    /// Whether a GET that misses stores the evicted value again.
    refills: bool,
}

/// The requests that the lane executes, and their schedule.
pub(super) struct LaneInputs<'a> {
    pub(super) words: &'a MappedSlice<Request>,
    pub(super) leftovers: &'a MappedSlice<Request>,
    pub(super) stream: &'a mut RequestStream,
    pub(super) pacing: Option<&'a mut Pacing>,
}

impl<'a> Lane<'a> {
    /// Splits a kit into its lane, for a store of these traits, and the inputs.
    pub(super) fn of(
        kit: &'a mut Kit,
        shared: &'a Shared,
        traits: &EngineTraits,
        done: &'a mut Done,
    ) -> (Self, LaneInputs<'a>) {
        let (slots, timed_ns) = (kit.writers.len(), done.started_ns);
        let evicts = traits.full == FullMeaning::Evict;
        kit.lifetimes.begin(done.started_ns, traits.expiry.unit());
        let lane = Lane {
            thread: kit.thread,
            slot_bytes: kit.buffer.len() / slots,
            threads: kit.bounds.len() / slots,
            shared,
            writers: &mut kit.writers,
            values: &mut kit.values,
            shapes: &mut kit.shapes,
            ahead: false,
            checker: &kit.checker,
            buffer: &mut kit.buffer,
            bounds: &mut kit.bounds,
            moments: &mut kit.moments,
            lifetimes: &mut kit.lifetimes,
            latency: &mut kit.latency,
            seconds: &mut kit.seconds,
            done,
            first: kit.executed,
            at_most_ns: shared.at_most_ns,
            counted: 0,
            timed_ns,
            until_timed: if shared.timed_every == u64::MAX { u64::MAX } else { 0 },
            error: None,
            evicts,
            refills: evicts && shared.sets_on_miss,
        };
        let pacing = kit.pacing.as_mut();
        (
            lane,
            LaneInputs {
                words: &kit.words,
                leftovers: &kit.leftovers,
                stream: &mut kit.stream,
                pacing,
            },
        )
    }

    /// Executes `request`, the thread's `index`-th, as a single operation. Returns its end time if it is
    /// `timed`. The value found by a GET is checked later, by [`super::recheck`]; an error is kept, for
    /// [`Self::take_error`].
    #[inline(always)]
    pub(super) fn operate<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        let key = key_of(request.record());
        // Compared one by one: a mispredicted jump table would resolve later.
        if request.is(RequestKind::Get) {
            let found = calls::get::<E>(session, key, self.buffer);
            let ended = time(timed);
            if !matches!(found, Found::Value(_)) {
                return self.not_found::<E>(session, index, request, (found, timed, ended));
            }
            return ended;
        }
        if request.is(RequestKind::Update) && self.ahead {
            let put = calls::put::<E>(session, key, self.values.take(request.size()));
            let ended = time(timed);
            if !put.is_stored() {
                self.stored(index, request, put);
            }
            return ended;
        }
        self.operate_rarer::<E>(session, index, request, timed)
    }

    /// Whether a key may be absent that was stored: it was evicted, or its lifetime has ended.
    #[inline(always)]
    pub(super) fn may_miss<E: KvEngine>(&self) -> bool {
        let ends = E::TRAITS.expiry.is_possible() && self.lifetimes.are_on();
        E::TRAITS.full == FullMeaning::Evict || ends
    }

    /// Executes a GET of a key that may not be absent. Returns 1 where nothing was found, else 0.
    #[inline(always)]
    pub(super) fn get<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        request: Request,
    ) -> u64 {
        let found = calls::get::<E>(session, key_of(request.record()), self.buffer);
        u64::from(!matches!(found, Found::Value(_)))
    }

    /// Notes how many live keys [`Self::get`] did not find.
    pub(super) fn note_lost(&mut self, unfound: u64) {
        self.done.verification.lost += unfound;
    }

    /// Request kinds that few workloads have, and long values, kept out of the hot loop.
    #[inline(never)]
    fn operate_rarer<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        let key = key_of(request.record());
        match request.kind() {
            RequestKind::Update | RequestKind::Insert => {
                self.put::<E>(session, index, request, timed)
            }
            RequestKind::Delete => {
                let outcome = calls::delete::<E>(session, key);
                let ended = time(timed);
                self.deleted(outcome);
                ended
            }
            RequestKind::ReadModifyWrite if E::TRAITS.rmw == Rmw::Atomic => {
                self.modify::<E>(session, index, request, timed)
            }
            RequestKind::ReadModifyWrite => {
                let found = calls::get::<E>(session, key, self.buffer);
                if !matches!(found, Found::Value(_)) {
                    self.missing(found);
                }
                self.put::<E>(session, index, request, timed)
            }
            RequestKind::Scan => self.scan::<E>(session, request, timed),
            RequestKind::WriteTogether => self.write_together::<E>(session, index, request, timed),
            RequestKind::SnapshotRead => self.snapshot_read::<E>(session, request, timed),
            RequestKind::SnapshotScan => self.snapshot_scan::<E>(session, request, timed),
            RequestKind::WriteExpiring => self.write_expiring::<E>(session, index, request, timed),
            RequestKind::GetAbsent => {
                let found = calls::get::<E>(session, key, self.buffer);
                let ended = time(timed);
                self.absent::<E>(found != Found::Absent);
                ended
            }
            RequestKind::DeleteAbsent => {
                let outcome = calls::delete::<E>(session, key);
                let ended = time(timed);
                self.absent::<E>(outcome.was_present());
                ended
            }
            RequestKind::Get => unreachable!("it is executed above"),
        }
    }

    /// What an operation since the last call failed with.
    #[inline]
    pub(super) fn take_error(&mut self) -> Result<(), String> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Whether the step has lasted as long as it may.
    pub(super) fn is_over(&self) -> bool {
        self.at_most_ns < u64::MAX
            && monotonic_ns() - self.done.started_ns - self.done.off_clock_ns >= self.at_most_ns
    }

    /// Generates the values for the front of `requests`, the thread's `first`-th and following. Returns
    /// how many requests can be executed with them.
    pub(super) fn make_values(&mut self, requests: &[Request], first: u64) -> usize {
        self.ahead = self.values.are_made_ahead();
        if !self.ahead {
            return requests.len();
        }
        let stopped_ns = monotonic_ns();
        let groups = self.moments.groups;
        let ready = self.values.make(&mut self.writers[0], (requests, first), groups);
        self.done.off_clock_ns += monotonic_ns() - stopped_ns;
        ready
    }

    /// Stores the value of `request`, generated before or now.
    fn put<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        if !self.ahead {
            return self.put_made::<E>(session, index, request, timed);
        }
        let value = self.values.take(request.size());
        let put = calls::put::<E>(session, key_of(request.record()), value);
        let ended = time(timed);
        self.stored(index, request, put);
        ended
    }

    /// Stores a value that is generated now.
    fn put_made<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        let key = key_of(request.record());
        let writer = &mut self.writers[0];
        writer.number_next(index);
        let put = calls::put::<E>(session, key, writer.value(key, request.size()));
        let ended = time(timed);
        self.stored(index, request, put);
        ended
    }

    #[inline(never)]
    pub(super) fn stored(&mut self, index: u64, request: Request, put: Stored) {
        match put {
            Stored::Full => {
                self.done.refuse(index);
                self.shared.raise_stop();
            }
            Stored::TooLong => {
                let bytes = request.size();
                self.error =
                    Some(format!("a value of {bytes} bytes is longer than the store takes"));
            }
            Stored::Inserted | Stored::Updated | Stored::Untold => {
                if request.is(RequestKind::Insert) {
                    self.done.note_insert(request.size());
                }
            }
        }
    }

    /// Handles a live key that a GET did not find.
    #[cold]
    #[inline(never)]
    fn not_found<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        (found, timed, ended): (Found, bool, u64),
    ) -> u64 {
        self.missing(found);
        if self.refills {
            return self.put_again::<E>(session, index, request, timed);
        }
        ended
    }

    /// Stores the evicted value that a GET asked for.
    #[cold]
    fn put_again<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        let refused = self.done.refused.len();
        let ended = self.put_made::<E>(session, index, request, timed);
        if self.done.refused.len() == refused {
            self.shared.tracked.acknowledge(request.record(), self.thread, index);
        }
        ended
    }

    /// Notes the writes among `executed`, which the store has acknowledged unless it refused them. The
    /// first is the thread's `first`-th request.
    pub(super) fn acknowledge(&self, executed: &[Request], first: u64) {
        let refused = &self.done.refused;
        for (index, request) in (first..).zip(executed) {
            if !refused.is_empty() && refused.contains(&index) {
                continue;
            }
            for record in self.moments.groups.written_by(*request) {
                self.shared.tracked.acknowledge(record, self.thread, index);
            }
        }
    }

    /// As [`Self::operate`], where no request waits for the next: the value that a GET of a watched
    /// record finds is checked at once.
    pub(super) fn operate_and_check<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
    ) -> Result<u64, String> {
        let record = request.record();
        if !request.is(RequestKind::Get) || !self.shared.tracked.watches(record) {
            let ended = self.operate::<E>(session, index, request, true);
            self.take_error()?;
            self.acknowledge(&[request], index);
            if E::TRAITS.expiry.is_possible() && self.lifetimes.are_on() {
                self.lifetimes.note(index, ended);
                self.lifetimes.resume(ended);
            }
            return Ok(ended);
        }
        self.note_bounds(0, record);
        let found = calls::get::<E>(session, key_of(record), self.buffer);
        let ended = time(true);
        let evicted = self.done.verification.evicted;
        if E::TRAITS.keeps_values {
            self.check_version::<E>(session, key_of(record), 0, found);
        }
        if self.refills && self.done.verification.evicted > evicted {
            let ended = self.put_again::<E>(session, index, request, true);
            return self.take_error().map(|()| ended);
        }
        Ok(ended)
    }

    /// Notes the versions that a GET of a watched record in `slot` must reach.
    pub(super) fn note_bounds(&mut self, slot: usize, record: u64) {
        let bounds = &mut self.bounds[slot * self.threads..(slot + 1) * self.threads];
        self.shared.tracked.bounds(record, bounds);
    }

    /// Checks the value that a GET off the clock found for `record`. An evicting store may have dropped
    /// it since.
    pub(super) fn check_again<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        record: u64,
        slot: usize,
        found: Found,
    ) {
        if self.evicts && found == Found::Absent {
            return;
        }
        self.check_version::<E>(session, key_of(record), slot, found);
    }

    /// Checks the value that a watched GET found, using slot `slot` of the buffer and of the bounds.
    pub(super) fn check_version<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        key: u64,
        slot: usize,
        found: Found,
    ) {
        self.done.verification.checked += 1;
        let Found::Value(length) = found else { return self.missing(found) };
        let (slot_bytes, threads) = (self.slot_bytes, self.threads);
        let bounds = &self.bounds[slot * threads..(slot + 1) * threads];
        let value = &mut self.buffer[slot * slot_bytes..(slot + 1) * slot_bytes];
        let condition = self.checker.check(key, &value[..length]);
        if !condition.is_good() {
            return note_damage(condition, &mut self.done.verification);
        }
        if !is_old(condition, bounds) {
            return;
        }
        // Reads again: either the newer value is there after all, or it is lost.
        let again = calls::get::<E>(session, key, value);
        let still_old = match again {
            Found::Value(length) => is_old(self.checker.check(key, &value[..length]), bounds),
            _ => true,
        };
        if still_old {
            self.done.verification.lost += 1;
        } else {
            self.done.verification.stale += 1;
        }
    }

    /// Handles a live key that was not found.
    #[cold]
    pub(super) fn missing(&mut self, found: Found) {
        let verification = &mut self.done.verification;
        match found {
            Found::TooLong => verification.wrong += 1,
            _ if self.lifetimes.are_on() => verification.ended += 1,
            _ if self.evicts => verification.evicted += 1,
            _ => verification.lost += 1,
        }
    }

    /// Handles a request for a key that was never stored, or was deleted; `found` is whether the store
    /// has it nevertheless.
    #[inline]
    pub(super) fn absent<E: KvEngine>(&mut self, found: bool) {
        self.done.verification.resurrected += u64::from(found && E::TRAITS.keeps_values);
    }

    /// Stores the value that a GET of a batch missed, if the workload asks for that.
    pub(super) fn refill<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
    ) -> Result<(), String> {
        if self.refills {
            self.put_again::<E>(session, index, request, false);
            self.take_error()?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn deleted(&mut self, outcome: DeleteOutcome) {
        self.done.deleted += 1;
        if outcome == DeleteOutcome::Absent {
            self.missing(Found::Absent);
        }
    }

    /// Records the latency of an operation that began (or was due) at `from_ns`.
    #[inline]
    pub(super) fn keep_latency(
        &mut self,
        request: Request,
        from_ns: u64,
        ended_ns: u64,
        operations: u64,
    ) {
        let latency_ns = ended_ns.saturating_sub(from_ns);
        self.latency.record(place(request.kind()), latency_ns);
        self.seconds.add(ended_ns, operations, latency_ns);
    }
}

/// The current time if `timed`, else 0.
#[inline(always)]
pub(super) fn time(timed: bool) -> u64 {
    if timed { monotonic_ns() } else { 0 }
}

/// Counts a value that differs from the one written.
#[cold]
pub(super) fn note_damage(condition: Condition, verification: &mut Verification) {
    match condition {
        Condition::Torn => verification.torn += 1,
        _ => verification.wrong += 1,
    }
}
