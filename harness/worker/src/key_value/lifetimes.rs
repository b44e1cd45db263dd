//! Values that have a lifetime: when each was written, and so until when it must be there and from when on not.
//!
//! No clock is read for a write. A thread notes when it began to execute a span of requests and when it had
//! executed them, which it does off the clock. A write lies between the two. So its object must be there until
//! its lifetime has passed since the beginning, but for a unit of the store's. It must be gone when its lifetime,
//! a unit and [`GRACE_NS`] have passed since the end. In between either is right.
//!
//! While the clock runs, a thread judges what became of its own writes, as far as it reads them again. At the
//! end, the writes of all threads to every record are judged twice: at once, and, where lifetimes are short
//! enough to be waited for, when all of them have ended.

use std::time::Duration;

use engine::KvEngine;
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Request, Workload};
use workloads::value::Condition;

use super::calls::{self, Found};
use super::lane::{Lane, time};

/// How much later than by its own unit a store may notice that a lifetime has ended: servers count time by a
/// timer, which is late where processors are busy.
const GRACE_NS: u64 = 1_000_000_000;
/// The longest lifetime whose end is waited for.
const WAITED_NS_MAX: u64 = 10_000_000_000;
/// Spans that begin within such a time are noted as one.
const MERGED_NS: u64 = 10_000_000;

/// When a thread executed its requests, where they write values with a lifetime.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetimes {
    /// Of every value; `None` if they have none.
    lifetime: Option<Duration>,
    unit_ns: u64,
    /// When the requests at hand began to be executed.
    resumed_ns: u64,
    spans: Vec<Span>,
}

/// Requests in a row; they end where those of the next span begin.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u64,
    began_ns: u64,
    ended_ns: u64,
}

impl Lifetimes {
    pub(super) fn of(workload: &Workload) -> Self {
        let lifetime = workload.lifetime_ms.map(Duration::from_millis);
        Self { lifetime, ..Self::default() }
    }

    #[inline]
    pub(super) fn are_on(&self) -> bool {
        self.lifetime.is_some()
    }

    /// Begins to note requests, which are executed from `now_ns` on, by a store that counts in `unit`s.
    pub(super) fn begin(&mut self, now_ns: u64, unit: Option<Duration>) {
        self.unit_ns = unit.map_or(0, |unit| unit.as_nanos() as u64);
        self.resumed_ns = now_ns;
        self.spans.clear();
    }

    /// Notes that the requests from the thread's `first`-th on were executed by `ended_ns`.
    pub(super) fn note(&mut self, first: u64, ended_ns: u64) {
        let began_ns = self.resumed_ns;
        match self.spans.last_mut() {
            Some(last) if began_ns < last.began_ns + MERGED_NS => last.ended_ns = ended_ns,
            _ => self.spans.push(Span { first, began_ns, ended_ns }),
        }
    }

    /// Requests are executed again from `now_ns` on.
    pub(super) fn resume(&mut self, now_ns: u64) {
        self.resumed_ns = now_ns;
    }

    fn span_of(&self, index: u64) -> Option<&Span> {
        let behind = self.spans.partition_point(|span| span.first <= index);
        self.spans.get(behind.checked_sub(1)?)
    }

    fn lifetime_ns(&self) -> u64 {
        self.lifetime.map_or(0, |lifetime| lifetime.as_nanos() as u64)
    }

    /// Whether what the thread's request `index` wrote must still be there at `now_ns`, unless it was
    /// overwritten: what overwrites it lives no shorter.
    pub(super) fn must_be_there(&self, index: u64, now_ns: u64) -> bool {
        let least_ns = self.lifetime_ns().saturating_sub(self.unit_ns);
        self.span_of(index).is_some_and(|span| span.began_ns + least_ns > now_ns)
    }

    /// Whether what the thread's request `index` wrote must be gone at `now_ns`.
    pub(super) fn must_be_gone(&self, index: u64, now_ns: u64) -> bool {
        let most_ns = self.lifetime_ns() + self.unit_ns + GRACE_NS;
        self.span_of(index).is_some_and(|span| span.ended_ns + most_ns < now_ns)
    }

    /// When all that the thread wrote must be gone; `None` if that is not waited for.
    pub(super) fn all_gone_ns(&self) -> Option<u64> {
        let is_waited_for = self.are_on() && self.lifetime_ns() <= WAITED_NS_MAX;
        let last = self.spans.last().filter(|_| is_waited_for)?;
        Some(last.ended_ns + self.lifetime_ns() + self.unit_ns + GRACE_NS + 1)
    }
}

