//! Checks of memory: how much there is, what its pages cost, and what moves them.

use super::{Check, Severity, judged, known};
use record::scale::CACHES;

/// Memory that the larger scales need.
const AVAILABLE_FINE_BYTES: u64 = 4 << 30;
/// A fixed live set that stores of a tenth fill, ten times as large, find room for.
const LIVE_SET_FINE_BYTES: u64 = 2 << 30;
/// First touches of cold pages may cost this many times those of warm ones.
const COLD_FINE: f64 = 3.0;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "memory-available",
        why: "Plans shrink live sets to what is available, and small sets fit into caches.",
        remedy: "stop what holds memory: ps aux --sort=-rss | head",
        judge: |readings| {
            let bytes = readings.memory_available_bytes;
            judged(bytes >= AVAILABLE_FINE_BYTES, format!("{} MiB", bytes >> 20))
        },
    },
    Check {
        name: "last-level-cache",
        why: "A live set that the cache holds measures the cache: sets that a suite fixes are at least \
              four times as large.",
        remedy: "use a machine with more memory for its cache; smaller fills need multiples of the set",
        judge: |readings| {
            known(readings.cache_bytes, |bytes| {
                judged(CACHES * bytes <= LIVE_SET_FINE_BYTES, format!("{} MiB", bytes >> 20))
            })
        },
    },
    Check {
        name: "memory-limit",
        why: "Near its limit a control group reclaims pages, and above it the kernel kills the worker.",
        remedy: "run outside the group, or: echo max | sudo tee /sys/fs/cgroup/GROUP/memory.max",
        judge: |readings| match readings.memory_limit_bytes {
            None => (Severity::Fine, "none".to_owned()),
            Some(bytes) => (Severity::Disturbs, format!("{} MiB", bytes >> 20)),
        },
    },
    Check {
        name: "first-touch",
        why: "Where the host takes freed memory back, a new page costs more at a random time.",
        remedy: "compare medians; on the host, turn free-page reporting of the guest's balloon off",
        judge: |readings| {
            known(readings.first_touch, |touch| {
                let value = format!(
                    "cold {:.0} ns a page, warm {:.0} ns a page",
                    touch.cold_ns, touch.warm_ns
                );
                judged(touch.cold_ns <= touch.warm_ns * COLD_FINE, value)
            })
        },
    },
    Check {
        name: "swap",
        why: "Swapped pages are missing from resident memory, and cost a disk access.",
        remedy: "sudo swapoff -a",
        judge: |readings| {
            known(readings.swap_bytes, |(total, used)| match total {
                0 => (Severity::Fine, "none".to_owned()),
                _ => judged(false, format!("{} of {} MiB in use", used >> 20, total >> 20)),
            })
        },
    },
    Check {
        name: "transparent-huge-pages",
        why: "`always` makes every allocator's memory larger, `never` refuses those who ask.",
        remedy: "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        judge: |readings| {
            known(readings.transparent_huge_pages.as_deref(), |mode| {
                judged(mode == "madvise", mode)
            })
        },
    },
    Check {
        name: "huge-page-pool",
        why: "Pages in the pool are memory that no cell can use.",
        remedy: "sudo sysctl vm.nr_hugepages=0",
        judge: |readings| {
            known(readings.huge_page_pool, |pages| judged(pages == 0, format!("{pages} pages")))
        },
    },
    Check {
        name: "numa-balancing",
        why: "With several memory nodes the kernel unmaps pages to see who uses them, and moves them.",
        remedy: "sudo sysctl kernel.numa_balancing=0",
        judge: |readings| {
            let nodes = match readings.nodes {
                1 => "1 node".to_owned(),
                count => format!("{count} nodes"),
            };
            match readings.numa_balancing {
                Some(true) => judged(readings.nodes == 1, format!("on, {nodes}")),
                Some(false) => (Severity::Fine, format!("off, {nodes}")),
                // Kernels for machines with one node are built without it.
                None if readings.nodes == 1 => (Severity::Fine, nodes),
                None => (Severity::Unknown, format!("not visible, {nodes}")),
            }
        },
    },
    Check {
        name: "aslr",
        why: "With one address layout for all, repetitions share its accidents and cannot show them.",
        remedy: "sudo sysctl kernel.randomize_va_space=2",
        judge: |readings| {
            known(readings.aslr, |level| {
                let meanings = ["off", "without the heap", "full"];
                let meaning = meanings.get(usize::from(level)).unwrap_or(&"unknown level");
                judged(level == 2, *meaning)
            })
        },
    },
];
