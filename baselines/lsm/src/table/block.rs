//! A block: entries in order, and where each begins.
//!
//! ```text
//! key's length, 4 │ value's length, 4 │ kind and timestamp, 8 │ key │ value     for each entry
//! where each entry begins, 4 each │ number of entries, 4
//! ```
//!
//! Keys are whole: no entry is made from the one before, so that search can begin anywhere.

use std::cmp::Ordering as Order;

use crate::memtable::Kind;

const HEADER_BYTES: usize = 16;

/// An entry of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'block> {
    pub(crate) key: &'block [u8],
    pub(crate) timestamp: u64,
    pub(crate) kind: Kind,
    pub(crate) value: &'block [u8],
}

impl Entry<'_> {
    /// How the entry's place in the order compares with `(key, timestamp)`: newer versions first.
    pub(crate) fn order(&self, key: &[u8], timestamp: u64) -> Order {
        self.key.cmp(key).then(timestamp.cmp(&self.timestamp))
    }
}

/// A whole block, checked when it was read.
#[derive(Debug)]
pub(crate) struct Block {
    bytes: Box<[u8]>,
    entries: usize,
    /// Where the places of entries begin.
    places: usize,
}

impl Block {
    /// The block in `bytes`; `None` if they are none.
    pub(crate) fn new(bytes: Box<[u8]>) -> Option<Self> {
        let places_end = bytes.len().checked_sub(4)?;
        let entries = u32_at(&bytes, places_end) as usize;
        let places = places_end.checked_sub(entries.checked_mul(4)?)?;
        Some(Self { bytes, entries, places })
    }

    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The entry at an index below [`entries`](Self::entries).
    #[inline]
    pub(crate) fn entry(&self, index: usize) -> Entry<'_> {
        let at = u32_at(&self.bytes, self.places + 4 * index) as usize;
        let key_bytes = u32_at(&self.bytes, at) as usize;
        let value_bytes = u32_at(&self.bytes, at + 4) as usize;
        let stamp = self.bytes[at + 8..at + 16].try_into().expect("eight bytes");
        let (timestamp, kind) = Kind::split(u64::from_le_bytes(stamp));
        let (key, rest) = self.bytes[at + HEADER_BYTES..].split_at(key_bytes);
        Entry { key, timestamp, kind, value: &rest[..value_bytes] }
    }

    /// The first entry not before `(key, timestamp)`; the number of entries if there is none.
    pub(crate) fn seek(&self, key: &[u8], timestamp: u64) -> usize {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low.midpoint(high);
            if self.entry(middle).order(key, timestamp) == Order::Less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// A block in the making.
#[derive(Debug, Default)]
pub(super) struct BlockBuilder {
    bytes: Vec<u8>,
    places: Vec<u32>,
}

impl BlockBuilder {
    pub(super) fn add(&mut self, entry: &Entry<'_>) {
        self.places.push(self.bytes.len() as u32);
        self.bytes.extend_from_slice(&(entry.key.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(&(entry.value.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(&entry.kind.with(entry.timestamp).to_le_bytes());
        self.bytes.extend_from_slice(entry.key);
        self.bytes.extend_from_slice(entry.value);
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.len() + 4 * self.places.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Appends the block to `to` and begins another.
    pub(super) fn finish(&mut self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.bytes);
        for place in &self.places {
            to.extend_from_slice(&place.to_le_bytes());
        }
        to.extend_from_slice(&(self.places.len() as u32).to_le_bytes());
        self.bytes.clear();
        self.places.clear();
    }
}
