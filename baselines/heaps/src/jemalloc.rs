//! jemalloc, statically linked with every symbol prefixed `_rjem_`.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{self, NonNull};

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};
use tikv_jemalloc_sys::{MALLOCX_ALIGN, free, mallctl, mallocx, rallocx, sallocx, sdallocx};

use crate::{released, variants};

static TRAITS: HeapTraits = HeapTraits {
    name: "jemalloc",
    description: "arenas of size-class slabs, caches per thread, purging by decay",
    variants: variants::JEMALLOC,
    ..HeapTraits::BASE
};

/// `MALLCTL_ARENAS_ALL` (4096) in place of an arena's index means every arena.
const PURGE_ALL: &CStr = c"arena.4096.purge";

#[derive(Debug)]
pub(crate) struct Jemalloc;

impl Heap for Jemalloc {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: `mallocx` forbids a size of 0, hence `max(1)`; no flags.
        NonNull::new(unsafe { mallocx(bytes.max(1), 0) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller guarantees a live block of `mallocx` with this size and no flags.
        unsafe { sdallocx(block.as_ptr().cast(), bytes.max(1), 0) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller guarantees a live block of `mallocx` or `rallocx`; `rallocx` forbids a
        // size of 0, hence `max(1)`; no flags.
        NonNull::new(unsafe { rallocx(block.as_ptr().cast(), bytes.max(1), 0) }.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: as in `allocate`; the flag's alignment is a power of two.
        NonNull::new(unsafe { mallocx(bytes.max(1), MALLOCX_ALIGN(alignment)) }.cast())
    }

    unsafe fn release(&self, block: NonNull<u8>, _bytes: usize, _alignment: usize) {
        // SAFETY: the caller guarantees a live block; `free` takes those of every entry point.
        unsafe { free(block.as_ptr().cast()) }
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: the caller guarantees a live block of `mallocx`.
        Some(unsafe { sallocx(block.as_ptr().cast(), 0) })
    }

    fn purge(&self) {
        act(c"thread.tcache.flush");
        act(PURGE_ALL);
    }

    fn version(&self) -> String {
        released::dated(format!("jemalloc {}", read_text(c"version")))
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("opt.narenas", number::<u32>(c"opt.narenas")),
            Setting::new("opt.dirty_decay_ms", number::<isize>(c"opt.dirty_decay_ms")),
            Setting::new("opt.muzzy_decay_ms", number::<isize>(c"opt.muzzy_decay_ms")),
            Setting::new("opt.background_thread", number::<bool>(c"opt.background_thread")),
            Setting::new("opt.tcache", number::<bool>(c"opt.tcache")),
            Setting::new("opt.tcache_max", number::<usize>(c"opt.tcache_max")),
            Setting::new("opt.thp", read_text(c"opt.thp")),
            Setting::new("opt.metadata_thp", read_text(c"opt.metadata_thp")),
            Setting::new("opt.retain", number::<bool>(c"opt.retain")),
            Setting::new("free", "sdallocx (sized)"),
            Setting::new("reallocate", "rallocx"),
            Setting::new("release", "free"),
            Setting::new("purge", "thread.tcache.flush; arena.<all>.purge"),
        ]
    }

    fn statistics(&self) -> HeapStatistics {
        refresh();
        HeapStatistics {
            allocated_bytes: read::<usize>(c"stats.allocated").map(|bytes| bytes as u64),
            mapped_bytes: read::<usize>(c"stats.resident").map(|bytes| bytes as u64),
        }
    }
}

/// The types of the controls used here.
trait Value: Copy + Default + std::fmt::Display {}
impl Value for bool {}
impl Value for u32 {}
impl Value for usize {}
impl Value for isize {}

/// A control's value as text.
fn number<T: Value>(name: &CStr) -> String {
    read::<T>(name).map_or_else(|| "unknown".to_owned(), |value| value.to_string())
}

/// Reads a control; `None` if it does not exist or has another size.
fn read<T: Value>(name: &CStr) -> Option<T> {
    let mut value = T::default();
    let mut value_bytes = size_of::<T>();
    // SAFETY: jemalloc writes at most `value_bytes` bytes to `value`, refuses a length that is
    // not the control's own, and writes valid values of C's `bool` and integers.
    let refused = unsafe {
        mallctl(
            name.as_ptr(),
            (&raw mut value).cast::<c_void>(),
            &raw mut value_bytes,
            ptr::null_mut(),
            0,
        )
    };
    (refused == 0).then_some(value)
}

/// Reads a control whose value is a string.
fn read_text(name: &CStr) -> String {
    let mut text: *const c_char = ptr::null();
    let mut text_bytes = size_of::<*const c_char>();
    // SAFETY: as in `read`; only called with names of controls documented as strings.
    let refused = unsafe {
        mallctl(
            name.as_ptr(),
            (&raw mut text).cast::<c_void>(),
            &raw mut text_bytes,
            ptr::null_mut(),
            0,
        )
    };
    if refused != 0 || text.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: jemalloc's option strings are NUL-terminated and static.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Runs a control without arguments or result. A refusal (no thread cache to flush) needs no
/// action.
fn act(name: &CStr) {
    // SAFETY: with no value either way, jemalloc reads and writes nothing of ours.
    unsafe { mallctl(name.as_ptr(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), 0) };
}

/// Statistics are snapshots; writing `epoch` takes a new one.
fn refresh() {
    let mut epoch: u64 = 1;
    // SAFETY: `epoch` is documented as a `uint64_t`; it outlives the call.
    unsafe {
        mallctl(
            c"epoch".as_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
            (&raw mut epoch).cast::<c_void>(),
            size_of::<u64>(),
        )
    };
}
