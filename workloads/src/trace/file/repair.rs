//! Makes a complete trace from a truncated or damaged one.

use std::error::Error;
use std::fmt;
use std::io::{Read, Write};

use super::source::Source;
use super::texts::Texts;
use super::{Content, Header, Record, Totals, TraceError, TraceReader, TraceWriter, WriteError};
use crate::trace::{Allocation, Operation};

/// The name of the note that says a trace was repaired, and why.
pub const REPAIRED: &str = "repaired";

#[derive(Debug)]
pub enum RepairError {
    /// Nothing can be kept: the header is damaged, or reading failed.
    Read(TraceError),
    /// The copy cannot be written.
    Write(WriteError),
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
        }
    }
}

impl Error for RepairError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Read(error) => error.source(),
            Self::Write(error) => error.source(),
        }
    }
}

/// Copies the trace `input` to `output`: all blocks up to the first that is damaged or missing,
/// then an end block with the note [`REPAIRED`], which says where and why the trace was cut. An
/// intact trace is copied without this note. Error messages call the trace `name`.
///
/// # Errors
///
/// [`RepairError`]; `output` is then not a complete trace.
pub fn repair(input: impl Read, name: &str, output: impl Write) -> Result<Totals, RepairError> {
    let mut source = Source::new(input, name);
    let (header, checksum) = Header::read(&mut source).map_err(RepairError::Read)?;
    match header.content {
        Content::Operations => copy::<Operation, _>(source, header, checksum, output),
        Content::Allocations => copy::<Allocation, _>(source, header, checksum, output),
    }
}

fn copy<R: Record, In: Read>(
    source: Source<In>,
    header: Header,
    checksum: u64,
    output: impl Write,
) -> Result<Totals, RepairError> {
    let mut writer = TraceWriter::<R, _>::new(output, &header).map_err(RepairError::Write)?;
    let mut reader =
        TraceReader::<R, _>::after_header(source, header, checksum).map_err(RepairError::Read)?;
    let mut block = Vec::new();
    let cut = loop {
        match reader.next_block(&mut block) {
            Ok(true) => {
                let texts = reader.new_texts();
                copy_block(texts, &block, &mut writer).map_err(RepairError::Write)?;
            }
            Ok(false) => break None,
            Err(TraceError { offset, kind, .. }) if kind.leaves_blocks() => {
                break Some(format!("cut at byte {offset}: {kind}"));
            }
            Err(error) => return Err(RepairError::Read(error)),
        }
    };
    let cut = cut.iter().map(|cut| (REPAIRED, cut.as_str()));
    let notes = reader.notes().iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in notes.chain(cut) {
        writer.note(name, value).map_err(RepairError::Write)?;
    }
    let (_, totals) = writer.finish().map_err(RepairError::Write)?;
    Ok(totals)
}

fn copy_block<R: Record, W: Write>(
    texts: &Texts,
    block: &[R],
    writer: &mut TraceWriter<R, W>,
) -> Result<(), WriteError> {
    for (key, text) in texts.iter() {
        writer.name(key, text)?;
    }
    for &record in block {
        writer.push(record)?;
    }
    writer.flush_block()
}
