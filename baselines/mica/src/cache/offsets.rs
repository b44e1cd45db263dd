//! Log offsets: their range is larger than the log, so an offset tells whether its item is still
//! there.
//!
//! ```text
//!  0            head         tail                              end        2^BITS
//!  ├──── dangling ┼── valid ───┼───────────── dangling ─────────┤           │
//!                 └─ log_bytes ┘
//! ```
//!
//! Offsets count the bytes ever appended, modulo `end`. The thesis wraps at 2^48, which suits logs
//! whose length is a power of two. Here `end` is the last multiple of the log's length below 2^48,
//! so that a log of any length continues at its front when offsets wrap.

use platform::mapping::HUGE_PAGE_BYTES;

/// Logs consist of whole granules.
pub(crate) const GRANULE_BYTES: u64 = HUGE_PAGE_BYTES as u64;

/// How many laps of a log fit at least into the range of its offsets: enough to remove stale
/// offsets before they would seem valid.
const LAPS_MIN: u64 = 4;

/// The arithmetic of one log's offsets. All offsets are multiples of 8 below `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets<const BITS: u32> {
    log_bytes: u64,
    end: u64,
    granules: u64,
    /// 2^64 ÷ granules, rounded up, modulo 2^64.
    reciprocal: u64,
}

impl<const BITS: u32> Offsets<BITS> {
    /// The longest log for which the offsets are wide enough.
    pub(crate) const LOG_BYTES_MAX: u64 = (1 << BITS) / LAPS_MIN / GRANULE_BYTES * GRANULE_BYTES;

    /// The offsets of a log of `log_bytes`, a multiple of the granule up to the maximum.
    pub(crate) fn new(log_bytes: u64) -> Self {
        const { assert!(BITS <= 48, "an entry has 48 bits for an offset") };
        assert!(log_bytes > 0 && log_bytes.is_multiple_of(GRANULE_BYTES));
        assert!(log_bytes <= Self::LOG_BYTES_MAX);
        let granules = log_bytes / GRANULE_BYTES;
        Self {
            log_bytes,
            end: (1 << BITS) / log_bytes * log_bytes,
            granules,
            reciprocal: (u64::MAX / granules).wrapping_add(1),
        }
    }

    /// Length of the log.
    #[inline]
    pub(crate) fn log_bytes(self) -> u64 {
        self.log_bytes
    }

    /// How many bytes may be appended before every entry must have been checked once: half of those
    /// between an item's eviction and the moment its offset would seem valid again.
    pub(crate) fn scrub_bytes(self) -> u64 {
        (self.end - self.log_bytes) / 2
    }

    /// The offset `bytes` further on, at most one lap.
    #[inline]
    pub(crate) fn advance(self, offset: u64, bytes: u64) -> u64 {
        let offset = offset + bytes;
        if offset >= self.end { offset - self.end } else { offset }
    }

    /// How many bytes ago the tail was at `offset`.
    #[inline]
    pub(crate) fn behind(self, tail: u64, offset: u64) -> u64 {
        if offset <= tail { tail - offset } else { tail + self.end - offset }
    }

    /// Whether the item at `offset` is overwritten or about to be, given the tail. There is no item
    /// at the tail itself.
    #[inline]
    pub(crate) fn dangles(self, tail: u64, offset: u64) -> bool {
        self.behind(tail, offset).wrapping_sub(1) >= self.log_bytes
    }

    /// The position of an offset in the log, in bytes from its front.
    #[inline]
    pub(crate) fn position(self, offset: u64) -> usize {
        // The remainder of a division by a number known in advance, computed without dividing
        // (Lemire, Kaser, Kurz 2019). It is exact because both numbers have fewer than 32 bits.
        let fraction = self.reciprocal.wrapping_mul(offset / GRANULE_BYTES);
        let granule = (u128::from(fraction) * u128::from(self.granules)) >> 64;
        (granule as u64 * GRANULE_BYTES + offset % GRANULE_BYTES) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_remainders_for_logs_of_every_length() {
        for granules in [1, 2, 3, 5, 7, 64, 1000, 8191, (1 << 25) - 1, 1 << 25] {
            let offsets = Offsets::<48>::new(granules * GRANULE_BYTES);
            let last = offsets.end - 8;
            for offset in [0, 8, GRANULE_BYTES - 8, GRANULE_BYTES, last / 16 * 8, last] {
                let expected = offset % (granules * GRANULE_BYTES);
                assert_eq!(offsets.position(offset) as u64, expected, "{granules}, {offset}");
            }
        }
    }

    #[test]
    fn offsets_start_again_at_a_front_of_the_log() {
        let offsets = Offsets::<25>::new(3 * GRANULE_BYTES);
        assert_eq!(offsets.end, 15 * GRANULE_BYTES);
        assert_eq!(offsets.advance(offsets.end - 8, 24), 16);
        assert_eq!(offsets.position(offsets.end - 8) as u64, 3 * GRANULE_BYTES - 8);
        assert_eq!(offsets.position(offsets.advance(offsets.end - 8, 8)), 0);
        assert_eq!(offsets.behind(16, offsets.end - 8), 24);
    }

    /// Also across the wrap of the offsets, and for offsets that the log never had.
    #[test]
    fn an_offset_dangles_once_it_is_more_than_the_log_behind() {
        let offsets = Offsets::<23>::new(GRANULE_BYTES);
        for tail in [0, 8, GRANULE_BYTES, offsets.end - 8] {
            let before = |bytes| offsets.advance(tail, offsets.end - bytes);
            assert!(!offsets.dangles(tail, before(8)));
            assert!(!offsets.dangles(tail, before(GRANULE_BYTES)));
            assert!(offsets.dangles(tail, before(GRANULE_BYTES + 8)));
            assert!(offsets.dangles(tail, offsets.advance(tail, 8)));
            assert!(offsets.dangles(tail, tail));
        }
    }
}
