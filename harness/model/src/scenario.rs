//! Resources that an operation of a system shares with other threads, as data.

use crate::zipf::Zipf;

/// A system under a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// Resources that one thread at a time can hold.
    pub visits: Vec<Visit>,
    /// Memory traffic.
    pub traffic: Traffic,
}

/// A shared resource, and its use by an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    pub what: &'static str,
    /// Mean visits per operation.
    pub per_operation: f64,
    /// Time that a visit holds the resource once all its lines are present, ns.
    pub hold_ns: f64,
    /// Lines that move with it from owner to owner, one transfer after the other.
    pub lines: f64,
    /// Number of instances.
    pub places: Places,
    /// Which threads meet there.
    pub among: Among,
}

/// How many instances a shared resource has, and how they are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Places {
    /// This many per group of [`Among`], equally likely.
    Equal(f64),
    /// This many per thread, equally likely.
    PerThread(f64),
    /// One per rank. Only the hottest ranks queue; beyond [`HOT_RANKS`](crate::Scenario::HOT_RANKS) two
    /// threads meet too rarely to matter.
    Zipf(Zipf),
}

/// Which threads meet at a shared resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    All,
    /// Threads of one socket, which has its own instances.
    Socket,
    /// Threads of one socket that are assigned to the same instance for good.
    Dealt,
}

/// Memory that an operation reads and writes, by location.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// On the thread's socket.
    pub local: Place,
    /// Spread evenly over the sockets in use.
    pub spread: Place,
    pub first_socket: Place,
    /// Reads of hot objects that other threads have written in the meantime.
    pub read_after_write: Option<ReadAfterWrite>,
}

/// Traffic to one kind of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Dependent cache misses per operation.
    pub misses: f64,
    /// Bytes moved to or from memory.
    pub bytes: f64,
}

/// Hot lines that a reader finds in a writer's cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadAfterWrite {
    /// Mean reads per operation.
    pub reads: f64,
    /// Mean writes per operation.
    pub writes: f64,
    /// Written lines of an object, one transfer after the other.
    pub lines: f64,
    /// Popularity of the objects.
    pub keys: Zipf,
}

impl Scenario {
    /// Ranks of a zipfian distribution that are modelled individually.
    pub const QUEUED_RANKS: u64 = 64;
    /// Ranks that a core's own cache would hold if nobody else wrote to them.
    pub const HOT_RANKS: u64 = 1024;
}
