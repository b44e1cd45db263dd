//! The functions of `leveldb/c.h` that the store calls.

use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::sync::OnceLock;

use engine::OpenError;

use crate::library::{SharedLibrary, functions, opaque};

/// Debian's 1.23; the name carries the version of the interface.
pub(crate) const SONAME: &str = "libleveldb.so.1d";
const PACKAGE: &str = "libleveldb1d";

opaque! { Cache Database FilterPolicy Iterator Options ReadOptions WriteOptions }

/// `leveldb_no_compression`.
pub(super) const NO_COMPRESSION: c_int = 0;

functions! {
    /// The table of functions, each under its own name.
    Functions {
        fn leveldb_options_create() -> *mut Options;
        fn leveldb_options_destroy(*mut Options);
        fn leveldb_options_set_create_if_missing(*mut Options, c_uchar);
        fn leveldb_options_set_compression(*mut Options, c_int);
        fn leveldb_options_set_write_buffer_size(*mut Options, usize);
        fn leveldb_options_set_max_file_size(*mut Options, usize);
        fn leveldb_options_set_cache(*mut Options, *mut Cache);
        fn leveldb_options_set_filter_policy(*mut Options, *mut FilterPolicy);
        fn leveldb_cache_create_lru(usize) -> *mut Cache;
        fn leveldb_cache_destroy(*mut Cache);
        fn leveldb_filterpolicy_create_bloom(c_int) -> *mut FilterPolicy;
        fn leveldb_filterpolicy_destroy(*mut FilterPolicy);
        fn leveldb_readoptions_create() -> *mut ReadOptions;
        fn leveldb_readoptions_destroy(*mut ReadOptions);
        fn leveldb_writeoptions_create() -> *mut WriteOptions;
        fn leveldb_writeoptions_destroy(*mut WriteOptions);
        fn leveldb_open(*const Options, *const c_char, *mut *mut c_char) -> *mut Database;
        fn leveldb_close(*mut Database);
        fn leveldb_put(
            *mut Database, *const WriteOptions, *const c_char, usize, *const c_char, usize,
            *mut *mut c_char,
        );
        fn leveldb_delete(
            *mut Database, *const WriteOptions, *const c_char, usize, *mut *mut c_char,
        );
        fn leveldb_get(
            *mut Database, *const ReadOptions, *const c_char, usize, *mut usize,
            *mut *mut c_char,
        ) -> *mut c_char;
        fn leveldb_create_iterator(*mut Database, *const ReadOptions) -> *mut Iterator;
        fn leveldb_iter_destroy(*mut Iterator);
        fn leveldb_iter_valid(*const Iterator) -> c_uchar;
        fn leveldb_iter_seek(*mut Iterator, *const c_char, usize);
        fn leveldb_iter_next(*mut Iterator);
        fn leveldb_iter_key(*const Iterator, *mut usize) -> *const c_char;
        fn leveldb_iter_value(*const Iterator, *mut usize) -> *const c_char;
        fn leveldb_iter_get_error(*const Iterator, *mut *mut c_char);
        fn leveldb_property_value(*mut Database, *const c_char) -> *mut c_char;
        fn leveldb_compact_range(*mut Database, *const c_char, usize, *const c_char, usize);
        fn leveldb_free(*mut c_void);
        fn leveldb_major_version() -> c_int;
        fn leveldb_minor_version() -> c_int;
    }
}

/// The functions, found once for the process.
///
/// # Errors
/// [`OpenError::Missing`] where the library or one of them is missing.
pub(super) fn functions() -> Result<&'static Functions, OpenError> {
    static FOUND: OnceLock<Result<Functions, OpenError>> = OnceLock::new();
    let load = || Functions::resolve(&SharedLibrary::load(SONAME, PACKAGE)?);
    FOUND.get_or_init(load).as_ref().map_err(Clone::clone)
}
