//! One operation of a key-value trace.

/// What an operation does, as far as an in-memory store is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationKind {
    /// Read a value.
    Get,
    /// Store a value, whether the key is there or not.
    Put,
    /// Remove a key.
    Delete,
}

impl OperationKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Get, Self::Put, Self::Delete];

    /// The name in tables and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Delete => "delete",
        }
    }
}

/// An operation as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// When it was sent, since the trace began. Never less than that of the operation before.
    pub time_ns: u64,
    /// What it does.
    pub kind: OperationKind,
    /// The key; text keys and block addresses become one by
    /// [`key_of_bytes`](super::key_of_bytes).
    pub key: u64,
    /// PUT: bytes of the value. GET: bytes of the object as the trace tells them, 0 where it does
    /// not; what a GET that misses would store. DELETE: 0.
    pub value_bytes: u32,
}
