//! The index as bytes, for keeping it in a file.
//!
//! Little endian; words of 8 bytes: magic, key bytes, bucket keys, items per block, Huffman tables
//! up to, merged, bucket bits, items, bits of the tries; then the groups' starts, the buckets'
//! relative ones, padding to a word, the tries, and the checksum (XXH3-64) of all that.

use xxhash_rust::xxh3::xxh3_64;

use crate::bits::Bits;
use crate::coder::{Coder, Coding, HUFFMAN_MAX};
use crate::error::ImageError;
use crate::index::{Index, Params};
use crate::offsets::{Offsets, Start};

const MAGIC: u64 = u64::from_le_bytes(*b"ECTIDX01");
const WORD_BYTES: usize = 8;
const HEADER_WORDS: usize = 9;
const BUCKET_BITS_MAX: u64 = 40;

impl Index {
    /// Its image.
    #[must_use]
    pub fn image(&self) -> Vec<u8> {
        let Params { key_bytes, bucket_keys, per_block, coding } = self.params;
        let mut image = Vec::new();
        for word in [
            MAGIC,
            key_bytes as u64,
            u64::from(bucket_keys),
            u64::from(per_block),
            u64::from(coding.huffman_max),
            u64::from(coding.merged),
            u64::from(self.bucket_bits),
            self.items,
            self.tries.length(),
        ] {
            image.extend_from_slice(&word.to_le_bytes());
        }
        for start in &self.offsets.groups {
            image.extend_from_slice(&start.bit.to_le_bytes());
            image.extend_from_slice(&start.item.to_le_bytes());
        }
        for half in self.offsets.relative.as_flattened() {
            image.extend_from_slice(&half.to_le_bytes());
        }
        image.resize(image.len().next_multiple_of(WORD_BYTES), 0);
        for word in self.tries.words() {
            image.extend_from_slice(&word.to_le_bytes());
        }
        let checksum = xxh3_64(&image);
        image.extend_from_slice(&checksum.to_le_bytes());
        image
    }

    /// The index of an image.
    ///
    /// # Errors
    /// [`ImageError`] says what is wrong with the bytes.
    pub fn from_image(image: &[u8]) -> Result<Self, ImageError> {
        if image.len() < (HEADER_WORDS + 1) * WORD_BYTES || word(image, 0) != MAGIC {
            return Err(ImageError::NoIndex);
        }
        let (body, stored) = image.split_at(image.len() - WORD_BYTES);
        let (stored, computed) = (word(stored, 0), xxh3_64(body));
        if stored != computed {
            return Err(ImageError::Checksum { stored, computed });
        }
        let header = Header::read(body)?;
        header.index(body)
    }
}

struct Header {
    params: Params,
    bucket_bits: u32,
    items: u64,
    trie_bits: u64,
}

impl Header {
    fn read(body: &[u8]) -> Result<Self, ImageError> {
        let field = |number, name, accepted: std::ops::RangeInclusive<u64>| {
            let value = word(body, number);
            accepted.contains(&value).then_some(value).ok_or(ImageError::Field { name, value })
        };
        let coding = Coding {
            huffman_max: field(4, "huffman-max", 1..=u64::from(HUFFMAN_MAX))? as u32,
            merged: field(5, "merged", 0..=1)? == 1,
        };
        let params = Params {
            key_bytes: field(1, "key-bytes", 8..=1 << 16)? as usize,
            bucket_keys: field(2, "bucket-keys", 2..=16_384)? as u32,
            per_block: field(3, "per-block", 1..=u64::from(u32::MAX))? as u32,
            coding,
        };
        let bucket_bits = field(6, "bucket-bits", 0..=BUCKET_BITS_MAX)? as u32;
        let (items, trie_bits) = (word(body, 7), field(8, "trie-bits", 0..=1 << 56)?);
        Ok(Self { params, bucket_bits, items, trie_bits })
    }

    fn index(self, body: &[u8]) -> Result<Index, ImageError> {
        let Self { params, bucket_bits, items, trie_bits } = self;
        let group_buckets = params.group_buckets();
        let buckets = (1_usize << bucket_bits) + 1;
        let groups = buckets.div_ceil(group_buckets as usize);
        let relative_at = (HEADER_WORDS + 2 * groups) * WORD_BYTES;
        let tries_at = (relative_at + buckets * 4).next_multiple_of(WORD_BYTES);
        let wanted = tries_at as u64 + trie_bits.div_ceil(64) * WORD_BYTES as u64;
        if body.len() as u64 != wanted {
            let trailer = WORD_BYTES as u64;
            let (bytes, wanted_bytes) = (body.len() as u64 + trailer, wanted + trailer);
            return Err(ImageError::Length { bytes, wanted_bytes });
        }
        let start = |group: usize| {
            let at = HEADER_WORDS + 2 * group;
            Start { bit: word(body, at), item: word(body, at + 1) }
        };
        let half = |at: usize| u16::from_le_bytes([body[at], body[at + 1]]);
        let relative = (0..buckets).map(|bucket| {
            let at = relative_at + bucket * 4;
            [half(at), half(at + 2)]
        });
        let offsets = Offsets {
            group_buckets,
            groups: (0..groups).map(start).collect(),
            relative: relative.collect(),
        };
        let words = body[tries_at..].chunks_exact(WORD_BYTES).map(|bytes| word(bytes, 0)).collect();
        let tries = Bits::of_words(words, trie_bits).expect("the length was just compared");
        let coder = Coder::new(params.coding);
        Ok(Index { params, bucket_bits, items, offsets, tries, coder })
    }
}

fn word(bytes: &[u8], number: usize) -> u64 {
    let at = number * WORD_BYTES;
    u64::from_le_bytes(bytes[at..at + WORD_BYTES].try_into().expect("eight bytes"))
}
