//! Settings of a store.

use std::path::PathBuf;

use engine::{Durability, OpenError, Options, Setup, Whole};
use kit::counted::STRIPES_MAX;
use kit::disk::{self, OnDisk, OwnMemory};
use kit::tmpfs::SHARED_MEMORY;

/// A memtable of a block would be all of it.
const WRITE_BUFFER_BYTES_MIN: u64 = 64 << 10;
const WRITE_BUFFER_BYTES_MAX: u64 = 64 << 30;
/// The one being written, and the one that is being flushed.
const MEMTABLES: u64 = 2;
/// More than a machine has.
const BLOCK_CACHE_BYTES_MAX: u64 = 1 << 46;
const WORKER_THREADS_MAX: u64 = 64;
/// What a store on a disk gives.
pub(crate) const GIVEN: [Durability; 3] =
    [Durability::Queued, Durability::Process, Durability::Acknowledged];

/// Settings of a [`Fjall`](crate::Fjall).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FjallConfig {
    /// Live key and value bytes above which puts are refused; `None` for no bound.
    pub object_memory_bytes: Option<u64>,
    /// A folder on a tmpfs, in which the store creates its own. Default `/dev/shm`.
    pub tmpfs: PathBuf,
    /// Files on a disk in place of the tmpfs. Default `None`.
    pub disk: Option<OnDisk>,
    /// Size of a memtable, in bytes; a larger one is flushed more rarely. Default 64 MiB, as fjall's.
    pub write_buffer_bytes: u64,
    /// Bytes of blocks of files kept ready. Default 64 MiB; fjall's is 32 MiB.
    pub block_cache_bytes: u64,
    /// Threads that flush and compact. Default 2; fjall's is one for each core, up to 4.
    pub worker_threads: usize,
    /// Whether PUT looks up if the key is present. Without it, every stored value counts as inserted, and
    /// `object_memory_bytes` bounds nothing. Default true.
    pub ask_presence: bool,
    /// Locks that writers of a key share, a power of two. Default 256.
    pub stripes: usize,
}

impl Default for FjallConfig {
    fn default() -> Self {
        Self {
            object_memory_bytes: None,
            tmpfs: SHARED_MEMORY.into(),
            disk: None,
            write_buffer_bytes: 64 << 20,
            block_cache_bytes: 64 << 20,
            worker_threads: 2,
            ask_presence: true,
            stripes: 256,
        }
    }
}

impl FjallConfig {
    /// The settings of a cell.
    pub(crate) fn read(setup: &Setup, options: &mut Options) -> Result<Self, OpenError> {
        let mut config = Self {
            object_memory_bytes: setup.object_memory_bytes,
            disk: disk::tmpfs_or_disk(setup, options, &GIVEN)?,
            ask_presence: setup.tells_updates,
            ..Self::default()
        };
        options.switch("ask-presence", &mut config.ask_presence)?;
        let own = match &config.disk {
            Some(_) => OwnMemory::limited(options, &setup.files_below())?,
            None => None,
        };
        if let Some(own) = own {
            config.write_buffer_bytes = own.memtable_bytes(config.write_buffer_bytes, MEMTABLES);
            config.block_cache_bytes = own.cache_bytes(config.block_cache_bytes);
        }
        let write_buffer_bytes = WRITE_BUFFER_BYTES_MIN..=WRITE_BUFFER_BYTES_MAX;
        options.whole("write-buffer-bytes", &mut config.write_buffer_bytes, write_buffer_bytes)?;
        let block_cache_bytes = 0..=BLOCK_CACHE_BYTES_MAX;
        options.whole("block-cache-bytes", &mut config.block_cache_bytes, block_cache_bytes)?;
        if let Some(own) = own {
            let memtables_bytes = config.write_buffer_bytes * MEMTABLES;
            own.check(
                "write-buffer-bytes",
                memtables_bytes.saturating_add(config.block_cache_bytes),
            )?;
        }
        options.whole("worker-threads", &mut config.worker_threads, 1..=WORKER_THREADS_MAX)?;
        let stripes = Whole::powers_of_two(1..=STRIPES_MAX as u64);
        options.whole("stripes", &mut config.stripes, stripes)?;
        Ok(config)
    }

    /// What survives the store.
    pub(crate) fn durability(&self) -> Durability {
        disk::durability_of(self.disk.as_ref())
    }
}
