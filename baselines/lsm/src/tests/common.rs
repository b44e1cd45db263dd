//! What the tests share: small stores in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::backend::Backend;
use baseline_lsm::files::Files;
use baseline_lsm::{
    Config, LogMode, ReadModifyWrite, Scheme, Session, Snapshot, SnapshotOrder, Store,
};

pub(super) const SCHEMES: [Scheme; 2] = [Scheme::GlobalLock, Scheme::Clsm];

/// Settings with which a few hundred writes go through several levels.
pub(super) fn tiny(scheme: Scheme) -> Config {
    let read_modify_write = match scheme {
        Scheme::GlobalLock => ReadModifyWrite::Striped,
        Scheme::Clsm => ReadModifyWrite::Optimistic,
    };
    Config {
        read_modify_write,
        snapshots: SnapshotOrder::Linearizable,
        log: LogMode::Written,
        write_buffer_bytes: 4096,
        table_bytes: 4096,
        block_bytes: 256,
        block_cache_bytes: 16 << 10,
        level0_tables: 2,
        level1_bytes: 8192,
        ..Config::new(scheme)
    }
}

/// A folder whose files are memory, where there is one: disks differ, and others use them.
pub(super) fn memory_folder() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() { shared } else { std::env::temp_dir() }
}

pub(super) fn open(config: Config) -> Store {
    open_in(&Arc::new(Backend::default()), config)
}

pub(super) fn open_in(backend: &Arc<Backend>, config: Config) -> Store {
    let files: Arc<dyn Files> = Arc::clone(backend) as _;
    Store::open(files, config).unwrap()
}

/// Text keys of several lengths, in the order of their numbers.
pub(super) fn key(number: u64) -> Vec<u8> {
    let tail = "x".repeat((number % 23) as usize);
    format!("{number:06}-{tail}").into_bytes()
}

pub(super) fn get(session: &mut Session<'_>, key: &[u8]) -> Option<u64> {
    session.get(key).unwrap().map(|value| number(&value))
}

/// A number as a value.
pub(super) fn value(number: u64) -> [u8; 8] {
    number.to_le_bytes()
}

pub(super) fn number(value: &[u8]) -> u64 {
    u64::from_le_bytes(value.try_into().expect("eight bytes"))
}

/// All pairs of a snapshot.
pub(super) fn all(session: &mut Session<'_>, snapshot: &Snapshot) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut pairs = BTreeMap::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        assert!(pairs.insert(key.to_vec(), value.to_vec()).is_none(), "each key comes once");
        true
    };
    session.scan_at(snapshot, &[], &mut visit).unwrap();
    pairs
}

/// The store's invariants hold.
pub(super) fn check(store: &Store) {
    crate::report::check(store).unwrap_or_else(|error| panic!("check(): {error}"));
}
