//! An open table: looking keys up, and going through it in order.

use std::sync::{Arc, Mutex};

use xxhash_rust::xxh3::xxh3_64;

use super::block::{Block, Entry};
use super::bloom::{self, Bloom};
use super::builder::Meta;
use super::{CHECKSUM_BYTES, FOOTER_BYTES, MAGIC};
use crate::cache::Cache;
use crate::error::Error;
use crate::files::{File, Files};
use crate::frame::Reader;
use crate::names;
use crate::sync::{AtomicBool, Ordering, lock};

/// Names of files that nobody needs any more. Whoever drops a table's last reference only leaves
/// the name here: a read removes no file.
#[derive(Debug, Default)]
pub(crate) struct Graveyard(Mutex<Vec<String>>);

impl Graveyard {
    /// Takes all names.
    pub(crate) fn empty(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.0))
    }

    pub(crate) fn bury(&self, name: String) {
        lock(&self.0).push(name);
    }
}

/// An open table.
#[derive(Debug)]
pub(crate) struct Table {
    meta: Meta,
    name: String,
    file: Box<dyn File>,
    index: Block,
    filter: Bloom,
    is_obsolete: AtomicBool,
    graveyard: Arc<Graveyard>,
}

impl Table {
    /// Opens the table that `meta` describes.
    ///
    /// # Errors
    /// [`Error::Storage`] if it cannot be read; [`Error::Corrupt`] if it is not what was written.
    pub(crate) fn open(
        files: &dyn Files,
        meta: Meta,
        graveyard: &Arc<Graveyard>,
    ) -> Result<Self, Error> {
        let name = names::Kind::Table.name(meta.number);
        let file = files.open(&name).map_err(|error| Error::storage("open", &name, &error))?;
        let footer_at = meta.file_bytes.checked_sub(FOOTER_BYTES as u64);
        let footer_at = footer_at.ok_or_else(|| Error::corrupt(&name, "it has no footer"))?;
        let mut footer = [0; FOOTER_BYTES];
        let read = file.read_at(&mut footer, footer_at);
        read.map_err(|error| Error::storage("read", &name, &error))?;
        let places = read_footer(&footer, &meta);
        let [filter, index] = places.ok_or_else(|| Error::corrupt(&name, "its footer"))?;
        let filter = Bloom::new(read_part(&*file, &name, filter)?);
        let filter = filter.ok_or_else(|| Error::corrupt(&name, "its filter"))?;
        let index = Block::new(read_part(&*file, &name, index)?);
        let index = index.ok_or_else(|| Error::corrupt(&name, "its index"))?;
        Ok(Self {
            meta,
            name,
            file,
            index,
            filter,
            is_obsolete: AtomicBool::new(false),
            graveyard: Arc::clone(graveyard),
        })
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Bytes of index and filter, which stay in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.index.bytes() + self.filter.bytes()
    }

    /// Says that no version that is durable has the table: its file goes with it.
    pub(crate) fn retire(&self) {
        self.is_obsolete.store(true, Ordering::Relaxed);
    }

    /// Whether the table may hold a key, by its ends.
    pub(crate) fn spans(&self, key: &[u8]) -> bool {
        self.meta.smallest.as_slice() <= key && key <= self.meta.largest.as_slice()
    }

    /// The block and index of the newest version of `key` no newer than `timestamp`. One block is
    /// read at most.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Corrupt`] if the block cannot be read.
    pub(crate) fn get(
        &self,
        key: &[u8],
        timestamp: u64,
        cache: &Cache,
    ) -> Result<Option<(Arc<Block>, usize)>, Error> {
        if !self.filter.may_have(bloom::hash(key)) {
            return Ok(None);
        }
        let place = self.index.seek(key, timestamp);
        if place == self.index.entries() {
            return Ok(None);
        }
        let block = self.block(place, cache, true)?;
        let found = block.seek(key, timestamp);
        let is_there = found < block.entries() && block.entry(found).key == key;
        Ok(is_there.then_some((block, found)))
    }

