//! The store and one thread's session of it.

use crate::{
    EngineTraits, GetError, MemoryCensus, Op, Outcome, Presence, PutError, SessionError, Statistic,
    ValueBuffers,
};

/// What a `put` that did not fail did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The key is new.
    Inserted,
    /// The key was there; its old value is gone.
    Updated,
    /// There is no space, the store is unchanged and stays readable. A later `put` may succeed
    /// after deletes. In fill experiments this is the *result*.
    Full,
}

impl PutOutcome {
    /// Whether the value is in the store now.
    #[must_use]
    pub fn is_stored(self) -> bool {
        self != Self::Full
    }
}

/// One pair that a scan delivers; the value is copied out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanEntry {
    /// The key.
    pub key: u64,
    /// The value's bytes.
    pub value: Vec<u8>,
}

/// A shared store.
///
/// Dropping it stops and joins every thread it started and gives its memory back.
pub trait KvEngine: Sync {
    /// What this engine is, as constant data.
    const TRAITS: EngineTraits;

    /// One thread's use of the store; it borrows the store, so guards need no reference count.
    type Session<'engine>: KvSession
    where
        Self: 'engine;

    /// Opens a session for the calling thread. Sessions may be opened and dropped at any time.
    ///
    /// # Errors
    /// [`SessionError`] when the engine's table of threads is exhausted.
    fn session(&self) -> Result<Self::Session<'_>, SessionError>;

    /// Opens the session of one of `workers` workers. In a partitioned design it claims what
    /// [`route`](Self::route) gives that worker until it is dropped, and a plain
    /// [`session`](Self::session) claims everything.
    ///
    /// # Errors
    /// [`SessionError`] when the table of threads is exhausted, or another session holds a claim.
    fn worker_session(
        &self,
        worker: usize,
        workers: usize,
    ) -> Result<Self::Session<'_>, SessionError> {
        let _ = (worker, workers);
        self.session()
    }

    /// Which of `workers` workers may touch `key`. Shared designs leave the default: any worker
    /// may, and the driver keeps the operation where it is.
    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        let _ = (key, workers);
        None
    }

    /// What it occupies beside its callers' threads, as opened.
    fn presence(&self) -> Presence {
        Presence { page_bytes: Self::TRAITS.page_bytes, threads: 0, servers: 0 }
    }

    /// Returns when background work that is due is done (bounded: at most some seconds).
    fn settle(&self) {}

    /// Gives memory that is not needed back to the operating system, as far as the design can.
    fn trim(&self) {}

    /// Where the bytes are; see [`MemoryCensus`] for the equation it satisfies when writers are
    /// quiet.
    fn memory(&self) -> MemoryCensus;

    /// Counters of the engine's own, by name.
    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    /// The settings in force, as `(name, value)`, defaults included.
    fn settings(&self) -> Vec<crate::Setting> {
        Vec::new()
    }

    /// Walks the whole store and verifies its invariants, where the engine can; for tests.
    ///
    /// # Errors
    /// A description of the first violation.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// One thread's session. Operations take `&mut self`: a session is not shared.
pub trait KvSession {
    /// Copies the value of `key` into the front of `buffer` and returns its length, `None` when
    /// the key is absent.
    ///
    /// # Errors
    /// [`GetError::BufferTooShort`] carries the value's length; the buffer's content is then
    /// unspecified.
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError>;

    /// Stores `value` under `key`, replacing what was there.
    ///
    /// # Errors
    /// [`PutError::ValueTooLarge`] when no amount of free space would help.
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError>;

    /// Removes `key`; tells whether it was there.
    fn delete(&mut self, key: u64) -> bool;

    /// Executes a mixed batch. The order of operations on one key is kept; operations on
    /// different keys may be reordered. `Full` and errors are reported per element.
    ///
    /// A value that is found is copied into its slot of `values`.
    ///
    /// # Panics
    /// When `outcomes` is shorter than `operations`, or `values` has fewer slots.
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        for (index, (operation, outcome)) in operations.iter().zip(outcomes).enumerate() {
            *outcome = match *operation {
                Op::Get { key } => Outcome::of_get(self.get(key, values.slot(index))),
                Op::Put { key, value } => Outcome::of_put(self.put(key, value)),
                Op::Delete { key } => Outcome::Deleted(self.delete(key)),
            };
        }
    }

    /// The first `limit` pairs with keys from `first` upwards, in order; `None` when the engine
    /// is not ordered ([`EngineTraits::ordered`]).
    fn scan(&mut self, first: u64, limit: usize) -> Option<Vec<ScanEntry>> {
        let _ = (first, limit);
        None
    }
}
