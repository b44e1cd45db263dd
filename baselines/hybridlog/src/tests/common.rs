//! What the tests share: small stores, and what is asked of all of them.

use baseline_hybridlog::{Config, HybridLog, HybridLogSession};
use engine::{KvEngine, KvSession};
use kit::testing::{made, version_of};

/// Settings of a small memory for values up to 4 KiB.
pub(crate) fn small(object_memory_bytes: u64) -> Config {
    let config = Config::new(object_memory_bytes, object_memory_bytes / 64);
    Config { value_bytes_max: 4096, huge_pages: false, ..config }
}

pub(crate) fn open(config: Config) -> HybridLog {
    HybridLog::open(config).unwrap()
}

/// The store's invariants hold.
pub(crate) fn check(store: &HybridLog) {
    store.settle();
    store.check().unwrap_or_else(|violation| panic!("check(): {violation}"));
}

/// Puts a version of a key; whether it is stored.
pub(crate) fn put(
    session: &mut HybridLogSession<'_>,
    key: u64,
    version: u64,
    value_bytes: usize,
) -> bool {
    session.put(key, &made(key, version, value_bytes)).unwrap().is_stored()
}

/// The version that a key has, of values up to 4 KiB.
pub(crate) fn version(session: &mut HybridLogSession<'_>, key: u64) -> Option<u64> {
    let mut buffer = [0; 4096];
    let value_bytes = session.get(key, &mut buffer).unwrap()?;
    Some(version_of(key, &buffer[..value_bytes]))
}
