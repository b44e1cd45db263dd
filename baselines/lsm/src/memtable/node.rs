//! How a node lies in its words.
//!
//! ```text
//! header │ link h-1 … link 1 │ link 0 │ timestamp, kind │ lengths │ key … │ value …
//!                                      └ the node's place
//! header:   words << 8 | height << 4 | state: 0 in the making, 1 inserted, 2 given up
//! lengths:  key << 32 | value
//! ```
//!
//! Links lie below the place, so that the key's place does not depend on the height. A key is in
//! big-endian words, so that words compare as bytes do; the last is padded with zeros.

use std::cmp::Ordering as Order;

use crate::sync::{AtomicU64, Ordering, copy_in, copy_out};

/// Levels of the list: a node reaches each with a quarter of the probability of the one below.
pub(super) const HEIGHT_MAX: usize = 12;
/// The place of the node before all others, which has links only.
pub(super) const HEAD: u64 = HEIGHT_MAX as u64;
/// Where reserved words begin.
pub(super) const FIRST: u64 = HEAD;
/// The longest key.
pub(crate) const KEY_BYTES_MAX: usize = 64 << 10;

const KIND_BITS: u32 = 8;
const VALUE: u64 = 1;
const READ_MODIFY_WRITE: u64 = 2;
const CONTINUES: u64 = 4;

/// What a version is, besides its key, time and value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Whether there is a value; else the key is deleted.
    pub(crate) has_value: bool,
    /// Whether it was made from the version below.
    pub(crate) is_read_modify_write: bool,
    /// Whether the next record belongs to the same batch.
    pub(crate) continues: bool,
}

impl Kind {
    pub(crate) fn of(value: Option<&[u8]>) -> Self {
        Self { has_value: value.is_some(), ..Self::default() }
    }

    /// Packs the kind with a timestamp, of which 56 bits count.
    pub(crate) fn with(self, timestamp: u64) -> u64 {
        let bit = |is: bool, bit: u64| if is { bit } else { 0 };
        timestamp << KIND_BITS
            | bit(self.has_value, VALUE)
            | bit(self.is_read_modify_write, READ_MODIFY_WRITE)
            | bit(self.continues, CONTINUES)
    }

    /// The kind and timestamp in a packed word.
    pub(crate) fn split(word: u64) -> (u64, Self) {
        let kind = Self {
            has_value: word & VALUE != 0,
            is_read_modify_write: word & READ_MODIFY_WRITE != 0,
            continues: word & CONTINUES != 0,
        };
        (word >> KIND_BITS, kind)
    }
}

/// State of a reservation, in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Making = 0,
    Inserted = 1,
    GivenUp = 2,
}

pub(super) fn header(words: u64, height: usize, state: State) -> u64 {
    words << 8 | (height as u64) << 4 | state as u64
}

pub(super) fn split_header(header: u64) -> (u64, usize, State) {
    let state = match header & 15 {
        0 => State::Making,
        1 => State::Inserted,
        2 => State::GivenUp,
        other => unreachable!("no header ends with {other}"),
    };
    (header >> 8, (header >> 4 & 15) as usize, state)
}

const fn words_of(bytes: usize) -> u64 {
    bytes.div_ceil(8) as u64
}

/// Words of a node.
pub(super) fn node_words(height: usize, key_bytes: usize, value_bytes: usize) -> u64 {
    1 + height as u64 + 2 + words_of(key_bytes) + words_of(value_bytes)
}

/// The most words that a record may take.
pub(crate) fn words_for(key_bytes: usize, value_bytes: usize) -> u64 {
    node_words(HEIGHT_MAX, key_bytes, value_bytes)
}

#[inline]
pub(super) fn link_of(at: u64, level: usize) -> usize {
    at as usize - 1 - level
}

/// A key that is searched for, with its first word ready.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'key> {
    key: &'key [u8],
    first: u64,
}

impl<'key> Probe<'key> {
    #[inline]
    pub(super) fn of(key: &'key [u8]) -> Self {
        Self { key, first: word_at(key, 0) }
    }
}

