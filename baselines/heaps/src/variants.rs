//! The variants of every heap, with the document that recommends each: settings that the authors
//! name for more speed (`fast`) or less memory (`small`). The processes are started with them.
//!
//! Documents name directions more often than values. Where a value is ours, the source says so.

use engine::{DEFAULT_VARIANT, Environment, HeapVariant};

/// Our own variables, which TCMalloc's `open` passes on: it takes settings through functions only.
pub(crate) const TCMALLOC_CACHE_BYTES: &str = "HEAPS_TCMALLOC_MAX_PER_CPU_CACHE_BYTES";
pub(crate) const TCMALLOC_RELEASE_BYTES_PER_S: &str =
    "HEAPS_TCMALLOC_BACKGROUND_RELEASE_BYTES_PER_S";

const fn fast(
    description: &'static str,
    environment: Environment,
    source: &'static str,
) -> HeapVariant {
    HeapVariant { name: "fast", description, environment, source }
}

const fn small(
    description: &'static str,
    environment: Environment,
    source: &'static str,
) -> HeapVariant {
    HeapVariant { name: "small", description, environment, source }
}

pub(crate) const GLIBC: &[HeapVariant] = &[
    DEFAULT_VARIANT,
    fast(
        "never trims, grows by 16 MiB, maps no block of its own",
        &[
            ("MALLOC_MMAP_MAX_", "0"),
            ("MALLOC_TOP_PAD_", "16777216"),
            ("MALLOC_TRIM_THRESHOLD_", "-1"),
        ],
        "mallopt(3): M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD trade system calls against \
         unused memory; padding ours",
    ),
    small(
        "one arena, fixed 128 KiB mmap and trim thresholds, no top padding",
        &[
            ("MALLOC_ARENA_MAX", "1"),
            ("MALLOC_MMAP_THRESHOLD_", "131072"),
            ("MALLOC_TRIM_THRESHOLD_", "131072"),
            ("MALLOC_TOP_PAD_", "0"),
        ],
        "mallopt(3): M_ARENA_MAX trades contention against memory, the others as for `fast`",
    ),
];

pub(crate) const JEMALLOC: &[HeapVariant] = &[
    DEFAULT_VARIANT,
    fast(
        "a background thread, huge pages for metadata, decay within 30 s",
        &[(
            "_RJEM_MALLOC_CONF",
            "background_thread:true,metadata_thp:auto,dirty_decay_ms:30000,muzzy_decay_ms:30000",
        )],
        "TUNING.md: high resource consumption, prioritizing CPU utilization",
    ),
    small(
        "a background thread, small thread caches, decay within 5 s, two arenas",
        &[(
            "_RJEM_MALLOC_CONF",
            "background_thread:true,tcache_max:4096,dirty_decay_ms:5000,muzzy_decay_ms:5000,\
             narenas:2",
        )],
        "TUNING.md: high resource consumption, prioritizing memory usage; as many arenas as the \
         machine of the published run has processors",
    ),
];

pub(crate) const MIMALLOC: &[HeapVariant] = &[
    DEFAULT_VARIANT,
    fast(
        "unused memory is never given back",
        &[("MIMALLOC_PURGE_DELAY", "-1")],
        "readme.md, environment options: a delay of 0 improves memory and decreases performance, \
         -1 disables purging",
    ),
    small(
        "unused memory goes back at once",
        &[("MIMALLOC_PURGE_DELAY", "0")],
        "readme.md, environment options: 0 purges at once, which can improve memory usage",
    ),
];

pub(crate) const TCMALLOC: &[HeapVariant] = &[
    DEFAULT_VARIANT,
    fast(
        "6 MiB of cache per CPU",
        &[(TCMALLOC_CACHE_BYTES, "6291456")],
        "docs/tuning.md: larger caches are an obvious way to improve performance; size ours",
    ),
    small(
        "256 KiB of cache per CPU, a background thread that releases 256 MiB/s",
        &[(TCMALLOC_CACHE_BYTES, "262144"), (TCMALLOC_RELEASE_BYTES_PER_S, "268435456")],
        "docs/tuning.md: cache sizes and the release rate trade memory against performance; \
         values ours",
    ),
];

pub(crate) const GPERFTOOLS: &[HeapVariant] = &[
    DEFAULT_VARIANT,
    fast(
        "256 MiB of thread caches, nothing is given back",
        &[("TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES", "268435456"), ("TCMALLOC_RELEASE_RATE", "0")],
        "docs/tcmalloc: larger caches where threads wait for locks, a release rate of 0 never \
         releases; size ours",
    ),
    small(
        "free spans go back at once",
        &[("TCMALLOC_AGGRESSIVE_DECOMMIT", "t"), ("TCMALLOC_RELEASE_RATE", "10")],
        "docs/tcmalloc: aggressive decommit returns all freed memory, 10 is the highest release \
         rate it calls reasonable",
    ),
];

pub(crate) const SCUDO: &[HeapVariant] = &[
    DEFAULT_VARIANT,
    fast(
        "free pages are never released",
        &[("SCUDO_OPTIONS", "release_to_os_interval_ms=-1")],
        "LLVM's ScudoHardenedAllocator, options: a negative interval disables reclaiming",
    ),
    small(
        "free pages are released every 100 ms, not every 5 s",
        &[("SCUDO_OPTIONS", "release_to_os_interval_ms=100")],
        "LLVM's ScudoHardenedAllocator, memory reclaiming: the interval limits growth; value ours",
    ),
];
