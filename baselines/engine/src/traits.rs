//! What an engine is, as constant data that plans and reports consult.

/// Who may touch which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Any thread, any key.
    Shared,
    /// Each key belongs to one worker ([`KvEngine::route`](crate::KvEngine::route)), who alone may
    /// touch it, through a session of its own
    /// ([`KvEngine::worker_session`](crate::KvEngine::worker_session)).
    Partitioned,
    /// Any worker may GET; everything else belongs to the key's worker.
    PartitionedWrites,
}

impl Sharing {
    /// Whether keys belong to workers.
    #[must_use]
    pub const fn is_partitioned(self) -> bool {
        !matches!(self, Self::Shared)
    }
}

/// Where a key's hash is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    /// Nowhere: keys are compared.
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

/// What the engine does when its memory is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullMeaning {
    /// PUT answers `Full`.
    Refuse,
    /// Other objects are dropped.
    Evict,
    /// It grows until the system refuses memory.
    Grow,
}

/// How strictly the configured capacity binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryBound {
    /// Never more resident than configured.
    Hard,
    /// Metadata grows beside the configured object memory.
    Soft,
    /// No capacity can be set.
    None,
}

/// Where the objects' memory comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocatorChoice {
    /// The engine maps and manages memory itself.
    Own,
    /// The program's global allocator.
    Global,
    /// Any [`Heap`](crate::Heap), chosen when the store is opened.
    Chosen,
}

/// Environment variables that must be set when the process starts, as `(name, value)`.
pub type Environment = &'static [(&'static str, &'static str)];

/// What a store is.
#[derive(Clone, Copy, Debug)]
pub struct EngineTraits {
    /// The name it is registered under.
    pub name: &'static str,
    /// One line: the design.
    pub description: &'static str,
    /// Who may touch which key.
    pub sharing: Sharing,
    /// What happens when memory is exhausted.
    pub full: FullMeaning,
    /// How strictly the capacity binds.
    pub memory_bound: MemoryBound,
    /// Where objects' memory comes from.
    pub allocator: AllocatorChoice,
    /// Longest value any instance takes; an instance may take less.
    pub value_bytes_max: usize,
    /// Whether [`KvSession::scan`](crate::KvSession::scan) works.
    pub ordered: bool,
    /// Whether a crash loses data. Nothing here is durable yet.
    pub durable: bool,
    /// Page size it asks for, in bytes; an instance may differ
    /// ([`KvEngine::presence`](crate::KvEngine::presence)).
    pub page_bytes: usize,
    /// Whether it starts threads of its own.
    pub background_threads: bool,
    /// Whether it starts processes of its own.
    pub processes: bool,
    /// Whether it needs a library or a program that a machine may lack
    /// ([`OpenError::Missing`](crate::OpenError::Missing)).
    pub may_be_missing: bool,
    /// Where a key's hash is computed.
    pub hashing: Hashing,
    /// What lies between the caller and the store.
    pub transport: Transport,
    /// Whether [`KvSession::execute`](crate::KvSession::execute) is more than a loop.
    pub batches: bool,
    /// Environment it needs at process start.
    pub environment: Environment,
    /// Whether it keeps the values it is given. A store that does not prices the harness; its
    /// values are not verified and conformance does not apply.
    pub keeps_values: bool,
    /// Only for tests of the harness: hidden from lists, refused in published suites.
    pub test_only: bool,
}

impl EngineTraits {
    /// The traits most engines share; an engine overrides what differs with struct update syntax.
    pub const BASE: Self = Self {
        name: "",
        description: "",
        sharing: Sharing::Shared,
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Hard,
        allocator: AllocatorChoice::Own,
        value_bytes_max: u32::MAX as usize,
        ordered: false,
        durable: false,
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

/// What an open store occupies beside its callers' threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Page size it asked for, in bytes.
    pub page_bytes: usize,
    /// Threads of its own in the caller's process.
    pub threads: usize,
    /// Processes of its own.
    pub servers: usize,
}
