//! The texts of the suites that come with the program: what each asks, and the figures it declares.

/// The folder of a run that keeps the texts of the suites it measured.
pub const KEPT: &str = "suites";

macro_rules! suites {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../suites/", $name, ".toml")))),*]
    };
}

/// Name and text of every suite. The figures of a report stand in this order.
pub const BUILT_IN: &[(&str, &str)] = suites![
    "allocator-bloat",
    "allocator-settings",
    "ramcloud-patterns",
    "allocator-phases",
    "allocator-threads",
    "memory-over-time",
    "store-bloat",
    "memory-per-object",
    "memory-convergence",
    "refill",
    "defragmentation",
    "malloc-traces",
    "store-throughput",
    "index-layouts",
    "engine-knobs",
    "ycsb-threads",
    "rivals",
    "capabilities",
    "mica-modes",
    "caches",
    "servers",
    "postmark-scaling",
    "postmark-utilisation",
    "real-traces",
    "maps",
    "embedded",
    "heaps-in-stores",
    "utilisation",
    "price-of-memory",
    "components",
    "segment-block",
    "compaction-workers",
    "copy-routine",
    "put-latency",
    "open-loop",
    "ycsb-core",
    "first-touch",
    "mapping-cost",
    "memory-latency",
    "lsm-threads",
    "lsm-rmw",
    "lsm-memtable",
    "lsm-production",
    "lsm-compaction",
    "blind-writes",
    "silt-runs",
    "pm-throughput",
    "pm-latency",
    "pm-log-size",
    "pm-clients",
    "pm-emulation",
    "windows",
    "window-size",
    "switch-cost",
    "switch-touch",
    "parallel-mapping",
    "gate",
    "power",
    "self-test",
];
