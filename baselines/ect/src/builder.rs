//! Builds an index from keys in order: one bucket's keys are held at a time, so it can be built
//! while a sort or a merge writes the items.

use crate::bits::Bits;
use crate::coder::{Coder, HUFFMAN_MAX};
use crate::error::BuildError;
use crate::index::{Index, Params, bucket};
use crate::offsets::{Offsets, Start};
use crate::trie::{self, Keys};

/// Takes keys in ascending order.
#[derive(Debug)]
pub struct Builder {
    params: Params,
    bucket_bits: u32,
    coder: Coder,
    tries: Bits,
    offsets: Offsets,
    /// Keys of the bucket that is being filled, and the ordinal of the first.
    keys: Vec<u8>,
    first: u64,
    items: u64,
    bucket: usize,
}

impl Builder {
    /// `keys` is about how many will come; it decides the number of buckets. With fewer the index
    /// is larger than need be, with many more it may be refused.
    ///
    /// # Panics
    /// If a parameter is out of the range that [`Params`] gives.
    #[must_use]
    pub fn new(params: Params, keys: u64) -> Self {
        let Params { key_bytes, bucket_keys, per_block, coding } = params;
        assert!(key_bytes >= 8, "keys of {key_bytes} bytes are no hashes");
        let usual = 2..=16_384;
        assert!(bucket_keys.is_power_of_two() && usual.contains(&bucket_keys), "{bucket_keys}");
        assert!(per_block >= 1, "a block has an item");
        assert!((1..=HUFFMAN_MAX).contains(&coding.huffman_max), "{coding:?}");
        let bucket_bits = params.bucket_bits(keys);
        Self {
            params,
            bucket_bits,
            coder: Coder::new(coding),
            tries: Bits::default(),
            offsets: Offsets::new(params.group_buckets(), 1 << bucket_bits),
            keys: Vec::new(),
            first: 0,
            items: 0,
            bucket: 0,
        }
    }

    /// Appends a key, which must be greater than the one before.
    ///
    /// # Errors
    /// [`BuildError`] says what is wrong with it. The builder is of no use then.
    pub fn push(&mut self, key: &[u8]) -> Result<(), BuildError> {
        let wanted_bytes = self.params.key_bytes;
        if key.len() != wanted_bytes {
            return Err(BuildError::KeyLength { key_bytes: key.len(), wanted_bytes });
        }
        let bucket = bucket(key, self.bucket_bits);
        let ordinal = self.items;
        if bucket < self.bucket {
            return Err(BuildError::Unsorted { ordinal });
        }
        if let Some(last) = self.keys.len().checked_sub(wanted_bytes) {
            match self.keys[last..].cmp(key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Err(BuildError::DuplicateHash { ordinal }),
                std::cmp::Ordering::Greater => return Err(BuildError::Unsorted { ordinal }),
            }
        }
        if bucket > self.bucket {
            self.end_buckets(bucket)?;
        }
        self.keys.extend_from_slice(key);
        self.items += 1;
        Ok(())
    }

    /// Writes the trie of the bucket that is being filled, and moves on to bucket `next`.
    fn end_buckets(&mut self, next: usize) -> Result<(), BuildError> {
        self.offsets.push(Start { bit: self.tries.length(), item: self.first })?;
        let keys = Keys { bytes: &self.keys, key_bytes: self.params.key_bytes };
        let (depth, per_block) = (self.bucket_bits as usize, u64::from(self.params.per_block));
        trie::encode(&mut self.tries, &self.coder, keys, depth, self.first, per_block);
        self.keys.clear();
        self.first = self.items;
        // Buckets without keys begin where the next one does.
        while self.offsets.len() < next {
            self.offsets.push(Start { bit: self.tries.length(), item: self.first })?;
        }
        self.bucket = next;
        Ok(())
    }

    /// The index of all keys that were pushed.
    ///
    /// # Errors
    /// [`BuildError::CrowdedGroup`] if the last buckets are too full.
    pub fn finish(mut self) -> Result<Index, BuildError> {
        self.end_buckets(1 << self.bucket_bits)?;
        self.offsets.push(Start { bit: self.tries.length(), item: self.items })?;
        self.tries.shrink();
        Ok(Index {
            params: self.params,
            bucket_bits: self.bucket_bits,
            items: self.items,
            offsets: self.offsets,
            tries: self.tries,
            coder: self.coder,
        })
    }
}
