//! One thread's use of a store in partitions.

use std::time::Duration;

use engine::{
    Decide, DeleteOutcome, GetError, KvSession, PutError, PutOutcome, ScanOrder, ScanRange,
};

use super::part;

/// A session with each partition.
#[derive(Debug)]
pub struct PartitionsSession<S> {
    sessions: Box<[S]>,
}

impl<S> PartitionsSession<S> {
    pub(super) fn new(sessions: Box<[S]>) -> Self {
        Self { sessions }
    }

    /// The session with the partition of `key`.
    #[inline]
    fn of(&mut self, key: u64) -> &mut S {
        let at = part(key, self.sessions.len());
        &mut self.sessions[at]
    }
}

impl<S: KvSession> KvSession for PartitionsSession<S> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.of(key).get(key, buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.of(key).put(key, value)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.of(key).delete(key)
    }

    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        self.of(key).read_modify_write(key, decide)
    }

    fn put_if_absent(&mut self, key: u64, value: &[u8]) -> Result<Option<PutOutcome>, PutError> {
        self.of(key).put_if_absent(key, value)
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        self.of(key).put_for(key, value, lifetime)
    }

    /// Partitions follow one another in the order of their keys.
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let partitions = self.sessions.len();
        let begin = part(first, partitions);
        // The first is asked even for nothing: it says whether it scans in this order.
        let mut shown = self.sessions[begin].scan(range, visit)?;
        let count = match order {
            ScanOrder::Ascending => partitions - begin,
            ScanOrder::Descending => begin + 1,
        };
        for step in 1..count {
            if shown == limit {
                break;
            }
            let at = match order {
                ScanOrder::Ascending => begin + step,
                ScanOrder::Descending => begin - step,
            };
            shown += self.sessions[at].scan(ScanRange { limit: limit - shown, ..range }, visit)?;
        }
        Some(shown)
    }
}

/// All keys of a store that scans; none of one that does not.
pub(super) fn keys_in(session: &mut impl KvSession) -> std::vec::IntoIter<u64> {
    let mut keys = Vec::new();
    session.scan(ScanRange::up(0, usize::MAX), &mut |key, _| keys.push(key));
    keys.into_iter()
}
