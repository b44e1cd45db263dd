//! Opens the stores that the system's libraries provide: in memory, or on a disk.

use std::path::PathBuf;
use std::str::FromStr;

use baseline_embedded::{
    LevelDb, LevelDbConfig, LmdbConfig, LmdbOf, RocksDb, RocksDbConfig, RocksDbFiles,
    SHARED_MEMORY, STRIPES_MAX, Stored,
};
use engine::{Durability, OpenError, Options, Setup, Whole};
use kit::disk::{self, OwnMemory};
use kit::partitions::{Partitions, divided};

use super::Opening;

/// Beyond these, the libraries would take another size than the one they are given, and say nothing.
const WRITE_BUFFER_BYTES_MIN: u64 = 64 << 10;
const ROCKSDB_WRITE_BUFFER_BYTES_MAX: u64 = 64 << 30;
const LEVELDB_WRITE_BUFFER_BYTES_MAX: u64 = 1 << 30;
/// More than a machine has.
const BLOCK_CACHE_BYTES_MAX: u64 = 1 << 46;
/// The one being written, and the one that is being flushed.
const LEVELDB_MEMTABLES: u64 = 2;
/// A session takes a cache line of a file.
const SESSIONS_MAX: u64 = 1 << 16;

/// Where a store keeps its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Files {
    Heap,
    Tmpfs,
    Disk,
}

impl FromStr for Files {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "heap" => Ok(Self::Heap),
            "tmpfs" => Ok(Self::Tmpfs),
            "disk" => Ok(Self::Disk),
            _ => Err(()),
        }
    }
}

/// What LevelDB and LMDB give on a disk.
const GIVEN: [Durability; 2] = [Durability::Process, Durability::Acknowledged];

pub(crate) fn rocksdb(setup: &Setup, options: &mut Options) -> Result<Opening<RocksDb>, OpenError> {
    let mut files = Files::Heap;
    options.one_of("files", &mut files, ["heap", "tmpfs", "disk"])?;
    let given = [Durability::None, Durability::Process, Durability::Acknowledged];
    let on = disk::configured(setup, options, (files == Files::Disk, &given))?;
    let mut direct = false;
    options.switch("direct-io", &mut direct)?;
    if direct && on.is_none() {
        return Err(OpenError::BadSetting {
            setting: "direct-io".to_owned(),
            value: "true".to_owned(),
            accepted: "false, unless files=disk".to_owned(),
        });
    }
    let mut config = match (files, on) {
        (_, Some(on)) => {
            RocksDbConfig { files: RocksDbFiles::Disk { on, direct }, ..RocksDbConfig::default() }
        }
        (Files::Tmpfs, None) => RocksDbConfig::on_tmpfs(),
        (Files::Heap | Files::Disk, None) => RocksDbConfig::default(),
    };
    config.object_memory_bytes = setup.object_memory_bytes;
    config.ask_presence = setup.tells_updates;
    options.switch("ask-presence", &mut config.ask_presence)?;
    let buffers = u64::from(config.write_buffers);
    let sizes = (&mut config.write_buffer_bytes, &mut config.block_cache_bytes);
    let own = limited(setup, options, files == Files::Disk, buffers, sizes)?;
    let write_buffer_bytes = WRITE_BUFFER_BYTES_MIN..=ROCKSDB_WRITE_BUFFER_BYTES_MAX;
    options.whole("write-buffer-bytes", &mut config.write_buffer_bytes, write_buffer_bytes)?;
    options.whole("block-cache-bytes", &mut config.block_cache_bytes, 0..=BLOCK_CACHE_BYTES_MAX)?;
    options.whole("stripes", &mut config.stripes, stripes())?;
    check_own(own, (config.write_buffer_bytes, buffers), config.block_cache_bytes)?;
    Ok(Box::new(move || RocksDb::open(config)))
}

