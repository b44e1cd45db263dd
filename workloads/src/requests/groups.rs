//! Groups of records that are written in one step and read at one moment.

use std::ops::Range;

use super::{Request, RequestKind};

/// Which records belong together: the record numbers in their order, so many at a time. The last
/// group may have fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    together: u64,
    records: u64,
}

impl Groups {
    /// The records of a group, where nothing is said.
    pub const TOGETHER_USUAL: usize = 4;
    /// The most records of a group.
    pub const TOGETHER_MAX: usize = 32;

    /// Groups of `together` among the records `0..records`.
    ///
    /// # Panics
    ///
    /// If `together` is 0.
    pub const fn new(together: usize, records: u64) -> Self {
        assert!(together > 0, "a group has records");
        Self { together: together as u64, records }
    }

    /// The records of the group that `record` belongs to, `record` among them.
    #[inline]
    pub const fn of(self, record: u64) -> Range<u64> {
        let first = record - record % self.together;
        let end = first + self.together;
        first..if end > self.records { self.records } else { end }
    }

    /// The records whose values `request` writes; none if it writes none.
    #[inline]
    pub const fn written_by(self, request: Request) -> Range<u64> {
        let record = request.record();
        match request.kind() {
            RequestKind::Update
            | RequestKind::Insert
            | RequestKind::ReadModifyWrite
            | RequestKind::WriteExpiring => record..record + 1,
            RequestKind::WriteTogether => self.of(record),
            _ => record..record,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_in_one_group_and_the_last_group_is_the_rest() {
        let groups = Groups::new(4, 10);
        assert_eq!([0, 3, 4, 7].map(|record| groups.of(record)), [0..4, 0..4, 4..8, 4..8]);
        assert_eq!([8, 9].map(|record| groups.of(record)), [8..10, 8..10]);
    }

    #[test]
    fn a_request_writes_one_record_a_group_or_nothing() {
        let groups = Groups::new(4, 10);
        for kind in RequestKind::ALL {
            let expected = match kind.name() {
                "update" | "insert" | "read-modify-write" | "write-expiring" => 5..6,
                "write-together" => 4..8,
                _ => 5..5,
            };
            assert_eq!(groups.written_by(Request::new(kind, 100, 5)), expected, "{kind:?}");
        }
    }
}
