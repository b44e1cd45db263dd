//! The C library's ptmalloc. The program itself allocates from it, so it is the one heap whose
//! statistics include the harness's own allocations.

use std::ffi::{CStr, c_char};
use std::ptr::{self, NonNull};

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};

use crate::{environment, released, variants};

static TRAITS: HeapTraits = HeapTraits {
    name: "glibc",
    description: "ptmalloc: arenas of boundary-tagged chunks, bins, a small cache per thread",
    variants: variants::GLIBC,
    ..HeapTraits::BASE
};

/// Variables that glibc reads at start; it never reports which ones it obeyed.
const VARIABLES: &[&str] = &[
    "MALLOC_ARENA_MAX",
    "MALLOC_ARENA_TEST",
    "MALLOC_MMAP_MAX_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_TOP_PAD_",
    "GLIBC_TUNABLES",
];

/// The C library's allocator.
#[derive(Debug)]
pub(crate) struct Glibc;

impl Heap for Glibc {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: `malloc` takes any size; 0 yields a unique block.
        NonNull::new(unsafe { libc::malloc(bytes) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, _bytes: usize) {
        // SAFETY: the caller guarantees a live block of `malloc`.
        unsafe { libc::free(block.as_ptr().cast()) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller guarantees a live block of `malloc`; a size of 0, which would free it,
        // is not passed on.
        NonNull::new(unsafe { libc::realloc(block.as_ptr().cast(), bytes.max(1)) }.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { libc::memalign(alignment, bytes) }.cast())
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: the caller guarantees a live block of `malloc`.
        Some(unsafe { libc::malloc_usable_size(block.as_ptr().cast()) })
    }

    fn purge(&self) {
        // SAFETY: `malloc_trim` locks each arena itself; 0 keeps no padding at the top.
        unsafe { libc::malloc_trim(0) };
    }

    fn version(&self) -> String {
        // SAFETY: takes nothing and returns a static string.
        let version = unsafe { libc::gnu_get_libc_version() };
        // SAFETY: the string is NUL-terminated and never freed.
        let version = unsafe { CStr::from_ptr(version) };
        released::dated(format!("glibc {}", version.to_string_lossy()))
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings = environment::settings(VARIABLES);
        settings.push(Setting::new("arenas (malloc_info)", arenas()));
        settings.push(Setting::new("free", "free"));
        settings.push(Setting::new("reallocate", "realloc"));
        settings.push(Setting::new("purge", "malloc_trim(0); thread caches (tcache) stay"));
        settings
    }

    fn statistics(&self) -> HeapStatistics {
        // SAFETY: takes nothing, sums over all arenas under their locks.
        let info = unsafe { libc::mallinfo2() };
        HeapStatistics {
            allocated_bytes: Some((info.uordblks + info.hblkhd) as u64),
            mapped_bytes: Some((info.arena + info.hblkhd) as u64),
        }
    }
}

/// The number of arenas in the report of `malloc_info`; 0 if there is no report.
fn arenas() -> usize {
    let mut report: *mut c_char = ptr::null_mut();
    let mut report_bytes = 0;
    // SAFETY: both out-pointers live until the stream is closed below.
    let stream = unsafe { libc::open_memstream(&raw mut report, &raw mut report_bytes) };
    if stream.is_null() {
        return 0;
    }
    // SAFETY: `stream` is an open stream; 0 is the only option there is.
    unsafe { libc::malloc_info(0, stream) };
    // SAFETY: closed once; closing completes `report` and its length.
    unsafe { libc::fclose(stream) };
    if report.is_null() {
        return 0;
    }
    // SAFETY: `fclose` left a NUL-terminated string that we own until the `free` below.
    let text = unsafe { CStr::from_ptr(report) };
    let arenas = text.to_string_lossy().matches("<heap nr=").count();
    // SAFETY: `open_memstream` hands ownership of the malloc'ed buffer to us; freed once.
    unsafe { libc::free(report.cast()) };
    arenas
}
