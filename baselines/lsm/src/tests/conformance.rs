//! The suite every store passes, with small components so that merges go on all the time.

use super::common::memory_folder;
use baseline_lsm::{Clsm, Config, LogMode, Lsm, ReadModifyWrite, Scheme, SnapshotOrder};
use engine::conformance::keeps_what_it_acknowledged;
use kit::folder::Folder;

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

/// A store that is closed writes what its log still holds.
#[test]
fn stores_keep_what_they_acknowledged() {
    for &log in LogMode::ALL {
        for scheme in [Scheme::GlobalLock, Scheme::Clsm] {
            let folder = Folder::create(&std::env::temp_dir(), "lsm-reopened-").unwrap();
            let config = Config { log, folder: Some(folder.path().join("store")), ..small(scheme) };
            match scheme {
                Scheme::GlobalLock => keeps_what_it_acknowledged(&|| {
                    Lsm::open(config.clone()).expect("it opens again")
                }),
                Scheme::Clsm => keeps_what_it_acknowledged(&|| {
                    Clsm::open(config.clone()).expect("it opens again")
                }),
            }
        }
    }
}
