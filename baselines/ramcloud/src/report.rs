//! What an engine reports about itself: census, counters, settings.

use std::sync::Arc;

use engine::{MemoryCensus, Setting, Statistic};

use crate::cleaner::CleanerFigures;
use crate::config::{Config, Geometry};
use crate::manager::ObjectManager;
use crate::segments::State;

/// The census of all instances; exact while no session operates.
pub(crate) fn memory(managers: &[Arc<ObjectManager>]) -> MemoryCensus {
    let mut census = MemoryCensus { complete: true, ..MemoryCensus::default() };
    for manager in managers {
        let log = &manager.log;
        let figures = manager.head.figures();
        let object_memory_bytes = manager.geometry.object_memory_bytes() as u64;
        let free_bytes =
            (log.seglets.free() * log.seglet_bytes()) as u64 + manager.head.spare_bytes(log) as u64;
        let table_bytes = log.seglets.table_bytes() + log.segments.table_bytes();
        census.live_objects += figures.live_objects;
        census.live_value_bytes += figures.live_value_bytes;
        census.live_object_bytes += figures.live_object_bytes;
        census.free_object_bytes += free_bytes;
        census.dead_object_bytes +=
            object_memory_bytes.saturating_sub(figures.live_object_bytes + free_bytes);
        census.object_memory_bytes += object_memory_bytes;
        census.index_bytes += manager.table.bytes() as u64;
        census.table_bytes += table_bytes as u64 + CleanerFigures::of(&manager.cleaned.list_bytes);
    }
    let capacity_bytes = census.object_memory_bytes + census.index_bytes + census.table_bytes;
    census.capacity_bytes = Some(capacity_bytes);
    census
}

/// The counters, summed over all instances.
pub(crate) fn statistics(managers: &[Arc<ObjectManager>]) -> Vec<Statistic> {
    let sum = |figure: &dyn Fn(&ObjectManager) -> u64| -> f64 {
        managers.iter().map(|manager| figure(manager)).sum::<u64>() as f64
    };
    let survivor_bytes = sum(&|manager| CleanerFigures::of(&manager.cleaned.survivor_bytes));
    let source_bytes = sum(&|manager| CleanerFigures::of(&manager.cleaned.source_bytes));
    [
        ("appended_bytes", sum(&|manager| manager.head.figures().appended_bytes)),
        ("tombstones_written", sum(&|manager| manager.head.figures().tombstones_written)),
        ("tombstones_omitted", sum(&|manager| manager.head.figures().tombstones_omitted)),
        ("tombstones_cleaned", sum(&|manager| CleanerFigures::of(&manager.cleaned.tombstones))),
        ("tombstones_live", sum(&live_tombstones)),
        ("tombstone_scans", sum(&|manager| CleanerFigures::of(&manager.cleaned.tombstone_scans))),
        ("cleaner_passes", sum(&|manager| CleanerFigures::of(&manager.cleaned.passes))),
        ("segments_cleaned", sum(&|manager| CleanerFigures::of(&manager.cleaned.segments))),
        ("seglets_freed", sum(&|manager| CleanerFigures::of(&manager.cleaned.freed_seglets))),
        ("seglets_free", sum(&|manager| manager.log.seglets.free() as u64)),
        ("cleaned_bytes", source_bytes),
        ("survivor_bytes", survivor_bytes),
        ("cleaned_live_fraction", survivor_bytes / source_bytes.max(1.0)),
        ("put_waits", sum(&|manager| manager.pressure.waits())),
        ("overflow_buckets", sum(&|manager| manager.table.overflow_in_use() as u64)),
    ]
    .map(|(name, value)| Statistic::new(name, value))
    .into()
}

/// Tombstones in the log that are not known to be dead.
fn live_tombstones(manager: &ObjectManager) -> u64 {
    manager.head.publish(&manager.log);
    let used = manager.log.segments.used();
    let in_log = used.filter(|(_, segment)| segment.state() != State::Free);
    in_log.map(|(_, segment)| segment.live_tombstones()).sum()
}

/// The current settings. Lengths are those in use, which may be shortened in a small memory.
pub(crate) fn settings(config: &Config, geometry: &Geometry) -> Vec<Setting> {
    vec![
        Setting::new("object-memory-bytes", geometry.object_memory_bytes() * config.instances),
        Setting::new("records-max", config.records_max),
        Setting::new("instances", config.instances),
        Setting::new("cleaner-threads", config.cleaner_threads),
        Setting::new("segment-bytes", geometry.segment_bytes()),
        Setting::new("seglet-bytes", geometry.seglet_bytes),
        Setting::new("survivor-reserve-seglets", geometry.survivor_reserve),
        Setting::new("tombstone-reserve-seglets", geometry.tombstone_reserve),
        Setting::new("buckets", geometry.buckets),
        Setting::new("value-bytes-max", geometry.value_bytes_max),
        Setting::new("huge-pages", config.huge_pages),
        Setting::new("resident", config.resident),
    ]
}