    /// The block at a place in the index, kept in the cache if `keeps`.
    fn block(&self, place: usize, cache: &Cache, keeps: bool) -> Result<Arc<Block>, Error> {
        let damaged = || Error::corrupt(&self.name, format!("block {place}"));
        let mut reader = Reader::new(self.index.entry(place).value);
        let at = reader.u64().ok_or_else(damaged)?;
        let bytes = reader.u32().ok_or_else(damaged)?;
        if let Some(block) = cache.get(self.meta.number, at) {
            return Ok(block);
        }
        let part = read_part(&*self.file, &self.name, (at, bytes))?;
        let block = Arc::new(Block::new(part).ok_or_else(damaged)?);
        if keeps {
            cache.insert(self.meta.number, at, &block);
        }
        Ok(block)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if self.is_obsolete.load(Ordering::Relaxed) {
            self.graveyard.bury(std::mem::take(&mut self.name));
        }
    }
}

/// Places of filter and index; `None` if the footer is damaged or of another table.
fn read_footer(footer: &[u8; FOOTER_BYTES], meta: &Meta) -> Option<[(u64, u32); 2]> {
    let mut reader = Reader::new(footer);
    let filter = (reader.u64()?, reader.u32()?);
    let index = (reader.u64()?, reader.u32()?);
    let (entries, newest, magic) = (reader.u64()?, reader.u64()?, reader.u64()?);
    let is_whole = reader.u64()? == xxh3_64(&footer[..FOOTER_BYTES - CHECKSUM_BYTES]);
    let is_ours = magic == MAGIC && entries == meta.entries && newest == meta.newest;
    (is_whole && is_ours).then_some([filter, index])
}

/// A part of a file, checked against the checksum behind it.
fn read_part(file: &dyn File, name: &str, (at, bytes): (u64, u32)) -> Result<Box<[u8]>, Error> {
    let mut part = vec![0; bytes as usize + CHECKSUM_BYTES];
    let read = file.read_at(&mut part, at);
    read.map_err(|error| Error::storage("read", name, &error))?;
    let checksum = part.split_off(bytes as usize);
    if checksum != xxh3_64(&part).to_le_bytes() {
        return Err(Error::corrupt(name, format!("the checksum of {bytes} bytes at {at}")));
    }
    Ok(part.into_boxed_slice())
}

/// A place in a table. It keeps no block in the cache: who goes through a table comes by once.
#[derive(Debug)]
pub(crate) struct TableCursor {
    table: Arc<Table>,
    cache: Arc<Cache>,
    block: Option<Arc<Block>>,
    /// The block's place in the index, and the entry's in the block.
    place: usize,
    entry: usize,
}

impl TableCursor {
    /// A cursor that stands nowhere.
    pub(crate) fn new(table: Arc<Table>, cache: Arc<Cache>) -> Self {
        Self { table, cache, block: None, place: 0, entry: 0 }
    }

    /// Goes to the first entry.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Corrupt`] if the block cannot be read; likewise below.
    pub(crate) fn first(&mut self) -> Result<(), Error> {
        self.load(0)
    }

    /// Goes to the first entry not before `(key, timestamp)`.
    pub(crate) fn seek(&mut self, key: &[u8], timestamp: u64) -> Result<(), Error> {
        self.load(self.table.index.seek(key, timestamp))?;
        if let Some(block) = &self.block {
            self.entry = block.seek(key, timestamp);
        }
        Ok(())
    }

    pub(crate) fn next(&mut self) -> Result<(), Error> {
        self.entry += 1;
        if self.block.as_ref().is_some_and(|block| self.entry == block.entries()) {
            self.load(self.place + 1)?;
        }
        Ok(())
    }

    /// The entry it stands on.
    #[inline]
    pub(crate) fn entry(&self) -> Option<Entry<'_>> {
        Some(self.block.as_ref()?.entry(self.entry))
    }

    fn load(&mut self, place: usize) -> Result<(), Error> {
        (self.place, self.entry, self.block) = (place, 0, None);
        if place < self.table.index.entries() {
            self.block = Some(self.table.block(place, &self.cache, false)?);
        }
        Ok(())
    }
}
