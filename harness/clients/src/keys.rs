//! The keys of records, as servers see them.

use workloads::requests::Workload;
use workloads::{Spelling, key_of};

/// Eight bytes of a word, or what a workload's `key-bytes` ask for.
#[derive(Debug)]
pub(crate) struct Keys(Option<Spelling>);

impl Keys {
    pub(crate) fn of(workload: &Workload) -> Self {
        Self(workload.spelling())
    }

    /// Room for the longest key.
    pub(crate) fn room(&self) -> Vec<u8> {
        vec![0; self.0.as_ref().map_or(size_of::<u64>(), Spelling::bytes_max)]
    }

    /// The key of a record, in the front of `room`.
    pub(crate) fn key<'room>(&self, record: u64, room: &'room mut [u8]) -> &'room [u8] {
        let word = key_of(record);
        if let Some(spelling) = &self.0 {
            return spelling.spell(word, room);
        }
        let key = &mut room[..size_of::<u64>()];
        key.copy_from_slice(&word.to_le_bytes());
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_they_always_were_and_byte_strings_as_stores_are_asked() {
        let plain = Workload::by_name("get-50").unwrap();
        let words = Keys::of(&plain);
        assert_eq!(words.key(7, &mut words.room()), key_of(7).to_le_bytes());
        let sizes = "1..40".parse().unwrap();
        let keys = Keys::of(&Workload { key_bytes: Some(sizes), ..plain.clone() });
        let spelling = Spelling::new(&"1..40".parse().unwrap());
        let (mut room, mut other) = (keys.room(), [0; 40]);
        for record in 0..2000 {
            assert_eq!(keys.key(record, &mut room), spelling.spell(key_of(record), &mut other));
        }
    }
}
