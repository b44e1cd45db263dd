//! The input of a trace: named bytes, with a count of those read.

use std::io::Read;

use super::{TraceError, TraceErrorKind};

#[derive(Debug)]
pub(super) struct Source<In> {
    input: In,
    name: String,
    offset: u64,
}

impl<In: Read> Source<In> {
    pub(super) fn new(input: In, name: &str) -> Self {
        Self { input, name: name.to_owned(), offset: 0 }
    }

    /// Bytes read so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends the next `length` bytes to `into`, fewer if the input ends. Returns how many.
    pub(super) fn read(&mut self, length: usize, into: &mut Vec<u8>) -> Result<usize, TraceError> {
        into.reserve(length);
        let before = into.len();
        let outcome = (&mut self.input).take(length as u64).read_to_end(into);
        let bytes = into.len() - before;
        self.offset += bytes as u64;
        match outcome {
            Ok(_) => Ok(bytes),
            Err(error) => Err(self.error(self.offset, TraceErrorKind::Io(error))),
        }
    }

    pub(super) fn error(&self, offset: u64, kind: TraceErrorKind) -> TraceError {
        TraceError { name: self.name.clone(), offset, kind }
    }
}
