//! A store small enough to be plainly right, and the ways in which it can be made wrong.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engine::{
    Decide, Decision, DeleteOutcome, EngineTraits, Expiry, FullMeaning, GetError, KvEngine,
    KvSession, MemoryBound, MemoryCensus, Op, Outcome, PutError, PutOutcome, Rmw, ScanOrder,
    ScanRange, Scans, SessionError, Sharing, SnapshotRead, Snapshots, ValueBuffers, WithSnapshot,
    Write, Writes, get_then_put,
};

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Nothing,
    ForgetsDeletes,
    LosesEvery1000thPut,
    StaleValues,
    AlwaysUpdated,
    /// Tells where its kind is blind, and the other way round.
    TellsOtherwise,
    DeletesAlwaysTold,
    ModifiesInTwoSteps,
    ModifiesAmongPuts,
    KeepsNothing,
    ModifiesWhatWasThere,
    SnapshotsMove,
    SnapshotsOfHalf,
    StepsInParts,
    StepsUntold,
    Outlives,
    EndsAtOnce,
    KeepsTheLifetime,
    PutsUnasked,
    BatchesRunBackwards,
    BatchesSkipTheLast,
    CheckFails,
    TornValues,
    UpdatesRace,
    PanicsWhenFull,
    NeverFull,
    AlwaysFull,
    FullForEver,
    FullDropsTheOldValue,
    CompactionCorrupts,
    TrimLoses,
    MiscountsObjects,
    MiscountsDeadBytes,
    ExceedsItsCapacity,
    ShortBuffersTruncate,
    ShortBuffersPanic,
    TooLargeIsFull,
    WrongLimit,
    EmptyIsAbsent,
    LastKeyIsReserved,
    ScansBackwards,
    ScansBeyondTheLimit,
    ScansBehindTheFirst,
    ScansOldValues,
    ScansFromTheStartAtTheEnd,
    ScansNothing,
    ScansDownFromAbove,
    ScansMiscount,
    ScansUnasked,
    SessionsLeak,
    RoutesMove,
}

/// The kinds of a [`Toy`].
pub(crate) const REFUSES: u8 = 0;
pub(crate) const EVICTS: u8 = 1;
pub(crate) const GROWS: u8 = 2;
pub(crate) const PARTITIONED: u8 = 3;
pub(crate) const UNORDERED: u8 = 4;
pub(crate) const BLIND: u8 = 5;

const SESSIONS: usize = 40;

/// An ordered map behind one lock.
#[derive(Debug)]
pub(crate) struct Toy<const KIND: u8> {
    fault: Fault,
    bound_bytes: u64,
    state: Mutex<State>,
    /// Held by whoever writes, from the read on that the write depends on.
    writer: Mutex<()>,
    /// The same of read-modify-writes that do not mind puts.
    modifier: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    live: BTreeMap<u64, Vec<u8>>,
    /// The value before the last, for stale answers.
    previous: BTreeMap<u64, Vec<u8>>,
    /// When those of them end that have a lifetime.
    ends: BTreeMap<u64, Instant>,
    live_value_bytes: u64,
    puts: u64,
    gets: u64,
    put_bytes: u64,
    routes: usize,
    sessions: usize,
}

impl State {
    fn live_bytes(&self) -> u64 {
        self.live_value_bytes + 8 * self.live.len() as u64
    }

    fn insert(&mut self, key: u64, value: Vec<u8>) -> bool {
        self.live_value_bytes += value.len() as u64;
        self.live
            .insert(key, value)
            .inspect(|old| self.live_value_bytes -= old.len() as u64)
            .is_some()
    }

    fn remove(&mut self, key: u64) -> bool {
        self.ends.remove(&key);
        self.live.remove(&key).inspect(|old| self.live_value_bytes -= old.len() as u64).is_some()
    }
}

