//! rpmalloc, statically linked; its entry points start with `rp`. Every thread must announce its
//! start and end: a call from a thread that did not start dereferences null.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};
use rpmalloc_sys::{
    rpaligned_alloc, rpfree, rpmalloc, rpmalloc_global_statistics, rpmalloc_global_statistics_t,
    rpmalloc_initialize, rpmalloc_is_thread_initialized, rpmalloc_thread_initialize,
    rpmalloc_usable_size, rprealloc,
};

use crate::released;

static TRAITS: HeapTraits = HeapTraits {
    name: "rpmalloc",
    description: "64 KiB spans per size class and thread, caches of spans per thread and global",
    ..HeapTraits::BASE
};

/// The alignment of every request.
const ALIGNMENT_BYTES: usize = 16;

/// The version, taken from the top entry of the bundled change log: the C library has no version
/// function.
const VERSION: &str = "rpmalloc 1.4.3 as bundled by rpmalloc-sys 0.2.3+b097fd0";

// The crate declares this function without its parameter. Called that way, it would take whatever
// the register holds.
unsafe extern "C" {
    fn rpmalloc_thread_finalize(release_caches: c_int);
}

#[derive(Debug)]
pub(crate) struct Rpmalloc;

impl Heap for Rpmalloc {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        static OPENED: OnceLock<c_int> = OnceLock::new();
        // SAFETY: `OnceLock` runs this once; rpmalloc guards its own start with a plain flag.
        let refused = *OPENED.get_or_init(|| unsafe { rpmalloc_initialize() });
        self.thread_start();
        if refused == 0 { Ok(()) } else { Err(OpenError::OutOfMemory { wanted_bytes: 0 }) }
    }

    fn thread_start(&self) {
        // SAFETY: does nothing when the thread has started before.
        unsafe { rpmalloc_thread_initialize() }
    }

    fn thread_end(&self) {
        // SAFETY: the thread's blocks stay valid; its heap is left to be adopted by another
        // thread, and its caches go to the global cache.
        unsafe { rpmalloc_thread_finalize(1) }
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        debug_assert!(thread_has_started());
        // SAFETY: the thread has called `thread_start`, which the contract of `Heap` demands.
        NonNull::new(unsafe { rpmalloc(bytes) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, _bytes: usize) {
        debug_assert!(thread_has_started());
        // SAFETY: the caller guarantees a live block of `rpmalloc`.
        unsafe { rpfree(block.as_ptr().cast()) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        debug_assert!(thread_has_started());
        // SAFETY: the caller guarantees a live block of `rpmalloc` or `rprealloc`.
        NonNull::new(unsafe { rprealloc(block.as_ptr().cast(), bytes.max(1)) }.cast())
    }

    /// `None` from 64 KiB on, because a block must lie within the span that its address leads to.
    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        debug_assert!(thread_has_started());
        let alignment = alignment.max(ALIGNMENT_BYTES);
        // SAFETY: a power of two and a multiple of a pointer's size; too large a one is refused.
        NonNull::new(unsafe { rpaligned_alloc(alignment, bytes) }.cast())
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        let block: *mut c_void = block.as_ptr().cast();
        // SAFETY: the caller guarantees a live block of `rpmalloc`.
        Some(unsafe { rpmalloc_usable_size(block) })
    }

    /// Ends and restarts the calling thread's heap, which is the only way to empty its caches. They
    /// go into a global cache that keeps 3200 spans of 64 KiB. Only `rpmalloc_finalize` frees
    /// everything, but it ends the allocator.
    fn purge(&self) {
        self.thread_end();
        self.thread_start();
    }

    fn version(&self) -> String {
        released::dated(VERSION.to_owned())
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        let counted = if global_statistics().mapped_total > 0 { "on" } else { "off" };
        vec![
            Setting::new("ENABLE_STATISTICS", counted),
            Setting::new("free", "rpfree"),
            Setting::new("reallocate", "rprealloc"),
            Setting::new(
                "purge",
                "partial: rpmalloc_thread_finalize(1); rpmalloc_thread_initialize (the thread's \
                 caches go to the global cache, some 200 MiB; what overflows it is unmapped)",
            ),
        ]
    }

    /// No statistics if the library was built without counters.
    fn statistics(&self) -> HeapStatistics {
        let statistics = global_statistics();
        let mapped_bytes = (statistics.mapped_total > 0).then_some(statistics.mapped as u64);
        HeapStatistics { allocated_bytes: None, mapped_bytes }
    }
}

fn thread_has_started() -> bool {
    // SAFETY: reads a thread-local.
    unsafe { rpmalloc_is_thread_initialized() != 0 }
}

fn global_statistics() -> rpmalloc_global_statistics_t {
    let mut statistics = rpmalloc_global_statistics_t::default();
    // SAFETY: an out-parameter that outlives the call.
    unsafe { rpmalloc_global_statistics(&raw mut statistics) };
    statistics
}
