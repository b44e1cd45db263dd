//! What is known about every key of a trace.
//!
//! A hash table whose parts grow one at a time. A growing table coexists with the one it replaces,
//! and one part of 64 costs little. A key takes 25 bytes at a load between 7/16 and 7/8, so between
//! 29 and 57 bytes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use crate::mix::mix;

const PARTS: usize = 64;

/// The history of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Number of operations on it, at most `u32::MAX`.
    pub(super) accesses: u32,
    /// Size of its object while it is live, at most `u32::MAX`.
    pub(super) object_bytes: u32,
    /// Its place in the order of last accesses; [`Key::UNTRACKED`] for keys outside the sample.
    pub(super) slot: u32,
    /// Whether it is stored now.
    pub(super) is_live: bool,
    pub(super) was_stored: bool,
}

impl Key {
    /// The slot of a key whose accesses are not tracked.
    pub(super) const UNTRACKED: u32 = u32::MAX;
}

const _: () = assert!(size_of::<(u64, Key)>() == 24);

/// Spreads a word over all bits, as tables and samples need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = mix(word);
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = super::super::key_of_bytes(bytes);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A table keyed by words.
pub(super) type WordMap<V> = HashMap<u64, V, BuildHasherDefault<WordHasher>>;

/// All keys with their histories.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    parts: Vec<WordMap<Key>>,
    count: u64,
}

impl Keys {
    pub(super) fn new() -> Self {
        Self { parts: (0..PARTS).map(|_| WordMap::default()).collect(), count: 0 }
    }

    /// The history of `key`; without accesses if the key is new.
    #[inline]
    pub(super) fn of(&mut self, key: u64) -> &mut Key {
        match self.parts[part_of(key)].entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                self.count += 1;
                place.insert(Key {
                    accesses: 0,
                    object_bytes: 0,
                    slot: Key::UNTRACKED,
                    is_live: false,
                    was_stored: false,
                })
            }
        }
    }

    /// Number of keys seen so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Key> {
        self.parts.iter().flat_map(HashMap::values)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut Key)> {
        let parts = self.parts.iter_mut();
        parts.flat_map(HashMap::iter_mut).map(|(&word, key)| (word, key))
    }
}

/// The table itself uses the lowest bits of the same word and the highest seven; samples use the
/// bits from 31 up ([`sample_of`]); parts use the six bits between.
#[inline]
fn part_of(key: u64) -> usize {
    (mix(key) >> 51) as usize % PARTS
}

/// Twenty bits of a key that are independent of its position in the table. A sample of one key in
/// `2^n` takes the keys whose lowest `n` bits are 0.
#[inline]
pub(super) fn sample_of(key: u64) -> u64 {
    (mix(key) >> 31) & ((1 << SAMPLE_BITS) - 1)
}

/// A sample is never thinner than one key in `2^20`.
pub(super) const SAMPLE_BITS: u32 = 20;
