//! The contents that every record must have at the end. Each thread's operations are generated again, and
//! the last write of each thread to each record is noted.

use engine::{GetError, KvEngine, KvSession};
use workloads::key_of;
use workloads::requests::{Groups, Request, RequestKind};
use workloads::value::{Condition, ValueChecker};

use platform::clock::monotonic_ns;

use super::kit::{AGER, LOADER};
use super::lane::note_damage;
use super::lifetimes::Lifetimes;
use record::{KeyValue, Verification};

/// One thread's last write to each record: none, deleted, or its index plus one.
#[derive(Debug)]
pub(super) struct LastWrites(Vec<u32>);

const NEVER: u32 = 0;
const DELETED: u32 = u32::MAX;

impl LastWrites {
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// Replays requests that were executed, from the thread's `first`-th on, without those that were
    /// refused.
    pub(super) fn note(
        &mut self,
        first: u64,
        requests: impl Iterator<Item = Request>,
        refused: &[u64],
        groups: Groups,
    ) {
        for (index, request) in (first..).zip(requests) {
            if refused.contains(&index) {
                continue;
            }
            if request.is(RequestKind::Delete) {
                self.set(request.record(), DELETED);
            }
            for record in groups.written_by(request) {
                self.set(record, index as u32 + 1);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn of(requests: impl Iterator<Item = Request>, refused: &[u64]) -> Self {
        let mut last = Self::none();
        last.note(0, requests, refused, Groups::new(4, 100));
        last
    }

    fn set(&mut self, record: u64, word: u32) {
        let at = record as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, NEVER);
        }
        self.0[at] = word;
    }

    fn to(&self, record: u64) -> u32 {
        self.0.get(record as usize).copied().unwrap_or(NEVER)
    }

    fn records(&self) -> u64 {
        self.0.len() as u64
    }
}

/// The writes of all threads.
#[derive(Debug)]
pub(super) struct Expected {
    /// Records loaded before anything else.
    pub(super) loaded: u64,
    /// Writes while the store was aged.
    pub(super) aged: Vec<LastWrites>,
    /// Writes while the clock ran.
    pub(super) timed: Vec<LastWrites>,
    /// Whether GETs stored evicted values again: then any of these writes may have come last.
    pub(super) refilled: bool,
    /// When each thread wrote values that have a lifetime; empty if they have none.
    pub(super) lifetimes: Vec<Lifetimes>,
}

/// The state that a record must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Live,
    Dead,
    /// No thread ever wrote it.
    Unknown,
}

impl Expected {
    /// Nothing was written but the load.
    pub(super) fn none(work: &KeyValue) -> Self {
        let none = || (0..work.threads).map(|_| LastWrites::none()).collect();
        let (aged, timed) = (none(), none());
        Self { loaded: work.records, aged, timed, refilled: false, lifetimes: Vec::new() }
    }

    /// The same, with room for the last writes to every record, which is touched already.
    pub(super) fn with_room(work: &KeyValue) -> Self {
        let mut expected = Self::none(work);
        for last in expected.timed.iter_mut().chain(&mut expected.aged) {
            // Not zeros, or the system would hand out pages that nobody has touched.
            last.0 = vec![DELETED; work.records as usize];
            last.0.fill(NEVER);
        }
        expected
    }

    /// The largest written record plus one.
    pub(super) fn records(&self) -> u64 {
        self.timed.iter().map(LastWrites::records).max().unwrap_or(0).max(self.loaded)
    }

    fn state(&self, record: u64) -> State {
        let words = || self.timed.iter().map(|thread| thread.to(record));
        // Only its owner deletes a record.
        if words().any(|word| word == DELETED) {
            State::Dead
        } else if record < self.loaded || words().any(|word| word != NEVER) {
            State::Live
        } else {
            State::Unknown
        }
    }

