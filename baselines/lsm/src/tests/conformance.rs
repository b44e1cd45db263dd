//! The suite every store passes, with small components so that merges go on all the time.

use super::common::memory_folder;
use baseline_lsm::{Clsm, Config, LogMode, Lsm, ReadModifyWrite, Scheme, SnapshotOrder};

/// Settings with which a few megabytes go through several levels.
fn small(scheme: Scheme) -> Config {
    let read_modify_write = match scheme {
        Scheme::GlobalLock => ReadModifyWrite::Striped,
        Scheme::Clsm => ReadModifyWrite::Optimistic,
    };
    Config {
        read_modify_write,
        snapshots: SnapshotOrder::Linearizable,
        write_buffer_bytes: 512 << 10,
        table_bytes: 256 << 10,
        level1_bytes: 1 << 20,
        block_cache_bytes: 128 << 10,
        private_parent: memory_folder(),
        ..Config::new(scheme)
    }
}

engine::conformance_tests!(clsm, Clsm, |_| Clsm::open(small(Scheme::Clsm)));
engine::bytes_conformance_tests!(clsm_bytes, Clsm, |_| Clsm::open(small(Scheme::Clsm)));
engine::bytes_conformance_tests!(global_lock_bytes, Lsm, |_| Lsm::open(Config {
    log: LogMode::Written,
    ..small(Scheme::GlobalLock)
}));
engine::conformance_tests!(global_lock, Lsm, |_| Lsm::open(Config {
    log: LogMode::Written,
    ..small(Scheme::GlobalLock)
}));
