//! A LevelDB database and the objects it is opened with.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{self, NonNull};

use engine::{OpenError, ScanOrder};
use kit::counted::Table;
use kit::moment::Write;

use super::api::{self, Functions};
use crate::foreign::{bytes_at, taken};
use crate::lsm::{AtSnapshot, Open};

/// What a database is opened with; see the fields of the same names in
/// [`LevelDbConfig`](super::LevelDbConfig).
#[derive(Debug)]
pub(super) struct Options {
    pub(super) folder: CString,
    pub(super) write_buffer_bytes: usize,
    pub(super) table_file_bytes: usize,
    pub(super) block_cache_bytes: usize,
    pub(super) bloom_bits_per_key: c_int,
    /// Whether a write waits for the device.
    pub(super) synchronises: bool,
}

/// An open database. Dropped in order: the database, then what it uses.
#[derive(Debug)]
pub struct Database {
    open: Open,
    functions: &'static Functions,
    _used: Used,
}

/// Cache and filter of a database.
#[derive(Debug)]
struct Used {
    functions: &'static Functions,
    cache: *mut api::Cache,
    filter: *mut api::FilterPolicy,
}

// SAFETY: LevelDB's cache and filter belong to no thread.
unsafe impl Send for Used {}
// SAFETY: nothing is done with them but to destroy them, by who owns them.
unsafe impl Sync for Used {}

impl Drop for Used {
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers both")]
    fn drop(&mut self) {
        // SAFETY: each is destroyed once, after the database that uses it.
        unsafe {
            (self.functions.leveldb_filterpolicy_destroy)(self.filter);
            (self.functions.leveldb_cache_destroy)(self.cache);
        }
    }
}

impl Database {
    /// Opens a database, or creates an empty one.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where the library is missing or LevelDB refuses.
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "one fact covers calls in a row on objects that live until the last"
    )]
    pub(super) fn open(options: &Options) -> Result<Self, OpenError> {
        let functions = api::functions()?;
        // SAFETY: the setters copy numbers, and addresses of the cache and the filter, which stay
        // with the database. Each object is destroyed once, after its last use.
        unsafe {
            let cache = (functions.leveldb_cache_create_lru)(options.block_cache_bytes);
            let filter = (functions.leveldb_filterpolicy_create_bloom)(options.bloom_bits_per_key);
            let used = Used { functions, cache, filter };
            let all = (functions.leveldb_options_create)();
            (functions.leveldb_options_set_create_if_missing)(all, 1);
            (functions.leveldb_options_set_compression)(all, api::NO_COMPRESSION);
            (functions.leveldb_options_set_write_buffer_size)(all, options.write_buffer_bytes);
            (functions.leveldb_options_set_max_file_size)(all, options.table_file_bytes);
            (functions.leveldb_options_set_cache)(all, cache);
            (functions.leveldb_options_set_filter_policy)(all, filter);
            let open = Open::new(&functions.shared, "LevelDB", all, &options.folder);
            (functions.leveldb_options_destroy)(all);
            let mut open = open?;
            if options.synchronises {
                open.synchronise_writes();
            }
            Ok(Self { open, functions, _used: used })
        }
    }

    /// The library's version.
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers both")]
    pub(super) fn version(&self) -> String {
        // SAFETY: two functions without arguments that return constants.
        let (major, minor) = unsafe {
            ((self.functions.leveldb_major_version)(), (self.functions.leveldb_minor_version)())
        };
        format!("{major}.{minor}")
    }

    /// A text of the store's own by its documented name.
    pub(super) fn property(&self, name: &CStr) -> Option<String> {
        // SAFETY: an open database and a NUL-terminated name.
        let text =
            unsafe { (self.functions.leveldb_property_value)(self.open.handle(), name.as_ptr()) };
        // SAFETY: null or a string that is ours, and LevelDB frees.
        unsafe { taken(text, self.functions.shared.free) }.err()
    }

    /// Writes the memtable out and merges all files.
    pub(super) fn compact(&self) {
        self.open.compact();
    }
}

impl Table for Database {
    type Moment<'database> = AtSnapshot<'database>;

    #[inline]
    fn read<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let (database, options) = (self.open.handle(), self.open.read_options());
        let (mut bytes, mut message) = (0, ptr::null_mut());
        // SAFETY: an open database, live options, and a key of the length given.
        let start = unsafe {
            (self.functions.leveldb_get)(
                database,
                options,
                key.as_ptr().cast(),
                key.len(),
                &raw mut bytes,
                &raw mut message,
            )
        };
        self.open.expect_done("get", message);
        let copy = Copied { functions: self.functions, start: NonNull::new(start)?, bytes };
        Some(read(copy.value()))
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

/// A copy of a value, which the interface makes for every get.
struct Copied {
    functions: &'static Functions,
    start: NonNull<c_char>,
    bytes: usize,
}

impl Copied {
    fn value(&self) -> &[u8] {
        // SAFETY: a block of that length which is ours until it is freed, after `self`.
        unsafe { bytes_at(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // SAFETY: freed once, and nobody looks at it any more.
        unsafe { (self.functions.shared.free)(self.start.as_ptr().cast()) }
    }
}
