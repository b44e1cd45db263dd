//! The figures there are.

use std::path::Path;

use super::data::Data;
use super::{closed_loop, curves, engine, fragmentation, selections};
use crate::record::Row;

/// A figure: where its numbers come from and what it says.
#[derive(Debug)]
pub struct Figure {
    /// Name, as in `plots/NAME.gp`.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// What it answers.
    pub question: &'static str,
    /// The published figure it follows.
    pub source: &'static str,
    /// Built-in suites whose cells it needs.
    pub suites: &'static [&'static str],
    /// What is drawn, with the base of every overhead.
    pub caption: &'static str,
    /// The gnuplot script.
    pub(super) script: &'static str,
    /// The column without which there is nothing to draw.
    pub(crate) value: &'static str,
    /// Makes the table; the folder is for curves.
    pub(crate) build: fn(&Path, &[Row]) -> Data,
}

impl Figure {
    /// Why there is nothing to draw; `None` where there is something.
    pub(super) fn why_empty(&self, data: &Data) -> Option<String> {
        if fragmentation::is_drawable(&data.table, self.value) {
            return None;
        }
        let suites = self.suites.join(", ");
        Some(match data.missing().as_slice() {
            [] => format!("This run has no rows for it; they come from the suite {suites}."),
            [first, ..] => format!(
                "None of its cells (suite {suites}) was measured to the end. The first: {first}."
            ),
        })
    }
}

/// Every figure, in the order of the report.
#[must_use]
pub fn all() -> &'static [Figure] {
    FIGURES
}

/// The figure called `name`.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.name == name)
}

macro_rules! script {
    ($name:literal) => {
        include_str!(concat!("../../../plots/", $name, ".gp"))
    };
}

const FIGURES: &[Figure] = &[
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
        name: "throughput-memory",
        title: "Throughput of key-value stores, and the memory they hold for it",
        question: "What throughput do stores reach, and how much memory do they hold for it?",
        source: "Nibble (PVLDB 2017) section 5.4, mixes of Fig. 13 on one machine",
        suites: &["store-throughput"],
        caption: "Above, operations per second of wall time, GETs and PUTs of existing keys as \
                  fast as they are answered. Below, resident ÷ live value bytes right after that \
                  step. The store null keeps nothing: its throughput is the price of the harness \
                  alone, and it holds no values. Bars far above the others are cut and their \
                  value is printed.",
        script: script!("throughput-memory"),
        value: "mops",
        build: |_, rows| closed_loop::throughput_memory(rows),
    },
    Figure {
        name: "index-layouts",
        title: "Layouts of the index",
        question: "What do the three layouts of the index cost and give?",
        source: "Nibble (PVLDB 2017) section 3.1; layouts of its text, of its source, and of ours",
        suites: &["index-layouts"],
        caption: "Above, bytes of index for each live key by the store's own census after the load \
                  (base: live keys, 8 bytes each and not counted), over the number of keys; a \
                  point for each fill of the same object memory. Below, operations per second of \
                  wall time of all threads together, single and in batches. The layouts: text, 15 \
                  entries in two lines; keyed, the same with the keys beside the entries in four \
                  lines; tagged, ten tagged entries in one line. All else is the best \
                  configuration.",
        script: script!("index-layouts"),
        value: "mops",
        build: |_, rows| engine::index_layouts(rows),
    },
    Figure {
        name: "engine-knobs",
        title: "Knobs of the engine, one at a time",
        question: "What is each knob of the engine worth, turned alone from the best \
                   configuration?",
        source: "dissertation chapter 6: the choices it evaluates, on one machine",
        suites: &["engine-knobs"],
        caption: "Operations per second of wall time with one knob turned ÷ the median of the best \
                  configuration (dashed line at 1); error bars from the lowest to the highest \
                  repetition, as shares of that median. Uniform keys, 50 % GET, two threads, and a \
                  log in which compaction has work. The knobs are those of nibble::Config.",
        script: script!("engine-knobs"),
        value: "ratio",
        build: |_, rows| engine::engine_knobs(rows),
    },
];