impl<const KIND: u8> Toy<KIND> {
    pub(crate) fn open(bound_bytes: u64, fault: Fault) -> Self {
        Self {
            fault,
            bound_bytes,
            state: Mutex::default(),
            writer: Mutex::default(),
            modifier: Mutex::default(),
        }
    }

    pub(crate) fn open_whole(bound_bytes: u64) -> Result<Self, Infallible> {
        Ok(Self::open(bound_bytes, Fault::Nothing))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap();
        if !state.ends.is_empty() {
            let now = Instant::now();
            let ended = state.ends.iter().filter(|(_, end)| **end <= now).map(|(key, _)| *key);
            let ended: Vec<u64> = ended.collect();
            ended.into_iter().for_each(|key| _ = state.remove(key));
        }
        state
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// Excludes other writers, unless that would hide the fault.
    fn write(&self) -> Option<MutexGuard<'_, ()>> {
        let races = self.has(Fault::TornValues) || self.has(Fault::UpdatesRace);
        // A planted panic may have poisoned it, and it guards nothing of its own.
        (!races).then(|| self.writer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tells(&self) -> bool {
        (KIND == BLIND) == self.has(Fault::TellsOtherwise)
    }
}

impl<const KIND: u8> KvEngine for Toy<KIND> {
    const TRAITS: EngineTraits = EngineTraits {
        name: "toy",
        full: match KIND {
            EVICTS => FullMeaning::Evict,
            GROWS => FullMeaning::Grow,
            _ => FullMeaning::Refuse,
        },
        sharing: if KIND == PARTITIONED { Sharing::Partitioned } else { Sharing::Shared },
        memory_bound: if KIND == GROWS { MemoryBound::None } else { MemoryBound::Hard },
        scans: if KIND == UNORDERED { Scans::No } else { Scans::Both },
        rmw: if KIND == GROWS { Rmw::GetThenPut } else { Rmw::Atomic },
        snapshots: if KIND == REFUSES { Snapshots::Linearizable } else { Snapshots::No },
        writes_in_one_step: KIND == REFUSES,
        expiry: match KIND {
            REFUSES => Expiry::Milliseconds,
            EVICTS => Expiry::Seconds,
            _ => Expiry::None,
        },
        writes: if KIND == BLIND { Writes::Blind } else { Writes::Telling },
        ..EngineTraits::BASE
    };

    type Session<'engine> = ToySession<'engine, KIND>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        let mut state = self.state();
        if state.sessions == SESSIONS {
            return Err(SessionError::TooManySessions { limit: SESSIONS });
        }
        state.sessions += 1;
        Ok(ToySession(self))
    }

    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        let moved = if self.has(Fault::RoutesMove) {
            let mut state = self.state();
            state.routes += 1;
            state.routes
        } else {
            0
        };
        let worker = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize + moved;
        (KIND == PARTITIONED).then_some(worker % workers)
    }

    fn trim(&self) {
        if self.has(Fault::TrimLoses) {
            let mut state = self.state();
            let key = *state.live.keys().nth(7).unwrap();
            state.remove(key);
        }
    }

    fn memory(&self) -> MemoryCensus {
        let state = self.state();
        let wrong = |fault, by| if self.has(fault) { by } else { 0 };
        let object_memory_bytes = self.bound_bytes.max(state.live_bytes());
        MemoryCensus {
            live_objects: state.live.len() as u64
                + wrong(Fault::MiscountsObjects, state.puts / 900),
            live_value_bytes: state.live_value_bytes,
            live_object_bytes: state.live_bytes(),
            dead_object_bytes: wrong(Fault::MiscountsDeadBytes, state.puts),
            free_object_bytes: object_memory_bytes - state.live_bytes(),
            object_memory_bytes,
            index_bytes: wrong(Fault::ExceedsItsCapacity, 1),
            table_bytes: 0,
            capacity_bytes: Some(object_memory_bytes),
            complete: true,
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.has(Fault::CheckFails) { Err("as planted".to_owned()) } else { Ok(()) }
    }
}

#[derive(Debug)]
pub(crate) struct ToySession<'engine, const KIND: u8>(&'engine Toy<KIND>);

