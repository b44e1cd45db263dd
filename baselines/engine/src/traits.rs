//! Constant properties of engines, which plans and reports consult.

use crate::{Durability, Expiry, ScanOrder, Snapshots};

/// Which thread may access which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Any thread may access any key.
    Shared,
    /// Each key belongs to one worker ([`KvEngine::route`](crate::KvEngine::route)). Only that
    /// worker may access it, through its own session
    /// ([`KvEngine::worker_session`](crate::KvEngine::worker_session)).
    Partitioned,
    /// Any worker may GET; only the key's worker may do anything else.
    PartitionedWrites,
}

impl Sharing {
    /// Whether keys belong to workers.
    #[must_use]
    pub const fn is_partitioned(self) -> bool {
        !matches!(self, Self::Shared)
    }
}

/// In which orders a store scans its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scans {
    /// It is not ordered.
    No,
    /// Upwards.
    Ascending,
    /// Upwards and downwards.
    Both,
}

impl Scans {
    /// Whether it scans in this order.
    #[must_use]
    pub const fn include(self, order: ScanOrder) -> bool {
        match order {
            ScanOrder::Ascending => !matches!(self, Self::No),
            ScanOrder::Descending => matches!(self, Self::Both),
        }
    }

    /// Whether its keys are ordered.
    #[must_use]
    pub const fn are_possible(self) -> bool {
        self.include(ScanOrder::Ascending)
    }
}

/// Which keys a store takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Words only.
    Word,
    /// Words, and byte strings of any length up to a limit
    /// ([`KvBytesEngine`](crate::KvBytesEngine)), in an instance of its own.
    Bytes {
        /// The longest key.
        max: usize,
    },
}

impl Keys {
    /// The longest byte string that is a key; `None` if only words are.
    #[must_use]
    pub const fn bytes_max(self) -> Option<usize> {
        match self {
            Self::Word => None,
            Self::Bytes { max } => Some(max),
        }
    }
}

/// Where a key's hash is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    /// Nowhere: keys are compared, not hashed.
    None,
    /// In the store, within every operation.
    Store,
    /// In the client and again in the server.
    ClientAndServer,
}

/// What lies between the caller and the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A function call.
    Call,
    /// A UNIX socket to another process.
    UnixSocket,
}

/// What the engine does when its memory is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullMeaning {
    /// PUT returns `Full`.
    Refuse,
    /// Other objects are dropped.
    Evict,
    /// It grows until the system refuses memory.
    Grow,
}

/// How strictly the configured capacity limits memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryBound {
    /// Resident memory never exceeds the capacity.
    Hard,
    /// Metadata grows in addition to the configured object memory.
    Soft,
    /// No capacity can be set.
    None,
}

/// Where the memory for objects comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocatorChoice {
    /// The engine maps and manages its own memory.
    Own,
    /// The program's global allocator.
    Global,
    /// Any [`Heap`](crate::Heap), chosen when the store is opened.
    Chosen,
}

/// Where a store keeps its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory; so does a library whose files are only a way to keep it there.
    Memory,
    /// In persistent memory that is emulated: its latencies are waited for, and nothing persists.
    EmulatedPersistentMemory,
    /// In files on a disk.
    Disk,
    /// In files that were meant for a disk, on a file system in memory.
    FilesInMemory,
}

/// What a store says of a key that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// PUT and DELETE tell whether the key was present.
    Telling,
    /// PUT does not tell, and looks nothing up: [`PutOutcome::Stored`](crate::PutOutcome::Stored).
    /// DELETE tells only where the design finds the key in any case.
    Blind,
}

/// How a store reads a value and writes one that depends on it
/// ([`KvSession::read_modify_write`](crate::KvSession::read_modify_write)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rmw {
    /// In one step: nobody else writes the key in between.
    Atomic,
    /// By a GET and then a PUT: what others write in between is lost.
    GetThenPut,
}

impl Writes {
    /// Of a store that looks a key up before it writes if somebody asks whether it was present.
    #[must_use]
    pub const fn telling_if(asked: bool) -> Self {
        if asked { Self::Telling } else { Self::Blind }
    }
}

/// Environment variables that must be set when the process starts, as `(name, value)`.
pub type Environment = &'static [(&'static str, &'static str)];

