//! snmalloc, statically linked; its entry points start with `sn_rust_`.

use std::ptr::NonNull;

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};
use snmalloc_sys::{
    sn_rust_alloc, sn_rust_dealloc, sn_rust_realloc, sn_rust_statistics, sn_rust_usable_size,
};

static TRAITS: HeapTraits = HeapTraits {
    name: "snmalloc",
    description: "slabs per thread, remote frees batched as messages to their owner",
    ..HeapTraits::BASE
};

/// The alignment of every request, and snmalloc's smallest block.
const ALIGNMENT_BYTES: usize = 16;

/// The crate bundles upstream sources without a version of their own.
const VERSION: &str = "snmalloc as bundled by snmalloc-sys 0.7.6";

#[derive(Debug)]
pub(crate) struct Snmalloc;

impl Heap for Snmalloc {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the alignment is a power of two above 0; a size of 0 is not passed on.
        NonNull::new(unsafe { sn_rust_alloc(ALIGNMENT_BYTES, bytes.max(1)) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller guarantees a live block of `allocate` with this size, which used
        // the same alignment and the same floor of 1.
        unsafe { sn_rust_dealloc(block.as_ptr().cast(), ALIGNMENT_BYTES, bytes.max(1)) };
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller guarantees a live block of this alignment and old size, which has the
        // same floor of 1.
        let moved = unsafe {
            sn_rust_realloc(block.as_ptr().cast(), ALIGNMENT_BYTES, old_bytes.max(1), bytes.max(1))
        };
        NonNull::new(moved.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        let alignment = alignment.max(ALIGNMENT_BYTES);
        // SAFETY: the alignment is a power of two above 0; a size of 0 is not passed on.
        NonNull::new(unsafe { sn_rust_alloc(alignment, bytes.max(1)) }.cast())
    }

    /// Passes size and alignment: the crate has no other way to free.
    unsafe fn release(&self, block: NonNull<u8>, bytes: usize, alignment: usize) {
        let alignment = alignment.max(ALIGNMENT_BYTES);
        // SAFETY: the caller guarantees a live block of this size and alignment, with the same
        // floors.
        unsafe { sn_rust_dealloc(block.as_ptr().cast(), alignment, bytes.max(1)) };
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: the caller guarantees a live block of `sn_rust_alloc`.
        Some(unsafe { sn_rust_usable_size(block.as_ptr().cast()) })
    }

    /// Does nothing: the crate exports no function that returns memory.
    fn purge(&self) {}

    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("free", "sn_rust_dealloc (sized)"),
            Setting::new("reallocate", "sn_rust_realloc (sized)"),
            Setting::new("release", "sn_rust_dealloc (sized)"),
            Setting::new("purge", "none"),
        ]
    }

    /// Memory taken from the reserved address space; snmalloc does not count bytes handed out.
    fn statistics(&self) -> HeapStatistics {
        let mut current = 0;
        let mut peak = 0;
        // SAFETY: two distinct out-parameters that outlive the call.
        unsafe { sn_rust_statistics(&raw mut current, &raw mut peak) };
        HeapStatistics { allocated_bytes: None, mapped_bytes: Some(current as u64) }
    }
}
