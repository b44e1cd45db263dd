//! mimalloc 3, statically linked; its entry points all start with `mi_`.

use std::ptr::NonNull;

use engine::{DEFAULT_VARIANT, Heap, HeapStatistics, HeapTraits, HeapVariant, OpenError, Setting};
use libmimalloc_sys::{
    mi_collect, mi_free, mi_malloc, mi_malloc_aligned, mi_option_get, mi_option_t, mi_process_info,
    mi_realloc, mi_usable_size, mi_version,
};

static TRAITS: HeapTraits = HeapTraits {
    name: "mimalloc",
    description: "free lists sharded per page, a heap per thread, arenas purged after a delay",
    variants: &[
        DEFAULT_VARIANT,
        HeapVariant {
            name: "tuned",
            description: "unused memory goes back at once, no full pages retained",
            environment: &[
                ("MIMALLOC_PURGE_DELAY", "0"),
                ("MIMALLOC_PAGE_FULL_RETAIN", "0"),
                ("MIMALLOC_ARENA_EAGER_COMMIT", "0"),
            ],
        },
    ],
    ..HeapTraits::BASE
};

/// Options by their position in mimalloc 3.3's `mi_option_e`, which the crate names only in part.
const OPTIONS: &[(&str, mi_option_t)] = &[
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

// The positions above are valid for a list of this length; check them again when it grows.
const _: () = assert!(libmimalloc_sys::_mi_option_last == 47);

#[derive(Debug)]
pub(crate) struct Mimalloc;

impl Heap for Mimalloc {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: `mi_malloc` takes any size; 0 yields a unique block.
        NonNull::new(unsafe { mi_malloc(bytes) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, _bytes: usize) {
        // SAFETY: the caller guarantees a live block of `mi_malloc`.
        unsafe { mi_free(block.as_ptr().cast()) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller guarantees a live block of `mi_malloc` or `mi_realloc`.
        NonNull::new(unsafe { mi_realloc(block.as_ptr().cast(), bytes.max(1)) }.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { mi_malloc_aligned(bytes, alignment) }.cast())
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: the caller guarantees a live block of `mi_malloc`.
        Some(unsafe { mi_usable_size(block.as_ptr().cast()) })
    }

    fn purge(&self) {
        // SAFETY: collects the calling thread's heap and purges arenas; blocks in use stay.
        unsafe { mi_collect(true) }
    }

    fn version(&self) -> String {
        // SAFETY: takes nothing and returns a number.
        let version = unsafe { mi_version() };
        format!("mimalloc {}.{}.{}", version / 10_000, version / 100 % 100, version % 100)
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings: Vec<Setting> = OPTIONS
            .iter()
            .map(|&(name, option)| {
                // SAFETY: `option` is below `_mi_option_last`, asserted above.
                Setting::new(name, unsafe { mi_option_get(option) })
            })
            .collect();
        settings.push(Setting::new("free", "mi_free"));
        settings.push(Setting::new("reallocate", "mi_realloc"));
        settings.push(Setting::new("purge", "mi_collect(true)"));
        settings
    }

    /// Committed memory as counted by mimalloc. A release build (`MI_STAT` 0) does not count bytes
    /// handed out, and summing them by visiting the heap's pages is only allowed while no other
    /// thread runs.
    fn statistics(&self) -> HeapStatistics {
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
        HeapStatistics { allocated_bytes: None, mapped_bytes: Some(committed as u64) }
    }
}
