//! What an object is found by: a word, or a byte string.
//!
//! Operations are compiled once for each, so a store of words does nothing for byte strings. In a store of
//! byte strings an object begins with its key, and the header holds the key's hash:
//!
//! ```text
//! offset        size  field
//!      0          12  header, with the hash of the key in place of the key
//!     12           2  length of the key, little endian
//!     14  key length  key
//!      .        rest  value
//! ```
//! Length, key and value share the room of `object.rs`. Length and key are written by the PUT that reserved
//! the room, or that writes its own object there once the old one is dead, and never overwritten. So GETs
//! compare keys without asking whether the value is being overwritten. The index leads from the hash to the
//! object, and two keys of one hash are two entries, because keys are compared in the log.

use xxhash_rust::xxh3::xxh3_64;

use crate::address::VirtualAddress;
use crate::error::KeyTooLong;
use crate::instrument::{Mutant, mutated};
use crate::raw::{Header, Memory, Prefix, Protection};

/// The longest byte string that is a key: its length is stored in two bytes.
pub const KEY_BYTES_MAX: usize = u16::MAX as usize;
/// Size of a key's length.
pub(crate) const LENGTH_BYTES: usize = size_of::<u16>();

/// A key as operations take it.
pub(crate) trait Name: Copy {
    /// What headers hold and the index hashes: equal for equal keys.
    fn word(&self) -> u64;

    /// What comes before the value in the room.
    fn prefix(&self) -> Prefix<'_>;

    /// How many bytes that are.
    fn prefix_bytes(&self) -> usize;

    /// Whether the object at `address`, which has this header, is that of the key.
    fn is_of<P: Protection>(
        &self,
        address: VirtualAddress,
        header: Header,
        memory: &Memory,
        stays: &P,
    ) -> bool;

    /// Length of the room for this key and a value.
    #[inline(always)]
    fn room_for(&self, value: &[u8]) -> usize {
        self.prefix_bytes() + value.len()
    }
}

impl Name for u64 {
    #[inline(always)]
    fn word(&self) -> u64 {
        *self
    }

    #[inline(always)]
    fn prefix(&self) -> Prefix<'_> {
        [&[]; 2]
    }

    #[inline(always)]
    fn prefix_bytes(&self) -> usize {
        0
    }

    #[inline(always)]
    fn is_of<P: Protection>(&self, _: VirtualAddress, header: Header, _: &Memory, _: &P) -> bool {
        header.key == *self
    }
}

/// A byte string with its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteName<'key> {
    hash: u64,
    length: [u8; LENGTH_BYTES],
    key: &'key [u8],
}

impl<'key> ByteName<'key> {
    /// Names the object of `key`.
    ///
    /// # Errors
    /// No object has a key of this length.
    #[inline]
    pub(crate) fn of(key: &'key [u8]) -> Result<Self, KeyTooLong> {
        // Nobody attacks this hash: whoever can choose some dozen keys of one hash makes PUTs answer that the
        // store is full.
        Self::with_hash(xxh3_64(key), key)
    }

    #[inline]
    fn with_hash(hash: u64, key: &'key [u8]) -> Result<Self, KeyTooLong> {
        let length = Self::check(key)?.to_le_bytes();
        Ok(Self { hash, length, key })
    }

    /// The length of a key, if there may be keys of this length.
    #[inline]
    pub(crate) fn check(key: &[u8]) -> Result<u16, KeyTooLong> {
        let too_long = KeyTooLong { key_bytes: key.len(), limit_bytes: KEY_BYTES_MAX };
        u16::try_from(key.len()).map_err(|_| too_long)
    }
}

impl Name for ByteName<'_> {
    #[inline]
    fn word(&self) -> u64 {
        self.hash
    }

    #[inline]
    fn prefix(&self) -> Prefix<'_> {
        [&self.length, self.key]
    }

    #[inline]
    fn prefix_bytes(&self) -> usize {
        LENGTH_BYTES + self.key.len()
    }

    #[inline]
    fn is_of<P: Protection>(
        &self,
        address: VirtualAddress,
        header: Header,
        memory: &Memory,
        stays: &P,
    ) -> bool {
        let [length, key] = self.prefix();
        let length = if mutated(Mutant::PrefixTakenForKey) { &[] } else { length };
        let from = LENGTH_BYTES - length.len();
        // The room is compared, not the value's length: that may be changing meanwhile.
        header.key == self.hash
            && header.room as usize >= self.prefix_bytes()
            && (mutated(Mutant::HashTakenForKey)
                || memory.room_holds(address, header, from, [length, key], stays))
    }
}

/// The key of an object in a store of byte strings; `None` if it has no whole key.
pub(crate) fn key_of<P: Protection>(
    address: VirtualAddress,
    header: Header,
    memory: &Memory,
    stays: &P,
) -> Option<Vec<u8>> {
    let room = (header.value_bytes as usize).checked_sub(LENGTH_BYTES)?;
    let mut length = [0; LENGTH_BYTES];
    memory.read_room(address, header, 0, &mut length, stays);
    let bytes = usize::from(u16::from_le_bytes(length));
    (bytes <= room).then(|| {
        let mut key = vec![0; bytes];
        memory.read_room(address, header, LENGTH_BYTES, &mut key, stays);
        key
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Config, Put, Session, Store, Update};

    #[test]
    fn zeros_at_the_end_count() {
        let name = |bytes| ByteName::of(&[0; 9][..bytes]).unwrap();
        let words: HashSet<u64> = (0..9).map(|bytes| name(bytes).word()).collect();
        assert_eq!(words.len(), 9);
    }

    fn get(session: &Session<'_, [u8]>, name: ByteName<'_>) -> Option<Vec<u8>> {
        let mut value = [0; 64];
        session.get_named(name, &mut value).unwrap().map(|bytes| value[..bytes].to_vec())
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        for update in [Update::Append, Update::InPlace] {
            let config = Config { update, ..Config::best(8 << 20) };
            let store = Store::open_for_byte_keys(config).unwrap();
            let session = store.session().unwrap();
            // No one is as long as another and a value after it: else the lengths alone tell them apart.
            let keys: [&[u8]; 4] = [b"", b"ab", b"abcd", b"abce"];
            let name = |key| ByteName::with_hash(7, key).unwrap();
            for (number, key) in keys.into_iter().enumerate() {
                let value = [number as u8; 20];
                assert_eq!(session.put_named(name(key), &value), Ok(Put::Inserted), "{key:?}");
            }
            for (number, key) in keys.into_iter().enumerate() {
                let value = [number as u8 + 100; 11];
                assert_eq!(session.put_named(name(key), &value), Ok(Put::Updated), "{key:?}");
                assert_eq!(get(&session, name(key)).as_deref(), Some(&value[..]), "{key:?}");
            }
            assert_eq!(store.check().unwrap().live_objects, keys.len() as u64);
            for (number, key) in keys.into_iter().enumerate() {
                assert_eq!(get(&session, name(key)), Some(vec![number as u8 + 100; 11]));
                assert_eq!(session.delete_named(name(key)), Ok(true));
                assert_eq!(get(&session, name(key)), None);
            }
        }
    }
}
