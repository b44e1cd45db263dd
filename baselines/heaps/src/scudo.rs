//! Scudo, the hardened allocator of LLVM and Android, statically linked; its entry points start
//! with `scudo_`.

use std::ffi::{c_int, c_ulong, c_void};
use std::ptr::NonNull;

use engine::{
    DEFAULT_VARIANT, Heap, HeapStatistics, HeapTraits, HeapVariant, OpenError, Setting,
    reallocate_elsewhere,
};
use scudo_sys::{scudo_allocate, scudo_deallocate, scudo_disable, scudo_enable, scudo_iterate};

static TRAITS: HeapTraits = HeapTraits {
    name: "scudo",
    description: "hardened: checksummed headers, randomised size-class regions, guarded large blocks",
    variants: &[
        DEFAULT_VARIANT,
        HeapVariant {
            name: "tuned",
            description: "free pages are released every 100 ms, not every 5 s",
            environment: &[("SCUDO_OPTIONS", "release_to_os_interval_ms=100")],
        },
    ],
    ..HeapTraits::BASE
};

/// The alignment of every request.
const ALIGNMENT_BYTES: usize = 16;

/// The crate bundles LLVM sources without a version of their own.
const VERSION: &str = "scudo as bundled by scudo-sys 0.2.2 (published 2022)";

/// `scudo::Flags`, field by field as in `flags.inc` of the bundled sources.
#[repr(C)]
struct Flags {
    quarantine_size_kb: c_int,
    thread_local_quarantine_size_kb: c_int,
    quarantine_max_chunk_size: c_int,
    dealloc_type_mismatch: bool,
    delete_size_mismatch: bool,
    zero_contents: bool,
    pattern_fill_contents: bool,
    may_return_null: bool,
    release_to_os_interval_ms: c_int,
}

unsafe extern "C" {
    /// `scudo::getFlags()`: the options in effect, which no C function reports.
    #[link_name = "_ZN5scudo8getFlagsEv"]
    fn scudo_get_flags() -> *const Flags;

    /// `scudo::HashAlgorithm`: 0 is the software checksum, 1 the processor's CRC32.
    #[link_name = "_ZN5scudo13HashAlgorithmE"]
    static SCUDO_HASH_ALGORITHM: u8;
}

/// `scudo::computeHardwareCRC32(u32, uptr)`. Upstream compiles this one function for SSE 4.2 and
/// selects it at run time if the processor has it. The crate compiles it for the base processor,
/// which omits it, so every block would pay for a software checksum. The library's reference to it
/// is weak, so this definition completes it as upstream builds it.
///
/// # Safety
/// The processor must have SSE 4.2. Scudo checks before it calls.
#[cfg(target_arch = "x86_64")]
#[unsafe(export_name = "_ZN5scudo20computeHardwareCRC32Ejm")]
#[target_feature(enable = "sse4.2")]
unsafe extern "C" fn compute_hardware_crc32(crc: u32, data: usize) -> u32 {
    std::arch::x86_64::_mm_crc32_u64(u64::from(crc), data as u64) as u32
}

#[derive(Debug)]
pub(crate) struct Scudo;

impl Heap for Scudo {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    /// Makes the first allocation, which reads the options.
    fn open(&self) -> Result<(), OpenError> {
        let block = self.allocate(1).ok_or(OpenError::OutOfMemory { wanted_bytes: 1 })?;
        // SAFETY: allocated just above with this size, freed once.
        unsafe { self.free(block, 1) };
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { scudo_allocate(bytes, ALIGNMENT_BYTES) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, _bytes: usize) {
        // SAFETY: the caller guarantees a live block of `scudo_allocate`; size 0 means unknown,
        // as in C's `free`.
        unsafe { scudo_deallocate(block.as_ptr().cast(), 0, ALIGNMENT_BYTES) }
    }

    /// Always a new block and a copy: the crate exports no such function.
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's obligation is the same; `free` does not pass the size on.
        unsafe { reallocate_elsewhere(self, block, old_bytes, bytes) }
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { scudo_allocate(bytes, alignment.max(ALIGNMENT_BYTES)) }.cast())
    }

    /// `None`: the crate exports no such function.
    unsafe fn usable_bytes(&self, _block: NonNull<u8>) -> Option<usize> {
        None
    }

    /// Does nothing: the crate exports no function that returns memory (upstream's `M_PURGE` is in
    /// a wrapper it leaves out). Scudo releases memory by itself at intervals.
    fn purge(&self) {}

    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        // SAFETY: returns the address of a static; `open` has initialised it, and before that it
        // is all zero, which is a value of every field.
        let flags = unsafe { scudo_get_flags() };
        // SAFETY: not null, laid out as `Flags`, written only while the first block is allocated.
        let flags = unsafe { &*flags };
        // SAFETY: written only while the first block is allocated.
        let hardware = unsafe { SCUDO_HASH_ALGORITHM } == 1;
        vec![
            Setting::new("release_to_os_interval_ms", flags.release_to_os_interval_ms),
            Setting::new("quarantine_size_kb", flags.quarantine_size_kb),
            Setting::new("zero_contents", flags.zero_contents),
            Setting::new("pattern_fill_contents", flags.pattern_fill_contents),
            Setting::new("header checksum", if hardware { "CRC32" } else { "software" }),
            Setting::new("free", "scudo_deallocate"),
            Setting::new("reallocate", "scudo_allocate, a copy, scudo_deallocate"),
            Setting::new("purge", "none"),
        ]
    }

    /// Counts the blocks one by one, with the allocator locked, because Scudo does not export its
    /// totals.
    fn statistics(&self) -> HeapStatistics {
        let mut allocated: u64 = 0;
        // SAFETY: locks every part of the allocator; unlocked below, on the same thread.
        unsafe { scudo_disable() };
        // SAFETY: the allocator is locked, as this call demands; `count` allocates nothing and
        // its argument outlives the call.
        unsafe { scudo_iterate(count, (&raw mut allocated).cast()) };
        // SAFETY: undoes the lock above.
        unsafe { scudo_enable() };
        HeapStatistics { allocated_bytes: Some(allocated), mapped_bytes: None }
    }
}

/// Adds one block's size to the total that `total` points to.
extern "C" fn count(_block: c_ulong, bytes: usize, total: *mut c_void) {
    // SAFETY: `statistics` passes its own `u64` and touches it again only after the iteration.
    let total = unsafe { &mut *total.cast::<u64>() };
    *total += bytes as u64;
}
