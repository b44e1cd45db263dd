//! What a store tells of itself: memory, counts and settings; and whether its parts fit together.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::{MemoryCensus, Setting, Statistic};

use crate::cursor::{self, Cursor};
use crate::error::Error;
use crate::store::Store;

/// Bytes that a key of the contract has.
const KEY_BYTES: u64 = 8;

/// What is live is found by a walk.
pub(crate) fn memory(store: &Store) -> MemoryCensus {
    let parts = &store.parts;
    let (mut objects, mut value_bytes) = (0, 0);
    let view = parts.view.load_full();
    let walked = cursor::scan(view.cursors(&parts.cache), &[], u64::MAX, &mut |_, value| {
        objects += 1;
        value_bytes += value.len() as u64;
        true
    });
    if walked.is_err() {
        return MemoryCensus::default();
    }
    let memtables = [Some(&view.memory), view.merging.as_ref()];
    let memtable_bytes: u64 =
        memtables.into_iter().flatten().map(|component| component.memtable.used_bytes()).sum();
    let table_bytes: u64 = view.disk.tables().map(|table| table.meta().file_bytes).sum();
    let resident: usize = view.disk.tables().map(|table| table.memory_bytes()).sum();
    let live_object_bytes = value_bytes + KEY_BYTES * objects;
    let object_memory_bytes = (memtable_bytes + table_bytes).max(live_object_bytes);
    MemoryCensus {
        live_objects: objects,
        live_value_bytes: value_bytes,
        live_object_bytes,
        dead_object_bytes: object_memory_bytes - live_object_bytes,
        object_memory_bytes,
        index_bytes: resident as u64,
        table_bytes: parts.cache.bytes() as u64,
        ..MemoryCensus::default()
    }
}

pub(crate) fn statistics(store: &Store) -> Vec<Statistic> {
    let parts = &store.parts;
    let view = parts.view.load_full();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
    let counters = &parts.counters;
    let (hits, misses) = parts.cache.hits_and_misses();
    let log_bytes = count(&counters.log_bytes) + view.memory.log.file_bytes() as f64;
    vec![
        Statistic::new("rotations", count(&counters.rotations)),
        Statistic::new("stall_ns", count(&counters.stall_ns)),
        Statistic::new("merges", count(&counters.merges)),
        Statistic::new("log_bytes", log_bytes),
        Statistic::new("flushed_bytes", count(&counters.flushed_bytes)),
        Statistic::new("merged_bytes", count(&counters.merged_bytes)),
        Statistic::new("files_bytes", parts.files.bytes() as f64),
        Statistic::new("tables", view.disk.tables().count() as f64),
        Statistic::new("level0_tables", view.disk.levels[0].len() as f64),
        Statistic::new("update_conflicts", count(&counters.conflicts)),
        Statistic::new("snapshots", parts.snapshots.count() as f64),
        Statistic::new("block_cache_hits", hits as f64),
        Statistic::new("block_cache_misses", misses as f64),
        Statistic::new("failures", count(&counters.failures)),
    ]
}

pub(crate) fn settings(store: &Store) -> Vec<Setting> {
    let config = &store.parts.config;
    let retention = config.snapshot_retention.map_or(0, |retention| retention.as_millis());
    let folder = config.folder.as_ref().map(|folder| folder.display().to_string());
    vec![
        Setting::new("sync", config.scheme),
        Setting::new("snapshots", config.snapshots),
        Setting::new("rmw", config.read_modify_write),
        Setting::new("log", config.log),
        Setting::new("write-buffer-bytes", config.write_buffer_bytes),
        Setting::new("table-bytes", config.table_bytes),
        Setting::new("block-bytes", config.block_bytes),
        Setting::new("block-cache-bytes", config.block_cache_bytes),
        Setting::new("bloom-bits-per-key", config.bloom_bits_per_key),
        Setting::new("level0-tables", config.level0_tables),
        Setting::new("level1-bytes", config.level1_bytes),
        Setting::new("snapshot-retention-ms", retention),
        Setting::new("stripes", config.stripes),
        Setting::new("ask-presence", config.tells_presence),
        Setting::new("folder", folder.unwrap_or_else(|| "private, temporary".to_owned())),
        Setting::new("compression", "none"),
        Setting::new("checksums", "of every block that is read"),
    ]
}

/// Walks every component: versions in order, and no component newer than the one before.
pub(crate) fn check(store: &Store) -> Result<(), Error> {
    let parts = &store.parts;
    let view = parts.view.load_full();
    view.disk.check()?;
    let mut last: Option<(Vec<u8>, u64)> = None;
    let wrong = |what: &str, key: &[u8]| Error::corrupt("the store", format!("{what} {key:?}"));
    let mut merged = cursor::Merged::from(view.cursors(&parts.cache), &[], u64::MAX)?;
    while let Some(entry) = merged.entry() {
        if let Some((key, timestamp)) = &last {
            let in_order = (&key[..], std::cmp::Reverse(*timestamp))
                < (entry.key, std::cmp::Reverse(entry.timestamp));
            if !in_order {
                return Err(wrong("versions out of order at", entry.key));
            }
        }
        if entry.timestamp > parts.sync.newest() {
            return Err(wrong("a version of the future at", entry.key));
        }
        last = Some((entry.key.to_vec(), entry.timestamp));
        merged.next()?;
    }
    // Every version in memory is newer than all on disk.
    let on_disk = view.disk.tables().map(|table| table.meta().newest).max().unwrap_or(0);
    let memory = Cursor::memory(&view.memory);
    let mut merged = cursor::Merged::from(vec![memory], &[], u64::MAX)?;
    while let Some(entry) = merged.entry() {
        if entry.timestamp <= on_disk {
            return Err(wrong("a version in memory is older than one on disk:", entry.key));
        }
        merged.next()?;
    }
    Ok(())
}
