//! A system call: returning free heap pages.

/// Makes the process' `malloc`, which the libraries allocate from, return its free pages.
pub(crate) fn trim_heap() {
    // SAFETY: takes the heap's own locks; live blocks stay.
    unsafe { libc::malloc_trim(0) };
}
