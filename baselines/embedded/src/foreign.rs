//! What the C interfaces of RocksDB and LevelDB share: error messages and byte ranges.

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use engine::OpenError;

/// Takes a call's message over, and frees it.
///
/// # Errors
/// The message, where there is one.
///
/// # Safety
/// `message` is null or a NUL-terminated string that `free` may free, used by nobody else.
pub(crate) unsafe fn taken(
    message: *mut c_char,
    free: unsafe extern "C" fn(*mut c_void),
) -> Result<(), String> {
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: NUL-terminated by contract.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // SAFETY: the caller's alone, and `free` fits, by contract.
    unsafe { free(message.cast()) };
    Err(text)
}

/// A range of bytes, which may be null when it is empty.
///
/// # Safety
/// `start` and `bytes` describe memory that is readable and unchanged for `'a`, or `bytes` is 0.
pub(crate) unsafe fn bytes_at<'a>(start: *const c_char, bytes: usize) -> &'a [u8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: by contract.
    unsafe { std::slice::from_raw_parts(start.cast(), bytes) }
}

/// A path as C wants it.
pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("a path that the system knows")
}

/// Why a store did not open, in its own words.
pub(crate) fn refused(what: &str, message: &str) -> OpenError {
    OpenError::Missing {
        what: format!("what {what} needs to open ({message})"),
        remedy: "mend what its message names, then open it again".to_owned(),
    }
}
