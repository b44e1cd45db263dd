//! One request as an 8-byte word.

use std::fmt;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// Read a record.
    Get,
    /// Overwrite a record.
    Update,
    /// Store a record that was never stored before.
    Insert,
    /// Remove a record.
    Delete,
    /// Read a record, then overwrite it.
    ReadModifyWrite,
    /// Read a record and its successors in key order.
    Scan,
    /// Read an absent record; replayed traces contain such requests.
    GetAbsent,
    /// Remove an absent record.
    DeleteAbsent,
}

impl RequestKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Get,
        Self::Update,
        Self::Insert,
        Self::Delete,
        Self::ReadModifyWrite,
        Self::Scan,
        Self::GetAbsent,
        Self::DeleteAbsent,
    ];

    /// The name in rows and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Update => "update",
            Self::Insert => "insert",
            Self::Delete => "delete",
            Self::ReadModifyWrite => "read-modify-write",
            Self::Scan => "scan",
            Self::GetAbsent => "get-absent",
            Self::DeleteAbsent => "delete-absent",
        }
    }
}

const KIND_BITS: u32 = 3;
const SIZE_BITS: u32 = 24;
const RECORD_BITS: u32 = 37;
const SIZE_SHIFT: u32 = RECORD_BITS;
const KIND_SHIFT: u32 = RECORD_BITS + SIZE_BITS;

// The three fields tile the word: no gap, no overlap.
const _: () = assert!(KIND_BITS + SIZE_BITS + RECORD_BITS == u64::BITS);
const _: () = assert!(size_of::<Request>() == 8);
// Every word is a valid request.
const _: () = assert!(RequestKind::ALL.len() == 1 << KIND_BITS);
const _: () = {
    let mut at = 0;
    while at < RequestKind::ALL.len() {
        assert!(RequestKind::ALL[at] as usize == at);
        at += 1;
    }
};

/// One prepared request.
///
/// ```text
///  63    61 60                  37 36                             0
/// +--------+----------------------+--------------------------------+
/// |  kind  |         size         |             record             |
/// | 3 bits |        24 bits       |             37 bits            |
/// +--------+----------------------+--------------------------------+
///   0 GET, 1 UPDATE, 2 INSERT, 3 DELETE, 4 READ-MODIFY-WRITE, 5 SCAN,
///   6 GET of an absent record, 7 DELETE of one
/// ```
///
/// [`key_of`](crate::key_of) turns the record into a key inside the timed loop: a few instructions,
/// the same for every engine. The default word is a GET of record 0.
#[repr(transparent)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Request(u64);

impl Request {
    /// The largest record number: about 137 billion records can be named.
    pub const RECORD_MAX: u64 = (1 << RECORD_BITS) - 1;
    /// The largest size: one byte below 16 MiB, or as many entries.
    pub const SIZE_MAX: usize = (1 << SIZE_BITS) - 1;

    /// # Panics
    ///
    /// If `size` needs more than 24 bits or `record` more than 37.
    #[inline]
    pub const fn new(kind: RequestKind, size: usize, record: u64) -> Self {
        assert!(size <= Self::SIZE_MAX, "size needs more than 24 bits");
        assert!(record <= Self::RECORD_MAX, "record needs more than 37 bits");
        Self((kind as u64) << KIND_SHIFT | (size as u64) << SIZE_SHIFT | record)
    }

    /// The word, for storing in a file.
    #[inline]
    #[must_use]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The request with this [`word`](Self::word). Every word is a request.
    #[inline]
    #[must_use]
    pub const fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// The same request for another record.
    ///
    /// # Panics
    ///
    /// If `record` needs more than 37 bits.
    #[inline]
    #[must_use]
    pub const fn of_record(self, record: u64) -> Self {
        Self::new(self.kind(), self.size(), record)
    }

    #[inline]
    pub const fn kind(self) -> RequestKind {
        RequestKind::ALL[(self.0 >> KIND_SHIFT) as usize]
    }

    /// Whether the request is of `kind`: one comparison, whereas [`kind`](Self::kind) reads a
    /// table.
    #[inline]
    pub const fn is(self, kind: RequestKind) -> bool {
        self.0 >> KIND_SHIFT == kind as u64
    }

    /// The record; for a scan, the first record.
    #[inline]
    pub const fn record(self) -> u64 {
        self.0 & Self::RECORD_MAX
    }

    /// UPDATE, INSERT, READ-MODIFY-WRITE: the size of the value to write. SCAN: the number of
    /// entries to read. GET: the size of the value to store after a miss, if the workload stores
    /// one. Otherwise 0.
    #[inline]
    pub const fn size(self) -> usize {
        (self.0 >> SIZE_SHIFT) as usize & Self::SIZE_MAX
    }
}

impl fmt::Debug for Request {
    /// `Update 7 (100)`: the kind, the record, and the size if it is not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind(), self.record())?;
        match self.size() {
            0 => Ok(()),
            size => write!(f, " ({size})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for kind in RequestKind::ALL {
            for record in [0, 1, 2, 1 << 36, Request::RECORD_MAX] {
                for size in [0, 1, 1000, Request::SIZE_MAX] {
                    let request = Request::new(kind, size, record);
                    assert_eq!(
                        (request.kind(), request.size(), request.record()),
                        (kind, size, record)
                    );
                    for other in RequestKind::ALL {
                        assert_eq!(request.is(other), kind == other);
                    }
                }
            }
        }
        assert_eq!(Request::default(), Request::new(RequestKind::Get, 0, 0));
        assert_eq!(format!("{:?}", Request::new(RequestKind::Update, 100, 7)), "Update 7 (100)");
        assert_eq!(format!("{:?}", Request::new(RequestKind::Delete, 0, 7)), "Delete 7");
    }

    #[test]
    #[should_panic(expected = "size needs more than 24 bits")]
    fn a_size_that_does_not_fit_is_refused() {
        Request::new(RequestKind::Update, Request::SIZE_MAX + 1, 0);
    }

    #[test]
    #[should_panic(expected = "record needs more than 37 bits")]
    fn a_record_that_does_not_fit_is_refused() {
        Request::new(RequestKind::Get, 0, Request::RECORD_MAX + 1);
    }
}
