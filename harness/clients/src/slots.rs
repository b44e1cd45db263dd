//! Hash slots: which part of a cluster a key belongs to.

use std::ffi::{CStr, CString};
use std::ops::RangeInclusive;

use crc16::{State, XMODEM};

/// Slots of every cluster.
pub(crate) const SLOTS: u16 = 16_384;

/// The slot of a key: of what stands between its first braces, if anything does.
#[must_use]
pub(crate) fn slot_of(key: &[u8]) -> u16 {
    State::<XMODEM>::calculate(tag(key).unwrap_or(key)) % SLOTS
}

fn tag(key: &[u8]) -> Option<&[u8]> {
    let from = key.iter().position(|byte| *byte == b'{')? + 1;
    let length = key[from..].iter().position(|byte| *byte == b'}')?;
    Some(&key[from..from + length]).filter(|tag| !tag.is_empty())
}

/// A key of letters for each slot, by which libraries that take texts are asked for its server.
#[derive(Debug)]
pub(crate) struct SlotNames(Vec<CString>);

impl SlotNames {
    pub(crate) fn new() -> Self {
        let mut names = vec![None; SLOTS.into()];
        let mut left = names.len();
        for number in 0_u64.. {
            let key = number.to_string();
            let name = &mut names[usize::from(slot_of(key.as_bytes()))];
            if name.is_none() {
                *name = Some(CString::new(key).expect("digits"));
                left -= 1;
            }
            if left == 0 {
                break;
            }
        }
        Self(names.into_iter().flatten().collect())
    }

    pub(crate) fn of(&self, slot: u16) -> &CStr {
        &self.0[usize::from(slot)]
    }
}

/// Which shard has each slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotMap(Box<[u16]>);

/// The shard of slots that nobody has.
const NOBODY: u16 = u16::MAX;

impl SlotMap {
    /// The slots of shards that have these ranges, in the order of the shards.
    #[must_use]
    pub(crate) fn new(shards: &[Vec<RangeInclusive<u16>>]) -> Self {
        let mut map = vec![NOBODY; SLOTS.into()].into_boxed_slice();
        for (shard, ranges) in (0..).zip(shards) {
            for range in ranges {
                let (from, to) = (usize::from(*range.start()), usize::from(*range.end()));
                map[from..=to.min(usize::from(SLOTS) - 1)].fill(shard);
            }
        }
        Self(map)
    }

    /// The shard of a key; the first for slots that nobody has.
    #[must_use]
    pub(crate) fn shard_of(&self, key: &[u8]) -> usize {
        match self.0[usize::from(slot_of(key))] {
            NOBODY => 0,
            shard => shard.into(),
        }
    }

    /// How many slots nobody has.
    #[must_use]
    pub(crate) fn uncovered(&self) -> usize {
        self.0.iter().filter(|shard| **shard == NOBODY).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first three are those of the specification of Redis clusters.
    #[test]
    fn keys_have_the_slots_that_servers_give_them() {
        for (key, slot) in [
            ("123456789", 0x31C3 % SLOTS),
            ("foo", 12_182),
            ("bar", 5061),
            ("{user1000}.following", slot_of(b"user1000")),
            ("foo{}{bar}", slot_of(b"foo{}{bar}")),
            ("foo{{bar}}zap", slot_of(b"{bar")),
            ("foo{bar}{zap}", slot_of(b"bar")),
        ] {
            assert_eq!(slot_of(key.as_bytes()), slot, "{key}");
        }
        assert_ne!(slot_of(b"foo{}{bar}"), slot_of(b"bar"), "an empty tag is none");
    }

    #[test]
    fn every_slot_has_a_name_in_it() {
        let names = SlotNames::new();
        for slot in 0..SLOTS {
            assert_eq!(slot_of(names.of(slot).to_bytes()), slot);
        }
    }

    #[test]
    fn slots_belong_to_the_shards_that_name_them() {
        let map = SlotMap::new(&[vec![0..=5460, 12_182..=12_182], vec![5461..=10_922]]);
        assert_eq!((map.shard_of(b"foo"), map.shard_of(b"bar")), (0, 0));
        assert_eq!(map.uncovered(), 16_384 - 10_923 - 1);
    }
}