    /// Whether this stamp is that of some thread's last write. The order between threads is unknown.
    fn is_last(&self, record: u64, writer: u16, sequence: u64) -> bool {
        let wrote = |all: &[LastWrites], writer: u16| {
            all.get(usize::from(writer)).is_some_and(|thread| {
                let last = u64::from(thread.to(record));
                sequence + 1 == last || (self.refilled && sequence + 1 > last)
            })
        };
        let touched = |all: &[LastWrites]| all.iter().any(|thread| thread.to(record) != NEVER);
        if touched(&self.timed) {
            wrote(&self.timed, writer)
        } else if touched(&self.aged) {
            writer >= AGER && wrote(&self.aged, writer - AGER)
        } else {
            writer == LOADER && sequence == record
        }
    }

    /// The last writes of each thread to a record that have a lifetime, with what is known of the thread's.
    fn ending(&self, record: u64) -> impl Iterator<Item = (&Lifetimes, u64)> {
        let last = self.timed.iter().map(move |thread| thread.to(record));
        let last = self.lifetimes.iter().zip(last).filter(|(_, word)| *word != NEVER);
        last.map(|(lifetimes, word)| (lifetimes, u64::from(word) - 1))
    }

    /// Whether the record may have ended by `now_ns`: none of the last writes must be there still.
    fn may_have_ended(&self, record: u64, now_ns: u64) -> bool {
        let mut ending = self.ending(record).peekable();
        ending.peek().is_some()
            && !ending.any(|(lifetimes, index)| lifetimes.must_be_there(index, now_ns))
    }

    /// Whether the value of this stamp must be gone by `now_ns`.
    fn must_be_gone(&self, writer: u16, sequence: u64, now_ns: u64) -> bool {
        let lifetimes = self.lifetimes.get(usize::from(writer));
        lifetimes.is_some_and(|lifetimes| lifetimes.must_be_gone(sequence, now_ns))
    }

    /// When all values that have a lifetime must be gone, if that is waited for.
    pub(super) fn all_gone_ns(&self) -> Option<u64> {
        self.lifetimes.iter().filter_map(Lifetimes::all_gone_ns).max()
    }

    /// Checks that `record` is gone, if its last value had a lifetime, when all such values must be.
    pub(super) fn check_gone<E: KvEngine>(
        &self,
        session: &mut E::Session<'_>,
        record: u64,
        buffer: &mut [u8],
        verification: &mut Verification,
    ) {
        if self.ending(record).next().is_some() {
            let found = session.get(key_of(record), buffer);
            verification.checked += 1;
            verification.wrong += u64::from(found != Ok(None));
        }
    }

    /// Reads `record` and checks what it finds. Returns the condition of a value.
    pub(super) fn check<E: KvEngine>(
        &self,
        session: &mut E::Session<'_>,
        record: u64,
        (checker, buffer): (&ValueChecker, &mut [u8]),
        evicts: bool,
        verification: &mut Verification,
    ) -> Option<Condition> {
        let state = self.state(record);
        if state == State::Unknown {
            return None;
        }
        let key = key_of(record);
        let asked_ns = self.now_ns();
        let found = session.get(key, buffer);
        verification.checked += 1;
        match (state, found) {
            (State::Dead, Ok(None)) => {}
            (State::Dead, _) => verification.resurrected += 1,
            (_, Ok(Some(length))) => {
                let condition = checker.check(key, &buffer[..length]);
                self.judge(record, (condition, asked_ns), verification);
                return Some(condition);
            }
            (_, Ok(None)) if self.may_have_ended(record, self.now_ns()) => {}
            (_, Ok(None)) if evicts => verification.evicted += 1,
            (_, Ok(None)) => verification.lost += 1,
            (_, Err(GetError::BufferTooShort { .. })) => verification.wrong += 1,
        }
        None
    }

    /// The time, where values have lifetimes.
    fn now_ns(&self) -> u64 {
        if self.lifetimes.is_empty() { 0 } else { monotonic_ns() }
    }

