//! Frames of the log and the manifest: a checksum, a length, and the payload. What follows a frame
//! that is torn or damaged does not count.
//!
//! ```text
//! checksum of the rest, 8 bytes │ payload's length, 4 bytes │ payload
//! ```
//!
//! Numbers are little-endian, here and in all files.

use xxhash_rust::xxh3::xxh3_64;

use crate::mutant::{Mutant, mutated};

const CHECKSUM_BYTES: usize = 8;
const HEADER_BYTES: usize = CHECKSUM_BYTES + 4;

/// Appends a frame to `to`, whose payload `write` appends.
pub(crate) fn append(to: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = to.len();
    to.extend_from_slice(&[0; HEADER_BYTES]);
    write(to);
    let payload_bytes = (to.len() - start - HEADER_BYTES) as u32;
    to[start + CHECKSUM_BYTES..][..4].copy_from_slice(&payload_bytes.to_le_bytes());
    let checksum = xxh3_64(&to[start + CHECKSUM_BYTES..]);
    to[start..][..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
}

/// The payloads of all whole frames from the front of a file.
#[derive(Clone, Debug)]
pub(crate) struct Frames<'bytes> {
    rest: &'bytes [u8],
}

impl<'bytes> Frames<'bytes> {
    pub(crate) fn new(bytes: &'bytes [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What no whole frame begins with, in bytes.
    pub(crate) fn rest_bytes(&self) -> usize {
        self.rest.len()
    }
}

impl<'bytes> Iterator for Frames<'bytes> {
    type Item = &'bytes [u8];

    fn next(&mut self) -> Option<&'bytes [u8]> {
        let mut reader = Reader::new(self.rest);
        let checksum = reader.u64()?;
        let payload_bytes = reader.u32()? as usize;
        let payload = reader.bytes(payload_bytes)?;
        let covered = &self.rest[CHECKSUM_BYTES..HEADER_BYTES + payload_bytes];
        if xxh3_64(covered) != checksum && !mutated(Mutant::ChecksumUnread) {
            return None;
        }
        self.rest = &self.rest[HEADER_BYTES + payload_bytes..];
        Some(payload)
    }
}

/// Takes numbers and bytes from the front of a payload; `None` where it is too short.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'bytes>(&'bytes [u8]);

impl<'bytes> Reader<'bytes> {
    pub(crate) fn new(bytes: &'bytes [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'bytes [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        Some(self.bytes(1)?[0])
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    /// Bytes after their length.
    pub(crate) fn counted(&mut self) -> Option<&'bytes [u8]> {
        let count = self.u32()? as usize;
        self.bytes(count)
    }

    /// All that is left.
    pub(crate) fn rest(self) -> &'bytes [u8] {
        self.0
    }
}

/// Appends bytes after their length.
pub(crate) fn append_counted(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    to.extend_from_slice(bytes);
}
