//! Opens the stores that the system's libraries provide: in memory, or on a disk.

use std::path::PathBuf;
use std::str::FromStr;

use baseline_embedded::{
    DiskFolder, LevelDb, LevelDbConfig, LmdbConfig, LmdbOf, OnDisk, RocksDb, RocksDbConfig,
    RocksDbFiles, SHARED_MEMORY, STRIPES_MAX, Stored,
};
use engine::{Durability, OpenError, Options, Setup, Whole};
use kit::folder::fit_for_files;
use kit::partitions::{Partitions, divided};

use super::Opening;

/// Beyond these, the libraries would take another size than the one they are given, and say nothing.
const WRITE_BUFFER_BYTES_MIN: u64 = 64 << 10;
const ROCKSDB_WRITE_BUFFER_BYTES_MAX: u64 = 64 << 30;
const LEVELDB_WRITE_BUFFER_BYTES_MAX: u64 = 1 << 30;
/// More than a machine has.
const BLOCK_CACHE_BYTES_MAX: u64 = 1 << 46;
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

/// What survives a store, as a setting has it.
#[derive(Clone, Copy, Debug)]
struct Kept(Durability);

impl FromStr for Kept {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Durability::ALL.into_iter().find(|one| one.name() == text).map(Self).ok_or(())
    }
}

/// The settings of a store's files: on a disk, if `files` says so, with a durability among `given`. The
/// folder is looked at, so that a plan refuses what a worker would.
fn on_disk(
    setup: &Setup,
    options: &mut Options,
    (files, given): (Files, &[Durability]),
) -> Result<Option<OnDisk>, OpenError> {
    const ALL: [Durability; 3] = [Durability::None, Durability::Process, Durability::Acknowledged];
    let is_on_disk = files == Files::Disk;
    let mut kept = Kept(if is_on_disk { Durability::Process } else { Durability::None });
    options.one_of("log", &mut kept, ALL.map(Durability::name))?;
    let (accepted, unless) =
        if is_on_disk { (given, "") } else { (&ALL[..1], ", unless files=disk") };
    if !accepted.contains(&kept.0) {
        let accepted: Vec<&str> = accepted.iter().map(|one| one.name()).collect();
        return Err(OpenError::BadSetting {
            setting: "log".to_owned(),
            value: kept.0.name().to_owned(),
            accepted: accepted.join(", ") + unless,
        });
    }
    if !is_on_disk {
        return Ok(None);
    }
    let below = setup.files_below();
    fit_for_files(&below)?;
    Ok(Some(OnDisk { folder: DiskFolder::Below(below), durability: kept.0 }))
}

/// A tmpfs, or a disk with a log.
fn tmpfs_or_disk(setup: &Setup, options: &mut Options) -> Result<Option<OnDisk>, OpenError> {
    let mut files = Files::Tmpfs;
    options.one_of("files", &mut files, ["tmpfs", "disk"])?;
    on_disk(setup, options, (files, &[Durability::Process, Durability::Acknowledged]))
}

pub(crate) fn rocksdb(setup: &Setup, options: &mut Options) -> Result<Opening<RocksDb>, OpenError> {
    let mut files = Files::Heap;
    options.one_of("files", &mut files, ["heap", "tmpfs", "disk"])?;
    let given = [Durability::None, Durability::Process, Durability::Acknowledged];
    let on = on_disk(setup, options, (files, &given))?;
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
    let write_buffer_bytes = WRITE_BUFFER_BYTES_MIN..=ROCKSDB_WRITE_BUFFER_BYTES_MAX;
    options.whole("write-buffer-bytes", &mut config.write_buffer_bytes, write_buffer_bytes)?;
    options.whole("block-cache-bytes", &mut config.block_cache_bytes, 0..=BLOCK_CACHE_BYTES_MAX)?;
    options.whole("stripes", &mut config.stripes, stripes())?;
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
        disk: tmpfs_or_disk(setup, options)?,
        ..LevelDbConfig::default()
    };
    options.switch("ask-presence", &mut config.ask_presence)?;
    let write_buffer_bytes = WRITE_BUFFER_BYTES_MIN..=LEVELDB_WRITE_BUFFER_BYTES_MAX;
    options.whole("write-buffer-bytes", &mut config.write_buffer_bytes, write_buffer_bytes)?;
    options.whole("block-cache-bytes", &mut config.block_cache_bytes, 0..=BLOCK_CACHE_BYTES_MAX)?;
    options.whole("stripes", &mut config.stripes, stripes())?;
    Ok(config)
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
        disk: tmpfs_or_disk(setup, options)?,
        ..LmdbConfig::default()
    };
    options.whole("sessions", &mut config.sessions, setup.sessions as u64..=SESSIONS_MAX)?;
    Ok(Box::new(move || LmdbOf::open(config)))
}
