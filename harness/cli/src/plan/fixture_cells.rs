//! The cells that the report's tests make up rows of, against those that suites ask for today. To
//! renew the file: `NIBBLE_WRITE_FIXTURE=1 cargo test -p harness fixture_cells`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use record::{Cell, PrecompiledRequests, Scale};
use workloads::requests::{Miss, ReplayTotals};

use super::{MachineLimits, plan};
use crate::suites::{Suite, built_in};
use crate::traces::{PrecompiledReplay, TraceContent, TraceFile, Traces};

/// Built-in suites whose figures the tests draw.
const SUITES: [&str; 56] = [
    "blind-writes",
    "caches",
    "capabilities",
    "changing-sizes",
    "compaction-workers",
    "components",
    "copy-routine",
    "disk-cache",
    "embedded",
    "engine-knobs",
    "first-touch",
    "heaps-in-stores",
    "index-layouts",
    "key-bytes",
    "lsm-compaction",
    "lsm-memtable",
    "lsm-partitions",
    "lsm-production",
    "lsm-rmw",
    "lsm-threads",
    "malloc-traces",
    "mapping-cost",
    "map-settings",
    "maps",
    "memory-convergence",
    "memory-latency",
    "memory-per-object",
    "mica-modes",
    "open-loop",
    "parallel-mapping",
    "pm-clients",
    "pm-emulation",
    "pm-latency",
    "pm-log-size",
    "pm-phases",
    "pm-throughput",
    "postmark-scaling",
    "postmark-utilisation",
    "price-of-memory",
    "put-latency",
    "real-traces",
    "refill",
    "rivals",
    "segment-block",
    "servers",
    "silt-runs",
    "snapshots",
    "store-settings",
    "switch-cost",
    "switch-touch",
    "trace-settings",
    "utilisation",
    "window-size",
    "windows",
    "ycsb-core",
    "ycsb-threads",
];

/// Traces of allocations of that many threads and MiB live.
const ALLOCATIONS: [(&str, u32, u64); 3] =
    [("malloc-compiler", 1, 180), ("malloc-interpreter", 1, 14), ("malloc-database", 4, 60)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/src/figures/fixture")
}

fn traces() -> Traces {
    let allocations = ALLOCATIONS.map(|(name, threads, live_mib)| TraceFile {
        name: name.to_owned(),
        path: format!("traces/{name}.trace").into(),
        digest: 7,
        content: TraceContent::Allocations,
        events: 4_000_000 + live_mib,
        threads,
        objects: 1_500_000,
        live_bytes_max: live_mib << 20,
        live_objects_max: 300_000,
        copies: 1,
        replays: [].into(),
        replays_with_keys: [].into(),
    });
    allocations
        .into_iter()
        .chain(["postmark", "imported/blocks", "imported/cluster52"].map(replayed))
        .collect()
}

fn replayed(name: &str) -> TraceFile {
    let totals = ReplayTotals {
        requests: 800_000,
        records: 90_000,
        gets: 480_000,
        inserts: 90_000,
        updates: 140_000,
        deletes: 90_000,
        live_records_max: 12_000,
        live_bytes_max: 28 << 20,
        object_bytes_max: 29 << 20,
        value_bytes_max: 4300,
        duration_ns: 30_000_000_000,
        ..ReplayTotals::default()
    };
    let precompiled = PrecompiledRequests { file: "made-up".to_owned(), checksum: "0".to_owned() };
    let replay = PrecompiledReplay { precompiled, keys: None, totals };
    TraceFile {
        name: name.to_owned(),
        path: "made-up".into(),
        digest: 1,
        content: TraceContent::Operations,
        events: totals.requests,
        threads: 1,
        objects: totals.records,
        live_bytes_max: totals.live_bytes_max,
        live_objects_max: totals.live_records_max,
        copies: 4,
        replays: [(Miss::Nothing, replay.clone()), (Miss::Set, replay)].into(),
        replays_with_keys: [].into(),
    }
}

/// A line for each cell of each suite.
fn text() -> String {
    let own = ["own", "own-fields", "own-bars", "own-stores"].map(|name| {
        let path = folder().join(format!("suites/{name}.toml"));
        let text = fs::read_to_string(&path).expect("a suite's file");
        Suite::parse(&format!("{name}.toml"), &text).expect("a suite")
    });
    let built_in = SUITES.map(|name| built_in(name).expect("it is built in"));
    let scale = Scale { repetitions: 1, ..Scale::by_name("smoke").expect("a scale") };
    let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 0 };
    let mut text = String::new();
    for suite in built_in.into_iter().chain(own) {
        let name = suite.name.clone();
        for cell in plan(&[suite], &scale, &traces(), limits).expect("it fits").cells {
            text += &line(&name, &cell);
        }
    }
    text
}

fn line(suite: &str, cell: &Cell) -> String {
    serde_json::json!({ "suite": suite, "cell": cell }).to_string() + "\n"
}

#[test]
fn fixture_cells_are_those_that_suites_ask_for() {
    let path = folder().join("cells.jsonl.gz");
    let wanted = text();
    if env::var_os("NIBBLE_WRITE_FIXTURE").is_some() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(wanted.as_bytes()).expect("memory");
        fs::write(&path, encoder.finish().expect("memory")).expect("a writable checkout");
        return;
    }
    let bytes = fs::read(&path).expect("the fixture");
    let mut there = String::new();
    GzDecoder::new(bytes.as_slice()).read_to_string(&mut there).expect("compressed text");
    assert!(
        there == wanted,
        "suites ask for other cells: NIBBLE_WRITE_FIXTURE=1 cargo test -p harness fixture_cells"
    );
}
