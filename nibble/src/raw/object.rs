//! The layout of an object in the log.
//!
//! ```text
//! offset  size  field    written by
//!      0     4  length   the PUT that reserved the room; its last byte also by PUTs in place
//!      4     8  key      the PUT that reserved the room; once the object is dead and nobody can be
//!                        reading it, a PUT that writes its own object there
//!     12  room  value    the same; PUTs in place
//!
//! length, little endian:
//!  31       26 25                            0
//! +-----------+-------------------------------+
//! |   slack   |   room for the value, bytes   |
//! |  6 bits   |            26 bits            |
//! +-----------+-------------------------------+
//! ```
//! The value is `room - slack` bytes long. Slack is 0 until a shorter value takes the place; 63
//! means that the slack is stored in the last four bytes of the room. The room never changes, so
//! segments stay walkable. Nothing is aligned, and any part may continue in the next block.

use super::bytes;
use super::prefix::{Prefix, prefix_bytes};
use super::racing::Room;
use super::{Memory, Protection};
use crate::address::VirtualAddress;
use crate::constants::{HEADER_BYTES, SEGMENT_BYTES_MAX};
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::sync::{AtomicU8, Ordering, release_fence};

/// The header of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) value_bytes: u32,
    /// How long a value in this place may become.
    pub(crate) room: u32,
    pub(crate) key: u64,
}

const HEADER: usize = HEADER_BYTES as usize;
const ROOM_BITS: u32 = 26;
const SLACK_ELSEWHERE: u32 = 63;
/// Size of a slack that is stored in the room.
const SLACK: usize = 4;
/// The byte of the header that holds the slack; no other byte changes.
const SLACK_BYTE: usize = 3;

// The largest room fits its field, and the slack lies in one byte.
const _: () = assert!(SEGMENT_BYTES_MAX - HEADER_BYTES < 1 << ROOM_BITS);
const _: () = assert!(ROOM_BITS / 8 == SLACK_BYTE as u32);

impl Header {
    /// The header for a value that fills its room.
    #[inline]
    pub(crate) fn new(key: u64, value_bytes: usize) -> Self {
        Self { value_bytes: value_bytes as u32, room: value_bytes as u32, key }
    }

    /// Size of header, key and value: what is live.
    #[inline]
    pub(crate) fn object_bytes(self) -> u64 {
        HEADER_BYTES + u64::from(self.value_bytes)
    }

    /// How many bytes the object occupies in its segment.
    #[inline]
    pub(crate) fn extent_bytes(self) -> u64 {
        HEADER_BYTES + u64::from(self.room)
    }

    /// The code for the slack in the header.
    #[inline]
    fn slack_code(self) -> u32 {
        (self.room - self.value_bytes).min(SLACK_ELSEWHERE)
    }

    #[inline]
    fn encode(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let length = self.room | (self.slack_code() << ROOM_BITS);
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..].copy_from_slice(&self.key.to_le_bytes());
        bytes
    }

    /// Decodes the header, with the slack as far as the header holds it.
    #[inline]
    fn decode(length: u32, key: u64) -> (Self, u32) {
        let room = length & ((1 << ROOM_BITS) - 1);
        let code = length >> ROOM_BITS;
        // Saturating: while a slack is being changed, it may be combined with a room it does not
        // belong to. The result is then discarded, but it must not be out of bounds.
        (Self { value_bytes: room.saturating_sub(code), room, key }, code)
    }
}

/// The length and the key in a header, where no instruction loads both.
///
/// # Safety
/// Twelve bytes are in one block at `from`; nobody writes them but for the slack byte, and that by atomic
/// stores.
unsafe fn header_by_parts(from: *mut bytes::Byte) -> (u32, u64) {
    // SAFETY: the caller's.
    let front: [u8; SLACK_BYTE] = unsafe { bytes::read(from) };
    // SAFETY: the caller's.
    let key: [u8; 8] = unsafe { bytes::read(from.wrapping_add(4)) };
    // SAFETY: the caller's.
    let slack = unsafe { bytes::atomic(from.wrapping_add(SLACK_BYTE)) };
    // Relaxed: whoever may race with a writer in place checks the bucket's version after.
    let last = slack.load(Ordering::Relaxed);
    (u32::from_le_bytes([front[0], front[1], front[2], last]), u64::from_le_bytes(key))
}

/// Stores a value; returns `false` where no instruction does.
///
/// # Safety
/// As many bytes are in one block at `to`, and all who share them access them by instructions like these.
#[inline(always)]
unsafe fn store_in_block(value: &[u8], to: *mut bytes::Byte) -> bool {
    // In two halves where threads are made to meet in between.
    let half = if cfg!(feature = "instrumented") { value.len() / 2 } else { 0 };
    if half > 0 {
        // SAFETY: the caller's.
        let stored = unsafe { bytes::store_bytes(&value[..half], to) };
        reach(Point::HalfOverwritten);
        // SAFETY: the caller's.
        return stored && unsafe { bytes::store_bytes(&value[half..], to.wrapping_add(half)) };
    }
    // SAFETY: the caller's.
    unsafe { bytes::store_bytes(value, to) }
}

