//! Values for the next requests, generated while the clock is stopped. A header written right before a
//! store copies it would stall the copy until it has left the store buffer. Also, the next operation
//! waits for every instruction between two operations.

use workloads::key_of;
use workloads::requests::{Groups, Request};
use workloads::value::ValueWriter;

use crate::mapped::MappedSlice;

/// Capacity for the values of a span; it fits into the second-level cache.
const ROOM_BYTES: usize = 64 << 10;
/// Longer values are generated in the loop: copying them hides the cost of generating them.
const VALUE_BYTES_MAX: usize = 4 << 10;

/// One thread's values, in the order in which they are stored.
#[derive(Debug)]
pub(super) struct Values {
    /// Empty if the loop generates the values.
    room: MappedSlice<u8>,
    taken: usize,
}

impl Values {
    /// Room for at least a batch of values.
    pub(super) fn for_batches(batch: usize, value_bytes_max: usize) -> std::io::Result<Self> {
        let bytes = match value_bytes_max {
            0..=VALUE_BYTES_MAX => ROOM_BYTES.max(batch * value_bytes_max),
            _ => 0,
        };
        Ok(Self { room: MappedSlice::resident(bytes)?, taken: 0 })
    }

    /// Whether values are generated ahead at all.
    #[inline]
    pub(super) fn are_made_ahead(&self) -> bool {
        !self.room.is_empty()
    }

    /// Generates the values for the front of `requests`, as far as there is room. The first request is
    /// the thread's `first`-th. All values of a request carry one stamp. Returns how many requests have
    /// their values.
    pub(super) fn make(
        &mut self,
        writer: &mut ValueWriter,
        (requests, first): (&[Request], u64),
        groups: Groups,
    ) -> usize {
        self.taken = 0;
        let mut made = 0;
        for (index, request) in (first..).zip(requests) {
            let records = groups.written_by(*request);
            let bytes = (records.end - records.start) as usize * request.size();
            let Some(mut room) = self.room.get_mut(made..made + bytes) else {
                return (index - first) as usize;
            };
            for record in records {
                let (value, rest) = room.split_at_mut(request.size());
                writer.number_next(index);
                value.copy_from_slice(writer.value(key_of(record), request.size()));
                room = rest;
            }
            made += bytes;
        }
        requests.len()
    }

    /// The values not yet taken, and the bytes behind them.
    pub(super) fn untaken(&self) -> &[u8] {
        &self.room[self.taken.min(self.room.len())..]
    }

    /// Marks this many bytes as taken.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.taken += bytes;
    }

    /// The next value, of `bytes` bytes.
    #[inline(always)]
    pub(super) fn take(&mut self, bytes: usize) -> &[u8] {
        let start = self.taken;
        self.taken = start + bytes;
        &self.room[start..start + bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::requests::RequestKind;
    use workloads::value::{Condition, ValueChecker};

    const PAIRS: Groups = Groups::new(2, 1000);

    #[test]
    fn values_are_those_of_the_requests_that_store_in_their_order() {
        let request = |kind, record| Request::new(kind, 100, record);
        let requests = [
            request(RequestKind::Update, 3),
            request(RequestKind::Get, 4),
            request(RequestKind::Insert, 5),
            request(RequestKind::Delete, 3),
            request(RequestKind::ReadModifyWrite, 6),
            request(RequestKind::WriteTogether, 9),
            request(RequestKind::SnapshotRead, 9),
        ];
        let checker = ValueChecker::new(100);
        let mut values = Values::for_batches(1, 100).unwrap();
        for first in [0, 70] {
            let mut writer = ValueWriter::new(2, 100);
            assert_eq!(values.make(&mut writer, (&requests, first), PAIRS), 7);
            let singles = [(3, first), (5, first + 2), (6, first + 4)];
            let pair = [(8, first + 5), (9, first + 5)];
            for (record, sequence) in singles.into_iter().chain(pair) {
                let found = checker.check(key_of(record), values.take(100));
                assert_eq!(found, Condition::Good { writer: 2, sequence });
            }
        }
    }

    #[test]
    fn what_has_no_room_waits_and_long_values_are_not_made_ahead() {
        let updates = vec![Request::new(RequestKind::Update, 4000, 1); 20];
        let mut values = Values::for_batches(1, 4000).unwrap();
        let mut writer = ValueWriter::new(0, 4000);
        assert_eq!(values.make(&mut writer, (&updates, 0), PAIRS), ROOM_BYTES / 4000);
        let mut values = Values::for_batches(20, 4000).unwrap();
        assert_eq!(values.make(&mut writer, (&updates, 0), PAIRS), 20, "a batch has room");
        assert!(values.are_made_ahead());
        let pairs = vec![Request::new(RequestKind::WriteTogether, 4000, 1); 20];
        assert_eq!(values.make(&mut writer, (&pairs, 0), PAIRS), 10, "no pair is made in part");
        assert!(!Values::for_batches(1, 5000).unwrap().are_made_ahead());
    }
}
