//! Makes values at the cost of writing their header.

use super::layout::{HEADER_BYTES, Header, first_offset, offset_from, pool, short_value};
use super::{Condition, Stamp};

/// A thread's source of values.
///
/// It owns a copy of the pool and lends slices of it. The header is written over the pool's bytes,
/// and the next call restores them. No body is ever copied.
#[derive(Clone, Debug)]
pub struct ValueWriter {
    scratch: Box<[u8]>,
    /// The pool bytes under the previous call's header, and their offset.
    covered: [u8; HEADER_BYTES],
    covered_offset: usize,
    short: [u8; HEADER_BYTES],
    next: Stamp,
    /// The first offset of this writer; it never changes.
    first_offset: u64,
    value_bytes_max: usize,
}

impl ValueWriter {
    /// Creates the writer `writer_id` (unique per thread and run), for values of up to
    /// `value_bytes_max` bytes.
    pub fn new(writer_id: u16, value_bytes_max: usize) -> Self {
        let scratch = pool(value_bytes_max);
        let covered = *scratch.first_chunk().expect("the pool is never shorter than a header");
        Self {
            scratch,
            covered,
            covered_offset: 0,
            short: [0; HEADER_BYTES],
            next: Stamp::new(writer_id, 0),
            first_offset: first_offset(writer_id),
            value_bytes_max,
        }
    }

    /// The stamp that the next value will carry.
    #[inline]
    pub const fn next_stamp(&self) -> Stamp {
        self.next
    }

    /// Makes the next value carry `sequence`, for writers that number their values by another
    /// counter.
    #[inline]
    pub const fn number_next(&mut self, sequence: u64) {
        self.next = Stamp::new(self.next.writer(), sequence);
    }

    /// The next value for `key`; valid until the next call. Every call uses up one sequence number.
    ///
    /// Below [`HEADER_BYTES`] the value carries no stamp and is the same on every call.
    ///
    /// # Panics
    ///
    /// If `bytes` exceeds the maximum given to [`ValueWriter::new`].
    // Inlined, because a call would cost a tenth of making a value.
    #[inline(always)]
    pub fn value(&mut self, key: u64, bytes: usize) -> &[u8] {
        assert!(bytes <= self.value_bytes_max, "value longer than announced");
        let stamp = self.next;
        self.next = Stamp::new(stamp.writer(), stamp.sequence() + 1);
        if bytes < HEADER_BYTES {
            self.short = short_value(key, bytes);
            return &self.short[..bytes];
        }
        *header_at(&mut self.scratch, self.covered_offset) = self.covered;
        let start = offset_from(self.first_offset, stamp);
        let target = header_at(&mut self.scratch, start);
        self.covered = *target;
        self.covered_offset = start;
        *target = Header::new(key, stamp, bytes).to_bytes();
        &self.scratch[start..start + bytes]
    }
}

#[inline]
fn header_at(scratch: &mut [u8], offset: usize) -> &mut [u8; HEADER_BYTES] {
    scratch[offset..].first_chunk_mut().expect("the pool is longer than any offset and a header")
}

impl From<Stamp> for Condition {
    /// The condition of an intact value with this stamp.
    fn from(stamp: Stamp) -> Self {
        Self::Good { writer: stamp.writer(), sequence: stamp.sequence() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ValueChecker;
    use crate::{Seed, SizeDistribution};

    #[test]
    fn what_the_header_covered_is_restored() {
        let bytes_max = 2000;
        let sizes = SizeDistribution::Uniform { from: 0, to: bytes_max };
        let checker = ValueChecker::new(bytes_max);
        let mut writer = ValueWriter::new(7, bytes_max);
        let mut rng = Seed(42).rng();
        for sequence in 0..100_000 {
            let (key, bytes) = (rng.next_u64(), sizes.sample(&mut rng));
            let verdict = checker.check(key, writer.value(key, bytes));
            let expected = match bytes < HEADER_BYTES {
                true => Condition::GoodUnstamped,
                false => Condition::Good { writer: 7, sequence },
            };
            assert_eq!(verdict, expected);
        }
        let offset = writer.covered_offset;
        writer.scratch[offset..offset + HEADER_BYTES].copy_from_slice(&writer.covered);
        assert_eq!(writer.scratch, pool(bytes_max));
    }

    #[test]
    #[should_panic(expected = "longer than announced")]
    fn a_value_that_does_not_fit_is_a_bug() {
        ValueWriter::new(0, 100).value(1, 101);
    }
}