/// The word of a key from byte `from` on, padded with zeros.
#[inline]
fn word_at(key: &[u8], from: usize) -> u64 {
    if let Some(word) = key.get(from..from + 8) {
        return u64::from_be_bytes(word.try_into().expect("eight bytes"));
    }
    let mut padded = [0; 8];
    let rest = key.get(from..).unwrap_or_default();
    padded[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(padded)
}

/// A node in the words. What it is made of is written before it is linked, and so before anybody
/// has its place: all accesses but those to links and header are relaxed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'words> {
    words: &'words [AtomicU64],
    at: usize,
}

impl<'words> Node<'words> {
    #[inline]
    pub(super) fn new(words: &'words [AtomicU64], at: u64) -> Self {
        Self { words, at: at as usize }
    }

    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.words[self.at + index].load(Ordering::Relaxed)
    }

    pub(super) fn write(&self, key: &[u8], value: &[u8]) {
        let lengths = (key.len() as u64) << 32 | value.len() as u64;
        self.words[self.at + 1].store(lengths, Ordering::Relaxed);
        let key_words = words_of(key.len()) as usize;
        let places = &self.words[self.at + 2..][..key_words];
        for (index, place) in places.iter().enumerate() {
            place.store(word_at(key, 8 * index), Ordering::Relaxed);
        }
        let places = &self.words[self.at + 2 + key_words..];
        copy_in(&places[..words_of(value.len()) as usize], value);
    }

    pub(super) fn stamp(&self, timestamp: u64, kind: Kind) {
        self.words[self.at].store(kind.with(timestamp), Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn timestamp(&self) -> u64 {
        self.word(0) >> KIND_BITS
    }

    pub(super) fn kind(&self) -> Kind {
        Kind::split(self.word(0)).1
    }

    #[inline]
    fn key_bytes(&self) -> usize {
        (self.word(1) >> 32) as usize
    }

    pub(super) fn value_bytes(&self) -> usize {
        (self.word(1) & u64::from(u32::MAX)) as usize
    }

    /// How the node's key compares with another.
    #[inline]
    pub(super) fn compare_key(&self, probe: &Probe<'_>) -> Order {
        let key_bytes = self.key_bytes();
        let first = if key_bytes == 0 { 0 } else { self.word(2) };
        if first != probe.first {
            return first.cmp(&probe.first);
        }
        self.compare_rest(key_bytes, probe)
    }

    /// How keys compare whose first words are equal.
    #[inline]
    fn compare_rest(&self, key_bytes: usize, probe: &Probe<'_>) -> Order {
        let common = words_of(key_bytes.min(probe.key.len())) as usize;
        for index in 1..common {
            let (ours, theirs) = (self.word(2 + index), word_at(probe.key, 8 * index));
            if ours != theirs {
                return ours.cmp(&theirs);
            }
        }
        // Padding is the least byte, so a key is before those that it begins.
        key_bytes.cmp(&probe.key.len())
    }

    /// Whether the node comes before `(key, timestamp)`.
    #[inline]
    pub(super) fn is_before(&self, probe: &Probe<'_>, timestamp: u64) -> bool {
        match self.compare_key(probe) {
            Order::Less => true,
            Order::Equal => self.timestamp() > timestamp,
            Order::Greater => false,
        }
    }

    pub(super) fn read_key(&self, to: &mut Vec<u8>) {
        let key_bytes = self.key_bytes();
        to.clear();
        for index in 0..words_of(key_bytes) as usize {
            to.extend_from_slice(&self.word(2 + index).to_be_bytes());
        }
        to.truncate(key_bytes);
    }

    /// Copies the value into `to`, which has its length.
    pub(super) fn copy_value(&self, to: &mut [u8]) {
        let from = self.at + 2 + words_of(self.key_bytes()) as usize;
        copy_out(&self.words[from..][..words_of(to.len()) as usize], to);
    }
}
