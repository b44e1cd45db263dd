//! An operation of a key-value trace.

/// What an operation does, as seen by an in-memory store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationKind {
    Get,
    /// Store a value, whether the key is present or not.
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

/// A recorded operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// When it was sent, relative to the start of the trace. Never decreases within a trace.
    pub time_ns: u64,
    pub kind: OperationKind,
    /// The key. [`key_of_bytes`](super::key_of_bytes) makes one from text keys and block addresses.
    pub key: u64,
    /// PUT: the size of the value. GET: the size of the object according to the trace, or 0 if
    /// unknown; this is what a GET that misses would store. DELETE: 0.
    pub value_bytes: u32,
    /// The length of the text whose hash `key` is; 0 where keys are numbers.
    pub key_bytes: u32,
}

impl Operation {
    /// The bytes of its object: the value, and the key where that is a text. Stores address objects by
    /// eight bytes, so the text is part of what they hold.
    #[must_use]
    pub const fn object_bytes(&self) -> u64 {
        self.value_bytes as u64 + self.key_bytes as u64
    }
}
