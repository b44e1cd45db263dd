//! One thread's memory for reading: pages, the value found, and how many reads that took.

use crate::buffer::Buffer;
use crate::error::Error;
use crate::files::Pages;
use crate::key::Key;
use crate::record::{self, Entry, Layout};
use crate::stream::corrupt;

/// What a store says of a key that it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Its value is in [`Scratch::value`].
    Value,
    /// It was deleted: stores behind this one are not asked.
    Deleted,
}

/// Memory for reading.
#[derive(Debug, Default)]
pub struct Scratch {
    pages: Buffer,
    /// The value of the last key found.
    pub(crate) value: Vec<u8>,
    /// Reads since someone set it to 0.
    pub(crate) reads: u64,
}

impl Scratch {
    /// Compares the record in `bytes` with `key`; copies its value if it is the key's.
    pub(crate) fn compare(
        &mut self,
        file: &dyn Pages,
        ordinal: u64,
        bytes: &[u8],
        key: &Key,
    ) -> Result<Option<Found>, Error> {
        let record =
            record::read(bytes, ordinal).map_err(|broken| corrupt(file, ordinal, &broken))?;
        Ok(match record {
            Some((found, entry)) if found == key => Some(self.take(entry)),
            _ => None,
        })
    }

    fn take(&mut self, entry: Entry<'_>) -> Found {
        match entry {
            Entry::Deleted => Found::Deleted,
            Entry::Value(value) => {
                self.value.clear();
                self.value.extend_from_slice(value);
                Found::Value
            }
        }
    }

    /// One read of `count` records from `first` on; compares each with `key`.
    pub(crate) fn read(
        &mut self,
        file: &dyn Pages,
        layout: Layout,
        first: u64,
        count: u64,
        key: &Key,
    ) -> Result<Option<Found>, Error> {
        let span = layout.span(first, count);
        let mut pages = std::mem::take(&mut self.pages);
        let read = file.read(span.at, pages.first(span.bytes));
        self.reads += 1;
        let mut found = read.map(|()| None);
        for ordinal in first..first + count {
            if !matches!(found, Ok(None)) {
                break;
            }
            let start = (layout.offset(ordinal) - span.at) as usize;
            let bytes = &pages.bytes()[start..start + layout.record_bytes];
            found = self.compare(file, ordinal, bytes, key);
        }
        self.pages = pages;
        found
    }
}
