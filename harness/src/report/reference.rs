//! What does not depend on the rows: how it is measured, and what the words mean.

use super::html::{element, table};

const HOW: [(&str, &str); 7] = [
    ("process", "every cell is a fresh process; a crash loses one cell and becomes a row"),
    (
        "memory",
        "the parent reads the worker's memory from outside: anonymous + shared + huge-page-pool \
         memory, less what the worker held before the system was opened",
    ),
    ("live bytes", "counted by the workload itself, not by the system under test"),
    (
        "operations",
        "prepared before the clock starts; the same seed gives every system the same operations",
    ),
    ("time", "wall time of the step; waits for a refusal are taken off"),
    (
        "repetitions",
        "whole cells, in an order that is shuffled and interleaved between systems; medians with \
         the lowest and the highest value",
    ),
    (
        "values",
        "stores' values say which key they belong to and are checked; a lost, stale or torn value \
         voids the repetition",
    ),
];

const WORDS: [(&str, &str); 9] = [
    (
        "live bytes",
        "sum over live objects. Value base: value bytes (the paper's \"allocated objects\"); \
         key + value base: 8 + value bytes; for allocators: bytes of blocks as requested",
    ),
    (
        "object memory",
        "bytes configured for objects: blocks of all nodes, reserve included, index excluded",
    ),
    ("capacity", "everything the store may hold resident: object memory + index + tables"),
    ("fill", "live object bytes (header + key + value) ÷ object memory, set before the run"),
    ("overhead, ample", "memory is no limit; (resident − baseline) ÷ live bytes; value base"),
    (
        "overhead, bounded",
        "stores only: fill to the first refusal, delete a random 90 %, fill with the second size \
         to the first refusal; configured memory ÷ live value bytes then. All-in uses capacity, \
         log-only object memory. Refused means still refused after 1 s of retries",
    ),
    (
        "after idle, after purge",
        "the same as overhead, after standing idle for the wait that the scale sets, and after the allocator was asked to purge (heaps) or the store to trim",
    ),
    ("Mops/s", "million operations per second of wall time, all threads together"),
    (
        "CPU time",
        "user + system time of the whole worker in its steps, background threads included",
    ),
];

/// How it is measured, with where to read more.
pub(super) fn how_measured() -> String {
    let rows = HOW.map(|(what, how)| vec![what.to_owned(), how.to_owned()]);
    element("h2", "How it is measured")
        + &table(&["what", "how"], &rows)
        + &element("p", "In full: docs/src/method.md of the project.")
}

/// What the words mean; the same everywhere.
pub(super) fn definitions() -> String {
    let rows = WORDS.map(|(word, meaning)| vec![word.to_owned(), meaning.to_owned()]);
    element("h2", "Definitions") + &table(&["word", "means"], &rows)
}
