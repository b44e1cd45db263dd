//! What the tests share: small stores, and what is asked of all of them.

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

/// A setting that is a number.
pub(crate) fn setting(store: &RamCloud, name: &str) -> usize {
    kit::testing::setting(store, name).parse().unwrap()
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