    fn judge(
        &self,
        record: u64,
        (condition, asked_ns): (Condition, u64),
        verification: &mut Verification,
    ) {
        match condition {
            Condition::Good { writer, sequence } if !self.is_last(record, writer, sequence) => {
                verification.lost += 1;
            }
            Condition::Good { writer, sequence }
                if self.must_be_gone(writer, sequence, asked_ns) =>
            {
                verification.wrong += 1;
            }
            Condition::Good { .. } | Condition::GoodUnstamped => {}
            damaged => note_damage(damaged, verification),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use workloads::requests::Workload;

    use super::*;

    fn request(kind: RequestKind, record: u64) -> Request {
        Request::new(kind, 100, record)
    }

    fn expected() -> Expected {
        use RequestKind::{Delete, Get, Insert, Update};
        let first = [request(Update, 1), request(Get, 2), request(Update, 1), request(Insert, 10)];
        let second = [request(Update, 1), request(Delete, 3), request(Update, 4)];
        let aged = [request(Delete, 5), request(Insert, 5)];
        let aged = LastWrites::of(aged.into_iter(), &[]);
        Expected {
            loaded: 8,
            aged: vec![aged, LastWrites::none()],
            timed: vec![
                LastWrites::of(first.into_iter(), &[]),
                LastWrites::of(second.into_iter(), &[2]),
            ],
            refilled: false,
            lifetimes: Vec::new(),
        }
    }

    #[test]
    fn the_last_write_of_any_thread_is_right_and_no_other() {
        let expected = expected();
        assert!(expected.is_last(1, 0, 2) && expected.is_last(1, 1, 0));
        assert!(!expected.is_last(1, 0, 0), "thread 0 wrote it again");
        assert!(!expected.is_last(1, LOADER, 1), "as loaded, after updates");
        assert!(expected.is_last(5, AGER, 1) && !expected.is_last(5, LOADER, 5));
        assert!(expected.is_last(6, LOADER, 6) && !expected.is_last(6, LOADER, 7));
        assert!(expected.is_last(4, LOADER, 4), "the update was refused");
    }

    #[test]
    fn a_later_turn_goes_on_counting_and_its_writes_come_last() {
        use RequestKind::Update;
        let mut last = LastWrites::of([request(Update, 1), request(Update, 2)].into_iter(), &[]);
        let more = [request(Update, 3), request(Update, 2)].into_iter();
        last.note(2, more, &[2], Groups::new(4, 100));
        assert_eq!([1, 2, 3].map(|record| last.to(record)), [1, 4, NEVER]);
    }

    #[test]
    fn what_is_written_together_is_the_last_write_of_every_record_of_the_group() {
        use RequestKind::{SnapshotRead, WriteTogether};
        let requests =
            [request(WriteTogether, 6), request(SnapshotRead, 1), request(WriteTogether, 1)];
        let last = LastWrites::of(requests.into_iter(), &[2]);
        assert_eq!([3, 4, 7, 8].map(|record| last.to(record)), [NEVER, 1, 1, NEVER]);
    }

    #[test]
    fn a_record_may_end_when_no_last_write_of_it_must_be_there_and_one_had_a_lifetime() {
        const MS: u64 = 1_000_000;
        let workload = Workload::by_name("expiring").unwrap();
        let lifetimes = [100, 400].map(|ended_ms| {
            let mut lifetimes = Lifetimes::of(&workload);
            lifetimes.begin((ended_ms - 10) * MS, Some(Duration::from_millis(1)));
            lifetimes.note(0, ended_ms * MS);
            lifetimes
        });
        let expected = Expected { lifetimes: lifetimes.into(), ..expected() };
        // Both threads wrote record 1, the first wrote record 10, nobody record 6.
        for (record, there_ms) in [(1, 1389), (10, 1089)] {
            assert!(!expected.may_have_ended(record, there_ms * MS - 1), "{record}");
            assert!(expected.may_have_ended(record, there_ms * MS), "{record}");
        }
        assert!(!expected.may_have_ended(6, u64::MAX));
        assert!(!expected.must_be_gone(0, 2, 2101 * MS) && expected.must_be_gone(0, 2, 2102 * MS));
        assert!(!expected.must_be_gone(LOADER, 6, u64::MAX));
        assert_eq!(expected.all_gone_ns(), Some(2401 * MS + 1));
    }

    #[test]
    fn what_is_live_follows_inserts_and_deletes() {
        let expected = expected();
        assert_eq!(expected.records(), 11);
        assert_eq!(expected.state(3), State::Dead);
        assert_eq!(expected.state(10), State::Live);
        assert_eq!(expected.state(9), State::Unknown);
    }
}
