//! A RocksDB database and the objects it is opened with.

use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt;
use std::ptr::{self, NonNull};

use engine::OpenError;

use super::api::{self, Functions};
use crate::counted::{Table, key_of};
use crate::foreign::{bytes_at, refused, taken};

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
}

/// An open database. All its functions may be called by several threads at a time.
pub struct Database {
    functions: &'static Functions,
    database: NonNull<api::Database>,
    /// Null where files are on a tmpfs.
    environment: *mut api::Environment,
    read_options: NonNull<api::ReadOptions>,
    write_options: NonNull<api::WriteOptions>,
}

// SAFETY: RocksDB's database, its environment and options that nobody changes belong to no
// thread.
unsafe impl Send for Database {}
// SAFETY: RocksDB's database orders concurrent calls itself; options are only read.
unsafe impl Sync for Database {}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Database").finish_non_exhaustive()
    }
}

impl Database {
    /// Creates an empty database.
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
                (functions.rocksdb_options_set_allow_mmap_reads)(all, 1);
                ptr::null_mut()
            } else {
                let environment = (functions.rocksdb_create_mem_env)();
                (functions.rocksdb_options_set_env)(all, environment);
                environment
            };
            let path = options.folder.as_deref().unwrap_or(c"/rocksdb");
            let mut message = ptr::null_mut();
            let database = (functions.rocksdb_open)(all, path.as_ptr(), &raw mut message);
            (functions.rocksdb_options_destroy)(all);
            let opened = taken(message, functions.rocksdb_free);
            let Some(database) = NonNull::new(database) else {
                if !environment.is_null() {
                    (functions.rocksdb_env_destroy)(environment);
                }
                return Err(refused("RocksDB", &opened.err().unwrap_or_default()));
            };
            let read_options = NonNull::new_unchecked((functions.rocksdb_readoptions_create)());
            (functions.rocksdb_readoptions_set_verify_checksums)(read_options.as_ptr(), 0);
            let write_options = NonNull::new_unchecked((functions.rocksdb_writeoptions_create)());
            (functions.rocksdb_writeoptions_disable_WAL)(write_options.as_ptr(), 1);
            Ok(Self { functions, database, environment, read_options, write_options })
        }
    }

    /// A figure of the store's own by its documented name; 0 where it is unknown.
    pub(super) fn property(&self, name: &CStr) -> u64 {
        let mut value = 0;
        let database = self.database.as_ptr();
        // SAFETY: an open database, a NUL-terminated name and an out-parameter.
        let status = unsafe {
            (self.functions.rocksdb_property_int)(database, name.as_ptr(), &raw mut value)
        };
        if status == 0 { value } else { 0 }
    }

    /// Writes the memtable out and merges all files, until nothing is there twice.
    pub(super) fn compact(&self) {
        let (database, nothing) = (self.database.as_ptr(), ptr::null());
        // SAFETY: an open database; null ends mean all keys.
        unsafe { (self.functions.rocksdb_compact_range)(database, nothing, 0, nothing, 0) }
    }

    fn expect_done(&self, operation: &str, message: *mut c_char) {
        // SAFETY: the message a call has just left in our own variable, which RocksDB frees.
        if let Err(message) = unsafe { taken(message, self.functions.rocksdb_free) } {
            panic!("RocksDB's {operation}: {message}");
        }
    }
}

impl Drop for Database {
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers all")]
    fn drop(&mut self) {
        let functions = self.functions;
        // SAFETY: iterators and slices borrow `self`, so none is left; each is destroyed once,
        // the environment after the database that uses it.
        unsafe {
            (functions.rocksdb_close)(self.database.as_ptr());
            (functions.rocksdb_readoptions_destroy)(self.read_options.as_ptr());
            (functions.rocksdb_writeoptions_destroy)(self.write_options.as_ptr());
            if !self.environment.is_null() {
                (functions.rocksdb_env_destroy)(self.environment);
            }
        }
    }
}

