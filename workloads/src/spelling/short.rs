//! Keys of lengths below 8, of which there are few: 256 of one byte, and one of none.
//!
//! Records have the length that they drew until all keys of it are given. From that record on, those that
//! draw it have the next longer length of the distribution, or where there is none the longest that still
//! has keys. So records fall into *eras*, each with a length for every draw, and the n-th record of a length
//! has the n-th key of it, in a fixed order without pattern.

use super::LENGTHS;
use crate::keys::KEY_BYTES;

/// The lengths with few keys are below this; a longer key holds the word of its record.
const SHORT: usize = KEY_BYTES;

/// The keys of all lengths below 8 that a distribution has.
#[derive(Clone, Debug)]
pub(super) struct Short {
    eras: Vec<Era>,
    records_max: Option<u64>,
}

#[derive(Clone, Debug)]
struct Era {
    /// The first record of it; it lasts up to the next era's.
    first: u64,
    lengths: [u16; LENGTHS],
    /// Of every draw: how many before it have the same length.
    places: [u16; LENGTHS],
    /// The draws of each short length.
    draws: [Vec<u16>; SHORT],
    /// Keys of each short length that earlier eras gave.
    given: [u64; SHORT],
    /// Records of each short length that would be before the first, were all of this era.
    skipped: [u64; SHORT],
}

impl Era {
    fn new(first: u64, lengths: [u16; LENGTHS], given: [u64; SHORT]) -> Self {
        let mut places = [0; LENGTHS];
        let mut draws: [Vec<u16>; SHORT] = Default::default();
        for (draw, &bytes) in lengths.iter().enumerate() {
            if let Some(same) = draws.get_mut(usize::from(bytes)) {
                places[draw] = same.len() as u16;
                same.push(draw as u16);
            }
        }
        let mut era = Self { first, lengths, places, draws, given, skipped: [0; SHORT] };
        era.skipped = std::array::from_fn(|bytes| era.below(bytes, first));
        era
    }

    /// Records below `record` that would have keys of `bytes` bytes, were all of this era.
    fn below(&self, bytes: usize, record: u64) -> u64 {
        let draws = &self.draws[bytes];
        let (round, draw) = split(record);
        round * draws.len() as u64 + draws.partition_point(|&own| usize::from(own) < draw) as u64
    }

    /// The record whose place among those of `bytes` bytes is `place`, were all of this era.
    fn at(&self, bytes: usize, place: u64) -> Option<u64> {
        let draws = &self.draws[bytes];
        let all = draws.len() as u64;
        let draw = draws.get(place.checked_rem(all)? as usize)?;
        (place / all).checked_mul(LENGTHS as u64)?.checked_add(u64::from(*draw))
    }

    /// The first record that finds no key of `bytes` bytes; `None` if all have one.
    fn exhausts(&self, bytes: usize) -> Option<u64> {
        let left = keys_of(bytes) - self.given[bytes];
        self.at(bytes, self.skipped[bytes].checked_add(left)?)
    }
}

impl Short {
    /// The keys where records draw these lengths; `None` if none is short.
    pub(super) fn new(drawn: &[u16; LENGTHS]) -> Option<Self> {
        let is_short = |bytes: u16| usize::from(bytes) < SHORT;
        if !drawn.iter().any(|&bytes| is_short(bytes)) {
            return None;
        }
        let mut lasting: Vec<u16> = drawn.to_vec();
        lasting.sort_unstable();
        lasting.dedup();
        let mut short = Self { eras: vec![Era::new(0, *drawn, [0; SHORT])], records_max: None };
        while let Some(era) = short.eras.last() {
            let ends = (0..SHORT).filter_map(|bytes| Some((era.exhausts(bytes)?, bytes as u16)));
            let Some((end, spent)) = ends.min() else { break };
            lasting.retain(|&bytes| bytes != spent);
            let longer = lasting.iter().find(|&&bytes| bytes > spent);
            let Some(&next) = longer.or(lasting.last()) else {
                short.records_max = Some(end);
                break;
            };
            let lengths = era.lengths.map(|bytes| if bytes == spent { next } else { bytes });
            let given = std::array::from_fn(|bytes| {
                era.given[bytes] + era.below(bytes, end) - era.skipped[bytes]
            });
            short.eras.push(Era::new(end, lengths, given));
        }
        Some(short)
    }

