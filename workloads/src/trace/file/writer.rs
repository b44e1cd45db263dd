//! Writes a trace block by block.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};

use zstd::bulk::Compressor;

use super::frame::{Frame, FrameKind, HEAD_BYTES, TEXTS_BYTES_MAX};
use super::header::Keys;
use super::texts::{KEY_TEXT_BYTES_MAX, Texts};
use super::{BLOCK_RECORDS, Header, Record, Totals, WriteError};
use crate::trace::key_of_bytes;

/// Compression level of blocks. What varies in a trace is hashes and times, which higher levels
/// cannot shrink either: level 3 gains one per cent on operations and loses more on allocations
/// (`cargo bench -p workloads` prints the bytes per record).
const LEVEL: i32 = 1;

/// Writes records to `out`. Each block is written with a single write as soon as it is full, so a
/// recorder that is killed has passed all its full blocks to the kernel, and a repair makes a trace
/// of them. A trace is complete only after [`finish`](Self::finish).
///
/// Holds at most one block of records and its bytes in memory, about 8 MiB; of a trace whose keys have
/// texts, also a number per key, and the texts that are new in the block.
pub struct TraceWriter<R: Record, W: Write> {
    out: W,
    records: Vec<R>,
    /// Time of the last record pushed.
    last_ns: u64,
    totals: Totals,
    /// What is known of texts, if keys have any.
    named: Option<Named>,
    /// The checksum that seeds the next frame.
    chain: u64,
    /// Whether a write failed, so that `out` may end in half a block.
    broken: bool,
    compressor: Compressor<'static>,
    raw: Vec<u8>,
    frame: Vec<u8>,
}

/// The keys that have their text.
#[derive(Debug, Default)]
struct Named {
    keys: HashSet<u64>,
    /// Hashes of texts, where that is another number than the key.
    hashes: HashSet<u64>,
    /// Texts that are not written yet.
    new: Texts,
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
            named: (header.keys == Keys::Texts).then(Named::default),
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
    /// [`WriteError::Backwards`] if the record is older than its predecessor, [`WriteError::Unnamed`] if its
    /// key should have a text and has none; the trace continues without it. Otherwise as for
    /// [`flush_block`](Self::flush_block).
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), WriteError> {
        if let Some(time_ns) = record.time_ns() {
            if time_ns < self.last_ns {
                let record = self.totals.records + self.records.len() as u64;
                return Err(WriteError::Backwards { record, time_ns, before_ns: self.last_ns });
            }
            self.last_ns = time_ns;
        }
        if let (Some(named), Some(key)) = (&self.named, record.key())
            && !named.keys.contains(&key)
        {
            return Err(WriteError::Unnamed { key });
        }
        self.records.push(record);
        if self.records.len() == BLOCK_RECORDS { self.flush_block() } else { Ok(()) }
    }

    /// Tells the text of a key, right before the first record with that key is pushed. Does nothing where the
    /// text is known.
    ///
    /// # Errors
    /// A text that is too long, or that another key has; the header announces no texts. Otherwise as for
    /// [`flush_block`](Self::flush_block).
    pub fn name(&mut self, key: u64, text: &[u8]) -> Result<(), WriteError> {
        let named = self.named.as_mut().ok_or(WriteError::NoTexts)?;
        if named.keys.contains(&key) {
            return Ok(());
        }
        if text.len() > KEY_TEXT_BYTES_MAX {
            return Err(WriteError::KeyTooLong { bytes: text.len() });
        }
        let hash = key_of_bytes(text);
        let is_taken = match hash == key {
            true => named.hashes.contains(&hash),
            false => named.keys.contains(&hash) || !named.hashes.insert(hash),
        };
        if is_taken {
            return Err(WriteError::SameText { text: text.escape_ascii().to_string() });
        }
        named.keys.insert(key);
        let is_full = named.new.text_bytes() + text.len() > TEXTS_BYTES_MAX;
        if is_full || named.new.len() == BLOCK_RECORDS {
            self.flush_texts()?;
        }
        if let Some(named) = &mut self.named {
            named.new.push(key, text);
        }
        Ok(())
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
        self.flush_texts()?;
        self.raw.clear();
        R::encode(&self.records, &mut self.raw);
        self.write_frame(FrameKind::Records, self.records.len())?;
        self.totals.add(self.records.len(), &self.raw);
        self.records.clear();
        Ok(())
    }

    /// Writes the texts told since the last block.
    fn flush_texts(&mut self) -> Result<(), WriteError> {
        if self.broken {
            return Err(WriteError::Broken);
        }
        let Some(named) = self.named.as_mut().filter(|named| !named.new.is_empty()) else {
            return Ok(());
        };
        self.raw.clear();
        named.new.encode(&mut self.raw);
        let texts = named.new.len();
        named.new.clear();
        self.write_frame(FrameKind::Texts, texts)?;
        self.totals.add_texts(texts, &self.raw);
        Ok(())
    }

    /// Compresses and writes `self.raw`.
    fn write_frame(&mut self, kind: FrameKind, records: usize) -> Result<(), WriteError> {
        self.broken = true;
        self.frame.resize(HEAD_BYTES + zstd::zstd_safe::compress_bound(self.raw.len()), 0);
        let stored_bytes = self
            .compressor
            .compress_to_buffer(&self.raw, &mut self.frame[HEAD_BYTES..])
            .map_err(WriteError::Io)?;
        self.frame.truncate(HEAD_BYTES + stored_bytes);
        let raw_bytes = self.raw.len();
        let frame = Frame { kind, records, raw_bytes, stored_bytes };
        self.chain = frame.seal(self.chain, &mut self.frame);
        write_out(&mut self.out, &self.frame)?;
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
        let longest = Totals { notes: self.totals.notes.clone(), ..Totals::LONGEST };
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