impl Memory {
    /// The header of the object at `address`.
    #[inline(always)]
    pub(crate) fn header<P: Protection>(&self, address: VirtualAddress, stays: &P) -> Header {
        let (from, left) = self.region.pointer_to(address);
        if left < HEADER {
            let (length, key) = self.header_across_blocks(address, stays);
            return self.decoded(address, length, key);
        }
        // SAFETY: the twelve bytes are in the block; by `Protection` nobody writes them but for the
        // slack byte, and that by atomic stores. Who may race with a writer in place checks the
        // bucket's version after.
        let loaded = unsafe { bytes::load_header(from) };
        // SAFETY: as above.
        let (length, key) = loaded.unwrap_or_else(|| unsafe { header_by_parts(from) });
        self.decoded(address, length, key)
    }

    #[inline(always)]
    fn decoded(&self, address: VirtualAddress, length: u32, key: u64) -> Header {
        let (mut header, code) = Header::decode(length, key);
        if code == SLACK_ELSEWHERE {
            header.value_bytes = self.value_bytes_in_room(address, header.room);
        }
        header
    }

    #[cold]
    #[inline(never)]
    fn header_across_blocks<P: Protection>(
        &self,
        address: VirtualAddress,
        stays: &P,
    ) -> (u32, u64) {
        let mut front = [0; SLACK_BYTE];
        self.read(address, &mut front, stays);
        let last = self.slack_byte(address).load(Ordering::Relaxed); // Relaxed: as in `header`.
        let mut key = [0; 8];
        self.read(self.skip(address, 4), &mut key, stays);
        (u32::from_le_bytes([front[0], front[1], front[2], last]), u64::from_le_bytes(key))
    }

    #[inline]
    fn slack_byte(&self, address: VirtualAddress) -> &AtomicU8 {
        let (byte, _) = self.region.pointer_to(self.skip(address, SLACK_BYTE as u64));
        // SAFETY: a byte inside object memory, which outlives the reference; published headers
        // are accessed there by atomic operations only.
        unsafe { bytes::atomic(byte) }
    }

    /// The length of a value whose slack is stored in its room.
    #[cold]
    #[inline(never)]
    fn value_bytes_in_room(&self, address: VirtualAddress, room: u32) -> u32 {
        let bytes = room as usize;
        if bytes < SLACK {
            return room; // Torn; see `decode`.
        }
        let mut slack = [0; SLACK];
        let start = self.skip(address, HEADER_BYTES);
        Room::new(self, start, bytes).load(bytes - SLACK, &mut slack);
        room.saturating_sub(u32::from_le_bytes(slack))
    }