pub(crate) fn leveldb(setup: &Setup, options: &mut Options) -> Result<Opening<LevelDb>, OpenError> {
    let config = leveldb_config(setup, options)?;
    Ok(Box::new(move || LevelDb::open(config)))
}

/// Settings are those of each partition; the bound is divided.
pub(crate) fn leveldb_partitioned(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<Partitions<LevelDb>>, OpenError> {
    let (partitions, share) = divided(setup, options)?;
    let config = leveldb_config(&share, options)?;
    Ok(Box::new(move || Partitions::open(partitions, || LevelDb::open(config.clone()))))
}

fn leveldb_config(setup: &Setup, options: &mut Options) -> Result<LevelDbConfig, OpenError> {
    let mut config = LevelDbConfig {
        object_memory_bytes: setup.object_memory_bytes,
        ask_presence: setup.tells_updates,
        disk: disk::tmpfs_or_disk(setup, options, &GIVEN)?,
        ..LevelDbConfig::default()
    };
    options.switch("ask-presence", &mut config.ask_presence)?;
    let sizes = (&mut config.write_buffer_bytes, &mut config.block_cache_bytes);
    let own = limited(setup, options, config.disk.is_some(), LEVELDB_MEMTABLES, sizes)?;
    let write_buffer_bytes = WRITE_BUFFER_BYTES_MIN..=LEVELDB_WRITE_BUFFER_BYTES_MAX;
    options.whole("write-buffer-bytes", &mut config.write_buffer_bytes, write_buffer_bytes)?;
    options.whole("block-cache-bytes", &mut config.block_cache_bytes, 0..=BLOCK_CACHE_BYTES_MAX)?;
    options.whole("stripes", &mut config.stripes, stripes())?;
    check_own(own, (config.write_buffer_bytes, LEVELDB_MEMTABLES), config.block_cache_bytes)?;
    Ok(config)
}

/// Sizes the memtables and the cache of blocks of a store on a disk by the memory that it may use, where
/// that is limited.
fn limited(
    setup: &Setup,
    options: &mut Options,
    is_on_disk: bool,
    memtables: u64,
    (memtable_bytes, cache_bytes): (&mut usize, &mut usize),
) -> Result<Option<OwnMemory>, OpenError> {
    if !is_on_disk {
        return Ok(None);
    }
    let own = OwnMemory::limited(options, &setup.files_below())?;
    if let Some(own) = own {
        *memtable_bytes = own.memtable_bytes(*memtable_bytes as u64, memtables) as usize;
        *cache_bytes = own.cache_bytes(*cache_bytes as u64) as usize;
    }
    Ok(own)
}

fn check_own(
    own: Option<OwnMemory>,
    (memtable_bytes, memtables): (usize, u64),
    cache_bytes: usize,
) -> Result<(), OpenError> {
    let Some(own) = own else { return Ok(()) };
    let memtables_bytes = (memtable_bytes as u64).saturating_mul(memtables);
    own.check("write-buffer-bytes", memtables_bytes.saturating_add(cache_bytes as u64))
}

fn stripes() -> Whole {
    Whole::powers_of_two(1..=STRIPES_MAX as u64)
}

/// LMDB's map also holds its tree. Where memory is not meant to be a limit, the map gets several times
/// the live bytes; they cost nothing until they are touched.
pub(crate) fn lmdb<K: Stored>(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<LmdbOf<K>>, OpenError> {
    const AMPLE: u64 = 4;
    let ample = (setup.live_bytes * AMPLE).max(64 << 20);
    let mut config = LmdbConfig {
        object_memory_bytes: Some(setup.object_memory_bytes.unwrap_or(ample)),
        tmpfs: PathBuf::from(SHARED_MEMORY),
        disk: disk::tmpfs_or_disk(setup, options, &GIVEN)?,
        ..LmdbConfig::default()
    };
    options.whole("sessions", &mut config.sessions, setup.sessions as u64..=SESSIONS_MAX)?;
    Ok(Box::new(move || LmdbOf::open(config)))
}
