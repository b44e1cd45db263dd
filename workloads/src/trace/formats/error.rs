//! Errors in traces of public formats.

use std::error::Error;
use std::fmt;

/// A place in a trace that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The caller's name of the trace, with `(decompressed)` if offsets count decompressed bytes.
    pub name: String,
    /// Offset of the faulty line or record in bytes.
    pub offset: u64,
    /// The line number, from 1; `None` in binary formats.
    pub line: Option<u64>,
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

/// What is wrong with the current line or record; the source knows its place.
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
