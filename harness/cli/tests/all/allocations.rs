//! Allocation traces replayed from end to end: a file, a worker, rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use crate::common::{piped, scratch};
use harness::plan::{MachineLimits, plan};
use harness::runner::{Berth, CellRunner, Floor, Interrupt, ProcessRunner};
use harness::suites::Suite;
use harness::traces::{TraceContent, TraceFile, Traces};
use record::{Cell, Outcome, Row, Scale, System, Work};
use worker::protocol::Event;
use workloads::trace::{Allocation, AllocationKind, Header, TraceWriter};

const EVENTS: u64 = 60_000;
const THREADS: u32 = 3;

/// Each thread allocates objects of its own; every third is reallocated, and all but every fifth
/// are freed by the next thread, some thousand events later.
fn events() -> Vec<Allocation> {
    let mut events = Vec::new();
    let mut waiting: Vec<(u32, u64)> = Vec::new();
    for object in 0.. {
        let thread = (object % u64::from(THREADS)) as u32;
        let bytes = 16 + object * 37 % 900 + if object % 100 == 0 { 100_000 } else { 0 };
        let alignment = if object % 7 == 0 { 256 } else { 0 };
        events.push(Allocation {
            thread,
            object,
            kind: AllocationKind::Allocate { bytes, alignment },
        });
        if object % 3 == 0 {
            let kind = AllocationKind::Reallocate { bytes: bytes * 2 };
            events.push(Allocation { thread, object, kind });
        }
        if object % 5 != 0 {
            waiting.push(((thread + 1) % THREADS, object));
        }
        if waiting.len() > 1000 {
            let (thread, object) = waiting.remove(0);
            events.push(Allocation { thread, object, kind: AllocationKind::Free });
        }
        if events.len() as u64 >= EVENTS {
            break;
        }
    }
    events.truncate(EVENTS as usize);
    events
}

/// Live bytes and objects after each event.
fn curve(events: &[Allocation]) -> Vec<(u64, u64)> {
    let mut live: BTreeMap<u64, u64> = BTreeMap::new();
    let mut total = 0;
    let point = |event: &Allocation| {
        let before = match event.kind {
            AllocationKind::Allocate { bytes, .. } | AllocationKind::Reallocate { bytes } => {
                total += bytes;
                live.insert(event.object, bytes)
            }
            AllocationKind::Free => live.remove(&event.object),
        };
        total -= before.unwrap_or(0);
        (total, live.len() as u64)
    };
    events.iter().map(point).collect()
}

/// Writes the trace; gives what a plan is to know of it.
fn write(folder: &Path) -> (TraceFile, Vec<(u64, u64)>) {
    let events = events();
    let path = folder.join("tiny.trace");
    let file = File::create(&path).expect("a file");
    let mut writer =
        TraceWriter::new(file, &Header::new::<Allocation>("a test")).expect("a header");
    for event in &events {
        writer.push(*event).expect("an event");
    }
    let (_, totals) = writer.finish().expect("an end");
    let curve = curve(&events);
    let objects = events.iter().map(|event| event.object).max().expect("events") + 1;
    let file = TraceFile {
        name: "tiny".to_owned(),
        path,
        digest: totals.digest,
        content: TraceContent::Allocations,
        events: EVENTS,
        threads: THREADS,
        objects,
        live_bytes_max: curve.iter().map(|point| point.0).max().expect("events"),
        live_objects_max: curve.iter().map(|point| point.1).max().expect("events"),
        copies: 1,
        replays: Default::default(),
        replays_with_keys: Default::default(),
    };
    (file, curve)
}

fn cells(trace: &TraceFile) -> Vec<Cell> {
    let suite = "question = \"?\"\n[[allocations]]\nheaps = [\"glibc\", \"jemalloc\", \"null\"]\n\
                 traces = [\"tiny\"]\nsamples = 8\n";
    let suite = Suite::parse("tiny.toml", suite).expect("a suite");
    let scale = Scale::by_name("smoke").expect("a scale");
    let limits = MachineLimits { memory_bytes: 8 << 30, cores: 2, cache_bytes: 0 };
    let traces = Traces::from_iter([trace.clone()]);
    plan(&[suite], &scale, &traces, limits).expect("a plan").cells
}

