//! An object as it lies in the log.
//!
//! ```text
//! offset  size    field   written by
//!      0     4    length  of the value, little endian          the PUT that reserved the room
//!      4     8    key                                          the same
//!     12  length  value                                        the same
//! ```
//! Nothing is aligned, and any part may continue in the segment's next block. After publication
//! nothing is written.

use std::ptr;

use super::{Memory, Protection};
use crate::address::{ObjectRef, VirtualAddress};
use crate::constants::HEADER_BYTES;

/// The first bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Bytes of the value.
    pub(crate) value_bytes: u32,
    /// The key.
    pub(crate) key: u64,
}

const HEADER: usize = HEADER_BYTES as usize;

impl Header {
    /// Bytes of the whole object.
    #[inline]
    pub(crate) fn object_bytes(self) -> u64 {
        HEADER_BYTES + u64::from(self.value_bytes)
    }

    #[inline]
    fn encode(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&self.value_bytes.to_le_bytes());
        bytes[4..].copy_from_slice(&self.key.to_le_bytes());
        bytes
    }

    #[inline]
    fn decode(bytes: [u8; HEADER]) -> Self {
        let word = u128::from_le_bytes(std::array::from_fn(|i| *bytes.get(i).unwrap_or(&0)));
        Self { value_bytes: word as u32, key: (word >> 32) as u64 }
    }
}

impl Memory {
    /// The header of an object.
    #[inline]
    pub(crate) fn header<P: Protection>(&self, object: ObjectRef, stays: &P) -> Header {
        self.header_at(object.address(), stays)
    }

    /// As [`Memory::header`], for a walk along a segment.
    #[inline]
    pub(crate) fn header_at<P: Protection>(&self, address: VirtualAddress, stays: &P) -> Header {
        let (from, left) = self.region.pointer_to(address);
        if left >= HEADER {
            // SAFETY: the twelve bytes are in the block; by `Protection` nobody writes them.
            return Header::decode(unsafe { ptr::read(from.cast::<[u8; HEADER]>()) });
        }
        let mut bytes = [0; HEADER];
        self.read(address, &mut bytes, stays);
        Header::decode(bytes)
    }

    /// Copies an object's value out; `value` is exactly as long.
    #[inline]
    pub(crate) fn read_value<P: Protection>(&self, object: ObjectRef, value: &mut [u8], stays: &P) {
        if !value.is_empty() {
            self.read(self.skip(object.address(), HEADER_BYTES), value, stays);
        }
    }

    /// Writes an object to room reserved for it.
    #[inline]
    pub(crate) fn write_object(&self, at: ObjectRef, key: u64, value: &[u8]) {
        let header = Header { value_bytes: value.len() as u32, key };
        self.write(at.address(), &header.encode());
        if !value.is_empty() {
            self.write(self.skip(at.address(), HEADER_BYTES), value);
        }
    }

    /// Copies a whole object to room reserved for it.
    pub(crate) fn copy_object<P: Protection>(
        &self,
        from: VirtualAddress,
        to: ObjectRef,
        bytes: u64,
        stays: &P,
    ) {
        self.move_bytes(from, to.address(), bytes as usize, stays);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_the_trip() {
        for (value_bytes, key) in [(0, 0), (1, u64::MAX), (u32::MAX, 0x0123_4567_89AB_CDEF)] {
            let header = Header { value_bytes, key };
            assert_eq!(Header::decode(header.encode()), header);
        }
    }
}