/// Constant properties of a store.
#[derive(Clone, Copy, Debug)]
pub struct EngineTraits {
    /// The name under which it is registered.
    pub name: &'static str,
    /// Its design, in one line.
    pub description: &'static str,
    /// Which thread may access which key.
    pub sharing: Sharing,
    /// What happens when memory is full.
    pub full: FullMeaning,
    /// How strictly the capacity limits memory.
    pub memory_bound: MemoryBound,
    /// Where the memory for objects comes from.
    pub allocator: AllocatorChoice,
    /// Which keys it takes.
    pub keys: Keys,
    /// The longest value that any instance accepts; a given instance may accept less.
    pub value_bytes_max: usize,
    /// What [`KvSession::scan`](crate::KvSession::scan) can do.
    pub scans: Scans,
    /// What survives the store's end, in the default settings; an instance may differ
    /// ([`KvEngine::durability`](crate::KvEngine::durability)).
    pub durability: Durability,
    /// Where it keeps its objects; an instance may differ
    /// ([`KvEngine::storage`](crate::KvEngine::storage)).
    pub storage: Storage,
    /// What it says of the keys it writes where nobody asks; an instance may differ
    /// ([`KvEngine::writes`](crate::KvEngine::writes)).
    pub writes: Writes,
    /// `Atomic` if an instance can read, modify and write in one step; what an instance does says
    /// [`KvEngine::rmw`](crate::KvEngine::rmw).
    pub rmw: Rmw,
    /// What its snapshots show; an instance may differ
    /// ([`KvEngine::snapshots`](crate::KvEngine::snapshots)).
    pub snapshots: Snapshots,
    /// Whether an instance carries out several writes in one step; what an instance does says
    /// [`KvEngine::writes_in_one_step`](crate::KvEngine::writes_in_one_step).
    pub writes_in_one_step: bool,
    /// Whether each write by itself is a transaction with a commit, so that tests ask less of it.
    pub commits_each_write: bool,
    /// In which units it counts the lifetimes of objects.
    pub expiry: Expiry,
    /// Page size that it requests, in bytes; an instance may differ
    /// ([`KvEngine::presence`](crate::KvEngine::presence)).
    pub page_bytes: usize,
    /// Whether it starts its own threads.
    pub background_threads: bool,
    /// Whether it starts its own processes.
    pub processes: bool,
    /// Whether it needs a library or program that a machine may lack
    /// ([`OpenError::Missing`](crate::OpenError::Missing)).
    pub may_be_missing: bool,
    /// Where a key's hash is computed.
    pub hashing: Hashing,
    /// What lies between the caller and the store.
    pub transport: Transport,
    /// Whether [`KvSession::execute`](crate::KvSession::execute) is more than a loop.
    pub batches: bool,
    /// Environment variables that it needs at process start.
    pub environment: Environment,
    /// Whether it keeps the values it is given. A store that does not measures the cost of the
    /// harness; its values are not verified, and the conformance suite does not apply.
    pub keeps_values: bool,
    /// Whether it exists only for tests of the harness: hidden from lists, rejected in published
    /// suites.
    pub test_only: bool,
}

impl EngineTraits {
    /// The traits that most engines share. An engine overrides the rest with struct update syntax.
    pub const BASE: Self = Self {
        name: "",
        description: "",
        sharing: Sharing::Shared,
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Hard,
        allocator: AllocatorChoice::Own,
        keys: Keys::Word,
        value_bytes_max: u32::MAX as usize,
        scans: Scans::No,
        durability: Durability::None,
        storage: Storage::Memory,
        writes: Writes::Telling,
        rmw: Rmw::GetThenPut,
        snapshots: Snapshots::No,
        writes_in_one_step: false,
        commits_each_write: false,
        expiry: Expiry::None,
        page_bytes: 4096,
        background_threads: false,
        processes: false,
        may_be_missing: false,
        hashing: Hashing::Store,
        transport: Transport::Call,
        batches: false,
        environment: &[],
        keeps_values: true,
        test_only: false,
    };
}

/// What an open store occupies besides its callers' threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Page size that it requested, in bytes.
    pub page_bytes: usize,
    /// Number of its own threads in the caller's process.
    pub threads: usize,
    /// Number of its own processes.
    pub servers: usize,
}
