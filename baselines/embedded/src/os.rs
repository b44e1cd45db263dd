//! Two system calls: the free space of a tmpfs, and returning free heap pages.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Free bytes of the tmpfs that contains `path`; `None` if it is another file system.
///
/// # Errors
/// If there is no such path.
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

/// Makes the process' `malloc`, which the libraries allocate from, return its free pages.
pub(crate) fn trim_heap() {
    // SAFETY: takes the heap's own locks; live blocks stay.
    unsafe { libc::malloc_trim(0) };
}
