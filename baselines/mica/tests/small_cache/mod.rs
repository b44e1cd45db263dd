//! Small caches for tests, their counters, and values that prove themselves.

use baseline_mica::cache::{Config, Eviction};
use baseline_mica::{MicaCache, Mode};
use engine::KvEngine;

/// Bytes of the smallest log.
pub(crate) const LOG_BYTES: u64 = 2 << 20;

/// Settings of a cache with logs of [`LOG_BYTES`].
pub(crate) fn config(partitions: usize, records_max: u64, eviction: Eviction) -> Config {
    let object_memory_bytes = partitions as u64 * LOG_BYTES;
    Config { partitions, eviction, ..Config::new(object_memory_bytes, records_max) }
}

/// A counter of the cache's.
pub(crate) fn statistic<M: Mode, const BITS: u32>(cache: &MicaCache<M, BITS>, name: &str) -> f64 {
    let statistics = cache.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no statistic `{name}`")).value
}

/// Fills `value` with the bytes of a version of a key, which say both.
pub(crate) fn write_value(key: u64, version: u64, value: &mut [u8]) {
    let mut words = value.chunks_mut(8);
    let seed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ version.rotate_left(40);
    for (at, word) in words.by_ref().enumerate() {
        let content = match at {
            0 => key,
            1 => version,
            _ => (seed ^ at as u64).wrapping_mul(0xd6e8_feb8_6659_fd93),
        };
        word.copy_from_slice(&content.to_le_bytes()[..word.len()]);
    }
}

/// The version of a whole value of `key`, of at least 16 bytes.
///
/// # Panics
/// When it is another key's, or made of two.
pub(crate) fn version_of(key: u64, value: &[u8]) -> u64 {
    let word = |at: usize| u64::from_le_bytes(value[at..at + 8].try_into().expect("eight bytes"));
    assert_eq!(word(0), key, "another key's value");
    let mut expected = vec![0; value.len()];
    write_value(key, word(8), &mut expected);
    assert!(value == expected, "a torn value of key {key}, version {}", word(8));
    word(8)
}