    /// How many records have a key, if not all.
    pub(super) fn records_max(&self) -> Option<u64> {
        self.records_max
    }

    fn era(&self, record: u64) -> &Era {
        assert!(
            self.records_max.is_none_or(|records| record < records),
            "record {record} has no key of its own: a plan checks how many there are"
        );
        self.eras.iter().rfind(|era| era.first <= record).expect("the first begins with record 0")
    }

    /// The length of the key of `record`.
    #[inline]
    pub(super) fn bytes(&self, record: u64) -> usize {
        usize::from(self.era(record).lengths[split(record).1])
    }

    /// Spells the key of `record`, which is as long as `key` and short.
    #[inline]
    pub(super) fn spell(&self, record: u64, key: &mut [u8]) {
        let (era, bytes) = (self.era(record), key.len());
        let (round, draw) = split(record);
        let place = round * era.draws[bytes].len() as u64 + u64::from(era.places[draw]);
        let rank = era.given[bytes] + place - era.skipped[bytes];
        key.copy_from_slice(&scattered(rank, bytes).to_be_bytes()[SHORT - bytes..]);
    }

    /// The record whose short key this is.
    pub(super) fn record_of(&self, key: &[u8]) -> Option<u64> {
        let bytes = key.len();
        let mut word = [0; SHORT];
        word[SHORT - bytes..].copy_from_slice(key);
        let rank = gathered(u64::from_be_bytes(word), bytes);
        let era = self.eras.iter().rfind(|era| era.given[bytes] <= rank)?;
        let place = rank - era.given[bytes] + era.skipped[bytes];
        let record = era.at(bytes, place)?;
        self.records_max.is_none_or(|records| record < records).then_some(record)
    }

    /// The bytes of the keys of the first `records`.
    pub(super) fn sum_bytes(&self, records: u64) -> f64 {
        let ends = self.eras[1..].iter().map(|era| era.first).chain([u64::MAX]);
        let sums = self.eras.iter().zip(ends).map(|(era, end)| {
            // Of the era's lengths, up to a record.
            let up_to = |record: u64| {
                let (round, draw) = split(record);
                let sum =
                    |lengths: &[u16]| lengths.iter().map(|&bytes| u64::from(bytes)).sum::<u64>();
                round as f64 * sum(&era.lengths) as f64 + sum(&era.lengths[..draw]) as f64
            };
            let first = era.first.min(records);
            up_to(end.min(records)) - up_to(first)
        });
        sums.sum()
    }
}

/// In which round a record draws, and its draw.
#[inline]
fn split(record: u64) -> (u64, usize) {
    (record / LENGTHS as u64, (record % LENGTHS as u64) as usize)
}

/// How many keys have so few bytes.
fn keys_of(bytes: usize) -> u64 {
    1 << (8 * bytes)
}

/// Odd numbers, and what they are multiplied by to give 1.
const SPREAD: [u64; 2] = [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB];
const GATHER: [u64; 2] = [inverse(SPREAD[0]), inverse(SPREAD[1])];

