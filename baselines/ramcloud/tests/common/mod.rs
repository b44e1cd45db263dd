//! What the tests share: counters by name, values that prove themselves, random numbers.

use baseline_ramcloud::{Config, RamCloud};
use engine::KvEngine;

/// A store of so many MiB whose pages are touched as they are needed.
pub(crate) fn store(mebibytes: u64) -> RamCloud {
    open(Config::new(mebibytes << 20, 100_000))
}

/// A store of these settings, not made resident.
pub(crate) fn open(config: Config) -> RamCloud {
    RamCloud::open(Config { resident: false, ..config }).unwrap()
}

/// A counter.
pub(crate) fn counter(store: &RamCloud, name: &str) -> u64 {
    let statistics = store.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no counter `{name}`")).value as u64
}

/// A setting.
pub(crate) fn setting(store: &RamCloud, name: &str) -> usize {
    let settings = store.settings();
    let found = settings.iter().find(|setting| setting.name == name);
    found.unwrap_or_else(|| panic!("no setting `{name}`")).value.parse().unwrap()
}

/// All seglets of all instances.
pub(crate) fn seglets(store: &RamCloud) -> u64 {
    store.memory().object_memory_bytes / setting(store, "seglet-bytes") as u64
}

/// The store's invariants hold.
pub(crate) fn check(store: &RamCloud) {
    store.settle();
    store.check().unwrap_or_else(|violation| panic!("check(): {violation}"));
}

/// A bijection that spreads small numbers.
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Writes the value of a key in a version: both of them, then a stream of both.
pub(crate) fn fill(key: u64, version: u64, value: &mut [u8]) {
    let seed = mix(key) ^ version;
    for (number, chunk) in (0..).zip(value.chunks_mut(8)) {
        let word = match number {
            0 => key,
            1 => version,
            _ => mix(seed.wrapping_add(number)),
        };
        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
    }
}

/// The version that a value of at least 16 bytes says it is, if all of its bytes agree.
pub(crate) fn version_of(key: u64, value: &[u8]) -> u64 {
    let version = u64::from_le_bytes(value[8..16].try_into().unwrap());
    let mut expected = vec![0; value.len()];
    fill(key, version, &mut expected);
    assert!(expected == value, "the value of key {key} is not one that was written");
    version
}
