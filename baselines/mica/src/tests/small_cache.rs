//! Small caches for tests.

use baseline_mica::cache::{Config, Eviction};

/// Bytes of the smallest log.
pub(crate) const LOG_BYTES: u64 = 2 << 20;

/// Settings of a cache with logs of [`LOG_BYTES`].
pub(crate) fn config(partitions: usize, records_max: u64, eviction: Eviction) -> Config {
    let object_memory_bytes = partitions as u64 * LOG_BYTES;
    Config { partitions, eviction, ..Config::new(object_memory_bytes, records_max) }
}
