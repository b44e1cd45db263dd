//! Files of [`Line`]s: one JSON object a line, read as a whole and only ever appended to.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{LINE_SCHEMA, Line};

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// Its lines, in its order.
    pub lines: Vec<Line>,
    /// What was left out at its end.
    pub incomplete: Option<Incomplete>,
}

/// A truncated last line: its writer was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// The file.
    pub path: PathBuf,
    /// Number of the line, from 1.
    pub line: usize,
    /// Where it begins, in bytes from the file's start.
    pub offset_bytes: usize,
    /// How much of it is there.
    pub length_bytes: usize,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}: line {} (from byte {}, {} bytes) is incomplete, as a program that is stopped \
             while it writes leaves it: it does not count, and what is appended next replaces it",
            self.path.display(),
            self.line,
            self.offset_bytes,
            self.length_bytes
        )
    }
}

/// Why lines could not be read or appended.
#[derive(Debug)]
pub enum LinesError {
    /// The operating system refused.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What it said.
        error: io::Error,
    },
    /// A line is not one of the format.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Where the line begins, in bytes from the file's start.
        offset_bytes: usize,
        /// Where in the line it goes wrong, in bytes from 1; 0 where that is not known.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// A line has another version of the format.
    Schema {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Where the line begins, in bytes from the file's start.
        offset_bytes: usize,
        /// Its version.
        found: u32,
    },
    /// A line that was to be appended cannot be read again. Nothing was appended.
    Refused {
        /// The file.
        path: PathBuf,
        cell: String,
        /// What is wrong.
        what: String,
    },
}

impl LinesError {
    /// Whether there is no such file.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for LinesError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, doing, error } => {
                write!(formatter, "{}: cannot {doing}: {error}", path.display())
            }
            Self::Damaged { path, line, offset_bytes, column, what } => {
                write!(formatter, "{}: line {line}", path.display())?;
                if *column > 0 {
                    write!(formatter, ", column {column}")?;
                }
                write!(
                    formatter,
                    " (the line begins at byte {offset_bytes}): {what}; put the line right or \
                     remove it, the others do not depend on it"
                )
            }
            Self::Schema { path, line, offset_bytes, found } => write!(
                formatter,
                "{}: line {line} (begins at byte {offset_bytes}) has schema {found}, and this \
                 program reads and writes schema {LINE_SCHEMA}: use the program that wrote it, or \
                 begin another file",
                path.display()
            ),
            Self::Refused { path, cell, what } => write!(
                formatter,
                "{}: nothing was appended, because of cell {cell}: {what}",
                path.display()
            ),
        }
    }
}

impl std::error::Error for LinesError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Damaged { .. } | Self::Schema { .. } | Self::Refused { .. } => None,
        }
    }
}

/// Reads a file of lines. A last line without a line end counts if it is complete, as an editor may
/// leave it; otherwise it is left out, and the result says so.
///
/// Numbers are finite: JSON has no others, and one too large for a 64-bit float is an error.
///
/// # Errors
/// That the file cannot be read, or the first line that is damaged or of another version.
pub fn read_lines(path: &Path) -> Result<Lines, LinesError> {
    let mut file = File::open(path).map_err(failed(path, "open it"))?;
    // Keeps the reader from seeing half a write. On a file system without locks, a line that is
    // being written reads as an incomplete one.
    let _ = file.lock_shared();
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(failed(path, "read it"))?;
    parse(path, &text)
}

/// Appends `lines` with one write, under an exclusive lock of the file: programs that append at
/// the same time do not interleave. Creates the file and its folders.
///
/// An incomplete last line is cut off, and returned; a whole one that only lacks its line end
/// gets it.
///
/// # Errors
/// What the operating system refuses, or a line that could not be read again (another schema, a
/// value that is not a finite number). The file is then as it was.
pub fn append_lines(path: &Path, lines: &[Line]) -> Result<Option<Incomplete>, LinesError> {
    let text = to_text(path, lines)?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed(folder, "create it"))?;
    }
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .map_err(failed(path, "open it for appending"))?;
    file.lock().map_err(failed(path, "lock it"))?;
    let before_bytes = file.metadata().map_err(failed(path, "read its length"))?.len();
    let tail = Tail::of(path, &mut file, before_bytes)?;
    let (end, first, incomplete) = match tail {
        Tail::Ended => (before_bytes, "", None),
        Tail::Whole => (before_bytes, "\n", None),
        Tail::Incomplete(tail) => (tail.offset_bytes as u64, "", Some(tail)),
    };
    file.set_len(end).map_err(failed(path, "cut off its incomplete last line"))?;
    let written =
        file.write_all(&[first.as_bytes(), &text].concat()).and_then(|()| file.sync_data());
    if let Err(error) = written {
        // What was written is cut off again. If that fails too, the first error still says more.
        let _ = file.set_len(end);
        return Err(failed(path, "append to it")(error));
    }
    Ok(incomplete)
}

