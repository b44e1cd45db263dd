//! The store, and one thread's session with it.

use crate::{
    EngineTraits, GetError, MemoryCensus, Op, OpenError, Outcome, Presence, PutError, SessionError,
    Statistic, ValueBuffers,
};

/// What a successful `put` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The key is new.
    Inserted,
    /// The key was present; its old value is gone.
    Updated,
    /// There is no space. The store is unchanged and stays readable; a later `put` may succeed
    /// after deletes. In fill experiments this is the *result*.
    Full,
}

impl PutOutcome {
    /// Whether the value is now in the store.
    #[must_use]
    pub fn is_stored(self) -> bool {
        self != Self::Full
    }
}

/// A pair returned by a scan; the value is copied out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanEntry {
    /// The key.
    pub key: u64,
    /// The bytes of the value.
    pub value: Vec<u8>,
}

/// A store that threads share.
///
/// Dropping it stops and joins every thread it started and frees its memory.
pub trait KvEngine: Sync {
    /// Its constant properties.
    const TRAITS: EngineTraits;

    /// What this machine lacks of all that some setting of the store needs
    /// ([`EngineTraits::may_be_missing`]). Each is an [`OpenError::Missing`], which says how to get
    /// it. No store is opened, and no program is started.
    #[must_use]
    fn lacking() -> Vec<OpenError> {
        Vec::new()
    }

    /// One thread's use of the store; it borrows the store, so guards need no reference count.
    type Session<'engine>: KvSession
    where
        Self: 'engine;

    /// Opens a session for the calling thread. Sessions may be opened and dropped at any time.
    ///
    /// # Errors
    /// [`SessionError`] if the engine's thread table is full.
    fn session(&self) -> Result<Self::Session<'_>, SessionError>;

    /// Opens the session of worker `worker` of `workers`. In a partitioned design, the session owns
    /// the keys that [`route`](Self::route) assigns to that worker until it is dropped; a plain
    /// [`session`](Self::session) owns all keys.
    ///
    /// # Errors
    /// [`SessionError`] if the thread table is full, or another session owns some of these keys.
    fn worker_session(
        &self,
        worker: usize,
        workers: usize,
    ) -> Result<Self::Session<'_>, SessionError> {
        let _ = (worker, workers);
        self.session()
    }

    /// Which of `workers` workers may access `key`. Shared designs keep the default, `None`: any
    /// worker may access it, and the driver leaves the operation where it is.
    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        let _ = (key, workers);
        None
    }

    /// What the store occupies besides its callers' threads, as opened.
    fn presence(&self) -> Presence {
        Presence { page_bytes: Self::TRAITS.page_bytes, threads: 0, servers: 0 }
    }

    /// Waits until pending background work is done (bounded: a few seconds at most).
    fn settle(&self) {}

    /// Returns unneeded memory to the operating system, as far as the design can.
    fn trim(&self) {}

    /// The memory in use; see [`MemoryCensus`] for the equations that hold when no writer is
    /// active.
    fn memory(&self) -> MemoryCensus;

    /// The engine's own counters, by name.
    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    /// The current settings as `(name, value)`, defaults included.
    fn settings(&self) -> Vec<crate::Setting> {
        Vec::new()
    }

    /// Walks the whole store and checks its invariants, if the engine can; for tests.
    ///
    /// # Errors
    /// A description of the first violation.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// One thread's session. Operations take `&mut self`, because a session is not shared.
pub trait KvSession {
    /// Copies the value of `key` to the front of `buffer` and returns its length; `None` if the key
    /// is absent.
    ///
    /// # Errors
    /// [`GetError::BufferTooShort`] with the value's length; the contents of the buffer are then
    /// unspecified.
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError>;

    /// Stores `value` under `key`, replacing any old value.
    ///
    /// # Errors
    /// [`PutError::ValueTooLarge`] if no amount of free space would suffice.
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError>;

    /// Removes `key`; returns whether it was present.
    fn delete(&mut self, key: u64) -> bool;

    /// Executes a batch of mixed operations. Operations on the same key keep their order;
    /// operations on different keys may be reordered. `Full` and errors are reported per operation.
    ///
    /// A value that is found is copied into the operation's slot of `values`.
    ///
    /// # Panics
    /// If `outcomes` is shorter than `operations`, or `values` has fewer slots.
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

    /// The first `limit` pairs with keys from `first` upwards, in order; `None` if the engine is
    /// not ordered ([`EngineTraits::ordered`]).
    fn scan(&mut self, first: u64, limit: usize) -> Option<Vec<ScanEntry>> {
        let _ = (first, limit);
        None
    }
}
