//! The store, and one thread's session with it.

use std::path::PathBuf;
use std::time::Duration;

use crate::{
    Decide, Decision, Durability, EngineTraits, GetError, MemoryCensus, Op, OpenError, Outcome,
    Presence, PutError, Rmw, SessionError, Snapshots, Statistic, Storage, ValueBuffers,
    WithSnapshot, Write, Writes, get_then_put,
};

/// What a successful `put` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The key is new.
    Inserted,
    /// The key was present; its old value is gone.
    Updated,
    /// The value is stored. Whether the key was present is not told, because the store would have to
    /// look it up ([`Writes::Blind`]).
    Stored,
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

/// What a `delete` did. The key is absent in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteOutcome {
    /// The key was absent.
    Absent,
    /// The key was present.
    Removed,
    /// Whether the key was present is not told, because the store would have to look it up
    /// ([`Writes::Blind`]).
    Done,
}

impl DeleteOutcome {
    /// The outcome of a store that knows whether the key was present.
    #[inline]
    #[must_use]
    pub fn told(was_present: bool) -> Self {
        if was_present { Self::Removed } else { Self::Absent }
    }

    /// Whether the store says that the key was present.
    #[inline]
    #[must_use]
    pub fn was_present(self) -> bool {
        self == Self::Removed
    }
}

/// The order in which a scan visits keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanOrder {
    /// From the first key upwards.
    Ascending,
    /// From the first key downwards.
    Descending,
}

/// Which pairs a scan visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanRange<K = u64> {
    /// Where it begins: the key itself, if present, or else the next one in the order.
    pub first: K,
    /// The most pairs.
    pub limit: usize,
    /// The order of the keys.
    pub order: ScanOrder,
}

impl<K> ScanRange<K> {
    /// At most `limit` pairs from `first` upwards.
    #[must_use]
    pub fn up(first: K, limit: usize) -> Self {
        Self { first, limit, order: ScanOrder::Ascending }
    }

    /// At most `limit` pairs from `first` downwards.
    #[must_use]
    pub fn down(first: K, limit: usize) -> Self {
        Self { first, limit, order: ScanOrder::Descending }
    }
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

    /// Where this instance keeps its objects.
    fn storage(&self) -> Storage {
        Self::TRAITS.storage
    }

    /// Where this instance keeps its files: folders that hold nothing else. Empty where objects are in
    /// memory, or in files that are only a way to keep them there.
    fn folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What of this instance survives its end.
    fn durability(&self) -> Durability {
        Self::TRAITS.durability
    }

    /// What this instance says of the keys it writes.
    fn writes(&self) -> Writes {
        Self::TRAITS.writes
    }

    /// How this instance reads, modifies and writes.
    fn rmw(&self) -> Rmw {
        Self::TRAITS.rmw
    }

    /// What snapshots of this instance show.
    fn snapshots(&self) -> Snapshots {
        Self::TRAITS.snapshots
    }

    /// Whether this instance carries out several writes in one step.
    fn writes_in_one_step(&self) -> bool {
        Self::TRAITS.writes_in_one_step
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

    /// Removes `key`.
    fn delete(&mut self, key: u64) -> DeleteOutcome;

    /// Shows the value of `key` to `decide`, and stores the new one if it decides so. `None` if it keeps
    /// what there is.
    ///
    /// Where [`KvEngine::rmw`] is [`Rmw::Atomic`], nobody else writes the key in between.
    ///
    /// # Errors
    /// As for [`Self::put`]; the store is then unchanged.
    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        get_then_put(self, key, decide)
    }

    /// Stores `value` under `key` unless there is a value. `None` if there is one. It is as atomic as
    /// [`Self::read_modify_write`].
    ///
    /// # Errors
    /// As for [`Self::put`].
    fn put_if_absent(&mut self, key: u64, value: &[u8]) -> Result<Option<PutOutcome>, PutError> {
        self.read_modify_write(key, &mut |old, new| {
            if old.is_some() {
                return Decision::Keep;
            }
            new.extend_from_slice(value);
            Decision::Put
        })
    }

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

    /// Shows the pairs of a range to `visit`, in order, and returns how many there were; `None` if
    /// the store does not scan in this order ([`EngineTraits::scans`]).
    ///
    /// Nothing is copied or allocated. A store may hold locks or an epoch while it scans, so `visit`
    /// should be short. Keys that are present throughout are visited once; of keys that are inserted
    /// or deleted meanwhile, any may be.
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let _ = (range, visit);
        None
    }

    /// Takes a snapshot, calls `read` with it, and drops it. Returns whether the store has snapshots
    /// ([`KvEngine::snapshots`]); if not, nothing is called. While it is open, other sessions go on, and what
    /// it shows takes memory.
    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        let _ = read;
        false
    }

    /// Carries out all these writes, or none of them: no snapshot shows a part, and where the store is
    /// durable none is left of a part. A GET without a snapshot may see one. `None` if the store cannot
    /// ([`KvEngine::writes_in_one_step`]).
    ///
    /// # Errors
    /// As for [`Self::put`], of the first value that is too large.
    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let _ = writes;
        Ok(None)
    }

    /// As [`Self::put`], of an object that ends by itself: when `lifetime` and one more unit of the store's
    /// ([`EngineTraits::expiry`]) have passed, no GET finds it. `lifetime` is rounded up to whole units. Until
    /// it has passed but for a unit, the object is as any other, except that a store which evicts may drop it.
    /// Another PUT of the key takes the lifetime away, or gives a new one. `None` if the store's objects have
    /// no lifetimes.
    ///
    /// # Errors
    /// As for [`Self::put`].
    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        let _ = (key, value, lifetime);
        Ok(None)
    }
}
