//! Counters of what was cleaned. Written once per pass, so that threads do not contend here.

use std::sync::atomic::{AtomicU64, Ordering};

/// Sums over all passes of an instance.
#[derive(Debug, Default)]
pub(crate) struct CleanerFigures {
    pub(crate) passes: AtomicU64,
    pub(crate) segments: AtomicU64,
    pub(crate) freed_seglets: AtomicU64,
    /// Bytes of entries in the segments freed.
    pub(crate) source_bytes: AtomicU64,
    /// Bytes of entries that were moved.
    pub(crate) survivor_bytes: AtomicU64,
    pub(crate) tombstones: AtomicU64,
    pub(crate) tombstone_scans: AtomicU64,
    /// Size of the lists that passes work with.
    pub(crate) list_bytes: AtomicU64,
}

impl CleanerFigures {
    pub(crate) fn add(figure: &AtomicU64, amount: u64) {
        // Relaxed: a counter orders nothing.
        figure.fetch_add(amount, Ordering::Relaxed);
    }

    pub(crate) fn of(figure: &AtomicU64) -> u64 {
        // Relaxed: as above.
        figure.load(Ordering::Relaxed)
    }
}
