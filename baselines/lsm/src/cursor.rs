//! Going through components in order: one at a time, and several merged.

use std::cmp::Ordering as Order;
use std::sync::Arc;

use crate::cache::Cache;
use crate::error::Error;
use crate::log::Component;
use crate::table::{Entry, Table, TableCursor};

/// A place in a memory component. It copies the version that it stands on.
#[derive(Debug)]
pub(crate) struct MemoryCursor {
    component: Arc<Component>,
    place: Option<u64>,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl MemoryCursor {
    fn stand_on(&mut self, place: Option<u64>) {
        self.place = place;
        if let Some(place) = place {
            let version = self.component.memtable.at(place);
            version.read_key(&mut self.key);
            version.read_value(&mut self.value);
        }
    }

    fn entry(&self) -> Option<Entry<'_>> {
        let version = self.component.memtable.at(self.place?);
        let (timestamp, kind) = (version.timestamp(), version.kind());
        Some(Entry { key: &self.key, timestamp, kind, value: &self.value })
    }
}

/// A place in tables that do not overlap, one after the other.
#[derive(Debug)]
pub(crate) struct LevelCursor {
    tables: Vec<Arc<Table>>,
    cache: Arc<Cache>,
    /// The table it stands in, by its place in `tables`.
    place: usize,
    inside: Option<TableCursor>,
}

impl LevelCursor {
    fn enter(&mut self, place: usize) -> Option<&mut TableCursor> {
        self.place = place;
        let table = self.tables.get(place).cloned();
        self.inside = table.map(|table| TableCursor::new(table, Arc::clone(&self.cache)));
        self.inside.as_mut()
    }

    fn seek(&mut self, key: &[u8], timestamp: u64) -> Result<(), Error> {
        let is_before = |table: &Arc<Table>| table.meta().largest.as_slice() < key;
        let place = self.tables.partition_point(is_before);
        if let Some(inside) = self.enter(place) {
            inside.seek(key, timestamp)?;
        }
        self.skip_ends()
    }

    fn next(&mut self) -> Result<(), Error> {
        if let Some(inside) = &mut self.inside {
            inside.next()?;
        }
        self.skip_ends()
    }

    /// Goes on to the next table where one has ended.
    fn skip_ends(&mut self) -> Result<(), Error> {
        while self.inside.as_ref().is_some_and(|inside| inside.entry().is_none()) {
            if let Some(inside) = self.enter(self.place + 1) {
                inside.first()?;
            }
        }
        Ok(())
    }
}

/// A place in a component.
#[derive(Debug)]
pub(crate) enum Cursor {
    Memory(MemoryCursor),
    Level(LevelCursor),
}

impl Cursor {
    /// A cursor of a memory component that stands nowhere.
    pub(crate) fn memory(component: &Arc<Component>) -> Self {
        let component = Arc::clone(component);
        Self::Memory(MemoryCursor { component, place: None, key: Vec::new(), value: Vec::new() })
    }

    /// A cursor of tables in order, which do not overlap; it stands nowhere.
    pub(crate) fn level(tables: Vec<Arc<Table>>, cache: &Arc<Cache>) -> Self {
        let cache = Arc::clone(cache);
        Self::Level(LevelCursor { tables, cache, place: 0, inside: None })
    }

    /// Goes to the first version not before `(key, timestamp)`.
    fn seek(&mut self, key: &[u8], timestamp: u64) -> Result<(), Error> {
        match self {
            Self::Memory(memory) => {
                let component = Arc::clone(&memory.component);
                memory.stand_on(component.memtable.from(key, timestamp).map(|found| found.place()));
                Ok(())
            }
            Self::Level(level) => level.seek(key, timestamp),
        }
    }

    fn next(&mut self) -> Result<(), Error> {
        match self {
            Self::Memory(memory) => {
                let component = Arc::clone(&memory.component);
                let place = memory.place.expect("it stands on a version");
                memory.stand_on(component.memtable.at(place).next().map(|next| next.place()));
                Ok(())
            }
            Self::Level(level) => level.next(),
        }
    }

    #[inline]
    fn entry(&self) -> Option<Entry<'_>> {
        match self {
            Self::Memory(memory) => memory.entry(),
            Self::Level(level) => level.inside.as_ref()?.entry(),
        }
    }
}

/// Several components as one: the first in order of all.
#[derive(Debug)]
pub(crate) struct Merged {
    cursors: Vec<Cursor>,
    /// The cursor that is first.
    first: Option<usize>,
}

impl Merged {
    /// Stands on the first version not before `(key, timestamp)`.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Corrupt`] if a table cannot be read; likewise below.
    pub(crate) fn from(
        mut cursors: Vec<Cursor>,
        key: &[u8],
        timestamp: u64,
    ) -> Result<Self, Error> {
        for cursor in &mut cursors {
            cursor.seek(key, timestamp)?;
        }
        let mut merged = Self { cursors, first: None };
        merged.choose();
        Ok(merged)
    }

    /// The version that it stands on.
    #[inline]
    pub(crate) fn entry(&self) -> Option<Entry<'_>> {
        self.cursors[self.first?].entry()
    }

    pub(crate) fn next(&mut self) -> Result<(), Error> {
        if let Some(first) = self.first {
            self.cursors[first].next()?;
            self.choose();
        }
        Ok(())
    }

    /// Finds the first one: O(components), of which there are about a dozen.
    fn choose(&mut self) {
        let mut best: Option<(usize, Entry<'_>)> = None;
        for (index, cursor) in self.cursors.iter().enumerate() {
            let Some(entry) = cursor.entry() else { continue };
            let is_first =
                best.is_none_or(|(_, best)| entry.order(best.key, best.timestamp) == Order::Less);
            if is_first {
                best = Some((index, entry));
            }
        }
        self.first = best.map(|(index, _)| index);
    }
}

/// Calls `visit` with all pairs of a state of the store from `first` on, in order, until it answers
/// `false`.
///
/// # Errors
/// [`Error::Storage`] or [`Error::Corrupt`] if a table cannot be read.
pub(crate) fn scan(
    cursors: Vec<Cursor>,
    first: &[u8],
    timestamp: u64,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<(), Error> {
    let mut merged = Merged::from(cursors, first, u64::MAX)?;
    let mut last: Option<Vec<u8>> = None;
    while let Some(entry) = merged.entry() {
        let is_visible = entry.timestamp <= timestamp;
        if is_visible && last.as_deref() != Some(entry.key) {
            if entry.kind.has_value && !visit(entry.key, entry.value) {
                return Ok(());
            }
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(entry.key);
        }
        merged.next()?;
    }
    Ok(())
}
