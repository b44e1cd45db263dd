//! One thread's use of a hindered store.

use std::fmt;
use std::time::Duration;

use engine::{
    Decide, DeleteOutcome, GetError, KvEngine, KvSession, Op, Outcome, PutError, PutOutcome,
    ScanRange, ValueBuffers, WithSnapshot, Write,
};

use super::ballast::OBJECTS;
use super::pace::Pace;
use super::{Clock, Hindered, Naming};

/// One thread's use of a [`Hindered`] store.
pub struct HinderedSession<'engine, E: KvEngine + 'engine, N: Naming, C: Clock> {
    store: &'engine Hindered<E, N, C>,
    inner: E::Session<'engine>,
    pace: Pace,
    /// Inserts minus deletes not yet reported to the store.
    grown: i64,
}

impl<'engine, E: KvEngine, N: Naming, C: Clock> HinderedSession<'engine, E, N, C> {
    pub(super) fn new(
        store: &'engine Hindered<E, N, C>,
        inner: E::Session<'engine>,
        pace: Pace,
    ) -> Self {
        Self { store, inner, pace, grown: 0 }
    }

    /// Counts the change made by a put or a delete.
    #[inline]
    fn note(&mut self, objects: i64) {
        self.grown += objects;
        if self.grown >= OBJECTS as i64 {
            self.tell();
        }
    }

    #[cold]
    fn tell(&mut self) {
        let grown = std::mem::take(&mut self.grown);
        if let Ok(objects @ 1..) = u64::try_from(grown) {
            self.store.ballast.grew(objects, &self.store.inner);
        }
    }
}

/// By how many objects the operation grew the store.
fn growth_of(outcome: &Outcome) -> i64 {
    match outcome {
        Outcome::Put(PutOutcome::Inserted) => 1,
        Outcome::Deleted(DeleteOutcome::Removed) => -1,
        _ => 0,
    }
}

impl<E: KvEngine, N: Naming, C: Clock> KvSession for HinderedSession<'_, E, N, C> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let found = self.inner.get(key, buffer);
        self.pace.count(1, &self.store.clock);
        found
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let stored = self.inner.put(key, value);
        self.note(i64::from(stored == Ok(PutOutcome::Inserted)));
        self.pace.count(1, &self.store.clock);
        stored
    }

    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let stored = self.inner.read_modify_write(key, decide);
        self.note(i64::from(stored == Ok(Some(PutOutcome::Inserted))));
        self.pace.count(1, &self.store.clock);
        stored
    }

    fn put_if_absent(&mut self, key: u64, value: &[u8]) -> Result<Option<PutOutcome>, PutError> {
        let stored = self.inner.put_if_absent(key, value);
        self.note(i64::from(stored == Ok(Some(PutOutcome::Inserted))));
        self.pace.count(1, &self.store.clock);
        stored
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let outcome = self.inner.delete(key);
        self.note(-i64::from(outcome.was_present()));
        self.pace.count(1, &self.store.clock);
        outcome
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        self.inner.execute(operations, values, outcomes);
        self.note(outcomes[..operations.len()].iter().map(growth_of).sum());
        self.pace.count(operations.len() as u64, &self.store.clock);
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let found = self.inner.scan(range, visit);
        self.pace.count(1, &self.store.clock);
        found
    }

    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        let has = self.inner.with_snapshot(read);
        self.pace.count(1, &self.store.clock);
        has
    }

    /// The ballast does not grow with it: what was inserted is not told.
    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let stored = self.inner.write_in_one_step(writes);
        self.pace.count(1, &self.store.clock);
        stored
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        let stored = self.inner.put_for(key, value, lifetime);
        self.note(i64::from(stored == Ok(Some(PutOutcome::Inserted))));
        self.pace.count(1, &self.store.clock);
        stored
    }
}

impl<E: KvEngine, N: Naming, C: Clock> Drop for HinderedSession<'_, E, N, C> {
    /// Reports the rest, so that memory measured after a session covers all its objects.
    fn drop(&mut self) {
        self.tell();
        self.store.ballast.keep_up(&self.store.inner);
    }
}

impl<E: KvEngine, N: Naming, C: Clock> fmt::Debug for HinderedSession<'_, E, N, C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HinderedSession").field("pace", &self.pace).finish_non_exhaustive()
    }
}
