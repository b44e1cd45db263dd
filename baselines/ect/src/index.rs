//! The index: buckets by the first bits of a key, and a trie for each.

use crate::bits::{Bits, Reader};
use crate::coder::{Coder, Coding};
use crate::error::Malformed;
use crate::offsets::Offsets;
use crate::trie;

/// What an index is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Length of every key, from 8 bytes up.
    pub key_bytes: usize,
    /// Keys that a bucket has at most on average, a power of two from 2 to 16 384. The text's *g*.
    pub bucket_keys: u32,
    /// Items in a block: 1 for a dense index, which names one item.
    pub per_block: u32,
    /// How counts are coded.
    pub coding: Coding,
}

impl Params {
    /// A dense index with buckets of 256 keys, as the text has it.
    #[must_use]
    pub fn new(key_bytes: usize) -> Self {
        Self { key_bytes, bucket_keys: 256, per_block: 1, coding: Coding::default() }
    }

    /// First bits of a key that choose among the buckets of `keys` keys.
    pub(crate) fn bucket_bits(&self, keys: u64) -> u32 {
        let buckets = keys.div_ceil(u64::from(self.bucket_keys)).max(1);
        buckets.next_power_of_two().trailing_zeros()
    }

    /// 64 buckets at 256 keys; fewer if they are larger, so that 16 bits suffice.
    pub(crate) fn group_buckets(&self) -> u32 {
        (64 * 256 / self.bucket_keys).clamp(1, 64)
    }
}

/// Items among which a key is, if it is anywhere. One in a dense index; in a sparse one as many as
/// the trie does not tell apart, all in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Ordinal of the first.
    pub first: u64,
    /// How many; at least one.
    pub items: u32,
}

/// A built index. It is immutable: an update builds another while it merges.
#[derive(Clone, Debug)]
pub struct Index {
    pub(crate) params: Params,
    pub(crate) bucket_bits: u32,
    pub(crate) items: u64,
    pub(crate) offsets: Offsets,
    pub(crate) tries: Bits,
    pub(crate) coder: Coder,
}

impl Index {
    /// Looks `key` up. `None` if no indexed key begins like it. A key that is not indexed may be
    /// answered with any place.
    ///
    /// Time is linear in a bucket's keys: of two subtries, the left is read past on the way to the
    /// right.
    ///
    /// # Errors
    /// [`Malformed`] if memory was changed.
    ///
    /// # Panics
    /// If the key has another length than the index's.
    pub fn lookup(&self, key: &[u8]) -> Result<Option<Place>, Malformed> {
        assert_eq!(key.len(), self.params.key_bytes, "length of the key");
        let bucket = bucket(key, self.bucket_bits);
        let (start, end) = (self.offsets.get(bucket), self.offsets.get(bucket + 1));
        if start.item == end.item {
            return Ok(None);
        }
        let mut reader = Reader::new(&self.tries, start.bit, end.bit);
        let range = (start.item, (end.item - start.item) as usize);
        let (depth, per_block) = (self.bucket_bits as usize, u64::from(self.params.per_block));
        let (first, items) = trie::find(&mut reader, &self.coder, key, depth, range, per_block)
            .ok_or(Malformed { bucket: bucket as u64 })?;
        Ok(Some(Place { first, items: items as u32 }))
    }

    /// Keys that it indexes.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// What it was built for.
    #[must_use]
    pub fn params(&self) -> Params {
        self.params
    }

    /// Number of buckets: a power of two.
    #[must_use]
    pub fn buckets(&self) -> u64 {
        1 << self.bucket_bits
    }

    /// Memory of tries and offsets, in bytes. The tables of the coder, about 60 KiB, are not
    /// counted: they depend on the coding alone.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.tries.words().len() as u64 * 8 + self.offsets.bytes()
    }

    /// [`memory_bytes`](Self::memory_bytes) in bits per key.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.memory_bytes() as f64 * 8.0 / self.items as f64
    }

    /// Bits per key of the tries alone.
    #[must_use]
    pub fn trie_bits_per_key(&self) -> f64 {
        self.tries.length() as f64 / self.items as f64
    }
}

/// The bucket of a key: its first bits as a number.
pub(crate) fn bucket(key: &[u8], bucket_bits: u32) -> usize {
    let first = u64::from_be_bytes(key[..8].try_into().expect("keys have 8 bytes at least"));
    if bucket_bits == 0 { 0 } else { (first >> (u64::BITS - bucket_bits)) as usize }
}
