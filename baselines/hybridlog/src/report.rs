//! What a store reports about itself: census, counters, settings.

use engine::{MemoryCensus, Setting, Statistic};
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use platform::racy::{WORD_BYTES, Words};

use crate::bucket::BUCKET_ENTRIES;
use crate::counters::Counter;
use crate::epoch::SESSIONS_MAX;
use crate::record::HEADER_BYTES;
use crate::store::Shared;

/// The page size that the store requests.
pub(crate) fn page_bytes(shared: &Shared) -> usize {
    if shared.config.huge_pages { HUGE_PAGE_BYTES } else { PAGE_BYTES }
}

/// The census; exact while no session operates. Dead bytes are dead records, tombstones, gaps, and
/// what a record's room exceeds its value by. Tables are the slots of sessions, plus what whole
/// pages add to log and index.
pub(crate) fn memory(shared: &Shared) -> MemoryCensus {
    let page_bytes = page_bytes(shared) as u64;
    let mapped_bytes = |words: &Words| words.bytes().next_multiple_of(page_bytes);
    let (objects, index) = (shared.log.words(), shared.index.words());
    let (object_memory_bytes, index_bytes) = (objects.bytes(), index.bytes());
    let padding_bytes =
        mapped_bytes(objects) - object_memory_bytes + mapped_bytes(index) - index_bytes;
    let table_bytes = padding_bytes + shared.epochs.table_bytes();
    let sums = shared.counters.sums();
    let live_objects = sums.difference(Counter::LiveObjects);
    let live_value_bytes = sums.difference(Counter::LiveValueBytes);
    let live_object_bytes = live_value_bytes + live_objects * HEADER_BYTES;
    let used_bytes = shared.log.used_words() * WORD_BYTES as u64;
    let free_object_bytes = object_memory_bytes.saturating_sub(used_bytes);
    MemoryCensus {
        live_objects,
        live_value_bytes,
        live_object_bytes,
        // If sessions write meanwhile, the counts may be from different moments.
        dead_object_bytes: object_memory_bytes
            .saturating_sub(free_object_bytes)
            .saturating_sub(live_object_bytes),
        free_object_bytes,
        object_memory_bytes,
        index_bytes,
        table_bytes,
        capacity_bytes: Some(object_memory_bytes + index_bytes + table_bytes),
        complete: true,
    }
}

/// The counters of sessions and of compaction.
pub(crate) fn statistics(shared: &Shared) -> Vec<Statistic> {
    let sums = shared.counters.sums();
    let of_sessions = Counter::NAMED.map(|(counter, name)| (name, sums.get(counter)));
    let counts = shared.compaction().counts;
    let of_compaction = [
        ("compacted_pages", counts.pages),
        ("copied_records", counts.copied_records),
        ("copied_bytes", counts.copied_bytes),
        ("trimmed_bytes", counts.trimmed_bytes),
        ("dropped_tombstones", counts.dropped_tombstones),
        ("overflow_buckets_used", shared.index.overflow_used() as u64),
    ];
    let huge = shared.log.words().huge_bytes().zip(shared.index.words().huge_bytes());
    let huge = huge.map(|(log, index)| ("huge_page_bytes", log + index));
    of_sessions
        .into_iter()
        .chain(of_compaction)
        .chain(huge)
        .map(|(name, count)| Statistic::new(name, count as f64))
        .collect()
}

/// The settings, and what follows from them.
pub(crate) fn settings(shared: &Shared) -> Vec<Setting> {
    let (config, sizes) = (&shared.config, &shared.sizes);
    let barrier = if shared.epochs.is_asymmetric() { "membarrier" } else { "fence" };
    vec![
        Setting::new("mutable-fraction", config.mutable_fraction),
        Setting::new("reserve-percent", config.reserve_percent),
        Setting::new("compaction-workers", config.compaction_workers),
        Setting::new("huge-pages", config.huge_pages),
        Setting::new("resident", config.resident),
        Setting::new("object-memory-bytes", shared.log.words().bytes()),
        Setting::new("log-page-bytes", sizes.page_words * WORD_BYTES as u64),
        Setting::new("compaction-reserve-bytes", sizes.reserve_words * WORD_BYTES as u64),
        Setting::new("live-bytes-max", sizes.bound_words * WORD_BYTES as u64),
        Setting::new("records-max", config.records_max),
        Setting::new("main-buckets", sizes.main_buckets),
        Setting::new("overflow-buckets", sizes.overflow_buckets),
        Setting::new("bucket-entries", BUCKET_ENTRIES),
        Setting::new("record-header-bytes", HEADER_BYTES),
        Setting::new("value-bytes-max", sizes.value_bytes_max),
        Setting::new("sessions-max", SESSIONS_MAX),
        Setting::new("epoch-barrier", barrier),
    ]
}
