//! Records: fixed in length, checked one by one, and placed by their ordinal.
//!
//! ```text
//! 4 bytes   checksum, seeded by the ordinal, of all that follows up to the value's end
//! 4         0 nothing · n + 1 a value of n bytes · 2³² − 1 the key is deleted
//! 20        key
//! …         value, then zeros up to the length of all records
//! ```
//!
//! Records follow each other without gaps. Only short ones never lie on two pages: of these an
//! index tells the page alone.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::buffer::PAGE_BYTES;
use crate::key::{KEY_BYTES, Key};

/// Bytes before the value.
pub const HEADER_BYTES: usize = 8 + KEY_BYTES;
/// Up to this length records keep to one page (§2.5: sparse indexing up to 64 bytes).
const SHORT_BYTES: usize = 64;
const DELETED: u32 = u32::MAX;

/// What a record says of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry<'a> {
    /// It has this value.
    Value(&'a [u8]),
    /// It is gone.
    Deleted,
}

/// Writes a record over `into`.
pub(crate) fn write(into: &mut [u8], ordinal: u64, key: &Key, entry: Entry<'_>) {
    let (tag, value) = match entry {
        Entry::Value(value) => (value.len() as u32 + 1, value),
        Entry::Deleted => (DELETED, &[][..]),
    };
    let end = HEADER_BYTES + value.len();
    into[4..8].copy_from_slice(&tag.to_le_bytes());
    into[8..HEADER_BYTES].copy_from_slice(key);
    into[HEADER_BYTES..end].copy_from_slice(value);
    into[end..].fill(0);
    let checksum = checksum(&into[..end], ordinal);
    into[..4].copy_from_slice(&checksum.to_le_bytes());
}

/// Why bytes are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) stored: u32,
    pub(crate) computed: u32,
}

/// Reads a record; `None` where nothing was written.
pub(crate) fn read(from: &[u8], ordinal: u64) -> Result<Option<(&Key, Entry<'_>)>, Broken> {
    let word = |at: usize| u32::from_le_bytes(from[at..at + 4].try_into().expect("four bytes"));
    let (stored, tag) = (word(0), word(4));
    let key: &Key = from[8..HEADER_BYTES].try_into().expect("a key's bytes");
    if tag == 0 && from.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let value_bytes = if tag == DELETED { 0 } else { tag.wrapping_sub(1) as usize };
    let end = HEADER_BYTES.saturating_add(value_bytes);
    let whole = from.get(..end);
    let computed = whole.map_or(!stored, |whole| checksum(whole, ordinal));
    // What follows the value is not covered, so it has to be what was written: zeros.
    if computed != stored || from[end..].iter().any(|byte| *byte != 0) {
        return Err(Broken { stored, computed });
    }
    let value = &from[HEADER_BYTES..end];
    Ok(Some((key, if tag == DELETED { Entry::Deleted } else { Entry::Value(value) })))
}

fn checksum(record: &[u8], ordinal: u64) -> u32 {
    xxh3_64_with_seed(&record[4..], ordinal) as u32
}

/// Where in a file records lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) record_bytes: usize,
    /// Records in a page, if they keep to one.
    per_page: Option<u64>,
}

/// Whole pages that hold some records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Where in the file the pages begin.
    pub(crate) at: u64,
    /// How long they are.
    pub(crate) bytes: usize,
    /// Where in them the first record begins.
    pub(crate) skip: usize,
}

impl Layout {
    pub(crate) fn new(value_bytes_max: usize) -> Self {
        let record_bytes = (HEADER_BYTES + value_bytes_max).next_multiple_of(4);
        let per_page = (record_bytes <= SHORT_BYTES).then(|| (PAGE_BYTES / record_bytes) as u64);
        Self { record_bytes, per_page }
    }

    /// Records that an index need not tell apart.
    pub(crate) fn per_block(self) -> u32 {
        self.per_page.unwrap_or(1) as u32
    }

    /// Where a record begins.
    pub(crate) fn offset(self, ordinal: u64) -> u64 {
        let record_bytes = self.record_bytes as u64;
        match self.per_page {
            Some(count) => ordinal / count * PAGE_BYTES as u64 + ordinal % count * record_bytes,
            None => ordinal * record_bytes,
        }
    }

    /// Where the record before `ordinal` ends: the length of a file with so many.
    pub(crate) fn end(self, ordinal: u64) -> u64 {
        ordinal.checked_sub(1).map_or(0, |last| self.offset(last) + self.record_bytes as u64)
    }

    /// The pages of `count` records from `first` on; at least one.
    pub(crate) fn span(self, first: u64, count: u64) -> Span {
        let (start, end) = (self.offset(first), self.end(first + count));
        let at = start - start % PAGE_BYTES as u64;
        let bytes = (end - at).next_multiple_of(PAGE_BYTES as u64) as usize;
        Span { at, bytes, skip: (start - at) as usize }
    }

    /// Records that fit into `bytes`, with an end that is not a page's.
    pub(crate) fn records_in(self, bytes: usize) -> u64 {
        (bytes.saturating_sub(PAGE_BYTES) / self.record_bytes).max(1) as u64
    }
}
