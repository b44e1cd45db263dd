//! What a store reports about itself: census, counters, settings.

use std::sync::atomic::Ordering;

use engine::{MemoryCensus, Setting, Statistic};
use platform::persist::Calibration;

use crate::config::Kind;
use crate::layout::BUCKET_WORDS;
use crate::record;
use crate::store::Shared;

/// Bytes of a pair besides its value, in front and in the back.
const PAIR_BYTES: u64 = 8 * crate::back::PAIR_WORDS;

/// The census: live pairs as laid out, once, though rungs with logs have a second copy of them.
/// What blocks waste, and what is free of them, is not known, so it is not complete. Tables are logs
/// and redo areas.
pub(crate) fn memory(shared: &Shared) -> MemoryCensus {
    let (live_objects, live_value_bytes) = (shared.live.objects(), shared.live.value_bytes());
    let live_object_bytes = live_value_bytes + live_objects * PAIR_BYTES;
    let layout = shared.back.as_ref().map(|back| back.layout);
    let back_index = layout.map_or(0, |layout| layout.buckets * BUCKET_WORDS * 8);
    let back_tables = layout.map_or(0, |layout| layout.heap_at() * 8 - back_index);
    MemoryCensus {
        live_objects,
        live_value_bytes,
        live_object_bytes,
        object_memory_bytes: live_object_bytes,
        index_bytes: back_index + shared.front.as_ref().map_or(0, |front| front.index_bytes()),
        table_bytes: back_tables,
        ..MemoryCensus::default()
    }
}

/// The counters.
pub(crate) fn statistics(shared: &Shared) -> Vec<Statistic> {
    let counters = &*shared.counters;
    let (used, all) = shared.occupancy();
    let counted = [
        ("applied_records", &counters.applied),
        ("collapsed_records", &counters.collapsed),
        ("full_logs", &counters.full_logs),
        ("log_switches", &counters.log_switches),
        ("role_switches", &counters.role_switches),
        ("promoted_pairs", &counters.promoted),
        ("epochs", &*shared.epoch),
        ("recovered_records", &counters.recovered_records),
        ("replayed_transactions", &counters.replayed_transactions),
        ("recovery_log_ns", &counters.recovery_log_ns),
        ("recovery_walk_ns", &counters.recovery_walk_ns),
    ];
    // Relaxed: figures.
    let counted = counted.map(|(name, counter)| (name, counter.load(Ordering::Relaxed)));
    let awake = shared.gleaners_awake.load(Ordering::Relaxed) as u64;
    let now = [("gleaners_awake", awake), ("log_used_bytes", used * 8), ("log_bytes", all * 8)];
    let all = counted.into_iter().chain(now);
    all.map(|(name, count)| Statistic::new(name, count as f64)).collect()
}

/// The settings, and what follows from them.
pub(crate) fn settings(shared: &Shared, epoch_us: u64) -> Vec<Setting> {
    let log_bytes = shared.logs.first().map_or(0, |log| log.ring.words * 8);
    let mut settings = vec![
        Setting::new("rung", shared.rung),
        Setting::new("logs", shared.sessions.len()),
        Setting::new("log-bytes", log_bytes),
        Setting::new("pm", Kind(shared.medium)),
        Setting::new("pm-load-ns", shared.latency.load_ns),
        Setting::new("pm-fence-ns", shared.latency.fence_ns),
        Setting::new("epoch-us", epoch_us),
        Setting::new("huge-pages", shared.huge_pages),
        Setting::new("object-memory-bytes", shared.object_bytes),
        Setting::new("value-bytes-max", shared.value_bytes_max),
        Setting::new("pair-header-bytes", PAIR_BYTES),
        Setting::new("record-header-bytes", record::HEADER_WORDS * 8),
        Setting::new("sessions-max", shared.sessions.len()),
    ];
    if shared.rung.has_back() {
        settings.push(Setting::new("pm-calibration", Calibration::of_process()));
    }
    settings
}