/// Runs a cell in a process of its own and gives its only row.
fn run(cell: &Cell) -> Row {
    let program = env!("CARGO_BIN_EXE_nibble-bench").into();
    let runner = ProcessRunner { program, interrupt: Interrupt::default() };
    let floor = Floor::default();
    let mut rows = runner.run(&[cell], (&floor, floor.take()), &mut Berth::alone()).remove(0).rows;
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.remove(0)
}

#[test]
fn a_trace_is_replayed_and_its_memory_observed_where_it_stands_still() {
    let (trace, curve) = write(&scratch("allocations"));
    for cell in cells(&trace) {
        let row = run(&cell);
        let name = row.system.as_str();
        assert_eq!((row.outcome, row.step.as_str()), (Outcome::Measured, "run"), "{row:?}");
        assert_eq!(row.operations, EVENTS);
        let checked = row.verification.expect("objects were checked");
        assert_eq!((checked.wrong, checked.checked > 500), (0, name != "null"), "{name}");
        let ends: Vec<u64> = row.positions.iter().map(|position| position.events).collect();
        assert!((1..=8).all(|part| ends.contains(&(EVENTS * part / 8))), "{ends:?}");
        assert!(row.positions.is_sorted_by_key(|position| (position.events, position.elapsed_ns)));
        let mut most = 0;
        for position in &row.positions {
            let wanted = curve[position.events as usize - 1];
            assert_eq!((position.live_bytes, position.live_objects), wanted, "{name}");
            most = most.max(position.live_bytes);
            if name == "null" {
                assert!(position.resident_bytes < 2 << 20, "{position:?}");
            } else {
                assert!(position.resident_bytes > position.live_bytes * 9 / 10, "{position:?}");
            }
        }
        assert_eq!(most, trace.live_bytes_max, "the peak is one of the positions");
        let last = row.positions.last().expect("positions");
        assert_eq!(last.elapsed_ns, row.elapsed_ns);
        let memory = row.memory.expect("memory");
        assert_eq!(memory.at_once.expect("observed").live_bytes, last.live_bytes);
        assert!(memory.after_trim.is_some());
    }
}

#[test]
fn another_trace_and_a_missing_one_are_told() {
    let (trace, _) = write(&scratch("allocations-other"));
    let mut cell = cells(&trace).remove(0);
    let Work::Allocations(work) = &mut cell.work else { panic!("{}", cell.id) };
    work.digest ^= 1;
    let row = run(&cell);
    assert_eq!(row.outcome, Outcome::Failed);
    let reason = row.reason.as_deref().expect("a reason");
    assert!(reason.contains("is not the one that was planned"), "{reason}");
    let Work::Allocations(work) = &mut cell.work else { panic!("{}", cell.id) };
    work.path = "/nowhere/tiny.trace".to_owned();
    let row = run(&cell);
    let reason = row.reason.as_deref().expect("a reason");
    assert!(reason.contains("`tiny` (/nowhere/tiny.trace) cannot be read"), "{reason}");
}

/// By hand, as a reader of a row would repeat it: no parent, no page.
#[test]
fn a_cell_that_is_piped_in_says_every_position() {
    let (trace, curve) = write(&scratch("allocations-piped"));
    let mut cell = cells(&trace).remove(0);
    cell.system = System::Heap { name: "jemalloc".to_owned(), variant: "default".to_owned() };
    let events = piped(&cell);
    let found: Vec<(u64, u64)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Position { events, live_bytes, .. } => Some((*events, *live_bytes)),
            _ => None,
        })
        .collect();
    assert!(found.len() >= 8, "{events:?}");
    assert!(found.iter().all(|&(events, bytes)| curve[events as usize - 1].0 == bytes));
}
