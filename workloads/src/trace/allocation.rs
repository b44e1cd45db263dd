//! An event of an allocation trace.

/// What a program asked of its allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocationKind {
    /// Allocate a new object.
    Allocate {
        bytes: u64,
        /// Alignment in bytes: a power of two, or 0 if none was requested.
        alignment: u32,
    },
    /// Change an object's size; it keeps its number.
    Reallocate {
        bytes: u64,
    },
    Free,
}

/// A recorded event; events are ordered across all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    /// The thread, numbered from 0 in order of first events.
    pub thread: u32,
    /// The object. Numbers start at 0, follow the order of allocation, and are never reused.
    pub object: u64,
    pub kind: AllocationKind,
}
