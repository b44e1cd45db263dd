//! Made-up rows for tests. The numbers follow from names, so no two systems share them; none of
//! them was ever measured.

mod allocations;
pub(crate) mod cells;
pub(crate) mod drawn;
pub(crate) mod requests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::Path;

pub(crate) use record::made_up::{
    Folder, LIVE_BYTES, account_of_gets, accounts, cell, heap, of, row, store, work, write_accounts,
};
use record::{
    Basis, Cell, Census, Fragmentation, Frees, KeyValue, Memory, MemoryPoint, Outcome, Overheads,
    Row, System, Work,
};
use workloads::fragmentation::Phase;
use workloads::requests::{Mix, Workload};

pub(crate) const HEAPS: [&str; 9] = [
    "glibc",
    "gperftools",
    "jemalloc",
    "mimalloc",
    "rpmalloc",
    "scudo",
    "snmalloc",
    "tcmalloc",
    "unheard-of",
];
const VARIED: [&str; 5] = ["glibc", "jemalloc", "mimalloc", "scudo", "tcmalloc"];
const AMPLE_STORES: [&str; 5] = [
    "hashmap",
    "heapstore:glibc",
    "heapstore:jemalloc",
    "heapstore:mimalloc",
    "heapstore:tcmalloc",
];

fn point(overhead: f64, live_bytes: u64) -> MemoryPoint {
    MemoryPoint {
        resident_bytes: (overhead * live_bytes as f64) as u64,
        live_bytes,
        live_objects: 1000,
        overhead: Some(overhead),
        ..MemoryPoint::default()
    }
}

/// The three rows of a fragmentation cell with that overhead after the last phase.
pub(crate) fn fragmentation(
    system: System,
    work: Fragmentation,
    repetition: u32,
    overhead: f64,
) -> Vec<Row> {
    let bounded = work.basis == Basis::Bounded;
    let second = work.pattern.second.is_some();
    let cell = cell(system, Work::Fragmentation(work), repetition);
    let steps: &[&str] = if second { &["fill", "delete", "refill"] } else { &["fill"] };
    let mut rows: Vec<Row> = steps.iter().map(|step| row(&cell, step)).collect();
    for row in &mut rows {
        let at_once = point(1.0 + (overhead - 1.0) * 0.2, LIVE_BYTES);
        row.memory = Some(Memory { at_once: Some(at_once), ..Memory::default() });
    }
    let last = rows.last_mut().expect("at least one step");
    last.memory = Some(Memory {
        at_once: Some(point(overhead, LIVE_BYTES)),
        after_idle: Some(point(1.0 + (overhead - 1.0) * 0.8, LIVE_BYTES)),
        after_trim: Some(point(1.0 + (overhead - 1.0) * 0.5, LIVE_BYTES)),
        overheads: bounded.then(|| Overheads {
            log_only: overhead * 0.95,
            all_in: overhead,
            ..Overheads::default()
        }),
        ..Memory::default()
    });
    if bounded {
        last.outcome = Outcome::Full;
        last.reason = Some("an object of 10240 bytes was refused".to_owned());
    }
    rows
}

