//! The reference map: runs an operation on a session and checks the answer.

use std::collections::BTreeMap;
use std::time::Duration;

use super::value::{Random, Version, assert_value};
use crate::{
    DeleteOutcome, FullMeaning, GetError, KvEngine, KvSession, Op, Outcome, PutError, PutOutcome,
    ScanOrder, ScanRange, ValueBuffers, Writes,
};

/// The longest value that the suite stores, but for those of the length that a store itself names as its
/// limit.
pub const VALUE_BYTES_MAX: usize = 3000;

/// How often a put that returned `Full` is repeated before the answer is accepted: a store that
/// compacts in the background may be about to make room.
const FULL_RETRIES: u32 = 20;

/// One operation of a batch, for which the model knows the bytes of the value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Get(u64),
    Put(u64, usize),
    Delete(u64),
}

/// What the store must contain. Every method panics if the store's answer is wrong.
#[derive(Debug)]
pub(super) struct Model {
    live: BTreeMap<u64, Version>,
    live_value_bytes: u64,
    puts: u64,
    /// Whether the store may drop objects by itself.
    evicts: bool,
    writes: Writes,
    /// Number of puts that returned `Full`.
    pub(super) refused: u64,
    expected: Vec<u8>,
    buffer: Vec<u8>,
}

impl Model {
    /// The model of `engine`, which is empty.
    pub(super) fn of<E: KvEngine>(engine: &E) -> Self {
        Self {
            live: BTreeMap::new(),
            live_value_bytes: 0,
            puts: 0,
            evicts: E::TRAITS.full == FullMeaning::Evict,
            writes: engine.writes(),
            refused: 0,
            expected: Vec::new(),
            buffer: vec![0; VALUE_BYTES_MAX],
        }
    }

    pub(super) fn live_objects(&self) -> u64 {
        self.live.len() as u64
    }

    pub(super) fn live_value_bytes(&self) -> u64 {
        self.live_value_bytes
    }

    /// Key and value bytes of the live objects.
    pub(super) fn live_bytes(&self) -> u64 {
        self.live_value_bytes + 8 * self.live_objects()
    }

    pub(super) fn keys(&self) -> Vec<u64> {
        self.live.keys().copied().collect()
    }

    /// The value that `key` must have.
    pub(super) fn value_of(&self, key: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.live.get(&key)?.write(key, &mut bytes);
        Some(bytes)
    }

    /// The live keys of a range, in its order.
    pub(super) fn keys_of(&self, range: ScanRange) -> Vec<u64> {
        let ScanRange { first, limit, order } = range;
        let keys = |pair: (&u64, &Version)| *pair.0;
        match order {
            ScanOrder::Ascending => self.live.range(first..).map(keys).take(limit).collect(),
            ScanOrder::Descending => {
                self.live.range(..=first).rev().map(keys).take(limit).collect()
            }
        }
    }

    /// A random live key, if there is any.
    pub(super) fn some_key(&self, random: &mut Random) -> Option<u64> {
        let mut from = self.live.range(random.next()..).chain(self.live.iter());
        from.next().map(|(&key, _)| key)
    }

    pub(super) fn put<S: KvSession>(
        &mut self,
        session: &mut S,
        key: u64,
        value_bytes: usize,
    ) -> PutOutcome {
        let version = self.next_version(value_bytes);
        version.write(key, &mut self.expected);
        match session.put(key, &self.expected) {
            Ok(outcome) => self.judge_put(key, version, outcome),
            Err(PutError::ValueTooLarge { limit_bytes, .. }) => {
                panic!("put of {value_bytes} bytes is too large, above {limit_bytes}")
            }
        }
    }

    /// Repeats a put that returns `Full`, so that background work can make room.
    pub(super) fn put_patiently<E: KvEngine>(
        &mut self,
        engine: &E,
        session: &mut E::Session<'_>,
        key: u64,
        value_bytes: usize,
    ) -> PutOutcome {
        for _ in 0..FULL_RETRIES {
            let outcome = self.put(session, key, value_bytes);
            if outcome.is_stored() {
                return outcome;
            }
            engine.settle();
            std::thread::sleep(Duration::from_millis(1));
        }
        PutOutcome::Full
    }

