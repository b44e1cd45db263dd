//! The components of one moment: the memory component that is written, the one that is being
//! merged, and the disk component. A view never changes; a swap publishes another.
//!
//! The paper keeps three pointers, and orders their updates against the order in which reads follow
//! them. Here the three are one pointer, so a read has all of one moment.

use std::sync::Arc;

use crate::cache::Cache;
use crate::cursor::Cursor;
use crate::error::Error;
use crate::log::Component;
use crate::memtable::{self, Kind};
use crate::table::Block;
use crate::version::Version;

/// Components of one moment.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) memory: Arc<Component>,
    /// The component that is being merged; nothing is inserted into it.
    pub(crate) merging: Option<Arc<Component>>,
    pub(crate) disk: Arc<Version>,
}

/// A version that was found, with what keeps it in place.
#[derive(Clone, Debug)]
pub(crate) enum Found<'view> {
    Memory(memtable::Version<'view>),
    Table(Arc<Block>, usize),
}

impl Found<'_> {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Memory(version) => version.kind(),
            Self::Table(block, index) => block.entry(*index).kind,
        }
    }

    /// The value's length; `None` if the key is deleted.
    pub(crate) fn value_bytes(&self) -> Option<usize> {
        self.kind().has_value.then(|| match self {
            Self::Memory(version) => version.value_bytes(),
            Self::Table(block, index) => block.entry(*index).value.len(),
        })
    }

    /// Copies the value into `to`, which has its length.
    pub(crate) fn copy_value(&self, to: &mut [u8]) {
        match self {
            Self::Memory(version) => version.copy_value(to),
            Self::Table(block, index) => to.copy_from_slice(block.entry(*index).value),
        }
    }

    /// Replaces `to` by the value.
    pub(crate) fn read_value(&self, to: &mut Vec<u8>) {
        to.resize(self.value_bytes().unwrap_or(0), 0);
        self.copy_value(to);
    }
}

impl View {
    /// The newest version of `key` no newer than `timestamp`, or a tombstone. Components are asked
    /// from the newest to the oldest, so the first that knows the key has the answer.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Corrupt`] if a table cannot be read.
    pub(crate) fn get<'view>(
        &'view self,
        key: &[u8],
        timestamp: u64,
        cache: &Cache,
    ) -> Result<Option<Found<'view>>, Error> {
        if let Some(found) = self.memory.memtable.get(key, timestamp) {
            return Ok(Some(Found::Memory(found)));
        }
        if let Some(merging) = &self.merging
            && let Some(found) = merging.memtable.get(key, timestamp)
        {
            return Ok(Some(Found::Memory(found)));
        }
        for table in &self.disk.levels[0] {
            if table.spans(key)
                && let Some((block, index)) = table.get(key, timestamp, cache)?
            {
                return Ok(Some(Found::Table(block, index)));
            }
        }
        for level in 1..self.disk.levels.len() {
            if let Some(table) = self.disk.table_of(level, key)
                && let Some((block, index)) = table.get(key, timestamp, cache)?
            {
                return Ok(Some(Found::Table(block, index)));
            }
        }
        Ok(None)
    }

    /// A cursor for each component.
    pub(crate) fn cursors(&self, cache: &Arc<Cache>) -> Vec<Cursor> {
        let memory = [Some(&self.memory), self.merging.as_ref()];
        let mut cursors: Vec<_> = memory.into_iter().flatten().map(Cursor::memory).collect();
        let level0 = self.disk.levels[0].iter();
        cursors.extend(level0.map(|table| Cursor::level(vec![Arc::clone(table)], cache)));
        let deeper = self.disk.levels[1..].iter().filter(|tables| !tables.is_empty());
        cursors.extend(deeper.map(|tables| Cursor::level(tables.clone(), cache)));
        cursors
    }

    /// The view after a swap of memory components.
    pub(crate) fn rotated(&self, memory: Arc<Component>) -> Self {
        debug_assert!(self.merging.is_none(), "one component is merged at a time");
        Self { memory, merging: Some(Arc::clone(&self.memory)), disk: Arc::clone(&self.disk) }
    }

    /// The view with another disk component.
    pub(crate) fn with_disk(&self, disk: Arc<Version>, is_merged: bool) -> Self {
        let merging = if is_merged { None } else { self.merging.clone() };
        Self { memory: Arc::clone(&self.memory), merging, disk }
    }
}
