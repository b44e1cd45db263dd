//! Opens the in-memory stores that the system's libraries provide.

use std::path::PathBuf;
use std::str::FromStr;

use baseline_embedded::{
    LevelDb, LevelDbConfig, Lmdb, LmdbConfig, RocksDb, RocksDbConfig, SHARED_MEMORY,
};
use engine::{OpenError, Setup};

/// Where RocksDB keeps its files.
#[derive(Clone, Copy, Debug)]
enum Files {
    Heap,
    Tmpfs,
}

impl FromStr for Files {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "heap" => Ok(Self::Heap),
            "tmpfs" => Ok(Self::Tmpfs),
            _ => Err(()),
        }
    }
}

pub(crate) fn rocksdb(setup: &Setup) -> Result<RocksDb, OpenError> {
    let mut options = setup.options();
    let mut files = Files::Heap;
    options.read_one_of("files", &mut files, ["heap", "tmpfs"])?;
    let mut config = match files {
        Files::Heap => RocksDbConfig::default(),
        Files::Tmpfs => RocksDbConfig::on_tmpfs(),
    };
    config.object_memory_bytes = setup.object_memory_bytes;
    options.read("write-buffer-bytes", &mut config.write_buffer_bytes)?;
    options.read("block-cache-bytes", &mut config.block_cache_bytes)?;
    options.read("stripes", &mut config.stripes)?;
    options.finish()?;
    RocksDb::open(config)
}

pub(crate) fn leveldb(setup: &Setup) -> Result<LevelDb, OpenError> {
    let mut config = LevelDbConfig {
        object_memory_bytes: setup.object_memory_bytes,
        ..LevelDbConfig::default()
    };
    let mut options = setup.options();
    options.read("write-buffer-bytes", &mut config.write_buffer_bytes)?;
    options.read("block-cache-bytes", &mut config.block_cache_bytes)?;
    options.read("stripes", &mut config.stripes)?;
    options.finish()?;
    LevelDb::open(config)
}

/// LMDB's map also holds its tree. Where memory is not meant to be a limit, the map gets several times
/// the live bytes; they cost nothing until they are touched.
pub(crate) fn lmdb(setup: &Setup) -> Result<Lmdb, OpenError> {
    const AMPLE: u64 = 4;
    let ample = (setup.live_bytes * AMPLE).max(64 << 20);
    let mut options = setup.options();
    let mut config = LmdbConfig {
        object_memory_bytes: Some(setup.object_memory_bytes.unwrap_or(ample)),
        tmpfs: PathBuf::from(SHARED_MEMORY),
        ..LmdbConfig::default()
    };
    options.read("sessions", &mut config.sessions)?;
    options.finish()?;
    Lmdb::open(config)
}
