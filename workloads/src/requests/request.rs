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
    /// Overwrite all records of a [group](super::Groups) in one step of the store.
    WriteTogether,
    /// Read all records of a group at one moment.
    SnapshotRead,
    /// Read a record and its successors in key order at one moment.
    SnapshotScan,
    /// Overwrite a record with a value that has a lifetime.
    WriteExpiring,
}

impl RequestKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Get,
        Self::Update,
        Self::Insert,
        Self::Delete,
        Self::ReadModifyWrite,
        Self::Scan,
        Self::GetAbsent,
        Self::DeleteAbsent,
        Self::WriteTogether,
        Self::SnapshotRead,
        Self::SnapshotScan,
        Self::WriteExpiring,
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
            Self::WriteTogether => "write-together",
            Self::SnapshotRead => "snapshot-read",
            Self::SnapshotScan => "snapshot-scan",
            Self::WriteExpiring => "write-expiring",
        }
    }
}

const KIND_BITS: u32 = 4;
const SIZE_BITS: u32 = 24;
const RECORD_BITS: u32 = 36;
const SIZE_SHIFT: u32 = RECORD_BITS;
const KIND_SHIFT: u32 = RECORD_BITS + SIZE_BITS;

// The three fields tile the word: no gap, no overlap.
const _: () = assert!(KIND_BITS + SIZE_BITS + RECORD_BITS == u64::BITS);
const _: () = assert!(size_of::<Request>() == 8);
const _: () = {
    let mut at = 0;
    while at < RequestKind::ALL.len() {
        assert!(RequestKind::ALL[at] as usize == at);
        at += 1;
    }
};

/// The kind of each number. No request has the numbers behind the last kind; with them the table is as
/// long as the field, and reading it needs no check.
const KINDS: [RequestKind; 1 << KIND_BITS] = {
    let mut kinds = [RequestKind::Get; 1 << KIND_BITS];
    let mut at = 0;
    while at < RequestKind::ALL.len() {
        kinds[at] = RequestKind::ALL[at];
        at += 1;
    }
    kinds
};

/// One prepared request.
///
/// ```text
///  63    60 59                  36 35                             0
/// +--------+----------------------+--------------------------------+
/// |  kind  |         size         |             record             |
/// | 4 bits |        24 bits       |             36 bits            |
/// +--------+----------------------+--------------------------------+
///   0 GET, 1 UPDATE, 2 INSERT, 3 DELETE, 4 READ-MODIFY-WRITE, 5 SCAN,
///   6 GET of an absent record, 7 DELETE of one, 8 WRITE-TOGETHER,
///   9 SNAPSHOT-READ, 10 SNAPSHOT-SCAN, 11 WRITE-EXPIRING
/// ```
///
/// [`key_of`](crate::key_of) turns the record into a key inside the timed loop: a few instructions,
/// the same for every engine. The default word is a GET of record 0.
#[repr(transparent)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Request(u64);

impl Request {
    /// Which layout words have; files of words of another layout are to be made again.
    pub const LAYOUT: u32 = 2;
    /// The largest record number: about 68 billion records can be named.
    pub const RECORD_MAX: u64 = (1 << RECORD_BITS) - 1;
    /// The largest size: one byte below 16 MiB, or as many entries.
    pub const SIZE_MAX: usize = (1 << SIZE_BITS) - 1;

    /// # Panics
    ///
    /// If `size` needs more than 24 bits or `record` more than 36.
    #[inline]
    pub const fn new(kind: RequestKind, size: usize, record: u64) -> Self {
        assert!(size <= Self::SIZE_MAX, "size needs more than 24 bits");
        assert!(record <= Self::RECORD_MAX, "record needs more than 36 bits");
        Self((kind as u64) << KIND_SHIFT | (size as u64) << SIZE_SHIFT | record)
    }

    /// The word, for storing in a file.
    #[inline]
    #[must_use]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The request with this [`word`](Self::word); `None` of a word that is no request's: its kind has no
    /// such number.
    #[inline]
    #[must_use]
    pub const fn from_word(word: u64) -> Option<Self> {
        if word >> KIND_SHIFT < RequestKind::ALL.len() as u64 { Some(Self(word)) } else { None }
    }

    /// The same request for another record.
    ///
    /// # Panics
    ///
    /// If `record` needs more than 36 bits.
    #[inline]
    #[must_use]
    pub const fn of_record(self, record: u64) -> Self {
        Self::new(self.kind(), self.size(), record)
    }

    #[inline]
    pub const fn kind(self) -> RequestKind {
        KINDS[(self.0 >> KIND_SHIFT) as usize]
    }

    /// Whether the request is of `kind`: one comparison, whereas [`kind`](Self::kind) reads a
    /// table.
    #[inline]
    pub const fn is(self, kind: RequestKind) -> bool {
        self.0 >> KIND_SHIFT == kind as u64
    }

    /// The record; for a scan, the first record; for a group, one of its records.
    #[inline]
    pub const fn record(self) -> u64 {
        self.0 & Self::RECORD_MAX
    }

    /// UPDATE, INSERT, READ-MODIFY-WRITE, WRITE-EXPIRING: the size of the value to write; WRITE-TOGETHER: of each
    /// value. SCAN, SNAPSHOT-SCAN: the number of entries to read. GET: the size of the value to store
    /// after a miss, if the workload stores one. Otherwise 0.
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
            for record in [0, 1, 2, 1 << 35, Request::RECORD_MAX] {
                for size in [0, 1, 1000, Request::SIZE_MAX] {
                    let request = Request::new(kind, size, record);
                    assert_eq!(
                        (request.kind(), request.size(), request.record()),
                        (kind, size, record)
                    );
                    assert_eq!(Request::from_word(request.word()), Some(request));
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
    fn a_word_of_no_kind_is_no_request() {
        let last = Request::new(RequestKind::WriteExpiring, Request::SIZE_MAX, Request::RECORD_MAX);
        assert!(Request::from_word(last.word()).is_some());
        assert_eq!(Request::from_word(last.word() + 1), None);
        assert_eq!(Request::from_word(u64::MAX), None);
    }

    #[test]
    #[should_panic(expected = "record needs more than 36 bits")]
    fn a_record_that_does_not_fit_is_refused() {
        Request::new(RequestKind::Get, 0, Request::RECORD_MAX + 1);
    }
}
