//! Log records, and references to them.
//!
//! | word | contents |
//! |---|---|
//! | 0 | value bytes (32 bits), key bytes (8), opcode (8) |
//! | 1 | whether the back table reflects it, or a newer record of the key does |
//! | 2 | epoch (32), checksum of all other words but the second (32) |
//! | 3 | reference to the key's previous record |
//! | 4 | key |
//! | 5… | value, the last word padded with zeros |
//!
//! The fields are the paper's (§2.3, Fig. 3a); their widths, and the checksum, are ours.

use platform::persist::Region;

use crate::digest::fold;
use crate::layout::Layout;

pub(crate) const HEADER_WORDS: u64 = 5;
pub(crate) const APPLIED_AT: u64 = 1;
const KEY_BYTES: u64 = 8;

/// What a record does to its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    Put,
    Remove,
}

const PUT: u64 = 1;
const REMOVE: u64 = 2;

/// A log, and a place in it that is never used twice: places grow for ever and the ring is found by
/// the remainder. So a reference to what has been reclaimed is known as one (B4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Reference(u64);

const LOG_SHIFT: u32 = 48;

impl Reference {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn new(log: u64, place: u64) -> Self {
        debug_assert!(place < 1 << LOG_SHIFT, "place {place}");
        Self((log + 1) << LOG_SHIFT | place)
    }

    pub(crate) fn from_word(word: u64) -> Self {
        Self(word)
    }

    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// Log and place; `None` if it refers to nothing.
    pub(crate) fn parts(self) -> Option<(u64, u64)> {
        (self.0 >> LOG_SHIFT).checked_sub(1).map(|log| (log, self.0 & ((1 << LOG_SHIFT) - 1)))
    }
}

/// A record's fields besides its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) value_bytes: u64,
    pub(crate) opcode: Opcode,
    pub(crate) applied: bool,
    pub(crate) epoch: u32,
    pub(crate) checksum: u32,
    pub(crate) previous: Reference,
    pub(crate) key: u64,
}

/// Words of a record with a value of so many bytes.
pub(crate) fn record_words(value_bytes: u64) -> u64 {
    HEADER_WORDS + value_bytes.div_ceil(8)
}

/// The ring of one log in a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    at: u64,
    pub(crate) words: u64,
}

impl Ring {
    pub(crate) fn of(layout: &Layout, log: u64) -> Self {
        Self { at: layout.log_body_at(log), words: layout.log_words }
    }

    /// The address of a place.
    pub(crate) fn at(&self, place: u64) -> u64 {
        self.at + place % self.words
    }

    /// Calls `each` with the parts of a range of places: two, where it goes around the end.
    fn parts(&self, place: u64, words: u64, mut each: impl FnMut(u64, u64, u64)) {
        let first = words.min(self.words - place % self.words);
        each(self.at(place), 0, first);
        if first < words {
            each(self.at, first, words - first);
        }
    }

    /// Writes words to a place and makes them durable with the next fence.
    pub(crate) fn write(&self, region: &Region, place: u64, words: &[u64]) {
        self.parts(place, words.len() as u64, |at, from, count| {
            region.store_all(at, &words[from as usize..(from + count) as usize]);
            region.flush(at, count);
        });
    }

    /// Appends the words at a place to `words`.
    pub(crate) fn read(&self, region: &Region, place: u64, count: u64, words: &mut Vec<u64>) {
        self.parts(place, count, |at, _, count| {
            words.extend((at..at + count).map(|at| region.load(at)));
        });
    }

    /// The record at a place; `None` if no record begins there.
    pub(crate) fn header(&self, region: &Region, place: u64) -> Option<Header> {
        let word = |index| region.load(self.at(place + index));
        let (sizes, stamp) = (word(0), word(2));
        let opcode = match sizes >> 40 & 0xff {
            PUT => Opcode::Put,
            REMOVE => Opcode::Remove,
            _ => return None,
        };
        Some(Header {
            value_bytes: sizes & 0xffff_ffff,
            opcode,
            applied: word(APPLIED_AT) != 0,
            epoch: stamp as u32,
            checksum: (stamp >> 32) as u32,
            previous: Reference::from_word(word(3)),
            key: word(4),
        })
    }

    /// Whether the record at a place is as it was written.
    pub(crate) fn is_whole(&self, region: &Region, place: u64, header: &Header) -> bool {
        let mut words = Vec::new();
        self.read(region, place, header.words(), &mut words);
        checksum(&words) == header.checksum
    }
}

impl Header {
    pub(crate) fn words(&self) -> u64 {
        record_words(self.value_bytes)
    }

    /// Replaces `words` by the record's, with its checksum.
    pub(crate) fn encode(&self, value: &[u64], words: &mut Vec<u64>) {
        let opcode = match self.opcode {
            Opcode::Put => PUT,
            Opcode::Remove => REMOVE,
        };
        words.clear();
        words.extend([
            self.value_bytes | KEY_BYTES << 32 | opcode << 40,
            u64::from(self.applied),
            u64::from(self.epoch),
            self.previous.word(),
            self.key,
        ]);
        words.extend_from_slice(value);
        words[2] |= u64::from(checksum(words)) << 32;
    }
}

/// Of a record's words, whatever they say of having been applied and of the checksum itself.
fn checksum(words: &[u64]) -> u32 {
    let sum = fold(fold(fold(1, words[0]), words[2] & 0xffff_ffff), words[3]);
    let sum = words[4..].iter().fold(sum, |sum, &word| fold(sum, word));
    (sum ^ sum >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At every place of a short ring, so that records go around its end everywhere.
    #[test]
    fn a_record_is_read_as_it_was_written_and_a_flipped_bit_is_noticed() {
        let layout = Layout {
            words: 4096,
            logs: 1,
            log_words: 16,
            buckets: 1,
            slots: 1,
            rung: crate::rung::Rung::Full,
            object_bytes: 0,
        };
        let region = Region::modelled(&[0; 4096]).unwrap();
        let ring = Ring::of(&layout, 0);
        for place in 0..40 {
            let header = Header {
                value_bytes: 13,
                opcode: Opcode::Put,
                applied: false,
                epoch: 7,
                checksum: 0,
                previous: Reference::new(31, 1 << 40),
                key: u64::MAX - place,
            };
            let mut words = Vec::new();
            header.encode(&[5, 6], &mut words);
            ring.write(&region, place, &words);
            let found = ring.header(&region, place).unwrap();
            assert_eq!(Header { checksum: 0, ..found }, header);
            assert!(ring.is_whole(&region, place, &found));
            region.store(ring.at(place + APPLIED_AT), 1);
            assert!(ring.is_whole(&region, place, &found), "it is applied later");
            for word in [0, 2, 3, 4, 6] {
                let at = ring.at(place + word);
                region.store(at, region.load(at) ^ 1 << 20);
                let found = ring.header(&region, place).unwrap();
                let short = found.words() == header.words();
                assert!(!short || !ring.is_whole(&region, place, &found), "word {word}");
                region.store(at, region.load(at) ^ 1 << 20);
            }
            assert_eq!(found.previous.parts(), Some((31, 1 << 40)));
        }
        assert_eq!(Reference::NONE.parts(), None);
    }
}
