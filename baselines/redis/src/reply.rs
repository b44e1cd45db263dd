//! Replies of servers.

/// A reply; its bytes are in the buffer that was passed, as far as they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The key does not exist.
    Nil,
    Integer(i64),
    /// Bytes, of this length.
    Bytes(usize),
    /// Success.
    Status,
    /// The command was refused. Contains the length of the message.
    Error(usize),
    /// A reply that none of our commands expects.
    Other,
}

/// Whether an error's message says that memory is exhausted.
#[inline]
pub(crate) fn is_out_of_memory(error: &[u8]) -> bool {
    error.starts_with(b"OOM ")
}