impl Table for Database {
    #[inline]
    fn read<R>(&self, key: u64, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let key = key.to_be_bytes();
        let (database, options) = (self.database.as_ptr(), self.read_options.as_ptr());
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
        self.expect_done("get", message);
        let slice = Pinned { functions: self.functions, slice: NonNull::new(slice)? };
        Some(read(slice.value()))
    }

    #[inline]
    fn put(&self, key: u64, value: &[u8]) {
        let key = key.to_be_bytes();
        let (database, options) = (self.database.as_ptr(), self.write_options.as_ptr());
        let (key_at, value_at) = (key.as_ptr().cast(), value.as_ptr().cast());
        let mut message = ptr::null_mut();
        // SAFETY: an open database, live options; key and value have the lengths given.
        unsafe {
            (self.functions.rocksdb_put)(
                database,
                options,
                key_at,
                key.len(),
                value_at,
                value.len(),
                &raw mut message,
            );
        }
        self.expect_done("put", message);
    }

    #[inline]
    fn delete(&self, key: u64) {
        let key = key.to_be_bytes();
        let (database, options) = (self.database.as_ptr(), self.write_options.as_ptr());
        let mut message = ptr::null_mut();
        // SAFETY: an open database, live options, and a key of the length given.
        unsafe {
            (self.functions.rocksdb_delete)(
                database,
                options,
                key.as_ptr().cast(),
                key.len(),
                &raw mut message,
            );
        }
        self.expect_done("delete", message);
    }

    fn scan(&self, first: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) {
        let (database, options) = (self.database.as_ptr(), self.read_options.as_ptr());
        // SAFETY: an open database and live options; the iterator is gone before either.
        let iterator = unsafe { (self.functions.rocksdb_create_iterator)(database, options) };
        let iterator = NonNull::new(iterator).expect("a new iterator");
        let mut cursor = Cursor { functions: self.functions, iterator };
        cursor.seek(first);
        while let Some((key, value)) = cursor.pair() {
            if !visit(key, value) {
                return;
            }
            cursor.next();
        }
        let mut message = ptr::null_mut();
        let iterator = cursor.iterator.as_ptr();
        // SAFETY: a live iterator and an out-parameter.
        unsafe { (self.functions.rocksdb_iter_get_error)(iterator, &raw mut message) }
        self.expect_done("scan", message);
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

/// A place in a snapshot of the database.
struct Cursor {
    functions: &'static Functions,
    iterator: NonNull<api::Iterator>,
}

impl Cursor {
    fn seek(&mut self, first: u64) {
        let (iterator, key) = (self.iterator.as_ptr(), first.to_be_bytes());
        // SAFETY: a live iterator and a key of the length given, which is copied.
        unsafe { (self.functions.rocksdb_iter_seek)(iterator, key.as_ptr().cast(), key.len()) }
    }

    fn next(&mut self) {
        // SAFETY: a live iterator that stands on a pair, for `pair` has just shown one.
        unsafe { (self.functions.rocksdb_iter_next)(self.iterator.as_ptr()) }
    }

    /// The pair it stands on.
    fn pair(&self) -> Option<(u64, &[u8])> {
        let iterator = self.iterator.as_ptr();
        // SAFETY: a live iterator.
        if unsafe { (self.functions.rocksdb_iter_valid)(iterator) } == 0 {
            return None;
        }
        let (mut key_bytes, mut value_bytes) = (0, 0);
        // SAFETY: a live iterator that stands on a pair, and an out-parameter.
        let key = unsafe { (self.functions.rocksdb_iter_key)(iterator, &raw mut key_bytes) };
        // SAFETY: as above.
        let value = unsafe { (self.functions.rocksdb_iter_value)(iterator, &raw mut value_bytes) };
        // SAFETY: the pair stays until the iterator moves, which takes it exclusively.
        let key = unsafe { bytes_at(key, key_bytes) };
        // SAFETY: as above.
        Some((key_of(key), unsafe { bytes_at(value, value_bytes) }))
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // SAFETY: destroyed once, before the database.
        unsafe { (self.functions.rocksdb_iter_destroy)(self.iterator.as_ptr()) }
    }
}
