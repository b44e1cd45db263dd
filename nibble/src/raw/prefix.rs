//! What comes before the value in an object's room: nothing in a store of words, the key in one of byte
//! strings (`name.rs`). It is written with the object and never changes.

use super::{Header, Memory, Protection};
use crate::address::VirtualAddress;
use crate::constants::HEADER_BYTES;

/// Two parts, one after the other.
pub(crate) type Prefix<'bytes> = [&'bytes [u8]; 2];

/// How much is compared at a time.
const PART_BYTES: usize = 64;

/// Length of both parts.
#[inline(always)]
pub(super) fn prefix_bytes([first, second]: Prefix<'_>) -> usize {
    first.len() + second.len()
}

impl Memory {
    /// Writes what comes before the value of the object at `at`, in reserved room.
    #[inline(always)]
    pub(super) fn write_prefix(&self, at: VirtualAddress, prefix: Prefix<'_>) {
        let mut from = HEADER_BYTES;
        for part in prefix {
            if !part.is_empty() {
                self.write(self.skip(at, from), part);
            }
            from += part.len() as u64;
        }
    }

    /// Copies out a part of an object's room, which begins at `from`.
    pub(crate) fn read_room<P: Protection>(
        &self,
        address: VirtualAddress,
        header: Header,
        from: usize,
        to: &mut [u8],
        _stays: &P,
    ) {
        self.room(address, header).load(from, to);
    }

    /// Whether an object's room holds both parts, one after the other, from `from` on. They must end
    /// inside it. By the same accesses as values that are being overwritten, beside which these bytes lie.
    #[inline]
    pub(crate) fn room_holds<P: Protection>(
        &self,
        address: VirtualAddress,
        header: Header,
        from: usize,
        parts: Prefix<'_>,
        stays: &P,
    ) -> bool {
        let mut at = from;
        let pieces = parts.into_iter().flat_map(|part| part.chunks(PART_BYTES));
        for expected in pieces {
            let mut found = [0; PART_BYTES];
            let found = &mut found[..expected.len()];
            self.read_room(address, header, at, found, stays);
            if found != expected {
                return false;
            }
            at += expected.len();
        }
        true
    }
}
