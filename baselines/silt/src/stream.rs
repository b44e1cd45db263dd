//! Records in sequence: appending through a buffer, and reading one after the other.

use std::sync::Arc;

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::error::Error;
use crate::files::Pages;
use crate::key::Key;
use crate::record::{self, Broken, Entry, Layout};

/// A record is not as it was written.
pub(crate) fn corrupt(file: &dyn Pages, ordinal: u64, broken: &Broken) -> Error {
    let Broken { stored, computed } = broken;
    let what = format!("record {ordinal} has checksum {computed:#x} and should have {stored:#x}");
    Error::Corrupt { file: file.name().to_owned(), what }
}

/// Appends records to a file. What is in its buffer is written by [`flush`](Self::flush), or when
/// the buffer is full.
#[derive(Debug)]
pub(crate) struct Writer {
    file: Arc<dyn Pages>,
    layout: Layout,
    buffer: Buffer,
    /// Where in the file the buffer begins: a page.
    base: u64,
    records: u64,
    /// Records that are in the file.
    flushed: u64,
    written_bytes: u64,
}

impl Writer {
    /// Goes on after `records` records that the file holds.
    pub(crate) fn resume(
        file: Arc<dyn Pages>,
        layout: Layout,
        buffer_bytes: usize,
        records: u64,
    ) -> Result<Self, Error> {
        let buffer_bytes = buffer_bytes.max(layout.record_bytes + 2 * PAGE_BYTES);
        let end = layout.end(records);
        let used = (end % PAGE_BYTES as u64) as usize;
        let mut buffer = Buffer::new(buffer_bytes);
        if used > 0 {
            file.read(end - used as u64, buffer.first(PAGE_BYTES))?;
            buffer.bytes_mut()[used..PAGE_BYTES].fill(0);
        }
        let (base, flushed) = (end - used as u64, records);
        Ok(Self { file, layout, buffer, base, records, flushed, written_bytes: 0 })
    }

    /// Begins a file.
    pub(crate) fn new(
        file: Arc<dyn Pages>,
        layout: Layout,
        buffer_bytes: usize,
    ) -> Result<Self, Error> {
        Self::resume(file, layout, buffer_bytes, 0)
    }

    pub(crate) fn file(&self) -> &dyn Pages {
        &*self.file
    }

    pub(crate) fn shared_file(&self) -> Arc<dyn Pages> {
        Arc::clone(&self.file)
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Records appended.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Bytes written since this was asked last.
    pub(crate) fn take_written(&mut self) -> u64 {
        std::mem::take(&mut self.written_bytes)
    }

    /// Makes room for a record; writes if need be.
    pub(crate) fn make_room(&mut self) -> Result<(), Error> {
        if self.within(self.layout.end(self.records + 1)) > self.buffer.len() {
            self.flush()?;
            self.carry();
        }
        Ok(())
    }

    /// Appends a record for which there is room.
    pub(crate) fn append(&mut self, key: &Key, entry: Entry<'_>) {
        let ordinal = self.records;
        let start = self.within(self.layout.offset(ordinal));
        let into = &mut self.buffer.bytes_mut()[start..start + self.layout.record_bytes];
        record::write(into, ordinal, key, entry);
        self.records += 1;
    }

    /// Makes room and appends.
    pub(crate) fn push(&mut self, key: &Key, entry: Entry<'_>) -> Result<(), Error> {
        self.make_room()?;
        self.append(key, entry);
        Ok(())
    }

    /// Appends a record that is written for its ordinal already.
    pub(crate) fn push_written(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.make_room()?;
        let start = self.within(self.layout.offset(self.records));
        self.buffer.bytes_mut()[start..start + bytes.len()].copy_from_slice(bytes);
        self.records += 1;
        Ok(())
    }

    /// Writes what the file does not have; the last page is filled up with zeros.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        if self.flushed == self.records {
            return Ok(());
        }
        let start = self.within(self.layout.end(self.flushed)) / PAGE_BYTES * PAGE_BYTES;
        let end = self.within(self.layout.end(self.records)).next_multiple_of(PAGE_BYTES);
        self.file.write(self.base + start as u64, &self.buffer.bytes()[start..end])?;
        self.written_bytes += (end - start) as u64;
        self.flushed = self.records;
        Ok(())
    }

    /// Flushes, and returns when all is on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.file.sync()
    }

    /// The record, if the buffer holds all of it.
    pub(crate) fn buffered(&self, ordinal: u64) -> Option<&[u8]> {
        let start = self.layout.offset(ordinal).checked_sub(self.base)? as usize;
        Some(&self.buffer.bytes()[start..start + self.layout.record_bytes])
    }

    fn within(&self, offset: u64) -> usize {
        // After a carry, the end of the last record of a full page may be the base itself.
        offset.saturating_sub(self.base) as usize
    }

    /// Begins the buffer with the page that is not full. A record that began before it is in the
    /// file.
    fn carry(&mut self) {
        let end = self.within(self.layout.end(self.records));
        let start = end / PAGE_BYTES * PAGE_BYTES;
        let kept = (end - start).next_multiple_of(PAGE_BYTES);
        let bytes = self.buffer.bytes_mut();
        bytes.copy_within(start..start + kept, 0);
        bytes[kept..].fill(0);
        self.base += start as u64;
    }
}