/// Rows of every figure, with nine allocators: some fail, one is far off.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let patterns = ["P1", "P2", "P3", "P4", "P5", "P6"];
    for repetition in 0..3 {
        let jitter = |text: &str| 0.12 * of(&format!("{text}{repetition}"));
        for name in HEAPS {
            for pattern in patterns {
                let overhead = 1.02 + 1.4 * of(&format!("{name}{pattern}")) + jitter(name);
                let far = if (name, pattern) == ("scudo", "P2") { 9.7 } else { overhead };
                rows.extend(fragmentation(heap(name, "default"), work(pattern), repetition, far));
                if VARIED.contains(&name) {
                    for (variant, share) in [("fast", 1.1), ("small", 0.9)] {
                        let varied = heap(name, variant);
                        let overhead = overhead * share;
                        rows.extend(fragmentation(varied, work(pattern), repetition, overhead));
                    }
                }
            }
            for number in 1..=8 {
                let pattern = format!("W{number}");
                let overhead = 1.02 + 1.8 * of(&format!("{name}{pattern}")) + jitter(name);
                let variants: &[&str] = if VARIED.contains(&name) {
                    &["default", "fast", "small"]
                } else {
                    &["default"]
                };
                for (place, variant) in variants.iter().enumerate() {
                    let (system, overhead) = (heap(name, variant), overhead + 0.1 * place as f64);
                    rows.extend(fragmentation(system, work(&pattern), repetition, overhead));
                }
            }
        }
        for pattern in patterns {
            let bounded = Fragmentation { basis: Basis::Bounded, ..work(pattern) };
            rows.extend(fragmentation(
                store("nibble"),
                bounded,
                repetition,
                1.08 + jitter(pattern),
            ));
            let varied = ["heapstore:jemalloc-fast", "heapstore:jemalloc-small"];
            for name in AMPLE_STORES.into_iter().chain(varied) {
                let overhead = 1.1 + of(&format!("{name}{pattern}")) + jitter(name);
                rows.extend(fragmentation(store(name), work(pattern), repetition, overhead));
            }
        }
        for distribution in ["uniform", "zipfian:0.99"] {
            for get_percent in [95, 50] {
                for name in AMPLE_STORES.into_iter().chain(["nibble", "null"]) {
                    rows.extend(key_value(name, distribution, get_percent, repetition));
                }
            }
        }
    }
    for pattern in ["P1", "P4"] {
        rows.extend(fragmentation(store("null"), work(pattern), 0, 0.01));
        for frees in [Frees::Own, Frees::Other] {
            for name in HEAPS {
                let work = Fragmentation { threads: 2, frees, ..work(pattern) };
                let overhead = 1.1 + 1.6 * of(&format!("{name}{pattern}{frees:?}"));
                rows.extend(fragmentation(heap(name, "default"), work.clone(), 0, overhead));
                if VARIED.contains(&name) {
                    for (variant, more) in [("fast", 0.2), ("small", 0.1)] {
                        let varied = heap(name, variant);
                        rows.extend(fragmentation(varied, work.clone(), 0, overhead + more));
                    }
                }
            }
            let work = Fragmentation { threads: 2, frees, basis: Basis::Bounded, ..work(pattern) };
            rows.extend(fragmentation(store("nibble"), work, 0, 1.12));
        }
    }
    rows.extend(refills());
    rows.extend(servers_that_move());
    rows.extend(by_live_set());
    rows.extend(allocations::rows());
    // Suites share cells, and a cell that two of them want runs once.
    let requests = requests::rows();
    rows.extend(engine());
    rows.extend(requests);
    let mut rows = united(rows);
    break_some(&mut rows);
    name_curves(&mut rows);
    rows
}

/// Rows of a cell that several suites ask for, once, with all of them.
pub(crate) fn united(rows: Vec<Row>) -> Vec<Row> {
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut once: Vec<Row> = Vec::new();
    for row in rows {
        match places.entry((row.cell.id.clone(), row.step.clone())) {
            Entry::Occupied(place) => {
                let suites = &mut once[*place.get()].suites;
                let mut more = row.suites;
                more.retain(|suite| !suites.contains(suite));
                suites.append(&mut more);
            }
            Entry::Vacant(place) => {
                place.insert(once.len());
                once.push(row);
            }
        }
    }
    once
}

fn key_value(name: &str, distribution: &str, get_percent: u32, repetition: u32) -> Vec<Row> {
    let mut workload = Workload {
        name: format!("get-{get_percent}"),
        mix: Mix::gets(f64::from(get_percent)).expect("a share"),
        ..Workload::by_name("get-50").expect("it is built in")
    };
    workload.keys = distribution.parse().expect("a distribution");
    let work = KeyValue {
        records: 200_000,
        threads: 2,
        operations_per_thread: 1_000_000,
        ..KeyValue::plain(workload, 512 << 20)
    };
    let cell = cell(store(name), Work::KeyValue(work), repetition);
    let mut run = row(&cell, "run");
    let speed = if name == "null" { 85e6 } else { 1e6 + 4e6 * of(&cell.id[..cell.id.len() - 2]) };
    run.throughput_ops_per_s = speed * (1.0 + 0.1 * of(&cell.id));
    let overhead = if name == "null" { 0.003 } else { 1.1 + of(name) };
    run.memory = Some(Memory { at_once: Some(point(overhead, LIVE_BYTES)), ..Memory::default() });
    let mut rows = vec![row(&cell, "load"), run, row(&cell, "verify")];
    rows.iter_mut().for_each(|row| row.suites.push("store-throughput".to_owned()));
    rows
}

