//! What an operation of a system shares with those of other threads, as data.

use crate::zipf::Zipf;

/// A system under a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// Things that one thread at a time can have.
    pub visits: Vec<Visit>,
    /// Memory that is read and written.
    pub traffic: Traffic,
}

/// A shared thing, and how an operation uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    pub what: &'static str,
    /// Visits of an operation on average.
    pub per_operation: f64,
    /// Time that a visit holds it, with all its lines at hand, ns.
    pub hold_ns: f64,
    /// Lines that follow it from owner to owner, one transfer after the other.
    pub lines: f64,
    /// How many there are.
    pub places: Places,
    /// Whom one meets there.
    pub among: Among,
}

/// How many of a shared thing there are, and how they are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Places {
    /// So many for each group of [`Among`], one as likely as another.
    Equal(f64),
    /// So many for each thread, one as likely as another.
    PerThread(f64),
    /// One for each rank. The hottest queue; beyond [`HOT_RANKS`](crate::Scenario::HOT_RANKS) two
    /// threads meet too rarely to matter.
    Zipf(Zipf),
}

/// Which threads meet at a shared thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    All,
    /// Those of a socket, which has places of its own.
    Socket,
    /// Those of a socket that were dealt to the same place and keep to it.
    Dealt,
}

/// Memory that an operation reads and writes, by where it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// On the thread's socket.
    pub local: Place,
    /// Spread evenly over the sockets in use.
    pub spread: Place,
    pub first_socket: Place,
    /// Reads of hot objects that other threads have written since.
    pub read_after_write: Option<ReadAfterWrite>,
}

/// What is asked of one kind of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Cache misses of an operation that wait for one another.
    pub misses: f64,
    /// Bytes moved to or from memory.
    pub bytes: f64,
}

/// Hot lines that a reader finds in a writer's cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadAfterWrite {
    /// Reads of an operation on average.
    pub reads: f64,
    /// Writes of an operation on average.
    pub writes: f64,
    /// Lines of an object that were written, one transfer after the other.
    pub lines: f64,
    /// Which objects.
    pub keys: Zipf,
}

impl Scenario {
    /// Ranks of a zipfian distribution that are told from one another.
    pub const QUEUED_RANKS: u64 = 64;
    /// Ranks that a core's own cache would hold if nobody else wrote to them.
    pub const HOT_RANKS: u64 = 1024;
}
