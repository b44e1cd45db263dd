//! Keys as byte strings: each record has one, whose length comes from a distribution and never changes.
//!
//! | length | key |
//! |---|---|
//! | 0 to 7 bytes | the n-th record of a length has the n-th key of that length (`short.rs`) |
//! | 8 to 23 bytes | the eight big-endian bytes of [`key_of`](crate::key_of), repeated |
//! | 24 bytes and more | as YCSB's: `user`, the number of `key_of` in 20 digits, and these repeated |
//!
//! So a key is a bijection of its record, and [`Spelling::word_of`] is the way back. There are 256ⁿ keys of n
//! bytes: [`Spelling::records_max`] tells for how many records they suffice.

mod short;

use crate::keys::KEY_BYTES;
use crate::{Seed, SizeDistribution, index_of, key_of};
use short::Short;

/// The longest key.
pub const KEY_BYTES_MAX: usize = 4096;

/// What keys as text begin with.
const USER: &[u8; 4] = b"user";
/// Digits of the largest word.
const DIGITS: usize = 20;
/// The shortest key that is text.
const TEXT_BYTES: usize = USER.len() + DIGITS;
/// Lengths are drawn once, so that to find one takes a load: a record has one of so many.
const LENGTHS: usize = 1024;

/// How the keys of a workload are spelled.
#[derive(Clone, Debug)]
pub struct Spelling {
    lengths: Box<[u16; LENGTHS]>,
    /// Where some records have keys of fewer than 8 bytes.
    short: Option<Box<Short>>,
}

impl Spelling {
    /// Keys of lengths from `sizes`, which [`Workload::validate`](crate::requests::Workload::validate) has
    /// checked.
    ///
    /// # Panics
    /// If a length is beyond [`KEY_BYTES_MAX`].
    pub fn new(sizes: &SizeDistribution) -> Self {
        let mut rng = Seed(0).stream("key lengths").rng();
        let lengths = std::array::from_fn(|_| {
            let bytes = sizes.sample(&mut rng);
            assert!(bytes <= KEY_BYTES_MAX, "keys of {bytes} bytes");
            bytes as u16
        });
        Self { short: Short::new(&lengths).map(Box::new), lengths: Box::new(lengths) }
    }

    /// How many records have a key of their own; `None` if all have.
    pub fn records_max(&self) -> Option<u64> {
        self.short.as_ref()?.records_max()
    }

    /// The mean length of the keys of so many records, in bytes.
    pub fn mean_bytes(&self, records: u64) -> f64 {
        if let Some(short) = &self.short {
            let most = short.records_max().unwrap_or(u64::MAX);
            let records = records.clamp(1, most);
            return short.sum_bytes(records) / records as f64;
        }
        let sum: u64 = self.lengths.iter().map(|&bytes| u64::from(bytes)).sum();
        sum as f64 / LENGTHS as f64
    }

    /// The length of the longest key, in bytes.
    pub fn bytes_max(&self) -> usize {
        self.lengths.iter().copied().max().map_or(0, usize::from)
    }

    /// The length of the key of `word`, which is the [`key_of`](crate::key_of) a record.
    #[inline]
    pub fn bytes(&self, word: u64) -> usize {
        if let Some(short) = &self.short {
            return short.bytes(index_of(word));
        }
        usize::from(self.lengths[word as usize % LENGTHS])
    }

    /// Spells the key of `word` into the front of `room`, and returns it.
    ///
    /// # Panics
    /// If `room` is shorter than the key.
    #[inline]
    pub fn spell<'room>(&self, word: u64, room: &'room mut [u8]) -> &'room [u8] {
        let key = &mut room[..self.bytes(word)];
        if key.len() >= TEXT_BYTES {
            key[..USER.len()].copy_from_slice(USER);
            key[USER.len()..TEXT_BYTES].copy_from_slice(&digits(word));
            repeat(&mut key[USER.len()..], DIGITS);
        } else if key.len() < KEY_BYTES {
            let short = self.short.as_ref().expect("keys below 8 bytes");
            short.spell(index_of(word), key);
        } else {
            key[..KEY_BYTES].copy_from_slice(&word.to_be_bytes());
            repeat(key, KEY_BYTES);
        }
        key
    }

    /// The word whose key this is; `None` if it is the key of none.
    pub fn word_of(&self, key: &[u8]) -> Option<u64> {
        if key.len() < KEY_BYTES {
            return self.short.as_ref()?.record_of(key).map(key_of);
        }
        let word = match key.strip_prefix(USER).and_then(|rest| rest.get(..DIGITS)) {
            Some(digits) if key.len() >= TEXT_BYTES => str::from_utf8(digits).ok()?.parse().ok()?,
            _ => u64::from_be_bytes(*key.first_chunk()?),
        };
        let mut room = [0; KEY_BYTES_MAX];
        (self.bytes(word) == key.len() && self.spell(word, &mut room) == key).then_some(word)
    }
}