impl<const KIND: u8> Drop for ToySession<'_, KIND> {
    fn drop(&mut self) {
        // A lock that a planted panic has poisoned is left alone: a second panic would abort.
        if let Ok(mut state) = self.0.state.lock()
            && !self.0.has(Fault::SessionsLeak)
        {
            state.sessions -= 1;
        }
    }
}

impl<const KIND: u8> ToySession<'_, KIND> {
    /// Whether the state has room for the value, after dropping objects where that is the kind.
    fn make_room(&self, state: &mut State, key: u64, value_bytes: usize) -> bool {
        let toy = self.0;
        let old = state.live.get(&key).map_or(0, |old| old.len() as u64 + 8);
        let wanted = value_bytes as u64 + 8;
        if toy.has(Fault::AlwaysFull) && state.puts > 100 {
            return false;
        }
        if toy.has(Fault::FullForEver) {
            return state.put_bytes + wanted <= toy.bound_bytes;
        }
        while KIND == EVICTS && state.live_bytes() - old + wanted > toy.bound_bytes {
            let victim = *state.live.keys().find(|&&victim| victim != key).unwrap();
            state.remove(victim);
        }
        let fits = state.live_bytes() - old + wanted <= toy.bound_bytes;
        assert!(fits || !toy.has(Fault::PanicsWhenFull), "full, as planted");
        fits || KIND == GROWS || toy.has(Fault::NeverFull)
    }

    fn put_in_halves(&self, mut state: MutexGuard<'_, State>, key: u64, value: &[u8]) -> bool {
        let mut first = state.live.get(&key).cloned().unwrap_or_default();
        first.resize(value.len(), 0);
        first[..value.len() / 2].copy_from_slice(&value[..value.len() / 2]);
        let known = state.insert(key, first);
        drop(state);
        thread::yield_now();
        self.0.state().insert(key, value.to_vec());
        known
    }

    /// Takes the values of 64 keys out and puts them back, without the lock meanwhile.
    fn put_with_neighbours(
        &self,
        mut state: MutexGuard<'_, State>,
        key: u64,
        value: &[u8],
    ) -> bool {
        let known = state.insert(key, value.to_vec());
        if state.puts.is_multiple_of(16) {
            let copy: Vec<_> = state
                .live
                .range(key..)
                .take(64)
                .map(|(key, value)| (*key, value.clone()))
                .collect();
            drop(state);
            thread::yield_now();
            let mut state = self.0.state();
            for (key, value) in copy {
                state.insert(key, value);
            }
        }
        known
    }
}

impl<const KIND: u8> ToySession<'_, KIND> {
    /// Puts a value while nobody else writes.
    fn put_alone(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let toy = self.0;
        let mut state = toy.state();
        let limit_bytes = toy.bound_bytes as usize - 8;
        if value.len() > limit_bytes && KIND != GROWS && !toy.has(Fault::TooLargeIsFull) {
            let limit_bytes = limit_bytes + usize::from(toy.has(Fault::WrongLimit));
            return Err(PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes });
        }
        state.puts += 1;
        if !toy.has(Fault::KeepsTheLifetime) {
            state.ends.remove(&key);
        }
        if !self.make_room(&mut state, key, value.len()) {
            if toy.has(Fault::FullDropsTheOldValue) {
                state.remove(key);
            }
            return Ok(PutOutcome::Full);
        }
        let before = state.put_bytes;
        state.put_bytes += value.len() as u64 + 8;
        let known = state.live.contains_key(&key);
        if (toy.has(Fault::StaleValues) || toy.has(Fault::ScansOldValues))
            && let Some(old) = state.live.get(&key).cloned()
        {
            state.previous.insert(key, old);
        }
        let wrapped = before / toy.bound_bytes < state.put_bytes / toy.bound_bytes;
        match toy.fault {
            Fault::LosesEvery1000thPut if state.puts.is_multiple_of(1000) => {}
            Fault::LastKeyIsReserved if key == u64::MAX => {}
            Fault::TornValues => _ = self.put_in_halves(state, key, value),
            Fault::UpdatesRace => _ = self.put_with_neighbours(state, key, value),
            Fault::CompactionCorrupts if wrapped => {
                state.insert(key, vec![0; value.len()]);
            }
            _ => _ = state.insert(key, value.to_vec()),
        }
        let updated = known || toy.has(Fault::AlwaysUpdated);
        Ok(match (toy.tells(), updated) {
            (false, _) => PutOutcome::Stored,
            (true, true) => PutOutcome::Updated,
            (true, false) => PutOutcome::Inserted,
        })
    }

    fn delete_alone(&mut self, key: u64) -> DeleteOutcome {
        let toy = self.0;
        let mut state = toy.state();
        let was_present = match toy.fault {
            Fault::ForgetsDeletes => state.live.contains_key(&key),
            _ => state.remove(key),
        };
        match toy.fault {
            Fault::DeletesAlwaysTold => DeleteOutcome::Removed,
            _ if toy.tells() => DeleteOutcome::told(was_present),
            _ => DeleteOutcome::Done,
        }
    }
}