    pub(super) fn get<S: KvSession>(&mut self, session: &mut S, key: u64) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let answer = session.get(key, &mut buffer);
        match answer {
            Ok(found) => self.judge_get(key, found.map(|value_bytes| &buffer[..value_bytes])),
            Err(GetError::BufferTooShort { value_bytes, buffer_bytes }) => {
                panic!("get of key {key:#x}: {buffer_bytes} are too short for {value_bytes} bytes")
            }
        }
        self.buffer = buffer;
    }

    pub(super) fn delete<S: KvSession>(&mut self, session: &mut S, key: u64) {
        let deleted = session.delete(key);
        self.judge_delete(key, deleted);
    }

    /// Runs the steps as one batch.
    pub(super) fn execute<S: KvSession>(&mut self, session: &mut S, steps: &[Step]) {
        let versions: Vec<_> = steps.iter().map(|step| self.version_of(*step)).collect();
        let written: Vec<_> = steps.iter().zip(&versions).map(written_value).collect();
        let operations: Vec<_> = steps.iter().zip(&written).map(operation).collect();
        // Prefilled with an outcome that is wrong for every step, so that a missing one is noticed.
        let mut outcomes = vec![Outcome::BufferTooShort(usize::MAX); steps.len()];
        let mut slots = vec![0; steps.len() * VALUE_BYTES_MAX];
        let mut values = ValueBuffers::new(&mut slots, VALUE_BYTES_MAX);
        session.execute(&operations, &mut values, &mut outcomes);
        for (index, ((&step, version), outcome)) in
            steps.iter().zip(versions).zip(outcomes).enumerate()
        {
            match (step, outcome) {
                (Step::Get(key), Outcome::Absent) => self.judge_get(key, None),
                (Step::Get(key), Outcome::Found(value_bytes)) => {
                    self.judge_get(key, Some(&values.slot(index)[..value_bytes]));
                }
                (Step::Put(key, _), Outcome::Put(outcome)) => {
                    self.judge_put(key, version, outcome);
                }
                (Step::Delete(key), Outcome::Deleted(deleted)) => self.judge_delete(key, deleted),
                (step, outcome) => panic!("element {index} of a batch: {step:?} gave {outcome:?}"),
            }
        }
    }

    /// Reads every live key.
    pub(super) fn verify<S: KvSession>(&mut self, session: &mut S) {
        for key in self.keys() {
            self.get(session, key);
        }
    }

    fn version_of(&mut self, step: Step) -> Version {
        match step {
            Step::Put(_, value_bytes) => self.next_version(value_bytes),
            Step::Get(_) | Step::Delete(_) => Version { number: 0, value_bytes: 0 },
        }
    }

    fn next_version(&mut self, value_bytes: usize) -> Version {
        assert!(value_bytes <= VALUE_BYTES_MAX, "the model's buffers hold {VALUE_BYTES_MAX}");
        self.puts += 1;
        Version { number: self.puts, value_bytes }
    }

    fn judge_put(&mut self, key: u64, version: Version, outcome: PutOutcome) -> PutOutcome {
        let seen = match outcome {
            PutOutcome::Full => {
                self.refused += 1;
                return outcome;
            }
            PutOutcome::Inserted => Some(false),
            PutOutcome::Updated => Some(true),
            PutOutcome::Stored => None,
        };
        assert_eq!(seen.is_some(), self.writes == Writes::Telling, "put: {outcome:?}");
        if let Some(seen) = seen {
            self.judge_presence("put", key, seen);
        }
        self.live_value_bytes += version.value_bytes as u64;
        if let Some(old) = self.live.insert(key, version) {
            self.live_value_bytes -= old.value_bytes as u64;
        }
        outcome
    }

    fn judge_get(&mut self, key: u64, found: Option<&[u8]>) {
        self.judge_presence("get", key, found.is_some());
        if let (Some(version), Some(found)) = (self.live.get(&key), found) {
            version.write(key, &mut self.expected);
            assert_value(key, &self.expected, found);
        }
    }

    fn judge_delete(&mut self, key: u64, outcome: DeleteOutcome) {
        match outcome {
            DeleteOutcome::Done => assert_eq!(self.writes, Writes::Blind, "delete: {outcome:?}"),
            told => self.judge_presence("delete", key, told.was_present()),
        }
        self.forget(key);
    }

    fn judge_presence(&mut self, operation: &str, key: u64, seen: bool) {
        match (self.live.contains_key(&key), seen) {
            (true, false) if self.evicts => self.forget(key),
            (true, false) => panic!("{operation} did not find key {key:#x}, which is live"),
            (false, true) => panic!("{operation} found key {key:#x}, which is not live"),
            _ => {}
        }
    }

    fn forget(&mut self, key: u64) {
        if let Some(old) = self.live.remove(&key) {
            self.live_value_bytes -= old.value_bytes as u64;
        }
    }
}

fn written_value((step, version): (&Step, &Version)) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Step::Put(key, _) = *step {
        version.write(key, &mut bytes);
    }
    bytes
}

fn operation<'a>((step, value): (&Step, &'a Vec<u8>)) -> Op<'a> {
    match *step {
        Step::Get(key) => Op::Get { key },
        Step::Put(key, _) => Op::Put { key, value },
        Step::Delete(key) => Op::Delete { key },
    }
}
