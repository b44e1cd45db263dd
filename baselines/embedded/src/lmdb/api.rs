//! The functions of `lmdb.h` that the store calls.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use engine::OpenError;

use crate::library::{SharedLibrary, functions, opaque};

const SONAME: &str = "liblmdb.so.0";
const PACKAGE: &str = "liblmdb0";

opaque! { Cursor Environment Transaction }

/// A range of bytes (`MDB_val`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Value {
    pub(super) bytes: usize,
    pub(super) start: *mut c_void,
}

/// Pages and entries of one tree (`MDB_stat`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statistics {
    pub(super) page_bytes: c_uint,
    pub(super) depth: c_uint,
    pub(super) branch_pages: usize,
    pub(super) leaf_pages: usize,
    pub(super) overflow_pages: usize,
    pub(super) entries: usize,
}

/// The environment as last committed (`MDB_envinfo`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Information {
    pub(super) fixed_address: *mut c_void,
    pub(super) map_bytes: usize,
    pub(super) last_page: usize,
    pub(super) last_transaction: usize,
    pub(super) readers_max: c_uint,
    pub(super) readers: c_uint,
}

const _: () = assert!(size_of::<Value>() == 16);
const _: () = assert!(size_of::<Statistics>() == 40);
const _: () = assert!(size_of::<Information>() == 40);

/// Flags of an environment, a transaction and a tree; operations of a cursor; codes. All by the
/// names of `lmdb.h`.
pub(super) mod constants {
    use std::ffi::{c_int, c_uint};

    pub(in super::super) const NOSYNC: c_uint = 0x1_0000;
    pub(in super::super) const RDONLY: c_uint = 0x2_0000;
    pub(in super::super) const NOMETASYNC: c_uint = 0x4_0000;
    pub(in super::super) const WRITEMAP: c_uint = 0x8_0000;
    pub(in super::super) const NOTLS: c_uint = 0x20_0000;
    pub(in super::super) const NORDAHEAD: c_uint = 0x80_0000;
    pub(in super::super) const INTEGERKEY: c_uint = 0x08;
    pub(in super::super) const CREATE: c_uint = 0x4_0000;
    pub(in super::super) const FIRST: c_uint = 0;
    pub(in super::super) const LAST: c_uint = 6;
    pub(in super::super) const NEXT: c_uint = 8;
    pub(in super::super) const PREV: c_uint = 12;
    pub(in super::super) const SET_RANGE: c_uint = 17;
    pub(in super::super) const NOTFOUND: c_int = -30798;
    pub(in super::super) const MAP_FULL: c_int = -30792;
    /// The tree of free pages, which is always there.
    pub(in super::super) const FREE_TREE: c_uint = 0;
}

functions! {
    /// The table of functions, each under its own name.
    Functions {
        fn mdb_version(*mut c_int, *mut c_int, *mut c_int) -> *const c_char;
        fn mdb_strerror(c_int) -> *const c_char;
        fn mdb_env_create(*mut *mut Environment) -> c_int;
        fn mdb_env_open(*mut Environment, *const c_char, c_uint, libc::mode_t) -> c_int;
        fn mdb_env_close(*mut Environment);
        fn mdb_env_info(*mut Environment, *mut Information) -> c_int;
        fn mdb_env_set_mapsize(*mut Environment, usize) -> c_int;
        fn mdb_env_set_maxreaders(*mut Environment, c_uint) -> c_int;
        fn mdb_txn_begin(
            *mut Environment, *mut Transaction, c_uint, *mut *mut Transaction,
        ) -> c_int;
        fn mdb_txn_commit(*mut Transaction) -> c_int;
        fn mdb_txn_abort(*mut Transaction);
        fn mdb_txn_reset(*mut Transaction);
        fn mdb_txn_renew(*mut Transaction) -> c_int;
        fn mdb_dbi_open(*mut Transaction, *const c_char, c_uint, *mut c_uint) -> c_int;
        fn mdb_stat(*mut Transaction, c_uint, *mut Statistics) -> c_int;
        fn mdb_get(*mut Transaction, c_uint, *mut Value, *mut Value) -> c_int;
        fn mdb_put(*mut Transaction, c_uint, *mut Value, *mut Value, c_uint) -> c_int;
        fn mdb_del(*mut Transaction, c_uint, *mut Value, *mut Value) -> c_int;
        fn mdb_cursor_open(*mut Transaction, c_uint, *mut *mut Cursor) -> c_int;
        fn mdb_cursor_close(*mut Cursor);
        fn mdb_cursor_renew(*mut Transaction, *mut Cursor) -> c_int;
        fn mdb_cursor_get(*mut Cursor, *mut Value, *mut Value, c_uint) -> c_int;
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