impl<const KIND: u8> KvSession for ToySession<'_, KIND> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let toy = self.0;
        let mut state = toy.state();
        state.gets += 1;
        let stale = toy.has(Fault::StaleValues) && state.gets.is_multiple_of(100);
        let previous = stale.then(|| state.previous.get(&key)).flatten();
        let Some(value) = state.live.get(&key).map(|value| previous.unwrap_or(value)) else {
            return Ok(None);
        };
        let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
        if value.is_empty() && toy.has(Fault::EmptyIsAbsent) {
            return Ok(None);
        }
        if value_bytes > buffer_bytes && toy.has(Fault::ShortBuffersTruncate) {
            buffer.copy_from_slice(&value[..buffer_bytes]);
            return Ok(Some(buffer_bytes));
        }
        if value_bytes > buffer_bytes && !toy.has(Fault::ShortBuffersPanic) {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        }
        buffer[..value_bytes].copy_from_slice(value);
        Ok(Some(value_bytes))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let _writer = self.0.write();
        self.put_alone(key, value)
    }

    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let toy = self.0;
        if KIND == GROWS || toy.has(Fault::ModifiesInTwoSteps) {
            return get_then_put(self, key, &mut |old, new| {
                thread::yield_now();
                decide(old, new)
            });
        }
        let _writer = match toy.has(Fault::ModifiesAmongPuts) {
            true => Some(toy.modifier.lock().unwrap_or_else(PoisonError::into_inner)),
            false => toy.write(),
        };
        let old = toy.state().live.get(&key).cloned();
        if toy.has(Fault::ModifiesAmongPuts) {
            thread::yield_now();
        }
        let shown = old.as_deref().filter(|_| !toy.has(Fault::ModifiesWhatWasThere));
        let mut new = Vec::new();
        match decide(shown, &mut new) {
            Decision::Keep if !toy.has(Fault::KeepsNothing) => Ok(None),
            _ => self.put_alone(key, &new).map(Some),
        }
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let _writer = self.0.write();
        self.delete_alone(key)
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        let skipped = usize::from(self.0.has(Fault::BatchesSkipTheLast));
        for step in 0..operations.len().saturating_sub(skipped) {
            let backwards = self.0.has(Fault::BatchesRunBackwards);
            let index = if backwards { operations.len() - 1 - step } else { step };
            outcomes[index] = match operations[index] {
                Op::Get { key } => Outcome::of_get(KvSession::get(self, key, values.slot(index))),
                Op::Put { key, value } => Outcome::of_put(self.put(key, value)),
                Op::Delete { key } => Outcome::Deleted(self.delete(key)),
            };
        }
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let toy = self.0;
        if KIND == UNORDERED && !toy.has(Fault::ScansUnasked) || toy.has(Fault::ScansNothing) {
            return None;
        }
        let state = toy.state();
        let from = match toy.fault {
            Fault::ScansBehindTheFirst => Bound::Excluded(first),
            Fault::ScansFromTheStartAtTheEnd if state.live.range(first..).next().is_none() => {
                Bound::Unbounded
            }
            _ => Bound::Included(first),
        };
        let limit = limit.saturating_add(usize::from(toy.has(Fault::ScansBeyondTheLimit)));
        let mut pairs: Vec<_> = match order {
            ScanOrder::Ascending => {
                state.live.range((from, Bound::Unbounded)).take(limit).collect()
            }
            ScanOrder::Descending if toy.has(Fault::ScansDownFromAbove) => state
                .live
                .range(first..)
                .take(1)
                .chain(state.live.range(..first).rev())
                .take(limit)
                .collect(),
            ScanOrder::Descending => state.live.range(..=first).rev().take(limit).collect(),
        };
        if toy.has(Fault::ScansBackwards) {
            pairs.reverse();
        }
        for (key, value) in &pairs {
            let old = state.previous.get(key).filter(|_| toy.has(Fault::ScansOldValues));
            visit(**key, old.unwrap_or(value));
        }
        Some(pairs.len() + usize::from(toy.has(Fault::ScansMiscount)))
    }

    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        let toy = self.0;
        if KIND != REFUSES {
            return false;
        }
        if toy.has(Fault::SnapshotsMove) {
            read(self);
            return true;
        }
        let mut live = toy.state().live.clone();
        if toy.has(Fault::SnapshotsOfHalf) {
            thread::yield_now();
            let middle = live.keys().nth(live.len() / 2).copied().unwrap_or(0);
            live.split_off(&middle);
            live.append(&mut toy.state().live.clone().split_off(&middle));
        }
        read(&mut ToySnapshot(live));
        true
    }

    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let toy = self.0;
        if KIND != REFUSES || toy.has(Fault::StepsUntold) {
            return Ok(None);
        }
        let _writer = toy.write();
        let mut state = toy.state();
        for write in writes {
            match write.value() {
                Some(value) => _ = state.insert(write.key(), value.to_vec()),
                None => _ = state.remove(write.key()),
            }
            if toy.has(Fault::StepsInParts) {
                drop(state);
                thread::yield_now();
                state = toy.state();
            }
        }
        Ok(Some(if toy.tells() { PutOutcome::Updated } else { PutOutcome::Stored }))
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        let toy = self.0;
        let expiry = Toy::<KIND>::TRAITS.expiry;
        let Some(units) = expiry.units(lifetime) else {
            if toy.has(Fault::PutsUnasked) {
                self.put(key, value)?;
            }
            return Ok(None);
        };
        let _writer = toy.write();
        let put = self.put_alone(key, value)?;
        if put.is_stored() && !toy.has(Fault::Outlives) {
            let units = if toy.has(Fault::EndsAtOnce) { 1 } else { units as u32 };
            let unit = expiry.unit().expect("lifetimes have one");
            toy.state().ends.insert(key, Instant::now() + unit * units);
        }
        Ok(Some(put))
    }
}

/// What was there.
#[derive(Debug)]
struct ToySnapshot(BTreeMap<u64, Vec<u8>>);

impl SnapshotRead for ToySnapshot {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let Some(value) = self.0.get(&key) else { return Ok(None) };
        buffer[..value.len()].copy_from_slice(value);
        Ok(Some(value.len()))
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let pairs = self.0.range(range.first..).take(range.limit);
        Some(pairs.inspect(|(key, value)| visit(**key, value)).count())
    }
}

/// The planted fault: a snapshot that shows what is there now.
impl<const KIND: u8> SnapshotRead for ToySession<'_, KIND> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        KvSession::get(self, key, buffer)
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        KvSession::scan(self, range, visit)
    }
}
