//! Two calls to the system: what a tmpfs has left, and giving free heap pages back.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Free bytes of the tmpfs that `path` is on; `None` where it is on another file system.
///
/// # Errors
/// Where there is no such path.
pub(crate) fn tmpfs_free_bytes(path: &Path) -> io::Result<Option<u64>> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut found = MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: a NUL-terminated path and an out-parameter that outlive the call.
    let status = unsafe { libc::statfs(path.as_ptr(), found.as_mut_ptr()) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so it filled the structure.
    let found = unsafe { found.assume_init() };
    let free_bytes = found.f_bavail.saturating_mul(found.f_bsize as u64);
    Ok((found.f_type == libc::TMPFS_MAGIC).then_some(free_bytes))
}

/// Has the process' `malloc`, from which the libraries allocate, return its free pages.
pub(crate) fn trim_heap() {
    // SAFETY: takes the heap's own locks; live blocks stay.
    unsafe { libc::malloc_trim(0) };
}
