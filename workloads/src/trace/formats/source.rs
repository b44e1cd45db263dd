//! The bytes of a trace: decompressed if necessary, counted, and split into lines or records.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use super::FormatError;
use super::error::Fault;

/// A zstd frame begins with these bytes.
pub(super) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const DECOMPRESSED_BUFFER_BYTES: usize = 128 << 10;

/// What a format splits a trace into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Lines of at most this many bytes without their end, which is `\n` or `\r\n`.
    Line { bytes_max: usize },
    /// Records of this many bytes.
    Record { bytes: usize },
}

/// The input of a trace and the position in it.
pub(super) struct Source<'a> {
    input: Box<dyn BufRead + 'a>,
    name: String,
    unit: Unit,
    item: Vec<u8>,
    item_offset: u64,
    /// Offset of what follows it.
    offset: u64,
    items: u64,
}

impl<'a> Source<'a> {
    /// Opens the input and examines its first bytes.
    pub(super) fn new(
        mut input: impl BufRead + 'a,
        name: &str,
        unit: Unit,
    ) -> Result<Self, FormatError> {
        let mut start = Vec::new();
        let looked = (&mut input).take(ZSTD_MAGIC.len() as u64).read_to_end(&mut start);
        let compressed = start == ZSTD_MAGIC;
        let whole = Cursor::new(start).chain(input);
        let mut source = Self {
            input: Box::new(io::empty()),
            name: name.to_owned(),
            unit,
            item: Vec::new(),
            item_offset: 0,
            offset: 0,
            items: 0,
        };
        looked.map_err(|error| source.unreadable(&error))?;
        source.input = if compressed {
            source.name.push_str(" (decompressed)");
            let decoder = zstd::stream::read::Decoder::with_buffer(whole)
                .map_err(|error| source.unreadable(&error))?;
            Box::new(BufReader::with_capacity(DECOMPRESSED_BUFFER_BYTES, decoder))
        } else {
            Box::new(whole)
        };
        Ok(source)
    }

    /// Reads the next item. Returns `false` at the end of the trace.
    pub(super) fn advance(&mut self) -> Result<bool, FormatError> {
        self.item.clear();
        self.item_offset = self.offset;
        self.items += 1;
        let (limit, read) = match self.unit {
            Unit::Line { bytes_max } => {
                let limit = bytes_max + "\r\n".len();
                let mut line = (&mut self.input).take(limit as u64);
                (limit, line.read_until(b'\n', &mut self.item))
            }
            Unit::Record { bytes } => {
                (bytes, (&mut self.input).take(bytes as u64).read_to_end(&mut self.item))
            }
        };
        self.offset += self.item.len() as u64;
        read.map_err(|error| self.unreadable(&error))?;
        if self.item.is_empty() {
            return Ok(false);
        }
        match self.unit {
            Unit::Line { bytes_max } => self.end_line(limit, bytes_max)?,
            Unit::Record { bytes } if self.item.len() < bytes => {
                return Err(self.error(Fault::new(
                    format!("the last record has {} of {bytes} bytes", self.item.len()),
                    "the file was cut or is of another format: get it again, or cut the rest off",
                )));
            }
            Unit::Record { .. } => {}
        }
        Ok(true)
    }

    /// Strips the line end from the current line.
    fn end_line(&mut self, limit: usize, bytes_max: usize) -> Result<(), FormatError> {
        let ended = self.item.pop_if(|&mut last| last == b'\n').is_some();
        if ended {
            self.item.pop_if(|&mut last| last == b'\r');
        }
        if self.item.len() > bytes_max || (!ended && self.item.len() == limit) {
            return Err(self.error(Fault::new(
                format!("a line longer than {bytes_max} bytes"),
                "the file is damaged or has another format: choose the right format",
            )));
        }
        if !ended {
            return Err(self.error(Fault::new(
                "the last line has no end, so it may have been cut",
                "get the file again; if the line is complete, append a newline",
            )));
        }
        Ok(())
    }

    /// The current line or record.
    pub(super) fn item(&self) -> &[u8] {
        &self.item
    }

    /// Turns a fault in the current item into an error.
    pub(super) fn error(&self, fault: Fault) -> FormatError {
        let Fault { what, remedy } = fault;
        let text = matches!(self.unit, Unit::Line { .. });
        FormatError {
            name: self.name.clone(),
            offset: self.item_offset,
            line: text.then_some(self.items.max(1)),
            what,
            remedy,
        }
    }

    fn unreadable(&self, error: &io::Error) -> FormatError {
        self.error(Fault::new(
            format!("cannot be read: {error}"),
            "check the file, or get it again",
        ))
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit, offset, items, .. } = self;
        f.debug_struct("Source")
            .field("name", name)
            .field("unit", unit)
            .field("offset", offset)
            .field("items", items)
            .finish_non_exhaustive()
    }
}
