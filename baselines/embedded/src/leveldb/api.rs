//! The functions of `leveldb/c.h` that the store calls.

use std::ffi::{c_char, c_int, c_uchar};
use std::ops::Deref;
use std::sync::OnceLock;

use engine::OpenError;

use crate::library::{SharedLibrary, functions, opaque};
use crate::lsm::{self, Handle, Options, ReadOptions};

/// Debian's 1.23; the name carries the version of the interface.
pub(crate) const SONAME: &str = "libleveldb.so.1d";
const PACKAGE: &str = "libleveldb1d";

opaque! { Cache FilterPolicy }

/// `leveldb_no_compression`.
pub(super) const NO_COMPRESSION: c_int = 0;

functions! {
    /// The table of functions, each under its own name.
    Own {
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
        fn leveldb_get(
            *mut Handle, *const ReadOptions, *const c_char, usize, *mut usize,
            *mut *mut c_char,
        ) -> *mut c_char;
        fn leveldb_property_value(*mut Handle, *const c_char) -> *mut c_char;
        fn leveldb_major_version() -> c_int;
        fn leveldb_minor_version() -> c_int;
    }
}

/// The functions that LevelDB and RocksDB share, and those of this one.
#[derive(Debug)]
pub(super) struct Functions {
    pub(super) shared: lsm::Functions,
    own: Own,
}

impl Deref for Functions {
    type Target = Own;

    #[inline]
    fn deref(&self) -> &Own {
        &self.own
    }
}

/// The functions, found once for the process.
///
/// # Errors
/// [`OpenError::Missing`] where the library or one of them is missing.
pub(super) fn functions() -> Result<&'static Functions, OpenError> {
    static FOUND: OnceLock<Result<Functions, OpenError>> = OnceLock::new();
    let load = || {
        let library = SharedLibrary::load(SONAME, PACKAGE)?;
        let shared = lsm::Functions::resolve(&library, "leveldb_")?;
        Ok(Functions { shared, own: Own::resolve(&library)? })
    };
    FOUND.get_or_init(load).as_ref().map_err(Clone::clone)
}