/// Rows of the suites about the engine itself.
fn engine() -> Vec<Row> {
    let rows = ["index-layouts", "engine-knobs"].map(rows_of_engine);
    rows.into_iter().flatten().collect()
}

fn rows_of_engine(suite: &str) -> Vec<Row> {
    let cells = cells::of_suite(suite);
    let rows = cells.iter().flat_map(|cell| {
        let Work::KeyValue(work) = &cell.work else { unreachable!("requests") };
        let (label, keys) = (cell.system.label(), work.records);
        let per_key = 7.0 + 20.0 * of(&label) + 6.0 * of(&format!("{label}{keys}"));
        let mut rows = ["load", "run", "verify"].map(|step| row(cell, step));
        rows[0].census = Some(Census {
            live_objects: keys,
            index_bytes: (per_key * keys as f64) as u64,
            ..Census::default()
        });
        rows[1].throughput_ops_per_s = 4e6 + 4e6 * of(&label) + 4e5 * of(&cell.id);
        rows.iter_mut().for_each(|row| row.suites.push(suite.to_owned()));
        rows[1].statistics =
            BTreeMap::from([("appended_bytes".to_owned(), 10.0), ("copied_bytes".to_owned(), 9.0)]);
        rows
    });
    rows.collect()
}

/// Rows of the suite about deletes: one store's memory grows and stays, one's grows on.
/// Memory for each live byte falls towards its level as the live set grows.
fn by_live_set() -> Vec<Row> {
    let mut rows = Vec::new();
    for cell in cells::of_suite("memory-convergence") {
        let Work::Fragmentation(work) = &cell.work else { unreachable!("fragmentation") };
        for sets in [1, 2, 4, 8, 16, 32] {
            let work = Fragmentation { sized: true, live_bytes: sets * LIVE_BYTES, ..work.clone() };
            let name = record::repetition::without_repetition(&cell.id);
            let id = format!("{name}/live-{}/{}", work.live_bytes, cell.repetition);
            let overhead = 1.05 + of(&cell.system.label()) * (0.5 + 1.5 / sets as f64);
            let suites = vec!["memory-convergence".to_owned()];
            let steps = fragmentation(cell.system.clone(), work.clone(), cell.repetition, overhead);
            let cell = Cell { id, work: Work::Fragmentation(work), ..cell.clone() };
            rows.extend(steps.into_iter().map(|row| Row {
                suites: suites.clone(),
                cell: cell.clone(),
                ..row
            }));
        }
    }
    rows
}

/// Servers that move objects or pages, and the same that do not.
fn servers_that_move() -> Vec<Row> {
    const SERVERS: [(&str, &[(&str, &str)]); 7] = [
        ("redis", &[]),
        ("redis", &[("server", "redis8")]),
        ("redis", &[("defrag", "default"), ("server", "redis8")]),
        ("redis", &[("defrag", "tuned"), ("server", "redis8")]),
        ("redis", &[("server", "valkey")]),
        ("memcached", &[]),
        ("memcached", &[("slab-automove", "false")]),
    ];
    let mut rows = Vec::new();
    for (repetition, (name, options)) in (0..3).flat_map(|n| SERVERS.map(|server| (n, server))) {
        let options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let (name, options) = (name.to_owned(), options.collect());
        let system = System::Store { name, heap: None, options };
        let overhead = 1.2 + 0.6 * of(&system.label()) + 0.05 * f64::from(repetition);
        let suites = vec!["defragmentation".to_owned()];
        let steps = fragmentation(system, work("P2"), repetition, overhead);
        rows.extend(steps.into_iter().map(|row| Row { suites: suites.clone(), ..row }));
    }
    rows
}

