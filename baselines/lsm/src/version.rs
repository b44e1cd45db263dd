//! The disk component: which tables there are, by level. A version never changes; an edit makes the
//! next one.

use std::sync::Arc;

use crate::error::Error;
use crate::frame::{Reader, append_counted};
use crate::table::{Meta, Table};

/// Levels. Tables of level 0 overlap, the newest first; those of a deeper level do not.
pub(crate) const LEVELS: usize = 7;

/// Tables by level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Version {
    pub(crate) levels: [Vec<Arc<Table>>; LEVELS],
}

/// What changes from one version to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Logs below this number are in tables.
    pub(crate) log_number: Option<u64>,
    /// No file has this number or a larger one.
    pub(crate) next_number: u64,
    /// No version has a newer timestamp, except in logs.
    pub(crate) newest: u64,
    pub(crate) removed: Vec<u64>,
    /// Levels and tables.
    pub(crate) added: Vec<(usize, Meta)>,
}

impl Edit {
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.log_number.unwrap_or(0).to_le_bytes());
        to.extend_from_slice(&self.next_number.to_le_bytes());
        to.extend_from_slice(&self.newest.to_le_bytes());
        to.extend_from_slice(&(self.removed.len() as u32).to_le_bytes());
        for number in &self.removed {
            to.extend_from_slice(&number.to_le_bytes());
        }
        to.extend_from_slice(&(self.added.len() as u32).to_le_bytes());
        for (level, meta) in &self.added {
            to.push(*level as u8);
            for number in [meta.number, meta.file_bytes, meta.entries, meta.newest] {
                to.extend_from_slice(&number.to_le_bytes());
            }
            append_counted(to, &meta.smallest);
            append_counted(to, &meta.largest);
        }
    }

    /// The edit in a frame's payload; `None` if it is none.
    pub(crate) fn read(payload: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(payload);
        let log_number = Some(reader.u64()?).filter(|&number| number > 0);
        let (next_number, newest) = (reader.u64()?, reader.u64()?);
        let removed = (0..reader.u32()?).map(|_| reader.u64()).collect::<Option<Vec<_>>>()?;
        let mut added = Vec::new();
        for _ in 0..reader.u32()? {
            let level = usize::from(reader.u8()?);
            let meta = Meta {
                number: reader.u64()?,
                file_bytes: reader.u64()?,
                entries: reader.u64()?,
                newest: reader.u64()?,
                smallest: reader.counted()?.to_vec(),
                largest: reader.counted()?.to_vec(),
            };
            if level >= LEVELS {
                return None;
            }
            added.push((level, meta));
        }
        Some(Self { log_number, next_number, newest, removed, added })
    }
}

impl Version {
    /// The version after `removed` are gone and `added` are there.
    pub(crate) fn edited(&self, removed: &[u64], added: &[(usize, Arc<Table>)]) -> Self {
        let mut next = self.clone();
        for level in &mut next.levels {
            level.retain(|table| !removed.contains(&table.meta().number));
        }
        for (level, table) in added {
            next.levels[*level].push(Arc::clone(table));
        }
        // Of tables of level 0, whose times do not overlap, the newer one comes first.
        next.levels[0].sort_by_key(|table| std::cmp::Reverse(table.meta().newest));
        for level in &mut next.levels[1..] {
            level.sort_by(|one, other| one.meta().smallest.cmp(&other.meta().smallest));
        }
        next
    }

    /// The table of a level below 0 that may hold `key`.
    pub(crate) fn table_of(&self, level: usize, key: &[u8]) -> Option<&Arc<Table>> {
        let tables = &self.levels[level];
        let place = tables.partition_point(|table| table.meta().largest.as_slice() < key);
        tables.get(place).filter(|table| table.spans(key))
    }

    /// The tables of a level that have keys in a range, ends included.
    pub(crate) fn overlapping(
        &self,
        level: usize,
        smallest: &[u8],
        largest: &[u8],
    ) -> Vec<Arc<Table>> {
        let overlaps = |table: &&Arc<Table>| {
            let meta = table.meta();
            meta.smallest.as_slice() <= largest && smallest <= meta.largest.as_slice()
        };
        self.levels[level].iter().filter(overlaps).cloned().collect()
    }

    /// Size of a level's tables.
    pub(crate) fn level_bytes(&self, level: usize) -> u64 {
        self.levels[level].iter().map(|table| table.meta().file_bytes).sum()
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.levels.iter().flatten()
    }

    /// Whether no level below `level` may hold `key`.
    pub(crate) fn is_deepest(&self, level: usize, key: &[u8]) -> bool {
        (level + 1..LEVELS).all(|deeper| self.table_of(deeper, key).is_none())
    }

    /// Whether tables of deeper levels are apart and in order.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (level, tables) in self.levels.iter().enumerate().skip(1) {
            for pair in tables.windows(2) {
                if pair[0].meta().largest >= pair[1].meta().smallest {
                    let (one, other) = (pair[0].meta().number, pair[1].meta().number);
                    let what = format!("tables {one} and {other} of level {level} overlap");
                    return Err(Error::corrupt("the version", what));
                }
            }
        }
        Ok(())
    }
}
