//! One event of an allocation trace.

/// What a program asked of its allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocationKind {
    /// A new object.
    Allocate {
        /// Bytes asked for.
        bytes: u64,
        /// Its alignment in bytes: a power of two, or 0 where none was asked for.
        alignment: u32,
    },
    /// The object gets another size and keeps its number.
    Reallocate {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The object goes.
    Free,
}

/// An event as it was recorded, in the order of all threads together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    /// The thread, numbered from 0 in the order of their first events.
    pub thread: u32,
    /// The object. Numbers are given in the order of allocation, from 0, and never again.
    pub object: u64,
    /// What happens to it.
    pub kind: AllocationKind,
}
