//! The functions of libvalkey, which knows clusters, found in a library that scripts/setup builds from
//! its sources; and what is read of its structs.
//!
//! Structs are those of the headers of version 0.5.0, which may change in any later one. So the version
//! is part of the file's name, and libraries of other names are not looked for.

use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use engine::OpenError;
use kit::library::SharedLibrary;
use kit::servers::installed::find;
use libc::timeval;

use crate::hiredis::{Layout, RawReply};

/// The version whose structs these are.
pub const LIBVALKEY_VERSION: &str = "0.5.0";
/// Its file.
pub const LIBVALKEY_FILE: &str = "libvalkey-0.5.0.so";
/// Where scripts/setup puts it, as seen from the project's folder.
const OWN_FOLDER: &str = ".libvalkey";
/// Names another file.
const VARIABLE: &str = "NIBBLE_LIBVALKEY";
const REMEDY: &str = "scripts/setup builds libvalkey 0.5.0 in .libvalkey, which is looked for in this folder and \
                      beside the program; or NIBBLE_LIBVALKEY names its file";

/// `VALKEY_OK`.
pub(crate) const OK: c_int = 0;

/// `valkeyClusterOptions`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) initial_nodes: *const c_char,
    pub(crate) options: c_int,
    pub(crate) connect_timeout: *const timeval,
    pub(crate) command_timeout: *const timeval,
    pub(crate) username: *const c_char,
    pub(crate) password: *const c_char,
    pub(crate) max_retry: c_int,
    pub(crate) select_db: c_int,
    /// Functions that are called back, and what they are given.
    pub(crate) callbacks: [*const c_void; 9],
}

/// The functions, each with the types that the headers declare.
#[derive(Debug)]
pub(crate) struct Libvalkey {
    /// `valkeyClusterConnectWithOptions`
    pub(crate) connect: unsafe extern "C" fn(*const Options) -> *mut c_void,
    /// `valkeyClusterFree`
    pub(crate) free: unsafe extern "C" fn(*mut c_void),
    /// `valkeyClusterCommandArgv`
    pub(crate) command:
        unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char, *const usize) -> *mut c_void,
    /// `valkeyClusterUpdateSlotmap`
    pub(crate) update_slots: unsafe extern "C" fn(*mut c_void) -> c_int,
    /// `valkeyClusterGetNodeByKey`
    pub(crate) node_of_key: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void,
    /// `valkeyClusterGetValkeyContext`
    pub(crate) connection_of: unsafe extern "C" fn(*mut c_void, *mut c_void) -> *mut c_void,
    /// `valkeyAppendCommandArgv`
    pub(crate) append:
        unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char, *const usize) -> c_int,
    /// `valkeyGetReply`
    pub(crate) get_reply: unsafe extern "C" fn(*mut c_void, *mut *mut c_void) -> c_int,
    /// `freeReplyObject`
    pub(crate) free_reply: unsafe extern "C" fn(*mut c_void),
}

/// The file of the library: named by its variable, beside this program, or in the project's own folder.
///
/// # Errors
/// [`OpenError::Missing`] with the remedy.
pub fn libvalkey_file() -> Result<PathBuf, OpenError> {
    let missing = |what: String| OpenError::Missing { what, remedy: REMEDY.to_owned() };
    if let Some(file) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        return match file.is_file() {
            true => Ok(file),
            false => Err(missing(format!("{VARIABLE}={}", file.display()))),
        };
    }
    let program = std::env::current_exe().ok();
    let beside = program.as_ref().and_then(|program| program.parent());
    let folders: Vec<PathBuf> =
        beside.into_iter().map(PathBuf::from).chain([PathBuf::from(OWN_FOLDER)]).collect();
    let file = find(LIBVALKEY_FILE, &folders).ok_or_else(|| missing(LIBVALKEY_FILE.to_owned()))?;
    // A bare name would be looked for among the system's libraries.
    file.canonicalize().map_err(|error| missing(format!("{} ({error})", file.display())))
}

/// The library, found once for the process.
///
/// # Errors
/// [`OpenError::Missing`] where it or one of its functions is missing.
pub(crate) fn loaded() -> Result<&'static Libvalkey, OpenError> {
    static FOUND: OnceLock<Result<Libvalkey, OpenError>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Libvalkey, OpenError> {
    let library = SharedLibrary::load_file(&libvalkey_file()?, REMEDY)?;
    Ok(Libvalkey {
        // SAFETY: the field has the type that `cluster.h` declares for the name.
        connect: unsafe { library.function("valkeyClusterConnectWithOptions")? },
        // SAFETY: as above.
        free: unsafe { library.function("valkeyClusterFree")? },
        // SAFETY: as above.
        command: unsafe { library.function("valkeyClusterCommandArgv")? },
        // SAFETY: as above.
        update_slots: unsafe { library.function("valkeyClusterUpdateSlotmap")? },
        // SAFETY: as above.
        node_of_key: unsafe { library.function("valkeyClusterGetNodeByKey")? },
        // SAFETY: as above.
        connection_of: unsafe { library.function("valkeyClusterGetValkeyContext")? },
        // SAFETY: the field has the type that `valkey.h` declares for the name.
        append: unsafe { library.function("valkeyAppendCommandArgv")? },
        // SAFETY: as above.
        get_reply: unsafe { library.function("valkeyGetReply")? },
        // SAFETY: as above.
        free_reply: unsafe { library.function("freeReplyObject")? },
    })
}

/// What a reply says. Replies and connections begin as those of hiredis do from 1.0 on.
///
/// # Safety
/// `reply` is of libvalkey and is not freed yet.
pub(crate) unsafe fn read(reply: *const c_void) -> RawReply {
    // SAFETY: a live reply by contract, with this layout.
    unsafe { Layout::From1.read(reply) }
}

/// The error of a connection to one server: its kind, 0 for none, and its text.
///
/// # Safety
/// `connection` came from `connection_of` and is not freed yet.
pub(crate) unsafe fn error_of_connection(connection: *const c_void) -> (c_int, String) {
    // SAFETY: a live connection by contract, with this layout.
    unsafe { Layout::From1.error(connection) }
}

/// The error of a cluster's context, which begins with it.
///
/// # Safety
/// `context` came from `connect` and is not freed yet.
pub(crate) unsafe fn error_of_cluster(context: *const c_void) -> (c_int, String) {
    // SAFETY: a live context by contract, with this layout.
    unsafe { Layout::Before1.error(context) }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn options_are_laid_out_as_the_header_says() {
        assert_eq!(offset_of!(Options, connect_timeout), 16);
        assert_eq!((offset_of!(Options, max_retry), offset_of!(Options, select_db)), (48, 52));
        assert_eq!((offset_of!(Options, callbacks), size_of::<Options>()), (56, 128));
    }

    #[test]
    fn a_library_that_is_missing_is_named_with_the_remedy() {
        if let Err(error) = loaded() {
            let said = error.to_string();
            assert!(said.contains(LIBVALKEY_FILE) && said.contains("scripts/setup"), "{said}");
        }
    }
}
