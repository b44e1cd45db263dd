//! libCacheSim's binary traces.

use super::batch::{Batch, Key, Parser};
use super::error::Fault;
use super::field::NS_PER_SECOND;

pub(super) const RECORD_BYTES: usize = 24;

/// A packed record, little endian:
///
/// ```text
/// 0          4                 12          16                24
/// +----------+------------------+-----------+-----------------+
/// | u32 time |      u64 id      | u32 size  |    i64 next     |
/// +----------+------------------+-----------+-----------------+
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) time_s: u32,
    pub(super) id: u64,
    pub(super) size_bytes: u32,
    /// The position of the next request for the same object; -1 if there is none.
    pub(super) next: i64,
}

impl Record {
    pub(super) fn of(bytes: &[u8; RECORD_BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        Self { time_s: word(0), id: long(4), size_bytes: word(12), next: long(16) as i64 }
    }
}

/// Every record is a read.
#[derive(Debug)]
pub(super) struct OracleGeneral;

impl Parser for OracleGeneral {
    fn parse(&mut self, item: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        let bytes = item.first_chunk().expect("the source gives whole records");
        let Record { time_s, id, size_bytes, .. } = Record::of(bytes);
        batch.stamp_ns = u128::from(time_s) * NS_PER_SECOND;
        batch.get(Key::of_number(id), u64::from(size_bytes));
        Ok(())
    }
}