/// How a file ends.
enum Tail {
    /// With a line end, or without any line.
    Ended,
    /// With a line that only lacks its end.
    Whole,
    /// Within a line.
    Incomplete(Incomplete),
}

impl Tail {
    fn of(path: &Path, file: &mut File, length_bytes: u64) -> Result<Self, LinesError> {
        let fail = failed(path, "read its end");
        if length_bytes == 0 {
            return Ok(Self::Ended);
        }
        let mut last = [0];
        file.seek(SeekFrom::Start(length_bytes - 1)).map_err(&fail)?;
        file.read_exact(&mut last).map_err(&fail)?;
        if last == *b"\n" {
            return Ok(Self::Ended);
        }
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(&fail)?;
        file.read_to_end(&mut text).map_err(&fail)?;
        let offset_bytes = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let rest = &text[offset_bytes..];
        if is_whole(rest) {
            return Ok(Self::Whole);
        }
        let line = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
        let path = path.to_owned();
        Ok(Self::Incomplete(Incomplete { path, line, offset_bytes, length_bytes: rest.len() }))
    }
}

/// Whether a text without a line end is a complete line: an object ends with its brace.
fn is_whole(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

fn parse(path: &Path, text: &[u8]) -> Result<Lines, LinesError> {
    let mut read = Lines::default();
    let mut offset_bytes = 0;
    for (index, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let number = index + 1;
        if !line.ends_with(b"\n") && !is_whole(line) {
            let (path, length_bytes) = (path.to_owned(), line.len());
            read.incomplete = Some(Incomplete { path, line: number, offset_bytes, length_bytes });
            break;
        }
        read.lines.push(parse_line(path, number, offset_bytes, line)?);
        offset_bytes += line.len();
    }
    Ok(read)
}

/// Of a line of whatever version.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

fn parse_line(
    path: &Path,
    line: usize,
    offset_bytes: usize,
    text: &[u8],
) -> Result<Line, LinesError> {
    let damaged = |error: serde_json::Error| {
        let what = error.to_string();
        // It ends with a position that calls every line the first.
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
        LinesError::Damaged {
            path: path.to_owned(),
            line,
            offset_bytes,
            column: error.column(),
            what: what.to_owned(),
        }
    };
    // First, because the fields of another version are other ones.
    let Version { schema: found } = serde_json::from_slice(text).map_err(damaged)?;
    if found != LINE_SCHEMA {
        return Err(LinesError::Schema { path: path.to_owned(), line, offset_bytes, found });
    }
    serde_json::from_slice(text).map_err(damaged)
}

fn to_text(path: &Path, lines: &[Line]) -> Result<Vec<u8>, LinesError> {
    let mut text = Vec::new();
    for line in lines {
        let refused = |what: String| LinesError::Refused {
            path: path.to_owned(),
            cell: line.cell.clone(),
            what,
        };
        if line.schema != LINE_SCHEMA {
            let found = line.schema;
            return Err(refused(format!(
                "its schema is {found}, and lines of schema {LINE_SCHEMA} are written"
            )));
        }
        for (metric, series) in &line.metrics {
            if let Some(value) = series.values.iter().find(|value| !value.is_finite()) {
                return Err(refused(format!(
                    "{metric} has the value {value}, which is not a finite number: leave out \
                     what was not measured"
                )));
            }
        }
        serde_json::to_writer(&mut text, line).map_err(|error| refused(error.to_string()))?;
        text.push(b'\n');
    }
    Ok(text)
}

fn failed(path: &Path, doing: &'static str) -> impl Fn(io::Error) -> LinesError {
    let path = path.to_owned();
    move |error| LinesError::Io { path: path.clone(), doing, error }
}

#[cfg(test)]
mod tests;
