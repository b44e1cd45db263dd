//! What the C interfaces of RocksDB and LevelDB have in common: error messages and byte ranges.

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use engine::OpenError;

/// Takes ownership of a call's error message and frees it.
///
/// # Errors
/// The message, if there is one.
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

/// A path as a C string.
pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("a path that the system knows")
}

/// The error of a store that did not open, with the store's message.
pub(crate) fn refused(what: &str, message: &str) -> OpenError {
    OpenError::Missing {
        what: format!("what {what} needs to open ({message})"),
        remedy: "fix the problem named in its message, then open it again".to_owned(),
    }
}