/// The inverse of an odd number modulo 2^64, by Newton's method: each step doubles the right bits.
const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut step) = (odd, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// A bijection of the numbers of so many bytes, without pattern.
#[inline]
fn scattered(rank: u64, bytes: usize) -> u64 {
    let mask = keys_of(bytes) - 1;
    let half = 4 * bytes as u32;
    let mut number = rank.wrapping_add(SPREAD[1]) & mask;
    for factor in SPREAD {
        number ^= number >> half;
        number = number.wrapping_mul(factor) & mask;
    }
    number ^ number >> half
}

/// The inverse of [`scattered`].
fn gathered(number: u64, bytes: usize) -> u64 {
    let mask = keys_of(bytes) - 1;
    let half = 4 * bytes as u32;
    // Shifted by half its bits, a number is undone by doing the same once more.
    let mut rank = number ^ number >> half;
    for factor in [GATHER[1], GATHER[0]] {
        rank = rank.wrapping_mul(factor) & mask;
        rank ^= rank >> half;
    }
    rank.wrapping_sub(SPREAD[1]) & mask
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::{KEY_BYTES_MAX, Spelling};
    use super::*;
    use crate::key_of;

    fn spelling(sizes: &str) -> Spelling {
        Spelling::new(&sizes.parse().unwrap())
    }

    fn key(spelling: &Spelling, record: u64) -> Vec<u8> {
        let mut room = [0xEE; KEY_BYTES_MAX];
        spelling.spell(key_of(record), &mut room).to_vec()
    }

    #[test]
    fn every_key_of_short_lengths_is_given_once_and_then_no_more() {
        for (sizes, all) in
            [("0", 1), ("1", 256), ("0..1", 257), ("2", 65_536), ("1..2", 65_792), ("0..2", 65_793)]
        {
            let spelling = spelling(sizes);
            assert_eq!(spelling.records_max(), Some(all), "{sizes}");
            let keys: HashSet<Vec<u8>> = (0..all).map(|record| key(&spelling, record)).collect();
            assert_eq!(keys.len() as u64, all, "{sizes}");
        }
        assert_eq!(spelling("3").records_max(), Some(1 << 24));
        assert_eq!(spelling("7").records_max(), Some(1 << 56));
        assert_eq!(spelling("1..64").records_max(), None);
    }

    #[test]
    #[should_panic(expected = "record 256 has no key of its own")]
    fn a_record_beyond_the_keys_is_no_other_record() {
        key(&spelling("1"), 256);
    }

    #[test]
    fn records_find_longer_keys_where_theirs_are_spent() {
        for sizes in ["1..64", "0..9", "zipfian:1-64:0.99", "2..3", "0..4096", "5..9"] {
            let spelling = spelling(sizes);
            let (mut seen, mut bytes) = (HashSet::new(), 0);
            let mut of_length = [0_u64; KEY_BYTES_MAX + 1];
            for record in 0..200_000 {
                let key = key(&spelling, record);
                assert_eq!(key.len(), spelling.bytes(key_of(record)));
                assert_eq!(spelling.word_of(&key), Some(key_of(record)), "{sizes}: {key:?}");
                bytes += key.len();
                of_length[key.len()] += 1;
                assert!(seen.insert(key), "{sizes}: record {record}");
            }
            let mean = spelling.mean_bytes(200_000);
            assert!((mean - bytes as f64 / 2e5).abs() < 1e-9, "{sizes}: {mean}");
            if sizes == "0..9" {
                assert_eq!(of_length[..2], [1, 256], "all of them are given");
            }
        }
    }

    #[test]
    fn far_records_have_keys_too() {
        for sizes in ["1..64", "0..8", "4..16", "7", "zipfian:1-4096:1.2"] {
            let spelling = spelling(sizes);
            for record in [1 << 32, (1 << 40) + 12_345, (1 << 55) + 7] {
                let key = key(&spelling, record);
                assert_eq!(spelling.word_of(&key), Some(key_of(record)), "{sizes}, {record}");
            }
        }
        let spelling = spelling("1..64");
        for word in [0, 1, u64::MAX] {
            let mut room = [0; 64];
            let key = spelling.spell(word, &mut room);
            assert_eq!(spelling.word_of(key), Some(word));
        }
    }

    #[test]
    fn keys_of_no_record_are_told() {
        let one = spelling("1");
        assert_eq!((one.word_of(b""), one.word_of(b"ab")), (None, None));
        let two = spelling("2..9");
        assert_eq!(two.word_of(b"a"), None, "no record draws this length");
        assert_eq!(spelling("8..9").word_of(b"abc"), None);
    }

    #[test]
    fn short_keys_are_fixed_for_ever_and_scattered() {
        let hex = |sizes: &str, record| {
            let key = key(&spelling(sizes), record);
            key.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let keys: Vec<String> = (0..4).map(|record| hex("4", record)).collect();
        assert_eq!(keys, ["bd979499", "95b7ea5e", "43c7a480", "75cd3598"]);
        let spelling = spelling("4");
        let mut first = [0_u32; 256];
        for record in 0..1 << 16 {
            first[usize::from(key(&spelling, record)[0])] += 1;
        }
        assert!(first.iter().all(|count| (150..380).contains(count)), "{first:?}");
    }

    #[test]
    fn the_way_back_from_every_number_is_exact() {
        for bytes in 0..SHORT {
            let most = keys_of(bytes) - 1;
            for rank in (0..70_000).chain([most / 3, most.saturating_sub(1), most]) {
                let rank = rank & most;
                assert_eq!(gathered(scattered(rank, bytes), bytes), rank, "{bytes} bytes");
            }
        }
    }
}
