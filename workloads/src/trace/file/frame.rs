//! The frame around a block: its sizes and two checksums.
//!
//! Every checksum is seeded with the previous one in the file, the first with the header's. So a
//! block that is missing, duplicated, moved or taken from another trace does not fit.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{BLOCK_RECORDS, KEY_TEXT_BYTES_MAX, TEXT_BYTES_MAX};

/// Upper bound of a record before compression, in bytes.
const RECORD_BYTES_MAX: usize = 32;
/// Upper bound of all column headers of a block, in bytes.
const COLUMNS_BYTES_MAX: usize = 64;
/// Upper bound of a block before compression, in bytes.
pub(super) const RAW_BYTES_MAX: usize = BLOCK_RECORDS * RECORD_BYTES_MAX + COLUMNS_BYTES_MAX;

/// Most bytes of all texts in a frame.
pub(super) const TEXTS_BYTES_MAX: usize = 1 << 20;
/// Upper bound of a text's key and length, in bytes.
const TEXT_HEAD_BYTES_MAX: usize = 10;
const _: () = assert!(
    TEXTS_BYTES_MAX + BLOCK_RECORDS * TEXT_HEAD_BYTES_MAX + COLUMNS_BYTES_MAX <= RAW_BYTES_MAX
        && TEXTS_BYTES_MAX >= KEY_TEXT_BYTES_MAX
);

/// The sizes and their checksum.
pub(super) const HEAD_BYTES: usize = 24;
/// The checksum of the content.
pub(super) const TAIL_BYTES: usize = 8;

/// What a frame contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// A block of records, compressed.
    Records,
    /// Texts of keys that first appear in the block behind, compressed.
    Texts,
    /// The end: totals as text.
    End,
}

impl FrameKind {
    const fn tag(self) -> [u8; 4] {
        match self {
            Self::Records => *b"RECS",
            Self::Texts => *b"TEXT",
            Self::End => *b"DONE",
        }
    }
}

/// The head of a frame, without its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    /// Number of records in the block, or of texts; 0 at the end.
    pub(super) records: usize,
    /// Size of the content before compression.
    pub(super) raw_bytes: usize,
    /// Size of the content in the file.
    pub(super) stored_bytes: usize,
}

impl Frame {
    /// Fills in the head and appends the tail of a frame. `frame` holds room for the head, then the
    /// content. Returns the checksum that seeds the next frame.
    pub(super) fn seal(self, chain: u64, frame: &mut Vec<u8>) -> u64 {
        debug_assert_eq!(frame.len(), HEAD_BYTES + self.stored_bytes);
        let sizes = [self.records, self.raw_bytes, self.stored_bytes];
        frame[..4].copy_from_slice(&self.kind.tag());
        for (word, size) in frame[4..16].chunks_exact_mut(4).zip(sizes) {
            word.copy_from_slice(&(size as u32).to_le_bytes());
        }
        let chain = xxh3_64_with_seed(&frame[..16], chain);
        frame[16..HEAD_BYTES].copy_from_slice(&chain.to_le_bytes());
        let chain = xxh3_64_with_seed(&frame[HEAD_BYTES..], chain);
        frame.extend(chain.to_le_bytes());
        chain
    }

    /// Reads a head: sizes, checked against their bounds, and the checksum.
    pub(super) fn open(chain: u64, head: &[u8; HEAD_BYTES]) -> Result<(Self, u64), &'static str> {
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes"));
        let checksum = u64::from_le_bytes(head[16..].try_into().expect("8 bytes"));
        if checksum != xxh3_64_with_seed(&head[..16], chain) {
            return Err("a block's head does not fit its checksum and the blocks before");
        }
        let kind = [FrameKind::Records, FrameKind::Texts, FrameKind::End]
            .into_iter()
            .find(|kind| head[..4] == kind.tag())
            .ok_or("a block of a kind that does not exist")?;
        let [records, raw_bytes, stored_bytes] = [4, 8, 12].map(|at| word(at) as usize);
        let sound = match kind {
            FrameKind::Records | FrameKind::Texts => {
                (1..=BLOCK_RECORDS).contains(&records)
                    && raw_bytes <= RAW_BYTES_MAX
                    && stored_bytes <= zstd::zstd_safe::compress_bound(RAW_BYTES_MAX)
            }
            FrameKind::End => {
                records == 0 && raw_bytes == stored_bytes && stored_bytes <= TEXT_BYTES_MAX
            }
        };
        if !sound {
            return Err("a block that is larger than blocks can be");
        }
        Ok((Self { kind, records, raw_bytes, stored_bytes }, checksum))
    }

    /// Checks `content` against its `tail`. Returns the checksum that seeds the next frame, or
    /// `None` if the content is damaged.
    pub(super) fn check(content: &[u8], tail: [u8; TAIL_BYTES], chain: u64) -> Option<u64> {
        let checksum = u64::from_le_bytes(tail);
        (checksum == xxh3_64_with_seed(content, chain)).then_some(checksum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(frame: Frame) -> [u8; HEAD_BYTES] {
        let mut bytes = vec![7; HEAD_BYTES + frame.stored_bytes];
        frame.seal(99, &mut bytes);
        *bytes.first_chunk().unwrap()
    }

    #[test]
    fn a_frame_fits_its_place_alone() {
        let frame = Frame { kind: FrameKind::Records, records: 5, raw_bytes: 70, stored_bytes: 30 };
        let mut bytes = vec![7; HEAD_BYTES + 30];
        let after = frame.seal(99, &mut bytes);
        let (opened, chain) = Frame::open(99, bytes.first_chunk().unwrap()).unwrap();
        assert_eq!(opened, frame);
        let (content, tail) = bytes[HEAD_BYTES..].split_last_chunk().unwrap();
        assert_eq!(Frame::check(content, *tail, chain), Some(after));
        assert_eq!(Frame::check(content, *tail, chain + 1), None);
        assert!(Frame::open(98, bytes.first_chunk().unwrap()).is_err());
    }

    #[test]
    fn sizes_have_bounds_whatever_the_checksum_says() {
        let block = Frame { kind: FrameKind::Records, records: 1, raw_bytes: 9, stored_bytes: 9 };
        let end = Frame { kind: FrameKind::End, records: 0, raw_bytes: 9, stored_bytes: 9 };
        assert!(Frame::open(99, &sealed(block)).is_ok());
        assert!(Frame::open(99, &sealed(end)).is_ok());
        for frame in [
            Frame { records: 0, ..block },
            Frame { records: BLOCK_RECORDS + 1, ..block },
            Frame { raw_bytes: RAW_BYTES_MAX + 1, ..block },
            Frame { stored_bytes: 2 * RAW_BYTES_MAX, ..block },
            Frame { records: 1, ..end },
            Frame { raw_bytes: 8, ..end },
            Frame { raw_bytes: TEXT_BYTES_MAX + 1, stored_bytes: TEXT_BYTES_MAX + 1, ..end },
        ] {
            let refusal = Frame::open(99, &sealed(frame));
            assert_eq!(refusal, Err("a block that is larger than blocks can be"), "{frame:?}");
        }
    }
}