/// Repeats the first `bytes` of `key` up to its end.
#[inline]
fn repeat(key: &mut [u8], bytes: usize) {
    let mut filled = bytes;
    while filled < key.len() {
        let more = filled.min(key.len() - filled);
        key.copy_within(..more, filled);
        filled += more;
    }
}

/// `word` in decimal, with zeros before it.
#[inline]
fn digits(word: u64) -> [u8; DIGITS] {
    let mut digits = [0; DIGITS];
    let mut rest = word;
    for pair in digits.as_chunks_mut::<2>().0.iter_mut().rev() {
        let two = (rest % 100) as u8;
        rest /= 100;
        *pair = [b'0' + two / 10, b'0' + two % 10];
    }
    digits
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::key_of;

    fn spelling(sizes: &str) -> Spelling {
        Spelling::new(&sizes.parse().unwrap())
    }

    fn spelled(spelling: &Spelling, word: u64) -> Vec<u8> {
        let mut room = [0xee; KEY_BYTES_MAX];
        spelling.spell(word, &mut room).to_vec()
    }

    #[test]
    fn keys_are_fixed_for_ever() {
        let text = |sizes: &str, word| String::from_utf8(spelled(&spelling(sizes), word)).unwrap();
        assert_eq!(text("24", key_of(0)), "user16294208416658607535");
        assert_eq!(text("30", 7), "user00000000000000000007000000");
        assert_eq!(spelled(&spelling("8"), 0x0102_0304_0506_0708), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(spelled(&spelling("11"), 0x0102_0304_0506_0708)[8..], [1, 2, 3]);
        let lengths: Vec<usize> = (0..6).map(|word| spelling("8..64").bytes(word)).collect();
        assert_eq!(lengths, [42, 50, 54, 46, 32, 32]);
    }

    #[test]
    fn the_way_back_is_exact_and_no_two_records_share_a_key() {
        for sizes in ["8", "16", "23", "24", "8..64", "zipfian:16-4096:0.99", "4KiB"] {
            let spelling = spelling(sizes);
            let mut seen = HashSet::new();
            for word in (0..3000).map(key_of).chain([0, 1, u64::MAX, 1 << 63]) {
                let key = spelled(&spelling, word);
                assert_eq!(key.len(), spelling.bytes(word));
                assert_eq!(spelling.word_of(&key), Some(word), "{sizes}");
                assert!(seen.insert(key));
            }
        }
    }

    #[test]
    fn what_is_no_key_is_told() {
        let text = spelling("24..30");
        for key in [&b""[..], b"user", b"user1629420841665860753x", b"user99999999999999999999"] {
            assert_eq!(text.word_of(key), None, "{key:?}");
        }
        let mut key = spelled(&spelling("40"), key_of(1));
        key[35] ^= 1;
        assert_eq!(spelling("40").word_of(&key), None, "its end is not its own");
        assert_eq!(spelling("16").word_of(&[1; 15]), None, "it is too short");
    }

    #[test]
    fn lengths_follow_their_distribution() {
        let (even, skewed) = (spelling("8..64"), spelling("zipfian:8-64:0.99"));
        assert!((even.mean_bytes(9) - 36.0).abs() < 1.5, "{}", even.mean_bytes(9));
        assert!(skewed.mean_bytes(9) < 30.0, "{}", skewed.mean_bytes(9));
        assert_eq!((spelling("16").mean_bytes(9), even.bytes_max()), (16.0, 64));
    }
}
