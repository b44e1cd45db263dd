//! Removes dangling entries from the index, a few buckets at a time as the log grows.
//!
//! A dangling entry would seem valid again when the tail has passed once through the range of
//! offsets. So whoever appends checks enough buckets that each has its turn within half of that.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bucket::{ENTRIES, Entry};
use super::counters::{Counter, Counters};
use super::index::Index;
use super::log::Log;
use super::writer::Writer;
use crate::Mode;

/// How far the scrubbing of a partition's index has come.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Scrub {
    /// Bytes appended times buckets; one bucket is due per `scrub_bytes` of this credit.
    credit: AtomicU64,
    /// Number of buckets that have become due.
    due: AtomicU64,
}

impl Scrub {
    /// What is due after an append of `bytes`, as turns of an endless round. Must be scrubbed while
    /// holding neither the log nor a bucket, or two sessions could wait for each other's buckets
    /// for ever.
    #[inline]
    pub(crate) fn due<M: Mode, const BITS: u32>(
        &self,
        _writer: &Writer<'_, M, BITS>,
        bytes: usize,
        index: &Index,
        log: &Log<BITS>,
    ) -> Range<u64> {
        // Relaxed, and in two steps: only the log's writer does this.
        let credit = self.credit.load(Ordering::Relaxed) + bytes as u64 * index.buckets() as u64;
        let price = log.offsets().scrub_bytes();
        if credit < price {
            self.credit.store(credit, Ordering::Relaxed);
            return 0..0;
        }
        self.credit.store(credit % price, Ordering::Relaxed);
        let from = self.due.load(Ordering::Relaxed);
        let to = from + credit / price;
        self.due.store(to, Ordering::Relaxed);
        from..to
    }
}

/// Scrubs the buckets whose turn it is.
#[inline]
pub(crate) fn scrub<M: Mode, const BITS: u32>(
    turns: Range<u64>,
    index: &Index,
    log: &Log<BITS>,
    counters: &Counters,
) {
    for turn in turns {
        scrub_bucket::<M, BITS>((turn % index.buckets() as u64) as usize, index, log, counters);
    }
}

#[cold]
fn scrub_bucket<M: Mode, const BITS: u32>(
    number: usize,
    index: &Index,
    log: &Log<BITS>,
    counters: &Counters,
) {
    let mut bucket = index.bucket(number).write::<M>();
    for slot in 0..ENTRIES {
        if bucket.entry(slot).offset().is_some_and(|offset| log.dangles(offset)) {
            bucket.set(slot, Entry::EMPTY);
            counters.count(Counter::ScrubbedEntries);
        }
    }
    counters.count(Counter::ScrubbedBuckets);
}