/// Reads records in order, many at a time.
#[derive(Debug)]
pub(crate) struct Scanner {
    file: Arc<dyn Pages>,
    layout: Layout,
    buffer: Buffer,
    next: u64,
    end: u64,
    /// Records in the buffer: the first, how many, and where in the file the buffer begins.
    first: u64,
    held: u64,
    held_at: u64,
    scanned_bytes: u64,
}

impl Scanner {
    /// How much is read at a time.
    const CHUNK_BYTES: usize = 256 << 10;

    /// The first `records` records of a file.
    pub(crate) fn new(file: Arc<dyn Pages>, layout: Layout, records: u64) -> Self {
        let buffer = Buffer::default();
        let (next, end) = (0, records);
        Self { file, layout, buffer, next, end, first: 0, held: 0, held_at: 0, scanned_bytes: 0 }
    }

    pub(crate) fn file(&self) -> &dyn Pages {
        &*self.file
    }

    /// Bytes read since this was asked last.
    pub(crate) fn take_scanned(&mut self) -> u64 {
        std::mem::take(&mut self.scanned_bytes)
    }

    /// The next record and its ordinal; the inner `None` is a place without one.
    #[expect(clippy::type_complexity, reason = "an ordinal and what `record::read` answers")]
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Option<(&Key, Entry<'_>)>)>, Error> {
        let Some(ordinal) = self.advance()? else { return Ok(None) };
        match record::read(self.held_record(ordinal), ordinal) {
            Ok(record) => Ok(Some((ordinal, record))),
            Err(broken) => Err(corrupt(&*self.file, ordinal, &broken)),
        }
    }

    /// The next record's bytes, unchecked.
    pub(crate) fn next_bytes(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        let Some(ordinal) = self.advance()? else { return Ok(None) };
        Ok(Some((ordinal, self.held_record(ordinal))))
    }

    /// Moves on by a record, which is in the buffer then.
    fn advance(&mut self) -> Result<Option<u64>, Error> {
        if self.next == self.end {
            return Ok(None);
        }
        if self.next >= self.first + self.held {
            self.fill()?;
        }
        self.next += 1;
        Ok(Some(self.next - 1))
    }

    fn held_record(&self, ordinal: u64) -> &[u8] {
        let start = (self.layout.offset(ordinal) - self.held_at) as usize;
        &self.buffer.bytes()[start..start + self.layout.record_bytes]
    }

    fn fill(&mut self) -> Result<(), Error> {
        let count = self.layout.records_in(Self::CHUNK_BYTES).min(self.end - self.next);
        let span = self.layout.span(self.next, count);
        self.file.read(span.at, self.buffer.first(span.bytes))?;
        self.scanned_bytes += span.bytes as u64;
        (self.first, self.held, self.held_at) = (self.next, count, span.at);
        Ok(())
    }
}
