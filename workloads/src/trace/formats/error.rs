//! What is wrong with a trace, and where.

use std::error::Error;
use std::fmt;

/// A place in a trace that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The trace, as the caller named it; with `(decompressed)` where offsets count those bytes.
    pub name: String,
    /// Bytes before the line or record that is wrong.
    pub offset: u64,
    /// Its line, from 1; none in binary formats.
    pub line: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, offset, line, what, remedy } = self;
        match line {
            Some(line) => write!(f, "{name}, line {line} (byte {offset}): {what}: {remedy}"),
            None => write!(f, "{name}, byte {offset}: {what}: {remedy}"),
        }
    }
}

impl Error for FormatError {}

/// What is wrong with the line or record at hand; its place is known to the source.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) what: String,
    pub(super) remedy: String,
}

impl Fault {
    pub(super) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into() }
    }
}
