//! Names for places: virtual addresses, blocks, segments, and the packed word in an index entry.
//! Only `raw/` turns numbers into pointers.

use std::fmt;
use std::num::NonZeroU64;

const SEGMENT_BITS: u32 = 16;
const ADDRESS_BITS: u32 = 48;
const ADDRESS_MASK: u64 = (1 << ADDRESS_BITS) - 1;

// The two fields tile the word: no gap, no overlap.
const _: () = assert!(SEGMENT_BITS + ADDRESS_BITS == u64::BITS);
const _: () = assert!(SEGMENT_BITS == u16::BITS, "SegmentId is a u16");
const _: () = assert!(size_of::<Option<ObjectRef>>() == 8);

/// An address in object memory, below 2^48 and never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct VirtualAddress(u64);

impl VirtualAddress {
    /// # Panics
    /// If the number is not a user-space address.
    pub(crate) fn new(raw: u64) -> Self {
        debug_assert!(raw != 0 && raw <= ADDRESS_MASK, "{raw:#x} is no 48-bit address");
        Self(raw)
    }

    pub(crate) fn raw(self) -> u64 {
        self.0
    }

    /// The address `bytes` further on, whatever is there; for prefetching.
    pub(crate) fn ahead(self, bytes: u64) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

impl fmt::Debug for VirtualAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:#x}", self.0)
    }
}

/// A segment's position in the table of segments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SegmentId(pub(crate) u16);

impl SegmentId {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Debug for SegmentId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "s{}", self.0)
    }
}

/// A block's position in object memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlockId(pub(crate) u32);

impl BlockId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for BlockId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "b{}", self.0)
    }
}

/// The contents of an index entry: an object's segment and address.
///
/// ```text
///  63            48 47                                           0
/// +----------------+----------------------------------------------+
/// |   segment id   |               virtual address                |
/// |    16 bits     |                   48 bits                    |
/// +----------------+----------------------------------------------+
/// ```
///
/// The id leads to the segment's live bytes without a second load. The all-zero word is an *empty
/// entry*; it can never be a reference because address 0 is never mapped, so `Option<ObjectRef>` is
/// eight bytes. [`ObjectRef::new`] is the only constructor.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ObjectRef(NonZeroU64);

impl ObjectRef {
    pub(crate) fn new(segment: SegmentId, address: VirtualAddress) -> Self {
        let word = (u64::from(segment.0) << ADDRESS_BITS) | address.raw();
        Self(NonZeroU64::new(word).expect("address 0 is never mapped"))
    }

    /// Decodes an index word; `None` for an empty entry.
    #[inline]
    pub(crate) fn from_word(word: u64) -> Option<Self> {
        NonZeroU64::new(word).map(Self)
    }

    #[inline]
    pub(crate) fn word(self) -> u64 {
        self.0.get()
    }

    #[inline]
    pub(crate) fn segment(self) -> SegmentId {
        SegmentId((self.0.get() >> ADDRESS_BITS) as u16)
    }

    #[inline]
    pub(crate) fn address(self) -> VirtualAddress {
        VirtualAddress(self.0.get() & ADDRESS_MASK)
    }
}

impl fmt::Debug for ObjectRef {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}@{:?}", self.segment(), self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_spill_into_each_other() {
        for segment in [0, 1, 0x5555, 0xAAAA, u16::MAX] {
            for address in [1, 0x5555_5555_5555, 0xAAAA_AAAA_AAAA, ADDRESS_MASK] {
                let reference = ObjectRef::new(SegmentId(segment), VirtualAddress::new(address));
                assert_eq!(reference.segment(), SegmentId(segment));
                assert_eq!(reference.address().raw(), address);
                assert_eq!(ObjectRef::from_word(reference.word()), Some(reference));
            }
        }
        assert_eq!(ObjectRef::from_word(0), None);
    }

    #[test]
    fn references_print_as_segment_at_address() {
        let reference = ObjectRef::new(SegmentId(12), VirtualAddress::new(0x7f30_0004_0040));
        assert_eq!(format!("{reference:?}"), "s12@0x7f3000040040");
    }
}