    #[inline]
    pub(super) fn room(&self, address: VirtualAddress, header: Header) -> Room<'_> {
        Room::new(self, self.skip(address, HEADER_BYTES), header.room as usize)
    }

    /// Copies an object's value out, which begins at `from` in its room; `value` has exactly its length.
    /// Nobody may write in place.
    #[inline(always)]
    pub(crate) fn read_value<P: Protection>(
        &self,
        address: VirtualAddress,
        from: usize,
        value: &mut [u8],
        stays: &P,
    ) {
        match self.value_in_block(address, from, value.len()) {
            // SAFETY: as many bytes are in the block; `value` is the caller's alone; by `Protection`
            // nobody writes the source meanwhile.
            Some(from) => unsafe {
                bytes::copy_nonoverlapping(from, value.as_mut_ptr(), value.len());
            },
            None if value.is_empty() => {}
            None => self.read(self.skip(address, HEADER_BYTES + from as u64), value, stays),
        }
    }

    /// Where the value of the object at `address` lies, which begins at `from` in its room, if all of it is
    /// in the block where the object begins.
    #[inline(always)]
    fn value_in_block(
        &self,
        address: VirtualAddress,
        from: usize,
        value_bytes: usize,
    ) -> Option<*mut bytes::Byte> {
        let (start, left) = self.region.pointer_to(address);
        (HEADER + from + value_bytes <= left).then(|| start.wrapping_add(HEADER + from))
    }

    /// Copies out a value, as [`Self::read_value`], that may be overwritten meanwhile. Afterwards the bucket's version tells
    /// whether the copy is a single value.
    #[inline(always)]
    pub(crate) fn read_value_racing<P: Protection>(
        &self,
        address: VirtualAddress,
        header: Header,
        from: usize,
        value: &mut [u8],
        _stays: &P,
    ) {
        let loaded = match self.value_in_block(address, from, value.len()) {
            // SAFETY: as many bytes are in the block; the room is only ever accessed like this once the
            // object is published.
            Some(place) => unsafe { bytes::load_bytes(place, value) },
            None => false,
        };
        if !loaded && !value.is_empty() {
            self.room(address, header).load(from, value);
        }
    }

    /// Overwrites a value in place, which begins at `from` in its room; returns the new header. The caller
    /// must hold the lock of the key's bucket, and the value must fit the room.
    #[inline(always)]
    pub(crate) fn overwrite_value(
        &self,
        address: VirtualAddress,
        header: Header,
        from: usize,
        value: &[u8],
    ) -> Header {
        assert!(from + value.len() <= header.room as usize, "the caller compared");
        // BUCKET-IN, from: whoever sees one of the stores below sees the odd version before them.
        release_fence();
        let after = Header { value_bytes: (from + value.len()) as u32, ..header };
        let stored = match self.value_in_block(address, from, value.len()) {
            // SAFETY: as many bytes are in the block; the room is only ever accessed like this once the
            // object is published.
            Some(to) => unsafe { store_in_block(value, to) },
            None => false,
        };
        if !stored && !value.is_empty() {
            self.room(address, header).store(from, value);
        }
        reach(Point::Overwritten);
        if after != header {
            self.store_slack(address, after);
        }
        after
    }

    /// Makes the header at `address` say how long the value in its room is.
    fn store_slack(&self, address: VirtualAddress, after: Header) {
        let code = after.slack_code();
        if code == SLACK_ELSEWHERE {
            let slack = after.room - after.value_bytes;
            let at = after.room as usize - SLACK;
            self.room(address, after).store(at, &slack.to_le_bytes());
        }
        if !mutated(Mutant::SlackLost) {
            // Relaxed: published by the unlocking of the bucket (BUCKET-OUT).
            self.slack_byte(address).store(after.encode()[SLACK_BYTE], Ordering::Relaxed);
        }
    }

    /// Writes an object to reserved room.
    #[inline]
    pub(crate) fn write_object(
        &self,
        at: VirtualAddress,
        key: u64,
        prefix: Prefix<'_>,
        value: &[u8],
    ) {
        let from = prefix_bytes(prefix);
        self.write(at, &Header::new(key, from + value.len()).encode());
        self.write_prefix(at, prefix);
        if !value.is_empty() {
            self.write(self.skip(at, HEADER_BYTES + from as u64), value);
        }
    }

    /// Writes an object to the room of a dead one, which it need not fill; returns its header.
    pub(crate) fn write_into_room(
        &self,
        at: VirtualAddress,
        room: u32,
        key: u64,
        prefix: Prefix<'_>,
        value: &[u8],
    ) -> Header {
        let from = prefix_bytes(prefix);
        assert!(from + value.len() <= room as usize, "the caller compared");
        let full = mutated(Mutant::HoleFilled);
        let value_bytes = if full { room } else { (from + value.len()) as u32 };
        let header = Header { value_bytes, room, key };
        self.write(at, &header.encode());
        self.write_prefix(at, prefix);
        let start = self.skip(at, HEADER_BYTES);
        if !value.is_empty() {
            self.write(self.skip(start, from as u64), value);
        }
        if header.slack_code() == SLACK_ELSEWHERE {
            let slack = room - value_bytes;
            self.write(self.skip(start, u64::from(room) - SLACK as u64), &slack.to_le_bytes());
        }
        header
    }

    /// Copies an object to reserved room of `object_bytes`, leaving the slack behind. Nobody may
    /// write it in place.
    pub(crate) fn copy_object<P: Protection>(
        &self,
        from: VirtualAddress,
        header: Header,
        to: VirtualAddress,
        stays: &P,
    ) {
        let bytes = header.object_bytes() as usize;
        self.move_bytes(from, to, bytes, stays);
        if header.room != header.value_bytes && !mutated(Mutant::RelocatedWithSlack) {
            self.write(to, &Header::new(header.key, header.value_bytes as usize).encode());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_the_trip() {
        for (room, slack) in [(0, 0), (1, 1), (62, 62), (1 << 25, 0), ((1 << 26) - 13, 62)] {
            for key in [0, u64::MAX, 0x0123_4567_89AB_CDEF] {
                let header = Header { value_bytes: room - slack, room, key };
                let bytes = header.encode();
                let length = u32::from_le_bytes(bytes[..4].try_into().unwrap());
                let key = u64::from_le_bytes(bytes[4..].try_into().unwrap());
                assert_eq!(Header::decode(length, key), (header, slack));
            }
        }
    }

    #[test]
    fn only_the_slack_byte_changes_in_place() {
        let full = Header::new(7, 1000).encode();
        for value_bytes in 0..1000 {
            let mut short = Header { value_bytes, ..Header::new(7, 1000) }.encode();
            short[SLACK_BYTE] = full[SLACK_BYTE];
            assert_eq!(short, full);
        }
    }
}
