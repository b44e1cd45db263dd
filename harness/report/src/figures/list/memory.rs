//! Figures of memory: allocators, and stores whose object sizes change.

use super::Figure;
use crate::figures::{allocations, curves, refill, selections};

pub(super) const FIGURES: [Figure; 9] = [
    Figure {
        name: "allocator-bloat",
        title: "Memory of allocators when object sizes change",
        question: "How much memory do general-purpose allocators hold when object sizes change?",
        source: "Nibble (PVLDB 2017) Fig. 1; dissertation Fig. 3",
        suites: &["allocator-bloat"],
        caption: "Bars: resident ÷ live bytes (overhead; base: bytes of live blocks as requested) \
                  right after the second filling: fill with the first size, delete a random \
                  90 % of the objects, fill with the second size. Circle: after the idle wait; \
                  triangle: after the allocator was asked to purge. The line at 1 is no overhead. \
                  Above, allocators as they come; below, those that have a tuned variant. \
                  One thread.",
        script: script!("allocator-bloat"),
        value: "overhead",
        build: |_, rows| selections::allocators(rows),
    },
    Figure {
        name: "allocator-throughput",
        title: "Speed of allocators beside their memory",
        question: "Is memory bought with speed?",
        source: "no figure of the papers; patterns of Nibble (PVLDB 2017) Fig. 1",
        suites: &["allocator-bloat"],
        caption: "Each line is one allocator as it comes: from its small dot (resident ÷ live \
                  bytes and operations per second of wall time after the first filling) to its \
                  large mark (the same after the second filling). Up and left is better. The base \
                  of overhead is bytes of live blocks as requested. Operations include touching \
                  the memory. Each panel has its own axes; the overhead axis need not begin at 0. \
                  One thread.",
        script: script!("allocator-throughput"),
        value: "overhead",
        build: |_, rows| selections::allocators(rows),
    },
    Figure {
        name: "ramcloud-patterns",
        title: "Memory of allocators under RAMCloud's patterns",
        question: "How much memory do allocators hold after five times the live set was allocated \
                   and the sizes changed?",
        source: "RAMCloud (FAST 2014) Fig. 1, workloads W1–W8 as recalled",
        suites: &["ramcloud-patterns"],
        caption: "Bars: resident ÷ live bytes (overhead; base: bytes of live blocks as requested) \
                  right after the last filling. Each filling allocates five times the live set \
                  and deletes random objects to stay below it. Circle: after the idle wait; \
                  triangle: after the allocator was asked to purge. Allocators as they come, one \
                  thread.",
        script: script!("ramcloud-patterns"),
        value: "overhead",
        build: |_, rows| selections::ramcloud(rows),
    },
    Figure {
        name: "threads",
        title: "Threads, and objects freed by another thread",
        question: "What changes with two threads, and when another thread frees?",
        source: "Nibble (PVLDB 2017) section 2.1, patterns of Fig. 1",
        suites: &["allocator-threads"],
        caption: "Above, overhead right after the second filling: for allocators resident ÷ live \
                  bytes (base: bytes of live blocks as requested), for stores that bind their \
                  memory capacity ÷ live value bytes (all-in, bounded). Below, operations per \
                  second of wall time of all threads together in the second filling. Own frees: \
                  each thread deletes what it allocated; other frees: another thread does.",
        script: script!("threads"),
        value: "overhead",
        build: |_, rows| selections::threads(rows),
    },
    Figure {
        name: "memory-over-time",
        title: "Memory over time",
        question: "How does resident memory follow the live bytes through one pattern?",
        source: "this suite; sizes of RAMCloud's W6, allocated twelve times over",
        suites: &["memory-over-time"],
        caption: "Line: resident memory less the worker's own, sampled 20 times a second. Grey \
                  area: live bytes (blocks as requested; for stores, value bytes). Time begins \
                  with the first object and ends with the second filling; the harness's pauses \
                  between phases are in it. While random deletes hold the live bytes at their \
                  cap, twelve times the cap is allocated in each filling. The idle wait is not on the time axis: right of the \
                  dashed line stand, not to scale in time, resident memory after the idle wait \
                  (circle) and after purge (triangle). Every panel has \
                  its own time axis. Allocators as they come; Nibble with object memory of 1.4 times \
                  the cap, so that it has to compact.",
        script: script!("memory-over-time"),
        value: "resident-mib",
        build: curves::memory_over_time,
    },
    Figure {
        name: "store-bloat",
        title: "Memory of key-value stores when object sizes change",
        question: "How much memory do stores need for the objects they hold when object sizes \
                   change?",
        source: "Nibble (PVLDB 2017) Fig. 9a",
        suites: &["store-bloat"],
        caption: "Two definitions stand side by side, both with the base live value bytes. \
                  Bounded stores (all-in, log-only): filled to the first refusal, a random 90 % \
                  deleted, filled with the second size to the first refusal; configured memory \
                  ÷ live value bytes then. All-in counts objects, index and tables, log-only \
                  the object memory. All others have ample memory: resident ÷ live value \
                  bytes right after the second filling; circle: after the idle wait; \
                  triangle: after trim. Stores measured on less than half of the patterns are only in \
                  the table. One thread.",
        script: script!("store-bloat"),
        value: "overhead",
        build: |_, rows| selections::stores(rows),
    },
    Figure {
        name: "refill",
        title: "Memory of stores that are filled again and again",
        question: "Do deletes return memory?",
        source: "no figure of the papers",
        suites: &["refill"],
        caption: "A store is filled, all of it is deleted in random order, and it is filled again \
                  with keys that it never saw. Above, resident ÷ live value bytes after each \
                  filling, relative to the first: at the line at 1 a filling takes what the first \
                  one took. Below, resident memory after the deletes of each cycle ÷ that after the \
                  first filling: what is kept for the next one. Bounded stores fill until they \
                  refuse, all others to a cap. One thread.",
        script: script!("refill"),
        value: "value",
        build: |_, rows| refill::refill(rows),
    },
    Figure {
        name: "malloc-traces",
        title: "What programs ask of their allocator, replayed",
        question: "How fast are allocators with the requests of real programs, and how much memory \
                   do they hold for them?",
        source: "no figure of the papers",
        suites: &["malloc-traces"],
        caption: "Above, events of the trace (allocations, reallocations, frees) per second of wall \
                  time, standing still left out; blocks are written as they are had, which is part of the \
                  time. Below, the highest resident memory where the replay stood still ÷ the most \
                  bytes that the program had live (base: bytes of blocks as requested); one of the \
                  places is where that is. Allocators as they come, threads as in the trace.",
        script: script!("malloc-traces"),
        value: "value",
        build: |_, rows| allocations::malloc_traces(rows),
    },
    Figure {
        name: "malloc-memory",
        title: "Memory of allocators along the trace of a program",
        question: "How does the memory of allocators follow the live bytes of a program?",
        source: "no figure of the papers",
        suites: &["malloc-traces"],
        caption: "Lines: resident memory less the worker's own, observed while all threads stand \
                  still at the same places of the trace. Grey line: live bytes (blocks as requested), \
                  which are the trace's own and the same for all. The horizontal axis is the share of \
                  the trace's events that were replayed, not time. Every panel has its own vertical \
                  axis.",
        script: script!("malloc-memory"),
        value: "value",
        build: |_, rows| allocations::malloc_memory(rows),
    },
];
