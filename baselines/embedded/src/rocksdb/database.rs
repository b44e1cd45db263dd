//! A RocksDB database and the objects it is opened with.

use std::ffi::{CStr, CString, c_int};
use std::ptr::{self, NonNull};

use engine::{OpenError, ScanOrder};
use kit::counted::Table;
use kit::moment::Write;

use super::api::{self, Functions};
use crate::foreign::bytes_at;
use crate::lsm::{AtSnapshot, Open};

/// What a database is opened with; see the fields of the same names in
/// [`RocksDbConfig`](super::RocksDbConfig).
#[derive(Debug)]
pub(super) struct Options {
    /// A folder; `None` keeps the files on the heap.
    pub(super) folder: Option<CString>,
    pub(super) write_buffer_bytes: usize,
    pub(super) write_buffers: c_int,
    pub(super) block_cache_bytes: usize,
    pub(super) bloom_bits_per_key: f64,
    pub(super) background_jobs: c_int,
    /// How files in a folder are accessed.
    pub(super) access: Access,
    /// What a write waits for.
    pub(super) log: Log,
}

/// How files in a folder are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Mapped to read.
    Mapped,
    /// Through the page cache.
    Cached,
    /// Past the page cache, but for the log.
    Direct,
}

/// What a write waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Log {
    /// There is none.
    Off,
    /// The system.
    Unsynced,
    /// The device.
    Synced,
}

/// An open database. Dropped in order: the database, then its environment.
#[derive(Debug)]
pub struct Database {
    open: Open,
    functions: &'static Functions,
    _environment: Option<MemoryEnvironment>,
}

/// Files that are memory. Where there is none, files are on a tmpfs.
#[derive(Debug)]
struct MemoryEnvironment {
    functions: &'static Functions,
    environment: *mut api::Environment,
}

// SAFETY: RocksDB's environment belongs to no thread.
unsafe impl Send for MemoryEnvironment {}
// SAFETY: nothing is done with it but to destroy it, by who owns it.
unsafe impl Sync for MemoryEnvironment {}

impl Drop for MemoryEnvironment {
    fn drop(&mut self) {
        // SAFETY: destroyed once, after the database that uses it.
        unsafe { (self.functions.rocksdb_env_destroy)(self.environment) }
    }
}

