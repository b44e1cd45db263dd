//! The suite every store passes, where its library is installed: as configured by default, and
//! with buffers so small that files are written and merged all the time.

use super::common::where_installed;
use baseline_embedded::{
    LevelDb, LevelDbConfig, Lmdb, LmdbBytes, LmdbConfig, RocksDb, RocksDbConfig, RocksDbFiles,
};
use engine::conformance::{self, OBJECT_MEMORY_BYTES, Spelled, Test};
use engine::{KvBytesEngine, KvEngine, OpenError};

/// Runs the suite on one store.
fn conforms<E: KvEngine>(open: impl Fn(u64) -> Result<E, OpenError>) {
    passes(conformance::tests::<E>(), open);
}

/// Runs the suite of byte strings on one store. Where its words are byte strings of eight bytes already, the
/// suite of words has asked the rest.
fn conforms_with_bytes<E: KvBytesEngine>(open: impl Fn(u64) -> Result<E, OpenError>) {
    passes(conformance::bytes_tests::<E>(), open);
}

fn passes<E: KvEngine>(tests: Vec<Test<E>>, open: impl Fn(u64) -> Result<E, OpenError>) {
    where_installed(
        || open(OBJECT_MEMORY_BYTES),
        |_| {
            let open = |bytes| conformance::expect_open(&open, bytes);
            for test in &tests {
                eprintln!("{}: {}", E::TRAITS.name, test.name);
                (test.run)(&open);
            }
        },
    );
}

fn small_buffers(files: RocksDbFiles) -> RocksDbConfig {
    RocksDbConfig { files, write_buffer_bytes: 8 << 20, stripes: 1, ..RocksDbConfig::default() }
}

#[test]
fn rocksdb() {
    conforms(|bytes| {
        let config = RocksDbConfig::default();
        RocksDb::open(RocksDbConfig { object_memory_bytes: Some(bytes), ..config })
    });
}

#[test]
fn rocksdb_with_small_buffers_on_the_heap() {
    conforms(|bytes| {
        let config = small_buffers(RocksDbFiles::Heap);
        RocksDb::open(RocksDbConfig { object_memory_bytes: Some(bytes), ..config })
    });
}

#[test]
fn rocksdb_with_small_buffers_on_a_tmpfs() {
    conforms(|bytes| {
        let config = small_buffers(RocksDbConfig::on_tmpfs().files);
        RocksDb::open(RocksDbConfig { object_memory_bytes: Some(bytes), ..config })
    });
}

#[test]
fn leveldb() {
    conforms(|bytes| {
        let config = LevelDbConfig::default();
        LevelDb::open(LevelDbConfig { object_memory_bytes: Some(bytes), ..config })
    });
}

#[test]
fn leveldb_with_small_buffers() {
    conforms(|object_memory_bytes| {
        LevelDb::open(LevelDbConfig {
            object_memory_bytes: Some(object_memory_bytes),
            write_buffer_bytes: 4 << 20,
            table_file_bytes: 2 << 20,
            stripes: 1,
            ..LevelDbConfig::default()
        })
    });
}

#[test]
fn lmdb() {
    conforms(|bytes| {
        Lmdb::open(LmdbConfig { object_memory_bytes: Some(bytes), ..LmdbConfig::default() })
    });
}

#[test]
fn rocksdb_with_byte_keys() {
    conforms_with_bytes(|bytes| {
        let config = small_buffers(RocksDbFiles::Heap);
        RocksDb::open(RocksDbConfig { object_memory_bytes: Some(bytes), ..config })
    });
}

#[test]
fn rocksdb_with_byte_keys_that_nobody_asks_about() {
    let config = || RocksDbConfig { ask_presence: false, ..RocksDbConfig::default() };
    passes(conformance::bytes_tests::<RocksDb>(), |_| RocksDb::open(config()));
}

/// The test of snapshots and of writes in one step.
fn of_moments<E: KvEngine>() -> Vec<Test<E>> {
    conformance::tests().into_iter().filter(|test| test.name == "moments_are_whole").collect()
}

#[test]
fn stores_that_nobody_asks_write_several_keys_in_one_step() {
    let rocksdb = || RocksDbConfig { ask_presence: false, ..RocksDbConfig::default() };
    passes(of_moments::<RocksDb>(), |_| RocksDb::open(rocksdb()));
    let leveldb = || LevelDbConfig { ask_presence: false, ..LevelDbConfig::default() };
    passes(of_moments::<LevelDb>(), |_| LevelDb::open(leveldb()));
}

#[test]
fn leveldb_with_byte_keys() {
    conforms_with_bytes(|bytes| {
        let config = LevelDbConfig::default();
        LevelDb::open(LevelDbConfig { object_memory_bytes: Some(bytes), ..config })
    });
}

#[test]
fn lmdb_with_byte_keys() {
    let open = |object_memory_bytes| {
        let object_memory_bytes = Some(object_memory_bytes);
        LmdbBytes::open(LmdbConfig { object_memory_bytes, ..LmdbConfig::default() })
    };
    passes(conformance::tests::<Spelled<LmdbBytes>>(), |bytes| open(bytes).map(Spelled));
    conforms_with_bytes(open);
}
