//! Why results of another tool are not taken.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::Tool;

/// Results that are not taken.
#[derive(Debug)]
pub struct ImportError {
    /// The file or folder the fault is in.
    pub path: PathBuf,
    /// The tool it was read as; none before that was known.
    pub tool: Option<Tool>,
    /// What is wrong.
    pub fault: ImportFault,
}

/// What is wrong with results.
#[derive(Debug)]
pub enum ImportFault {
    /// They cannot be read.
    Read(io::Error),
    /// No known tool wrote them.
    Unrecognised {
        /// Each tool that was tried, and why it is not that one.
        tried: Vec<(Tool, String)>,
    },
    /// They are not valid JSON.
    Json {
        /// Line of the fault, from 1.
        line: usize,
        /// Column, in bytes from 1.
        column: usize,
        /// Bytes before the fault.
        offset_bytes: usize,
        /// What was met, in the parser's words.
        met: String,
    },
    /// A field is missing, or is not what it should be.
    Shape {
        field: String,
        /// What should be there.
        expected: &'static str,
        found: String,
    },
    /// A measured value is negative or not finite.
    Number { field: String, value: f64 },
    /// Text ends within a line, so its last number may be cut.
    Cut {
        /// The line, from 1.
        line: usize,
    },
    /// Two results have one name.
    Same { cell: String },
    /// There is nothing to compare.
    Empty { why: String },
}

impl fmt::Display for ImportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.path.display())?;
        if let Some(tool) = self.tool {
            write!(formatter, "read as {tool}: ")?;
        }
        self.fault.fmt(formatter)
    }
}

impl fmt::Display for ImportFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(formatter),
            Self::Unrecognised { tried } => {
                let tried: Vec<String> =
                    tried.iter().map(|(tool, unlike)| format!("not {tool}: {unlike}")).collect();
                write!(formatter, "results of no known tool; {}", tried.join("; "))
            }
            Self::Json { line, column, offset_bytes, met } => write!(
                formatter,
                "damaged JSON at line {line}, column {column} (byte {offset_bytes}): {met}; export \
                 it again"
            ),
            Self::Shape { field, expected, found } => {
                write!(formatter, "{field}: {found}; it should be {expected}")
            }
            Self::Number { field, value } => {
                write!(formatter, "{field} is {value}: a measured value is a number from 0 on")
            }
            Self::Cut { line } => write!(
                formatter,
                "line {line} has no end, so its number may be cut: export it again, or end the \
                 line if it is whole"
            ),
            Self::Same { cell } => write!(
                formatter,
                "two results are called \"{cell}\", so nobody knows which to compare: give each \
                 its own name"
            ),
            Self::Empty { why } => write!(formatter, "no results: {why}"),
        }
    }
}

impl Error for ImportError {}
