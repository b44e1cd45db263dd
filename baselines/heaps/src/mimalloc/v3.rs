//! mimalloc 3, from its crate; its entry points start with `mi_`.

use std::ffi::c_int;

use engine::HeapTraits;
use libmimalloc_sys::{
    mi_collect, mi_free, mi_malloc, mi_malloc_aligned, mi_option_get, mi_process_info, mi_realloc,
    mi_usable_size, mi_version,
};

use super::{Entries, Version};
use crate::variants;

static TRAITS: HeapTraits = HeapTraits {
    name: "mimalloc",
    description: "3: free lists sharded per page, a heap per thread, arenas purged after a delay",
    variants: variants::MIMALLOC,
    ..HeapTraits::BASE
};

// The positions below are valid for a list of this length; check them again when it grows.
const _: () = assert!(libmimalloc_sys::_mi_option_last == 47);

#[derive(Debug)]
pub(crate) struct Version3;

impl Version for Version3 {
    const TRAITS: &'static HeapTraits = &TRAITS;

    const ENTRIES: Entries = Entries {
        malloc: mi_malloc,
        malloc_aligned: mi_malloc_aligned,
        realloc: mi_realloc,
        free: mi_free,
        usable_size: mi_usable_size,
        collect: mi_collect,
        version: mi_version,
        option_get: mi_option_get,
        #[cfg(test)]
        is_in_heap_region: libmimalloc_sys::mi_is_in_heap_region,
    };

    const OPTIONS: &'static [(&'static str, c_int)] = &[
        ("arena_eager_commit", 4),
        ("purge_decommits", 5),
        ("allow_large_os_pages", 6),
        ("purge_delay", 15),
        ("arena_reserve", 23),
        ("arena_purge_mult", 24),
        ("page_full_retain", 36),
        ("allow_thp", 43),
        ("minimal_purge_size", 44),
    ];

    fn committed_bytes() -> Option<u64> {
        let mut unused = [0_usize; 7];
        let [elapsed, user, system, resident, resident_peak, committed_peak, faults] = &mut unused;
        let mut committed = 0_usize;
        // SAFETY: eight distinct out-parameters that outlive the call.
        unsafe {
            mi_process_info(
                elapsed,
                user,
                system,
                resident,
                resident_peak,
                &raw mut committed,
                committed_peak,
                faults,
            );
        }
        Some(committed as u64)
    }
}
