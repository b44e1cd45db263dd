//! A store around another that commits one fault now and then: what a stress finds, it must find here.

use engine::{
    DeleteOutcome, EngineTraits, GetError, KvEngine, KvSession, MemoryCensus, PutError, PutOutcome,
    Rmw, SessionError,
};

/// One in this many operations that could go wrong does.
const RARELY: u64 = 1000;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// A bit of a value that is read.
    Flip,
    /// The second half of a value is that of the one read before.
    Tear,
    /// A GET answers with the value read before, of another key.
    Swap,
    /// A value lacks its last byte.
    Shorten,
    /// A PUT is acknowledged and dropped.
    Lose,
    /// A PUT is acknowledged and done after the next operation.
    Delay,
    /// A DELETE is acknowledged and not done.
    Keep,
    /// An acknowledged PUT is deleted again by a later PUT.
    Vanish,
}

impl Plant {
    pub const ALL: [Self; 8] = [
        Self::Flip,
        Self::Tear,
        Self::Swap,
        Self::Shorten,
        Self::Lose,
        Self::Delay,
        Self::Keep,
        Self::Vanish,
    ];
}

/// The store.
#[derive(Debug)]
pub struct Planted<'engine, E> {
    pub inner: &'engine E,
    pub plant: Plant,
}

impl<E: KvEngine> KvEngine for Planted<'_, E> {
    /// Its read-modify-write is the default.
    const TRAITS: EngineTraits = EngineTraits { rmw: Rmw::GetThenPut, ..E::TRAITS };

    type Session<'session>
        = PlantedSession<E::Session<'session>>
    where
        Self: 'session;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        self.inner.session().map(|inner| PlantedSession::new(inner, self.plant))
    }

    fn worker_session(
        &self,
        worker: usize,
        workers: usize,
    ) -> Result<Self::Session<'_>, SessionError> {
        let inner = self.inner.worker_session(worker, workers);
        inner.map(|inner| PlantedSession::new(inner, self.plant))
    }

    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        self.inner.route(key, workers)
    }

    fn settle(&self) {
        self.inner.settle();
    }

    fn memory(&self) -> MemoryCensus {
        self.inner.memory()
    }

    fn check(&self) -> Result<(), String> {
        self.inner.check()
    }
}

/// One thread's use of a [`Planted`] store.
#[derive(Debug)]
pub struct PlantedSession<S> {
    inner: S,
    plant: Plant,
    /// Operations that could have gone wrong.
    chances: u64,
    /// The value read before.
    before: Vec<u8>,
    /// The PUT that was delayed.
    delayed: Option<(u64, Vec<u8>)>,
    /// The last PUT.
    last: Option<u64>,
}

impl<S: KvSession> PlantedSession<S> {
    fn new(inner: S, plant: Plant) -> Self {
        Self { inner, plant, chances: 0, before: Vec::new(), delayed: None, last: None }
    }

    /// Counts a chance of `plant`; whether it is taken.
    fn takes(&mut self, plant: Plant) -> bool {
        self.chances += u64::from(self.plant == plant);
        self.plant == plant && self.chances.is_multiple_of(RARELY)
    }

    /// Changes the value that was found, and its length.
    fn spoil(&mut self, buffer: &mut [u8], value_bytes: usize) -> usize {
        let before = std::mem::replace(&mut self.before, buffer[..value_bytes].to_vec());
        if value_bytes == 0 || before.is_empty() || before == self.before {
            return value_bytes;
        }
        if self.takes(Plant::Flip) {
            buffer[value_bytes / 2] ^= 4;
        }
        let half = value_bytes / 2..value_bytes.min(before.len());
        if !half.is_empty() && self.takes(Plant::Tear) {
            buffer[half.clone()].copy_from_slice(&before[half]);
        }
        if before.len() <= buffer.len() && self.takes(Plant::Swap) {
            buffer[..before.len()].copy_from_slice(&before);
            return before.len();
        }
        value_bytes - usize::from(self.takes(Plant::Shorten))
    }
}

impl<S: KvSession> KvSession for PlantedSession<S> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let found = self.inner.get(key, buffer);
        if let Some((key, value)) = self.delayed.take() {
            let _answered_before = self.inner.put(key, &value);
        }
        Ok(found?.map(|value_bytes| self.spoil(buffer, value_bytes)))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        if self.takes(Plant::Lose) {
            return Ok(PutOutcome::Updated);
        }
        if self.takes(Plant::Delay) {
            self.delayed = Some((key, value.to_vec()));
            return Ok(PutOutcome::Updated);
        }
        if let Some(last) = self.last.filter(|last| *last != key)
            && self.takes(Plant::Vanish)
        {
            self.inner.delete(last);
        }
        let outcome = self.inner.put(key, value)?;
        self.last = outcome.is_stored().then_some(key);
        Ok(outcome)
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        if self.takes(Plant::Keep) {
            let mut buffer = vec![0; super::stress::VALUE_BYTES_MAX];
            let found = self.inner.get(key, &mut buffer).is_ok_and(|found| found.is_some());
            return DeleteOutcome::told(found);
        }
        self.inner.delete(key)
    }
}
