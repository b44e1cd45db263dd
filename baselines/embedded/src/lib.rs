//! RocksDB, LevelDB and LMDB in memory or on a disk, through their C interfaces.
//!
//! The system's libraries are loaded when a store is opened. Building needs nothing of them, and a
//! missing library is an error of `open` that names its package.
//!
//! | file | contents |
//! |---|---|
//! | `rocksdb`, `leveldb` | log-structured stores: functions, the database, the engine |
//! | `lsm` | what the interfaces of LevelDB and RocksDB have in common |
//! | `lmdb` | a copy-on-write tree in a mapping: functions, the environment, the engine |
//! | `library` | tables of the functions of shared libraries |
//! | `foreign` | messages and byte ranges of C |
//! | `os` | a system call |
//! | `settings` | checking and printing settings |
//!
//! Unsafe code is in `foreign`, `lsm`, `os`, and in the `api` and the `database` or `environment` of each
//! store.
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_embedded;

#[expect(unsafe_code, reason = "what C hands out is an address")]
mod foreign;
mod leveldb;
mod library;
mod lmdb;
#[expect(unsafe_code, reason = "a C interface; nothing outside sees an address")]
mod lsm;
#[expect(unsafe_code, reason = "calls to the system")]
mod os;
mod rocksdb;
mod settings;
#[cfg(test)]
mod tests;

pub use kit::counted::STRIPES_MAX;
pub use kit::disk::{DiskFolder, OnDisk};
pub use kit::tmpfs::SHARED_MEMORY;
pub use leveldb::{LevelDb, LevelDbConfig};
pub use lmdb::{LMDB_KEY_BYTES_MAX, Lmdb, LmdbBytes, LmdbConfig, LmdbOf, Stored};
pub use rocksdb::{RocksDb, RocksDbConfig, RocksDbFiles};