fn refills() -> Vec<Row> {
    let mut rows = Vec::new();
    for cell in cells::of_suite("refill") {
        let Work::Fragmentation(work) = &cell.work else { unreachable!("fragmentation") };
        for step in work.pattern.steps() {
            let cycle = f64::from(step.cycle.unwrap_or(1)) - 1.0;
            let grown = match cell.system.label().as_str() {
                "heapstore:mimalloc" => 0.6 * cycle.min(1.0),
                "btree" => 0.08 * cycle,
                _ => 0.01 * of(&format!("{}{step}", cell.id)),
            };
            let overhead = 1.0 + 0.3 * of(&cell.system.label()) + grown;
            let at_once = match step.phase {
                Phase::Delete => {
                    let resident = overhead * of(&format!("left{}", cell.system.label()));
                    MemoryPoint { live_bytes: 0, overhead: None, ..point(resident, LIVE_BYTES) }
                }
                Phase::Fill | Phase::Refill => point(overhead, LIVE_BYTES),
            };
            let memory = Memory { at_once: Some(at_once), ..Memory::default() };
            let suites = vec!["refill".to_owned()];
            rows.push(Row { memory: Some(memory), suites, ..row(&cell, &step.to_string()) });
        }
        let last = rows.last_mut().and_then(|row| row.memory.as_mut()).expect("steps");
        (last.after_idle, last.after_trim) = (last.at_once, last.at_once);
    }
    rows
}

/// A crash, a wrong value and a system that is not there.
fn break_some(rows: &mut [Row]) {
    for row in rows {
        let id = row.cell.id.as_str();
        if id.starts_with("fragmentation/P3/rpmalloc/Ample/1-Own/") && row.step == "refill" {
            row.outcome = Outcome::Crashed;
            row.expected = false;
            row.reason = Some("ended by SIGSEGV <segmentation fault>".to_owned());
        } else if id.contains("get-95-uniform-value-1KiB-fill-50-")
            && id.ends_with("/hashmap/1")
            && row.step == "verify"
        {
            row.outcome = Outcome::WrongValues;
            row.expected = false;
            row.reason = Some("of 10 values checked 1 were lost and 0 wrong".to_owned());
        } else if id.contains("W2/snmalloc") {
            row.outcome = Outcome::Unavailable;
            row.reason = Some("not on this machine".to_owned());
        }
    }
}

fn name_curves(rows: &mut [Row]) {
    for row in rows.iter_mut().filter(|row| row.cell.id.starts_with("fragmentation/P4/")) {
        row.curve = Some(curve_name(&row.cell.id));
    }
}

fn curve_name(id: &str) -> String {
    format!("curves/{}.csv", id.replace(['/', ':'], "_"))
}

/// Writes the curves and timelines that `rows` name: fill, delete nine tenths, fill again, idle.
pub(crate) fn write_curves(folder: &Path, rows: &[Row]) {
    requests::write_timelines(folder, rows);
    fs::create_dir_all(folder.join("curves")).expect("a folder for curves");
    for row in rows.iter().filter(|row| row.step == "refill") {
        let (Some(name), Some(memory)) = (&row.curve, &row.memory) else { continue };
        let end = memory.at_once.map_or(1.0, |point| point.resident_bytes as f64);
        let unit = 0.05 + 0.05 * of(&row.system);
        let mut text = "elapsed_s,resident_bytes,live_bytes,swap_bytes\n".to_owned();
        for tick in 0..400_u32 {
            let (live, resident) = match tick {
                0..3 => (0.0, 0.01),
                3..13 => (f64::from(tick - 2) / 10.0, f64::from(tick - 2) / 9.5),
                13..18 => (1.0, 1.05),
                18..24 => (1.0 - 0.15 * f64::from(tick - 17), 1.05),
                24..28 => (0.1, 1.04),
                28..40 => (0.1 + 0.075 * f64::from(tick - 27), 1.04 + f64::from(tick - 27) / 40.0),
                _ => (1.0, 1.2),
            };
            let live_bytes = (live * LIVE_BYTES as f64) as u64;
            let resident_bytes = (resident * end / 1.3) as u64;
            text += &format!("{:.3},{resident_bytes},{live_bytes},0\n", f64::from(tick) * unit);
        }
        fs::write(folder.join(name), text).expect("a curve's file");
    }
}
