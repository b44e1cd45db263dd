//! A HashStore's filter (§2.2.2): the tags of a cuckoo table in the order of its slots, without
//! places. The record of a slot has the slot's number in the file.
//!
//! A slot has one bit more than a tag, which says whether it is taken.
//! Image: words of magic, bits of a bucket, entries, then the slots, then the checksum (XXH3-64).

use xxhash_rust::xxh3::xxh3_64;

use crate::cuckoo::{BUCKET_BITS_MAX, BUCKET_SLOTS, Tag, slots_of};
use crate::key::Buckets;

const MAGIC: u64 = u64::from_le_bytes(*b"SILTFLT1");
const WORD_BYTES: usize = 8;
const HEADER_WORDS: usize = 3;

/// Tags by slot, packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    bits: u32,
    entries: u64,
    words: Vec<u64>,
}

impl Filter {
    /// The filter of a table with `1 << bits` buckets.
    pub(crate) fn of_tags(bits: u32, tags: &[Tag]) -> Self {
        let width = bits + 1;
        let length = (tags.len() * width as usize).div_ceil(64);
        let mut filter = Self { bits, entries: 0, words: vec![0; length] };
        for (slot, tag) in tags.iter().enumerate().filter(|(_, tag)| tag.is_taken()) {
            let value = u64::from(tag.bucket()) << 1 | 1;
            let (word, shift) = filter.at(slot);
            filter.words[word] |= value << shift;
            if shift + width > 64 {
                filter.words[word + 1] |= value >> (64 - shift);
            }
            filter.entries += 1;
        }
        filter
    }

    fn at(&self, slot: usize) -> (usize, u32) {
        let bit = slot * (self.bits as usize + 1);
        (bit / 64, (bit % 64) as u32)
    }

    /// What a slot says.
    pub(crate) fn tag(&self, slot: usize) -> Tag {
        let (word, shift) = self.at(slot);
        let width = self.bits + 1;
        let mut value = self.words[word] >> shift;
        if shift + width > 64 {
            value |= self.words[word + 1] << (64 - shift);
        }
        let value = value & ((1 << width) - 1);
        if value & 1 == 0 { Tag::FREE } else { Tag::of((value >> 1) as u16) }
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn slots(&self) -> usize {
        BUCKET_SLOTS << self.bits
    }

    /// Slots that are taken.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.words.len() * WORD_BYTES) as u64
    }

    /// Slots that may be a key's.
    pub(crate) fn candidates(&self, buckets: Buckets) -> impl Iterator<Item = usize> {
        buckets.with_tags().flat_map(move |(bucket, tag)| {
            slots_of(bucket).filter(move |&slot| self.tag(slot) == Tag::of(tag))
        })
    }

    pub(crate) fn image(&self) -> Vec<u8> {
        let header = [MAGIC, u64::from(self.bits), self.entries];
        let words = header.iter().chain(&self.words);
        let mut image: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let checksum = xxh3_64(&image);
        image.extend_from_slice(&checksum.to_le_bytes());
        image
    }

    /// # Errors
    /// What is wrong with the image.
    pub(crate) fn from_image(image: &[u8]) -> Result<Self, String> {
        let words: Vec<u64> = image
            .chunks_exact(WORD_BYTES)
            .map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
            .collect();
        if words.len() <= HEADER_WORDS || words[0] != MAGIC || words.len() * 8 != image.len() {
            return Err("it is no filter".to_owned());
        }
        let (stored, computed) =
            (words[words.len() - 1], xxh3_64(&image[..image.len() - WORD_BYTES]));
        if stored != computed {
            return Err(format!("its checksum is {computed:#x} and should be {stored:#x}"));
        }
        let bits = words[1] as u32;
        let wanted =
            ((BUCKET_SLOTS << bits.min(BUCKET_BITS_MAX)) * (bits as usize + 1)).div_ceil(64);
        let slots = words[HEADER_WORDS..words.len() - 1].to_vec();
        if bits > BUCKET_BITS_MAX || slots.len() != wanted {
            return Err(format!("{} words are no filter of 2^{bits} buckets", slots.len()));
        }
        Ok(Self { bits, entries: words[2], words: slots })
    }
}
