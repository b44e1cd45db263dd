//! Writes a trace block by block.

use std::fmt;
use std::io::{self, Write};

use zstd::bulk::Compressor;

use super::frame::{Frame, FrameKind, HEAD_BYTES};
use super::{BLOCK_RECORDS, Header, Record, Totals, WriteError};

/// Compression level of blocks. What varies in a trace is hashes and times, which higher levels
/// cannot shrink either: level 3 gains one per cent on operations and loses more on allocations
/// (`cargo bench -p workloads` prints the bytes per record).
const LEVEL: i32 = 1;

/// Writes records to `out`. Each block is written with a single write as soon as it is full, so a
/// recorder that is killed has passed all its full blocks to the kernel, and a repair makes a trace
/// of them. A trace is complete only after [`finish`](Self::finish).
///
/// Holds at most one block of records and its bytes in memory, about 8 MiB.
pub struct TraceWriter<R: Record, W: Write> {
    out: W,
    records: Vec<R>,
    /// Time of the last record pushed.
    last_ns: u64,
    totals: Totals,
    /// The checksum that seeds the next frame.
    chain: u64,
    /// Whether a write failed, so that `out` may end in half a block.
    broken: bool,
    compressor: Compressor<'static>,
    raw: Vec<u8>,
    frame: Vec<u8>,
}

impl<R: Record, W: Write> TraceWriter<R, W> {
    /// Starts a trace by writing `header`.
    ///
    /// # Errors
    ///
    /// If `header` announces other records than `R`, its texts are too long, or `out` fails.
    pub fn new(mut out: W, header: &Header) -> Result<Self, WriteError> {
        if header.content != R::CONTENT {
            let (announced, records) = (header.content, R::CONTENT);
            return Err(WriteError::WrongContent { announced, records });
        }
        let bytes = header.to_bytes().ok_or(WriteError::TextTooLong)?;
        write_out(&mut out, &bytes)?;
        let (_, checksum) = bytes.split_last_chunk().expect("a header ends with its checksum");
        Ok(Self {
            out,
            records: Vec::with_capacity(BLOCK_RECORDS),
            last_ns: 0,
            totals: Totals::new(R::CONTENT),
            chain: u64::from_le_bytes(*checksum),
            broken: false,
            compressor: Compressor::new(LEVEL).map_err(WriteError::Io)?,
            raw: Vec::new(),
            frame: Vec::new(),
        })
    }

    /// Adds a record, and writes the block if that fills it.
    ///
    /// # Errors
    ///
    /// [`WriteError::Backwards`] if the record is older than its predecessor; the trace continues
    /// without it. Otherwise as for [`flush_block`](Self::flush_block).
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), WriteError> {
        if let Some(time_ns) = record.time_ns() {
            if time_ns < self.last_ns {
                let record = self.totals.records + self.records.len() as u64;
                return Err(WriteError::Backwards { record, time_ns, before_ns: self.last_ns });
            }
            self.last_ns = time_ns;
        }
        self.records.push(record);
        if self.records.len() == BLOCK_RECORDS { self.flush_block() } else { Ok(()) }
    }

    /// Writes the records pushed since the last block as a block of its own. Does nothing if there
    /// are none.
    ///
    /// # Errors
    ///
    /// If `out` fails. Nothing can be written after that.
    pub fn flush_block(&mut self) -> Result<(), WriteError> {
        if self.broken {
            return Err(WriteError::Broken);
        }
        if self.records.is_empty() {
            return Ok(());
        }
        self.broken = true;
        self.raw.clear();
        R::encode(&self.records, &mut self.raw);
        self.frame.resize(HEAD_BYTES + zstd::zstd_safe::compress_bound(self.raw.len()), 0);
        let stored_bytes = self
            .compressor
            .compress_to_buffer(&self.raw, &mut self.frame[HEAD_BYTES..])
            .map_err(WriteError::Io)?;
        self.frame.truncate(HEAD_BYTES + stored_bytes);
        let (records, raw_bytes) = (self.records.len(), self.raw.len());
        let frame = Frame { kind: FrameKind::Records, records, raw_bytes, stored_bytes };
        self.chain = frame.seal(self.chain, &mut self.frame);
        write_out(&mut self.out, &self.frame)?;
        self.totals.add(records, &self.raw);
        self.records.clear();
        self.broken = false;
        Ok(())
    }

    /// Adds a note that is known only at the end. A later note of the same name replaces it.
    ///
    /// # Errors
    ///
    /// [`WriteError::TextTooLong`]; the note is then not added.
    pub fn note(&mut self, name: &str, value: &str) -> Result<(), WriteError> {
        let before = self.totals.notes.insert(name.to_owned(), value.to_owned());
        // Totals written later may have more digits.
        let longest =
            Totals { records: u64::MAX, blocks: u64::MAX, digest: u64::MAX, ..self.totals.clone() };
        if longest.to_text().is_some() {
            return Ok(());
        }
        match before {
            Some(before) => self.totals.notes.insert(name.to_owned(), before),
            None => self.totals.notes.remove(name),
        };
        Err(WriteError::TextTooLong)
    }

    /// Writes the remaining records and the end block, and returns `out`.
    ///
    /// # Errors
    ///
    /// If `out` fails; the trace then stays unfinished.
    pub fn finish(mut self) -> Result<(W, Totals), WriteError> {
        self.flush_block()?;
        let text = self.totals.to_text().ok_or(WriteError::TextTooLong)?;
        let bytes = text.len();
        self.frame.clear();
        self.frame.resize(HEAD_BYTES, 0);
        self.frame.extend(text);
        Frame { kind: FrameKind::End, records: 0, raw_bytes: bytes, stored_bytes: bytes }
            .seal(self.chain, &mut self.frame);
        write_out(&mut self.out, &self.frame)?;
        Ok((self.out, self.totals))
    }
}

impl<R: Record, W: Write> fmt::Debug for TraceWriter<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceWriter")
            .field("totals", &self.totals)
            .field("pending", &self.records.len())
            .field("broken", &self.broken)
            .finish_non_exhaustive()
    }
}

fn write_out(out: &mut impl Write, bytes: &[u8]) -> Result<(), WriteError> {
    let write = |out: &mut dyn Write| -> io::Result<()> {
        out.write_all(bytes)?;
        out.flush()
    };
    write(out).map_err(WriteError::Io)
}
