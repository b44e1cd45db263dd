//! The functions of `rocksdb/c.h` that the store calls.

use std::ffi::{c_char, c_int, c_uchar, c_uint};
use std::ops::Deref;
use std::sync::OnceLock;

use engine::OpenError;

use crate::library::{SharedLibrary, functions, opaque};
use crate::lsm::{self, Handle, Options, ReadOptions, WriteOptions};

/// Debian's 7.8; the name carries the version of the interface.
pub(crate) const SONAME: &str = "librocksdb.so.7.8";
const PACKAGE: &str = "librocksdb7.8";

opaque! { BlockOptions Cache Environment FilterPolicy PinnedSlice }

/// `c.h` lists compressions in an enumeration that begins with none.
pub(super) const NO_COMPRESSION: c_int = 0;
/// Messages of `FATAL` and above; the log is a file, so memory.
pub(super) const LOG_LEVEL_FATAL: c_int = 4;

functions! {
    /// The table of functions, each under its own name.
    Own {
        fn rocksdb_options_create() -> *mut Options;
        fn rocksdb_options_destroy(*mut Options);
        fn rocksdb_options_set_create_if_missing(*mut Options, c_uchar);
        fn rocksdb_options_set_env(*mut Options, *mut Environment);
        fn rocksdb_options_set_compression(*mut Options, c_int);
        fn rocksdb_options_set_write_buffer_size(*mut Options, usize);
        fn rocksdb_options_set_max_write_buffer_number(*mut Options, c_int);
        fn rocksdb_options_set_max_background_jobs(*mut Options, c_int);
        fn rocksdb_options_set_level_compaction_dynamic_level_bytes(*mut Options, c_uchar);
        fn rocksdb_options_set_allow_mmap_reads(*mut Options, c_uchar);
        fn rocksdb_options_set_use_direct_reads(*mut Options, c_uchar);
        fn rocksdb_options_set_use_direct_io_for_flush_and_compaction(*mut Options, c_uchar);
        fn rocksdb_options_set_info_log_level(*mut Options, c_int);
        fn rocksdb_options_set_keep_log_file_num(*mut Options, usize);
        fn rocksdb_options_set_stats_dump_period_sec(*mut Options, c_uint);
        fn rocksdb_options_set_stats_persist_period_sec(*mut Options, c_uint);
        fn rocksdb_options_set_block_based_table_factory(*mut Options, *mut BlockOptions);
        fn rocksdb_block_based_options_create() -> *mut BlockOptions;
        fn rocksdb_block_based_options_destroy(*mut BlockOptions);
        fn rocksdb_block_based_options_set_block_cache(*mut BlockOptions, *mut Cache);
        fn rocksdb_block_based_options_set_filter_policy(*mut BlockOptions, *mut FilterPolicy);
        fn rocksdb_cache_create_lru(usize) -> *mut Cache;
        fn rocksdb_cache_destroy(*mut Cache);
        fn rocksdb_filterpolicy_create_bloom_full(f64) -> *mut FilterPolicy;
        fn rocksdb_create_mem_env() -> *mut Environment;
        fn rocksdb_env_destroy(*mut Environment);
        fn rocksdb_readoptions_set_verify_checksums(*mut ReadOptions, c_uchar);
        fn rocksdb_writeoptions_disable_WAL(*mut WriteOptions, c_int);
        fn rocksdb_get_pinned(
            *mut Handle, *const ReadOptions, *const c_char, usize, *mut *mut c_char,
        ) -> *mut PinnedSlice;
        fn rocksdb_pinnableslice_value(*const PinnedSlice, *mut usize) -> *const c_char;
        fn rocksdb_pinnableslice_destroy(*mut PinnedSlice);
        fn rocksdb_property_int(*mut Handle, *const c_char, *mut u64) -> c_int;
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
        let shared = lsm::Functions::resolve(&library, "rocksdb_")?;
        Ok(Functions { shared, own: Own::resolve(&library)? })
    };
    FOUND.get_or_init(load).as_ref().map_err(Clone::clone)
}
