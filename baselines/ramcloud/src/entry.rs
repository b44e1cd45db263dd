//! Entries of the log: the layout of objects and tombstones.
//!
//! ```text
//! object     header | key | version | value, filled up to words
//! tombstone  header | key | version | segment | written
//!
//! header     63       34 33  32 31         0
//!            +----------+------+------------+
//!            |    0     | kind | value bytes |
//!            +----------+------+------------+
//! ```
//!
//! Versions are the log's time, measured in bytes appended, so a version also tells how old an
//! object is. A tombstone contains the key, version and segment of the dead object, and the time at
//! which the tombstone was written.

/// Size of a word; entries are aligned to words.
pub(crate) const WORD_BYTES: usize = 8;
/// Size of an object without its value.
pub(crate) const OBJECT_HEADER_BYTES: usize = 3 * WORD_BYTES;
/// Bytes of a tombstone.
pub(crate) const TOMBSTONE_BYTES: usize = 5 * WORD_BYTES;
/// How many bytes of an entry always lie in one seglet; a shorter tail of a seglet stays empty.
pub(crate) const UNDIVIDED_BYTES: usize = TOMBSTONE_BYTES;

const _: () = assert!(UNDIVIDED_BYTES >= OBJECT_HEADER_BYTES);

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Tombstone,
}

/// The first word of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header(u64);

const KIND_SHIFT: u32 = 32;
const OBJECT: u64 = 1;
const TOMBSTONE: u64 = 2;

impl Header {
    pub(crate) const TOMBSTONE: Self = Self(TOMBSTONE << KIND_SHIFT);

    /// The header of an object with a value of this size.
    #[inline]
    pub(crate) fn object(value_bytes: usize) -> Self {
        debug_assert!(u32::try_from(value_bytes).is_ok(), "values are shorter than segments");
        Self(OBJECT << KIND_SHIFT | value_bytes as u64)
    }

    #[inline]
    pub(crate) fn of_word(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// `None` if no entry begins here.
    #[inline]
    pub(crate) fn kind(self) -> Option<Kind> {
        match self.0 >> KIND_SHIFT {
            OBJECT => Some(Kind::Object),
            TOMBSTONE => Some(Kind::Tombstone),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn value_bytes(self) -> usize {
        self.0 as u32 as usize
    }

    /// Size of the whole entry.
    #[inline]
    pub(crate) fn entry_bytes(self) -> usize {
        match self.0 >> KIND_SHIFT {
            TOMBSTONE => TOMBSTONE_BYTES,
            _ => object_bytes(self.value_bytes()),
        }
    }
}

/// Size of an object with a value of `value_bytes`.
#[inline]
pub(crate) const fn object_bytes(value_bytes: usize) -> usize {
    OBJECT_HEADER_BYTES + value_bytes.next_multiple_of(WORD_BYTES)
}

/// An entry, as found by a walk over a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Object { value_bytes: usize, key: u64, version: u64 },
    Tombstone(Tombstone),
}

/// Records that the version of a key in some segment is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tombstone {
    pub(crate) key: u64,
    pub(crate) version: u64,
    /// The word of the [`SegmentId`](crate::segments::SegmentId).
    pub(crate) segment: u64,
    /// When it was written, in log time.
    pub(crate) written: u64,
}

impl Entry {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Object { value_bytes, .. } => object_bytes(value_bytes),
            Self::Tombstone(_) => TOMBSTONE_BYTES,
        }
    }

    /// When it was first written, in log time.
    pub(crate) fn written(self) -> u64 {
        match self {
            Self::Object { version, .. } => version,
            Self::Tombstone(tombstone) => tombstone.written,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_kind_and_length() {
        for (value_bytes, entry_bytes) in [(0, 24), (1, 32), (8, 32), (9, 40), (1 << 20, 1048600)] {
            let header = Header::of_word(Header::object(value_bytes).word());
            assert_eq!(header.kind(), Some(Kind::Object));
            assert_eq!((header.value_bytes(), header.entry_bytes()), (value_bytes, entry_bytes));
        }
        assert_eq!(Header::TOMBSTONE.kind(), Some(Kind::Tombstone));
        assert_eq!(Header::TOMBSTONE.entry_bytes(), TOMBSTONE_BYTES);
        assert_eq!(Header::of_word(0).kind(), None);
    }
}
