//! What a server answers.

/// One reply; bytes are in the buffer that was passed, as far as they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(hiredis), expect(dead_code, reason = "only a connection makes replies"))]
pub(crate) enum Reply {
    /// There is no such key.
    Nil,
    /// A number.
    Integer(i64),
    /// Bytes, of this length.
    Bytes(usize),
    /// It is done.
    Status,
    /// It was refused; the length of the text that says why.
    Error(usize),
    /// Something that no command of ours is answered with.
    Other,
}

/// Whether an error's text says that memory is exhausted.
#[inline]
pub(crate) fn is_out_of_memory(error: &[u8]) -> bool {
    error.starts_with(b"OOM ")
}
