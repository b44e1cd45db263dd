//! A LevelDB database and the objects it is opened with.

use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt;
use std::ptr::{self, NonNull};

use engine::OpenError;

use super::api::{self, Functions};
use crate::counted::{Table, key_of};
use crate::foreign::{bytes_at, refused, taken};

/// What a database is opened with; see the fields of the same names in
/// [`LevelDbConfig`](super::LevelDbConfig).
#[derive(Debug)]
pub(super) struct Options {
    pub(super) folder: CString,
    pub(super) write_buffer_bytes: usize,
    pub(super) table_file_bytes: usize,
    pub(super) block_cache_bytes: usize,
    pub(super) bloom_bits_per_key: c_int,
}

/// An open database. All its functions may be called by several threads at a time.
pub struct Database {
    functions: &'static Functions,
    database: NonNull<api::Database>,
    cache: *mut api::Cache,
    filter: *mut api::FilterPolicy,
    read_options: NonNull<api::ReadOptions>,
    write_options: NonNull<api::WriteOptions>,
}

// SAFETY: LevelDB's database, cache, filter and options that nobody changes belong to no thread.
unsafe impl Send for Database {}
// SAFETY: LevelDB's database orders concurrent calls itself; options are only read.
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
            let all = (functions.leveldb_options_create)();
            (functions.leveldb_options_set_create_if_missing)(all, 1);
            (functions.leveldb_options_set_compression)(all, api::NO_COMPRESSION);
            (functions.leveldb_options_set_write_buffer_size)(all, options.write_buffer_bytes);
            (functions.leveldb_options_set_max_file_size)(all, options.table_file_bytes);
            (functions.leveldb_options_set_cache)(all, cache);
            (functions.leveldb_options_set_filter_policy)(all, filter);
            let mut message = ptr::null_mut();
            let path = options.folder.as_ptr();
            let database = (functions.leveldb_open)(all, path, &raw mut message);
            (functions.leveldb_options_destroy)(all);
            let opened = taken(message, functions.leveldb_free);
            let Some(database) = NonNull::new(database) else {
                (functions.leveldb_filterpolicy_destroy)(filter);
                (functions.leveldb_cache_destroy)(cache);
                return Err(refused("LevelDB", &opened.err().unwrap_or_default()));
            };
            let read_options = NonNull::new_unchecked((functions.leveldb_readoptions_create)());
            let write_options = NonNull::new_unchecked((functions.leveldb_writeoptions_create)());
            Ok(Self { functions, database, cache, filter, read_options, write_options })
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
        let text = unsafe {
            (self.functions.leveldb_property_value)(self.database.as_ptr(), name.as_ptr())
        };
        // SAFETY: null or a string that is ours, and LevelDB frees.
        unsafe { taken(text, self.functions.leveldb_free) }.err()
    }

    /// Writes the memtable out and merges all files.
    pub(super) fn compact(&self) {
        let (database, nothing) = (self.database.as_ptr(), ptr::null());
        // SAFETY: an open database; null ends mean all keys.
        unsafe { (self.functions.leveldb_compact_range)(database, nothing, 0, nothing, 0) }
    }

    fn expect_done(&self, operation: &str, message: *mut c_char) {
        // SAFETY: the message a call has just left in our own variable, which LevelDB frees.
        if let Err(message) = unsafe { taken(message, self.functions.leveldb_free) } {
            panic!("LevelDB's {operation}: {message}");
        }
    }
}

impl Drop for Database {
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers all")]
    fn drop(&mut self) {
        let functions = self.functions;
        // SAFETY: iterators borrow `self`, so none is left; each is destroyed once, cache and
        // filter after the database that uses them.
        unsafe {
            (functions.leveldb_close)(self.database.as_ptr());
            (functions.leveldb_readoptions_destroy)(self.read_options.as_ptr());
            (functions.leveldb_writeoptions_destroy)(self.write_options.as_ptr());
            (functions.leveldb_filterpolicy_destroy)(self.filter);
            (functions.leveldb_cache_destroy)(self.cache);
        }
    }
}

impl Table for Database {
    #[inline]
    fn read<R>(&self, key: u64, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let key = key.to_be_bytes();
        let (database, options) = (self.database.as_ptr(), self.read_options.as_ptr());
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
        self.expect_done("get", message);
        let copy = Copied { functions: self.functions, start: NonNull::new(start)?, bytes };
        Some(read(copy.value()))
    }

    #[inline]
    fn put(&self, key: u64, value: &[u8]) {
        let key = key.to_be_bytes();
        let (database, options) = (self.database.as_ptr(), self.write_options.as_ptr());
        let (key_at, value_at) = (key.as_ptr().cast(), value.as_ptr().cast());
        let mut message = ptr::null_mut();
        // SAFETY: an open database, live options; key and value have the lengths given.
        unsafe {
            (self.functions.leveldb_put)(
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
            (self.functions.leveldb_delete)(
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
        let iterator = unsafe { (self.functions.leveldb_create_iterator)(database, options) };
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
        unsafe { (self.functions.leveldb_iter_get_error)(iterator, &raw mut message) }
        self.expect_done("scan", message);
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
        unsafe { (self.functions.leveldb_free)(self.start.as_ptr().cast()) }
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
        unsafe { (self.functions.leveldb_iter_seek)(iterator, key.as_ptr().cast(), key.len()) }
    }

    fn next(&mut self) {
        // SAFETY: a live iterator that stands on a pair, for `pair` has just shown one.
        unsafe { (self.functions.leveldb_iter_next)(self.iterator.as_ptr()) }
    }

    /// The pair it stands on.
    fn pair(&self) -> Option<(u64, &[u8])> {
        let iterator = self.iterator.as_ptr();
        // SAFETY: a live iterator.
        if unsafe { (self.functions.leveldb_iter_valid)(iterator) } == 0 {
            return None;
        }
        let (mut key_bytes, mut value_bytes) = (0, 0);
        // SAFETY: a live iterator that stands on a pair, and an out-parameter.
        let key = unsafe { (self.functions.leveldb_iter_key)(iterator, &raw mut key_bytes) };
        // SAFETY: as above.
        let value = unsafe { (self.functions.leveldb_iter_value)(iterator, &raw mut value_bytes) };
        // SAFETY: the pair stays until the iterator moves, which takes it exclusively.
        let key = unsafe { bytes_at(key, key_bytes) };
        // SAFETY: as above.
        Some((key_of(key), unsafe { bytes_at(value, value_bytes) }))
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // SAFETY: destroyed once, before the database.
        unsafe { (self.functions.leveldb_iter_destroy)(self.iterator.as_ptr()) }
    }
}
