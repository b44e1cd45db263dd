//! A column of keys: each distinct key once, in order of first appearance, then for each record the
//! position of its key.
//!
//! ```text
//! u32      different keys
//! column   the keys
//! column   per record: 0 where the next key of the list appears for the first time, else 1 + the
//!          place of its key in the list
//! ```
//!
//! Keys are hashes, which do not compress, and the same few thousand recur within a block.

use super::column::{self, Column, take};
use super::record::Malformed;
use crate::mix::{GOLDEN, mix};

/// Appends `keys` as a column.
pub(super) fn write(keys: &[u64], out: &mut Vec<u8>) {
    let mut places = Places::with_room_for(keys.len());
    let codes: Vec<u64> = keys.iter().map(|&key| places.code_of(key)).collect();
    out.extend((places.keys.len() as u32).to_le_bytes());
    column::write(&places.keys, out);
    column::write(&codes, out);
}

/// The position of each key in the list: open addressing, at most half full.
struct Places {
    keys: Vec<u64>,
    /// 1 + the position in `keys`, or 0 if empty.
    slots: Vec<u32>,
}

impl Places {
    fn with_room_for(keys: usize) -> Self {
        let slots = (2 * keys).next_power_of_two().max(2);
        Self { keys: Vec::with_capacity(keys), slots: vec![0; slots] }
    }

    fn code_of(&mut self, key: u64) -> u64 {
        // Keys may be numbers that went through `mix` or its inverse. The constant keeps such keys
        // from becoming neighbours.
        let mut slot = mix(key ^ GOLDEN) as usize;
        loop {
            slot &= self.slots.len() - 1;
            match self.slots[slot] {
                0 => {
                    self.keys.push(key);
                    self.slots[slot] = self.keys.len() as u32;
                    return 0;
                }
                code if self.keys[code as usize - 1] == key => return code.into(),
                _ => slot += 1,
            }
        }
    }
}

/// A column of keys as stored in a block.
#[derive(Debug)]
pub(super) struct Dictionary<'a> {
    keys: Vec<u64>,
    codes: Column<'a>,
    /// The number of keys that have appeared so far.
    appeared: usize,
}

impl<'a> Dictionary<'a> {
    /// Takes the keys of `count` records from the front of `input`.
    pub(super) fn take(input: &mut &'a [u8], count: usize) -> Result<Self, Malformed> {
        let different = take(input, size_of::<u32>(), "the number of keys is missing")?;
        let different = u32::from_le_bytes(different.try_into().expect("four bytes")) as usize;
        if different > count {
            return Err(Malformed("more keys than records"));
        }
        let keys = Column::take(input, different, 8)?.to_vec();
        Ok(Self { keys, codes: Column::take(input, count, 4)?, appeared: 0 })
    }

    /// Reads the keys of the records from `start` on. Must be called in order, front to back, once.
    pub(super) fn read(&mut self, start: usize, into: &mut [u64]) -> Result<(), Malformed> {
        self.codes.read(start, into);
        let mut known = true;
        for code in into {
            let first = *code == 0;
            let place = if first { self.appeared } else { (*code - 1) as usize };
            self.appeared += usize::from(first);
            // A position beyond the keys that appeared refers ahead or out of the list.
            known &= place < self.appeared;
            *code = self.keys.get(place).copied().unwrap_or_else(|| {
                known = false;
                0
            });
        }
        if known { Ok(()) } else { Err(Malformed("a record names a key that is not there")) }
    }

    /// Whether every key of the list has appeared.
    pub(super) fn is_used_up(&self) -> bool {
        self.appeared == self.keys.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::unmix;
    use crate::{Seed, key_of};

    fn written(keys: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(keys, &mut bytes);
        bytes
    }

    fn read(mut input: &[u8], count: usize) -> Result<Vec<u64>, Malformed> {
        let mut dictionary = Dictionary::take(&mut input, count)?;
        let mut keys = vec![0; count];
        let (front, back) = keys.split_at_mut(count / 3);
        dictionary.read(0, front)?;
        dictionary.read(front.len(), back)?;
        assert!(input.is_empty() && dictionary.is_used_up());
        Ok(keys)
    }

    #[test]
    fn keys_come_back() {
        let mut rng = Seed(2).rng();
        let extremes = vec![u64::MAX, 0, 0, 1 << 63, u64::MAX, 1];
        let recurring = (0..5000).map(|_| key_of(rng.below(700))).collect();
        for keys in [vec![], vec![0], extremes, recurring] {
            assert_eq!(read(&written(&keys), keys.len()), Ok(keys));
        }
    }

    #[test]
    fn a_recurring_key_is_kept_once() {
        let keys: Vec<u64> = (0..1000).map(|number| key_of(number % 10)).collect();
        // 8 bytes for each of ten keys, 1 byte for each of a thousand records.
        assert_eq!(written(&keys).len(), 4 + 1 + 10 * 8 + 1 + 1000);
    }

    #[test]
    fn keys_made_of_numbers_by_mixing_do_not_collide() {
        // If these keys were neighbours in the table, this would be quadratic: minutes instead of
        // milliseconds.
        for key in [mix as fn(u64) -> u64, unmix, |number| number, |number| number << 32] {
            let keys: Vec<u64> = (0..1 << 16).map(key).collect();
            assert_eq!(read(&written(&keys), keys.len()), Ok(keys));
        }
    }

    #[test]
    fn keys_that_are_not_there_are_refused() {
        let missing = Err(Malformed("a record names a key that is not there"));
        let block = |codes: &[u8]| [&[2, 0, 0, 0, 1, 7, 9, 1], codes].concat();
        assert_eq!(read(&block(&[0, 0, 1]), 3), Ok(vec![7, 9, 7]));
        assert_eq!(read(&block(&[0, 0, 0]), 3), missing, "a third key");
        assert_eq!(read(&block(&[0, 2, 0]), 3), missing, "a key before it appeared");
        assert_eq!(read(&block(&[0, 0, 9]), 3), missing, "a place behind the list");
        assert_eq!(read(&block(&[0]), 1), Err(Malformed("more keys than records")));
        assert_eq!(read(&[0; 3], 3), Err(Malformed("the number of keys is missing")));
    }
}
