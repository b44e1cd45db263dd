//! What the store has done: bytes by stage, reads by store.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts; they are exact when nothing operates.
#[derive(Debug, Default)]
pub(crate) struct Counters([AtomicU64; COUNTERS]);

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// One of the store's counts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Counter { $($(#[$doc])* $name),* }

        impl Counter {
            /// All, with names that end with the unit.
            pub const NAMED: &[(Self, &'static str)] = &[$((Self::$name, $text)),*];
        }

        const COUNTERS: usize = Counter::NAMED.len();
    };
}

counters! {
    /// Records appended to logs, deletions included.
    Appended = "appended_records",
    /// Bytes of appended records: what write amplification relates to.
    AppendedBytes = "appended_bytes",
    /// Bytes written to logs.
    LogBytes = "log_written_bytes",
    /// Bytes of records written to HashStores.
    HashBytes = "hash_written_bytes",
    /// Bytes of records written to SortedStores.
    SortedBytes = "sorted_written_bytes",
    /// Bytes of filters, indexes and manifests written.
    OtherBytes = "other_written_bytes",
    /// Reads of logs for GETs.
    LogReads = "log_reads",
    /// Reads of HashStores for GETs.
    HashReads = "hash_reads",
    /// Reads of SortedStores for GETs.
    SortedReads = "sorted_reads",
    /// Reads that PUT and DELETE made, to find the slot of a key that the log has.
    WriteReads = "write_reads",
    /// Bytes read sequentially by conversion and merging.
    ScannedBytes = "scanned_bytes",
    /// LogStores made HashStores.
    Conversions = "conversions",
    /// Merges into the SortedStore.
    Merges = "merges",
    /// PUTs that waited for a conversion.
    Stalls = "stalled_puts",
    /// Records at the end of a log that were not whole, found on opening.
    Torn = "torn_records",
    /// Records found in logs on opening.
    Replayed = "replayed_records",
}

impl Counters {
    pub(crate) fn add(&self, counter: Counter, count: u64) {
        // Relaxed: counts order nothing.
        self.0[counter as usize].fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self, counter: Counter) -> u64 {
        // Relaxed: as above.
        self.0[counter as usize].load(Ordering::Relaxed)
    }
}
