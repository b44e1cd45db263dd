//! mimalloc 2, compiled by this crate's build script; its entry points here start with `mimalloc2_`.

use std::ffi::{c_int, c_long, c_void};

use engine::HeapTraits;

use super::{Entries, Version};
use crate::variants;

static TRAITS: HeapTraits = HeapTraits {
    name: "mimalloc2",
    description: "2: free lists sharded per page, segments of a thread, purged after a delay",
    variants: variants::MIMALLOC,
    ..HeapTraits::BASE
};

// Declared as in `c/mimalloc2.c`.
unsafe extern "C" {
    fn mimalloc2_malloc(bytes: usize) -> *mut c_void;
    fn mimalloc2_malloc_aligned(bytes: usize, alignment: usize) -> *mut c_void;
    fn mimalloc2_realloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    fn mimalloc2_free(block: *mut c_void);
    fn mimalloc2_usable_size(block: *const c_void) -> usize;
    fn mimalloc2_collect(force: bool);
    fn mimalloc2_version() -> c_int;
    fn mimalloc2_option_get(option: c_int) -> c_long;
    #[cfg(test)]
    fn mimalloc2_is_in_heap_region(block: *const c_void) -> bool;
}

#[derive(Debug)]
pub(crate) struct Version2;

impl Version for Version2 {
    const TRAITS: &'static HeapTraits = &TRAITS;

    const ENTRIES: Entries = Entries {
        malloc: mimalloc2_malloc,
        malloc_aligned: mimalloc2_malloc_aligned,
        realloc: mimalloc2_realloc,
        free: mimalloc2_free,
        usable_size: mimalloc2_usable_size,
        collect: mimalloc2_collect,
        version: mimalloc2_version,
        option_get: mimalloc2_option_get,
        #[cfg(test)]
        is_in_heap_region: mimalloc2_is_in_heap_region,
    };

    // `c/mimalloc2.c` asserts the length of the list that these positions are valid for.
    const OPTIONS: &'static [(&'static str, c_int)] = &[
        ("eager_commit", 3),
        ("arena_eager_commit", 4),
        ("purge_decommits", 5),
        ("allow_large_os_pages", 6),
        ("purge_delay", 15),
        ("arena_reserve", 23),
        ("arena_purge_mult", 24),
        ("allow_thp", 37),
    ];

    /// Unknown: where the system overcommits, it commits an arena of 1 GiB as a whole.
    fn committed_bytes() -> Option<u64> {
        None
    }
}