impl Lane<'_> {
    /// Overwrites a record with a value that has a lifetime.
    pub(super) fn write_expiring<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        let key = key_of(request.record());
        let value = if self.ahead {
            self.values.take(request.size())
        } else {
            let writer = &mut self.writers[0];
            writer.number_next(index);
            writer.value(key, request.size())
        };
        let lifetime = self.lifetimes.lifetime.unwrap_or_default();
        let put = calls::put_for::<E>(session, key, value, lifetime);
        let ended = time(timed);
        match put {
            Some(put) => self.stored(index, request, put),
            None => self.error = Some("objects of the store have no lifetimes".to_owned()),
        }
        ended
    }

    /// Reads a record again, off the clock, and checks what is found: a value as any other, and that the
    /// thread's own last write is gone when it must be, and not before, unless the store evicts.
    pub(super) fn check_lifetime<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        record: u64,
    ) {
        let asked_ns = monotonic_ns();
        let key = key_of(record);
        let found = calls::get::<E>(session, key, self.buffer);
        let answered_ns = monotonic_ns();
        match found {
            Found::Absent => {
                self.done.verification.checked += 1;
                let own = self.shared.tracked.last_of(record, self.thread);
                let is_lost =
                    own.is_some_and(|index| self.lifetimes.must_be_there(index, answered_ns));
                self.done.verification.lost += u64::from(is_lost && !self.evicts);
            }
            Found::Value(length) => {
                if let Condition::Good { writer, sequence } =
                    self.checker.check(key, &self.buffer[..length])
                    && usize::from(writer) == self.thread
                    && self.lifetimes.must_be_gone(sequence, asked_ns)
                {
                    self.done.verification.wrong += 1;
                }
                self.check_version::<E>(session, key, 0, found);
            }
            Found::TooLong => self.check_version::<E>(session, key, 0, found),
        }
    }
}

/// Returns when the monotonic clock shows `until_ns`.
pub(super) fn wait_until(until_ns: u64) {
    loop {
        match until_ns.checked_sub(monotonic_ns()) {
            None | Some(0) => return,
            Some(left_ns) => std::thread::sleep(Duration::from_nanos(left_ns)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn of_a_second() -> Lifetimes {
        let mut lifetimes = Lifetimes::of(&Workload::by_name("expiring").unwrap());
        lifetimes.begin(100 * MS, Some(Duration::from_millis(1)));
        lifetimes
    }

    #[test]
    fn a_write_must_be_there_by_the_begin_of_its_span_and_gone_by_its_end() {
        let mut lifetimes = of_a_second();
        lifetimes.note(7, 130 * MS);
        lifetimes.resume(140 * MS);
        lifetimes.note(1031, 190 * MS);
        for (index, there_ms, gone_ms) in [(7, 1099, 2131), (1030, 1099, 2131), (1031, 1139, 2191)]
        {
            assert!(lifetimes.must_be_there(index, there_ms * MS - 1));
            assert!(!lifetimes.must_be_there(index, there_ms * MS));
            assert!(!lifetimes.must_be_gone(index, gone_ms * MS));
            assert!(lifetimes.must_be_gone(index, gone_ms * MS + 1));
        }
        assert_eq!(lifetimes.all_gone_ns(), Some(2191 * MS + 1));
        assert!(!lifetimes.must_be_there(6, 0) && !lifetimes.must_be_gone(6, u64::MAX));
    }

    #[test]
    fn short_spans_are_noted_as_one() {
        let mut lifetimes = of_a_second();
        for (number, now_ms) in (0..30).zip(100..) {
            lifetimes.resume(now_ms * MS);
            lifetimes.note(number * 10, (now_ms + 1) * MS);
        }
        let firsts: Vec<u64> = lifetimes.spans.iter().map(|span| span.first).collect();
        assert_eq!(firsts, [0, 100, 200]);
        assert_eq!(lifetimes.span_of(199).unwrap().ended_ns, 120 * MS);
    }

    #[test]
    fn long_lifetimes_are_not_waited_for_and_values_without_have_none() {
        let workload = Workload::by_name("expiring").unwrap();
        let mut long = Lifetimes::of(&Workload { lifetime_ms: Some(10_001), ..workload });
        long.begin(0, Some(Duration::from_secs(1)));
        long.note(0, MS);
        assert_eq!(long.all_gone_ns(), None);
        assert!(long.are_on() && long.must_be_there(0, 9_000 * MS));
        let none = Lifetimes::of(&Workload::by_name("get-50").unwrap());
        assert!(!none.are_on() && none.all_gone_ns().is_none());
    }
}
