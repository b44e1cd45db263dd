//! Made-up cells and rows for tests of this crate and the crates above it. The numbers are derived from
//! names, so no two systems share them; none was ever measured.

mod accounts;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use workloads::fragmentation::Pattern;
use workloads::requests::Workload;

use crate::archive::RunRecord;
use crate::identity::Provenance;
use crate::{
    Basis, Cell, Conditions, CpuUse, Durability, Fragmentation, Frees, KeyValue, MachineRecord,
    Observe, Role, Row, SCHEMA, Scale, StepReport, System, Work,
};

pub use accounts::{account_of_gets, accounts, write_accounts};

/// Live bytes of a made-up fragmentation cell.
pub const LIVE_BYTES: u64 = 256 << 20;

/// A number from 0 to 1 derived from `text`.
pub fn of(text: &str) -> f64 {
    let mut state = 0xCBF2_9CE4_8422_2325_u64;
    for byte in text.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    state ^= state >> 29;
    (state.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << 53) as f64
}

pub fn heap(name: &str, variant: &str) -> System {
    System::Heap { name: name.to_owned(), variant: variant.to_owned() }
}

pub fn store(name: &str) -> System {
    let (name, heap) = match name.split_once(':') {
        Some((name, heap)) => (name, Some(heap.to_owned())),
        None => (name, None),
    };
    System::Store { name: name.to_owned(), heap, options: BTreeMap::new() }
}

/// A fragmentation workload as the papers run it.
pub fn work(pattern: &str) -> Fragmentation {
    Fragmentation {
        sized: false,
        key_bytes: None,
        pattern: Pattern::by_name(pattern).expect("a built-in pattern"),
        live_bytes: LIVE_BYTES,
        basis: Basis::Ample,
        threads: 1,
        frees: Frees::Own,
        observe: Observe::End,
        idle_ms: 15_000,
    }
}

/// The conditions of a made-up store; allocators have none.
fn conditions(system: &System) -> Option<Conditions> {
    matches!(system, System::Store { .. }).then(plain_conditions)
}

/// Conditions that most stores share.
pub fn plain_conditions() -> Conditions {
    Conditions {
        page_bytes: 4096,
        hashing: "store".to_owned(),
        keys: "words".to_owned(),
        copy_out: true,
        client_threads: 1,
        store_threads: 0,
        servers: 0,
        batch: 1,
        transport: "call".to_owned(),
        steering: "any-thread".to_owned(),
        durable: Durability::None,
        storage: "memory".to_owned(),
        writes: "telling".to_owned(),
        rmw: "get-then-put".to_owned(),
        snapshots: "none".to_owned(),
        memory_bound: "soft".to_owned(),
        when_full: "refuses".to_owned(),
    }
}

/// The role of a made-up system in figures.
fn role(system: &System) -> Role {
    match system {
        System::Heap { .. } => Role::Allocator,
        System::Kernel | System::Way { .. } => Role::Kernel,
        System::Store { name, .. } if name == "roofline" => Role::Roofline,
        System::Store { name, .. } if name == "null" => Role::Price,
        System::Store { .. } => Role::Store,
    }
}

/// A row with made-up times and no memory.
pub fn row(cell: &Cell, step: &str) -> Row {
    let speed = 1e5 + 9e5 * of(&format!("{}{step}", cell.id));
    let report = StepReport {
        cpu: CpuUse { user_ns: 800_000_000, system_ns: 200_000_000, ..CpuUse::default() },
        ..StepReport::measured(step, 1_000_000, (1e15 / speed) as u64)
    };
    Row {
        identity: "0123456789abcdef".to_owned(),
        role: role(&cell.system),
        node: "made-up".to_owned(),
        version: "1.2.3".to_owned(),
        settings: BTreeMap::from([("decay-ms".to_owned(), "10000".to_owned())]),
        conditions: conditions(&cell.system),
        began: None,
        turn: None,
        environment: BTreeMap::from([("GLIBC_TUNABLES".to_owned(), "a<b".to_owned())]),
        throughput_ops_per_s: speed,
        operations_per_cpu_s: 1e6,
        latency_ns: BTreeMap::from([("p50".to_owned(), 220), ("p99".to_owned(), 1900)]),
        ..Row::of_step(cell, report)
    }
}

pub fn cell(system: System, work: Work, repetition: u32) -> Cell {
    let id = match &work {
        Work::Fragmentation(work) => format!(
            "fragmentation/{}/{}/{:?}/{}-{:?}/{repetition}",
            work.pattern.name,
            system.label(),
            work.basis,
            work.threads,
            work.frees
        ),
        Work::KeyValue(work) => {
            format!("key-value/{}/{}/{repetition}", work.name(), system.label())
        }
        Work::Allocations(work) => {
            format!("allocations/{}/{}/{repetition}", work.trace, system.label())
        }
        other => {
            let labels: Vec<String> =
                other.family().labels().into_iter().map(|(_, text)| text).collect();
            format!("{}/{}/{repetition}", labels.join("/"), system.label())
        }
    };
    Cell {
        id,
        system,
        work,
        seed: 42,
        repetition,
        sampling: true,
        timeout_ms: 60_000,
        memory_limit_bytes: 1 << 30,
        counters: false,
    }
}

/// A few cells of requests and of fragmentation, with different ids.
pub fn sample_cells() -> Vec<Cell> {
    let fragmentation = ["P1", "P4"]
        .into_iter()
        .flat_map(|pattern| {
            [heap("glibc", "default"), store("hashmap")].map(|system| (pattern, system))
        })
        .map(|(pattern, system)| cell(system, Work::Fragmentation(work(pattern)), 0));
    let requests = [1, 2].map(|threads| {
        let workload = Workload::by_name("get-50").expect("it is built in");
        let work = KeyValue { threads, records: 1000, ..KeyValue::plain(workload, 16 << 20) };
        cell(store("nibble"), Work::KeyValue(work), 0)
    });
    fragmentation.chain(requests).collect()
}

/// The record of a made-up run at a scale.
pub fn run(scale: &str) -> RunRecord {
    let facts = [("cpu", "A <fast> & made-up processor"), ("cores", "2"), ("memory-mib", "7900")];
    let facts: BTreeMap<String, String> =
        facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    RunRecord {
        schema: SCHEMA,
        name: format!("reproduce-{scale}"),
        command: format!("nibble-bench reproduce --scale {scale}"),
        scale: Scale::by_name(scale),
        suites: vec![("allocator-bloat".to_owned(), "How much?".to_owned())],
        figures: Vec::new(),
        notices: vec!["live sets were reduced <by half>".to_owned()],
        cells_planned: 12,
        started: "2026-11-20T14:15:00Z".to_owned(),
        resumed: Vec::new(),
        finished: Some("2026-11-20T14:45:00Z".to_owned()),
        interrupted: false,
        decide_s: None,
        within_s: None,
        split: None,
        nodes: BTreeMap::new(),
        provenance: Provenance::default(),
        machine: MachineRecord { facts },
    }
}

/// A folder for one test in the system's temporary folder; removed when dropped.
#[derive(Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new folder, even if other tests ask for the same name.
    pub fn new(test: &str) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        // Relaxed: the number only has to be unique.
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let path = std::env::temp_dir().join(format!("nibble-bench-{process}-{number}-{test}"));
        fs::create_dir_all(&path).expect("a writable temporary folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