impl Database {
    /// Opens a database, or creates an empty one.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where the library is missing or RocksDB refuses.
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "one fact covers calls in a row on objects that live until the last"
    )]
    pub(super) fn open(options: &Options) -> Result<Self, OpenError> {
        let functions = api::functions()?;
        // SAFETY: the setters copy numbers, and keep references of their own to the cache; the
        // filter becomes the table options'. Each object is destroyed once, after its last use;
        // the environment stays with the database.
        unsafe {
            let table = (functions.rocksdb_block_based_options_create)();
            let cache = (functions.rocksdb_cache_create_lru)(options.block_cache_bytes);
            (functions.rocksdb_block_based_options_set_block_cache)(table, cache);
            (functions.rocksdb_cache_destroy)(cache);
            let filter =
                (functions.rocksdb_filterpolicy_create_bloom_full)(options.bloom_bits_per_key);
            (functions.rocksdb_block_based_options_set_filter_policy)(table, filter);

            let all = (functions.rocksdb_options_create)();
            (functions.rocksdb_options_set_block_based_table_factory)(all, table);
            (functions.rocksdb_block_based_options_destroy)(table);
            (functions.rocksdb_options_set_create_if_missing)(all, 1);
            (functions.rocksdb_options_set_compression)(all, api::NO_COMPRESSION);
            (functions.rocksdb_options_set_write_buffer_size)(all, options.write_buffer_bytes);
            (functions.rocksdb_options_set_max_write_buffer_number)(all, options.write_buffers);
            (functions.rocksdb_options_set_max_background_jobs)(all, options.background_jobs);
            (functions.rocksdb_options_set_level_compaction_dynamic_level_bytes)(all, 1);
            (functions.rocksdb_options_set_info_log_level)(all, api::LOG_LEVEL_FATAL);
            (functions.rocksdb_options_set_keep_log_file_num)(all, 1);
            (functions.rocksdb_options_set_stats_dump_period_sec)(all, 0);
            (functions.rocksdb_options_set_stats_persist_period_sec)(all, 0);
            let environment = if options.folder.is_some() {
                match options.access {
                    Access::Mapped => (functions.rocksdb_options_set_allow_mmap_reads)(all, 1),
                    Access::Cached => {}
                    Access::Direct => {
                        (functions.rocksdb_options_set_use_direct_reads)(all, 1);
                        (functions.rocksdb_options_set_use_direct_io_for_flush_and_compaction)(
                            all, 1,
                        );
                    }
                }
                None
            } else {
                let environment = (functions.rocksdb_create_mem_env)();
                (functions.rocksdb_options_set_env)(all, environment);
                Some(MemoryEnvironment { functions, environment })
            };
            let path = options.folder.as_deref().unwrap_or(c"/rocksdb");
            let open = Open::new(&functions.shared, "RocksDB", all, path);
            (functions.rocksdb_options_destroy)(all);
            let mut open = open?;
            (functions.rocksdb_readoptions_set_verify_checksums)(open.read_options(), 0);
            match options.log {
                Log::Off => (functions.rocksdb_writeoptions_disable_WAL)(open.write_options(), 1),
                Log::Unsynced => {}
                Log::Synced => open.synchronise_writes(),
            }
            Ok(Self { open, functions, _environment: environment })
        }
    }

    /// A figure of the store's own by its documented name; 0 where it is unknown.
    pub(super) fn property(&self, name: &CStr) -> u64 {
        let mut value = 0;
        let database = self.open.handle();
        // SAFETY: an open database, a NUL-terminated name and an out-parameter.
        let status = unsafe {
            (self.functions.rocksdb_property_int)(database, name.as_ptr(), &raw mut value)
        };
        if status == 0 { value } else { 0 }
    }

    /// Writes the memtable out and merges all files, until nothing is there twice.
    pub(super) fn compact(&self) {
        self.open.compact();
    }
}

impl Table for Database {
    type Moment<'database> = AtSnapshot<'database>;

    #[inline]
    fn read<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let (database, options) = (self.open.handle(), self.open.read_options());
        let mut message = ptr::null_mut();
        // SAFETY: an open database, live options, and a key of the length given.
        let slice = unsafe {
            (self.functions.rocksdb_get_pinned)(
                database,
                options,
                key.as_ptr().cast(),
                key.len(),
                &raw mut message,
            )
        };
        self.open.expect_done("get", message);
        let slice = Pinned { functions: self.functions, slice: NonNull::new(slice)? };
        Some(read(slice.value()))
    }

    #[inline]
    fn put(&self, key: &[u8], value: &[u8]) {
        self.open.put(key, value);
    }

    #[inline]
    fn delete(&self, key: &[u8]) {
        self.open.delete(key);
    }

    fn scan(&self, first: &[u8], order: ScanOrder, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) {
        self.open.scan(first, order, visit);
    }

    fn moment(&self) -> AtSnapshot<'_> {
        self.open.snapshot()
    }

    fn write(&self, writes: &[Write<'_>]) {
        self.open.write(writes);
    }
}

/// A value that stays in place while it is looked at.
struct Pinned {
    functions: &'static Functions,
    slice: NonNull<api::PinnedSlice>,
}

impl Pinned {
    fn value(&self) -> &[u8] {
        let mut bytes = 0;
        let slice = self.slice.as_ptr();
        // SAFETY: a live slice and an out-parameter.
        let start = unsafe { (self.functions.rocksdb_pinnableslice_value)(slice, &raw mut bytes) };
        // SAFETY: what the slice pins stays as it is until it is destroyed, after `self`.
        unsafe { bytes_at(start, bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: destroyed once, and nobody looks at its value any more.
        unsafe { (self.functions.rocksdb_pinnableslice_destroy)(self.slice.as_ptr()) }
    }
}
