//! Stores on a disk that are opened again, after they were closed or their process was killed.

use std::path::Path;

use baseline_embedded::{
    LevelDb, LevelDbConfig, Lmdb, LmdbConfig, RocksDb, RocksDbConfig, RocksDbFiles,
};
use engine::{Durability, OpenError};
use kit::disk::{DiskFolder, OnDisk};
use kit::testing::{Survivor, kills_asked};

const TEST: &str = "processes_that_were_killed_have_lost_nothing_that_they_acknowledged";
const LEVELDB: Survivor<LevelDb> =
    Survivor { module: module_path!(), test: TEST, open: leveldb, is_made_at_once: true };
const ROCKSDB: Survivor<RocksDb> =
    Survivor { module: module_path!(), test: TEST, open: rocksdb, is_made_at_once: true };
const LMDB: Survivor<Lmdb> =
    Survivor { module: module_path!(), test: TEST, open: lmdb, is_made_at_once: true };
/// What all three give.
const GIVEN: [Durability; 2] = [Durability::Process, Durability::Acknowledged];

fn on_disk(folder: &Path, durability: Durability) -> OnDisk {
    OnDisk { folder: DiskFolder::At(folder.join("store")), durability }
}

fn leveldb(
    folder: &Path,
    durability: Durability,
    ask_presence: bool,
) -> Result<LevelDb, OpenError> {
    LevelDb::open(LevelDbConfig {
        disk: Some(on_disk(folder, durability)),
        write_buffer_bytes: 128 << 10,
        ask_presence,
        ..LevelDbConfig::default()
    })
}

fn rocksdb(
    folder: &Path,
    durability: Durability,
    ask_presence: bool,
) -> Result<RocksDb, OpenError> {
    RocksDb::open(RocksDbConfig {
        files: RocksDbFiles::Disk { on: on_disk(folder, durability), direct: false },
        write_buffer_bytes: 128 << 10,
        ask_presence,
        ..RocksDbConfig::default()
    })
}

fn lmdb(folder: &Path, durability: Durability, _: bool) -> Result<Lmdb, OpenError> {
    Lmdb::open(LmdbConfig {
        disk: Some(on_disk(folder, durability)),
        object_memory_bytes: Some(64 << 20),
        ..LmdbConfig::default()
    })
}

#[test]
fn leveldb_keeps_what_it_acknowledged() {
    LEVELDB.reopens(&GIVEN);
}

#[test]
fn rocksdb_keeps_what_it_acknowledged() {
    ROCKSDB.reopens(&GIVEN);
}

#[test]
fn lmdb_keeps_what_it_acknowledged() {
    LMDB.reopens(&GIVEN);
}

fn lose_nothing(kills: u64) {
    LEVELDB.loses_nothing(kills);
    ROCKSDB.loses_nothing(kills);
    LMDB.loses_nothing(kills);
}

#[test]
fn processes_that_were_killed_have_lost_nothing_that_they_acknowledged() {
    if !(LEVELDB.obeys() || ROCKSDB.obeys() || LMDB.obeys()) {
        lose_nothing(3);
    }
}

#[test]
#[ignore = "600 kills: scripts/kill-stores"]
fn processes_that_were_killed_often_have_lost_nothing_that_they_acknowledged() {
    lose_nothing(kills_asked());
}

fn lose_nothing_without_power(failures: u64) {
    LEVELDB.loses_nothing_without_power(failures);
    ROCKSDB.loses_nothing_without_power(failures);
    LMDB.loses_nothing_without_power(failures);
    LEVELDB.leaves_a_prefix_without_power(Durability::Process, failures);
    ROCKSDB.leaves_a_prefix_without_power(Durability::Process, failures);
}

#[test]
fn stores_whose_power_failed_have_lost_nothing_that_they_acknowledged() {
    lose_nothing_without_power(3);
}

#[test]
#[ignore = "many failures: scripts/power-failures"]
fn stores_whose_power_failed_often_have_lost_nothing_that_they_acknowledged() {
    lose_nothing_without_power(kills_asked());
}

/// As stores that forget to synchronise their log, or a file before they rename it.
#[test]
fn a_disk_that_forgets_is_found() {
    LEVELDB.is_caught_without_power(".log");
    LEVELDB.is_caught_without_power("MANIFEST");
    // What is renamed to CURRENT.
    LEVELDB.is_caught_without_power("dbtmp");
    ROCKSDB.is_caught_without_power(".log");
    LMDB.is_caught_without_power("data.mdb");
}

/// None: a RocksDB without a log.
#[test]
fn a_store_that_answers_before_it_hands_over_is_found() {
    LEVELDB.is_caught(&[]);
    ROCKSDB.is_caught(&[Durability::None]);
    LMDB.is_caught(&[]);
}
