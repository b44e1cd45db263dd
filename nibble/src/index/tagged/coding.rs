//! The coding of entries: six bytes with a tag and the offset of an object in object memory.

use crate::address::VirtualAddress;
use crate::index::hash::Hash;
use crate::instrument::{Mutant, mutated};

/// Offsets have at least the bits of an entry's lower part.
const LOW_BITS: u32 = 32;
/// The upper part holds the tag, and the bits of the offset that do not fit into the lower part.
const HIGH_BITS: u32 = 16;
/// The fewest bits for tags; this limits object memory.
const TAG_BITS_MIN: u32 = 6;

/// The most object memory that entries can address.
pub(crate) const REACH_BYTES: u64 = 1 << (LOW_BITS + HIGH_BITS - TAG_BITS_MIN);

/// An entry.
///
/// ```text
///  47          32 + k 47 - t    32 31                              0
/// +------------------+------------+--------------------------------+
/// |  tag, t bits     | offset, k  |      offset, lower 32 bits     |
/// +------------------+------------+--------------------------------+
///        high, 16 bits                       low, 32 bits
/// ```
/// `k` is the number of offset bits beyond 32; `t = 16 - k`. A tag is never 0, so a `high` of 0
/// means no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) high: u16,
    pub(super) low: u32,
}

/// How entries are coded for a given object memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coding {
    base: u64,
    /// Which bits of `high` are the tag.
    mask: u16,
    /// The lowest of them.
    lowest: u16,
}

impl Coding {
    /// The coding for object memory of `bytes` bytes at `base`.
    pub(super) fn new(base: VirtualAddress, bytes: u64) -> Self {
        assert!(bytes <= REACH_BYTES, "`Config` limits object memory");
        let bits = bytes.next_power_of_two().trailing_zeros();
        let offset_bits = bits.saturating_sub(LOW_BITS);
        Self { base: base.raw(), mask: u16::MAX << offset_bits, lowest: 1 << offset_bits }
    }

    /// Which bits of `high` are the tag.
    #[inline]
    pub(super) fn mask(self) -> u16 {
        self.mask
    }

    /// The tag of a hash, in its position.
    #[inline]
    pub(super) fn tag(self, hash: Hash) -> u16 {
        let tag = hash.tag_bits() & self.mask;
        if tag == 0 && !mutated(Mutant::TagZero) { self.lowest } else { tag }
    }

    #[inline]
    pub(super) fn entry(self, tag: u16, address: VirtualAddress) -> Entry {
        let offset = address.raw() - self.base;
        Entry { high: tag | (offset >> LOW_BITS) as u16, low: offset as u32 }
    }

    #[inline]
    pub(super) fn address(self, entry: Entry) -> VirtualAddress {
        let high = u64::from(entry.high & !self.mask) << LOW_BITS;
        VirtualAddress::new(self.base + (high | u64::from(entry.low)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "many numbers, no memory")]
    fn entries_survive_the_trip_whatever_the_size_of_memory() {
        let base = VirtualAddress::new(0x7f00_0000_0000);
        for bytes in [1 << 20, 1 << 32, (1 << 32) + 1, 24 << 30, REACH_BYTES] {
            let coding = Coding::new(base, bytes);
            for key in 0..1000 {
                let tag = coding.tag(Hash::of(key));
                assert!(tag != 0 && tag & !coding.mask() == 0);
                for offset in [0, 1, bytes / 2, bytes - 1] {
                    let address = VirtualAddress::new(base.raw() + offset);
                    let entry = coding.entry(tag, address);
                    assert_eq!(entry.high & coding.mask(), tag);
                    assert_eq!(coding.address(entry), address);
                }
            }
        }
    }
}
