//! Writing a table, from entries in order.

use xxhash_rust::xxh3::xxh3_64;

use super::block::{BlockBuilder, Entry};
use super::{FOOTER_BYTES, MAGIC, bloom};
use crate::error::Error;
use crate::files::{File, Files};
use crate::memtable::Kind;
use crate::mutant::{Mutant, mutated};
use crate::names;

/// Bytes that are written in one call.
const CHUNK_BYTES: usize = 256 << 10;

/// What is known of a table without opening it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) number: u64,
    pub(crate) file_bytes: u64,
    pub(crate) entries: u64,
    /// The newest timestamp in it.
    pub(crate) newest: u64,
    pub(crate) smallest: Vec<u8>,
    pub(crate) largest: Vec<u8>,
}

/// Sizes that tables are built with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) block_bytes: usize,
    pub(crate) bloom_bits_per_key: usize,
}

/// A table in the making.
#[derive(Debug)]
pub(crate) struct Builder {
    file: Box<dyn File>,
    name: String,
    shape: Shape,
    meta: Meta,
    /// What is not written yet, and how much is.
    buffer: Vec<u8>,
    written: u64,
    block: BlockBuilder,
    index: BlockBuilder,
    hashes: Vec<u64>,
    last_timestamp: u64,
}

impl Builder {
    /// # Errors
    /// [`Error::Storage`] if the file cannot be created.
    pub(crate) fn create(files: &dyn Files, number: u64, shape: Shape) -> Result<Self, Error> {
        let name = names::Kind::Table.name(number);
        let file = files.create(&name).map_err(|error| Error::storage("create", &name, &error))?;
        Ok(Self {
            file,
            name,
            shape,
            meta: Meta { number, ..Meta::default() },
            buffer: Vec::with_capacity(CHUNK_BYTES + 2 * shape.block_bytes),
            written: 0,
            block: BlockBuilder::default(),
            index: BlockBuilder::default(),
            hashes: Vec::new(),
            last_timestamp: 0,
        })
    }

    /// Adds the next entry. Entries come in order: keys upwards, versions of a key downwards.
    ///
    /// # Errors
    /// [`Error::Storage`] if a block cannot be written.
    pub(crate) fn add(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        let is_new_key = self.meta.entries == 0 || self.meta.largest != entry.key;
        debug_assert!(
            self.meta.entries == 0
                || self.meta.largest.as_slice() < entry.key
                || (!is_new_key && self.last_timestamp > entry.timestamp),
            "entries come in order"
        );
        if self.meta.entries == 0 {
            self.meta.smallest = entry.key.to_vec();
        }
        if is_new_key {
            self.hashes.push(bloom::hash(entry.key));
            self.meta.largest.clear();
            self.meta.largest.extend_from_slice(entry.key);
        }
        self.block.add(entry);
        self.last_timestamp = entry.timestamp;
        self.meta.entries += 1;
        self.meta.newest = self.meta.newest.max(entry.timestamp);
        if self.block.bytes() >= self.shape.block_bytes {
            self.finish_block()?;
        }
        Ok(())
    }

    pub(crate) fn number(&self) -> u64 {
        self.meta.number
    }

    /// About how long the file will be.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.written + (self.buffer.len() + self.block.bytes()) as u64
    }

    /// Whether `key` is the last one added.
    pub(crate) fn ends_with(&self, key: &[u8]) -> bool {
        self.meta.entries > 0 && self.meta.largest == key
    }

    fn finish_block(&mut self) -> Result<(), Error> {
        let at = self.append(|block, to| block.finish(to));
        let key = &self.meta.largest;
        let timestamp = self.last_timestamp;
        self.index.add(&Entry { key, timestamp, kind: Kind::default(), value: &at });
        if self.buffer.len() >= CHUNK_BYTES {
            self.write()?;
        }
        Ok(())
    }

    /// Appends a part and its checksum. Answers its place and length.
    fn append(&mut self, part: impl FnOnce(&mut BlockBuilder, &mut Vec<u8>)) -> [u8; 12] {
        let (at, start) = (self.written + self.buffer.len() as u64, self.buffer.len());
        part(&mut self.block, &mut self.buffer);
        let part_bytes = (self.buffer.len() - start) as u32;
        let checksum = xxh3_64(&self.buffer[start..]);
        self.buffer.extend_from_slice(&checksum.to_le_bytes());
        let mut place = [0; 12];
        place[..8].copy_from_slice(&at.to_le_bytes());
        place[8..].copy_from_slice(&part_bytes.to_le_bytes());
        place
    }

    fn write(&mut self) -> Result<(), Error> {
        let written = self.file.write_at(&self.buffer, self.written);
        written.map_err(|error| Error::storage("write", &self.name, &error))?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the rest and makes the file durable. Its name is not, until the folder is synced.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn finish(mut self) -> Result<Meta, Error> {
        if !self.block.is_empty() {
            self.finish_block()?;
        }
        let filter = bloom::build(&self.hashes, self.shape.bloom_bits_per_key);
        let filter = self.append(|_, to| to.extend_from_slice(&filter));
        let mut index = std::mem::take(&mut self.index);
        let index = self.append(|_, to| index.finish(to));
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&filter);
        self.buffer.extend_from_slice(&index);
        self.buffer.extend_from_slice(&self.meta.entries.to_le_bytes());
        self.buffer.extend_from_slice(&self.meta.newest.to_le_bytes());
        self.buffer.extend_from_slice(&MAGIC.to_le_bytes());
        let checksum = xxh3_64(&self.buffer[start..]);
        self.buffer.extend_from_slice(&checksum.to_le_bytes());
        debug_assert_eq!(self.buffer.len() - start, FOOTER_BYTES);
        self.write()?;
        if !mutated(Mutant::TableUnsynced) {
            let synced = self.file.sync();
            synced.map_err(|error| Error::storage("sync", &self.name, &error))?;
        }
        self.meta.file_bytes = self.written;
        Ok(self.meta)
    }
}
