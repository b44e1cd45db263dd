//! Compiling and replaying made-up traces, checked against independent counts.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};
use workloads::Seed;
use workloads::trace::{Allocation, AllocationKind};

use super::allocations::{Sum, rehearse};
use super::compiled_trace::{Action, CompiledTrace, Event};
use super::{Stop, registry};
use record::Allocations;
use record::Verification;

/// A trace and its expected live curve.
struct Made {
    events: Vec<Allocation>,
    work: Allocations,
    /// Live bytes and objects after each event.
    curve: Vec<(u64, u64)>,
}

/// Threads that allocate, reallocate and free objects of their own and of one another.
fn made(seed: u64, threads: u32, count: usize) -> Made {
    let mut rng = Seed(seed).stream("trace").rng();
    let mut live: Vec<(u64, u64)> = Vec::new();
    let (mut events, mut curve) = (Vec::new(), Vec::new());
    let (mut objects, mut live_bytes) = (0, 0);
    while events.len() < count {
        let thread = rng.below(u64::from(threads)) as u32;
        let bytes = match rng.below(40) {
            0 => rng.below(300_000),
            1 => 0,
            _ => rng.below(600),
        };
        // The live set grows in the first half of the trace and shrinks in the second.
        let grows = if events.len() * 2 < count { 6 } else { 3 };
        let victim = rng.below(live.len().max(1) as u64) as usize;
        let (object, kind) = match (live.get(victim).copied(), rng.below(10)) {
            (Some((object, old_bytes)), 0) => {
                live[victim].1 = bytes;
                live_bytes = live_bytes - old_bytes + bytes;
                (object, AllocationKind::Reallocate { bytes })
            }
            (Some((object, old_bytes)), drawn) if drawn > grows => {
                live.swap_remove(victim);
                live_bytes -= old_bytes;
                (object, AllocationKind::Free)
            }
            _ => {
                let alignment = [0, 0, 0, 0, 16, 64, 4096][rng.below(7) as usize];
                live.push((objects, bytes));
                live_bytes += bytes;
                objects += 1;
                (objects - 1, AllocationKind::Allocate { bytes, alignment })
            }
        };
        events.push(Allocation { thread, object, kind });
        curve.push((live_bytes, live.len() as u64));
    }
    let work = Allocations {
        trace: "made-up".to_owned(),
        path: "nowhere".to_owned(),
        digest: 0,
        events: count as u64,
        threads,
        objects,
        live_bytes_max: curve.iter().map(|point| point.0).max().unwrap_or(0),
        live_objects_max: curve.iter().map(|point| point.1).max().unwrap_or(0),
        samples: 10,
    };
    Made { events, work, curve }
}

fn compile(work: &Allocations, events: &[Allocation]) -> Result<CompiledTrace, String> {
    let mut events = events.iter().copied().map(Ok);
    CompiledTrace::compile(work, &mut events).map_err(|stop| match stop {
        Stop::Because { reason, .. } => reason,
        Stop::Said => unreachable!("compiling has no rows"),
    })
}

/// Every thread's events, all segments joined.
fn streams(compiled: &CompiledTrace) -> Vec<Vec<Event>> {
    let segments = 0..compiled.positions.len();
    let stream =
        |thread| segments.clone().flat_map(move |one| compiled.segment(thread, one)).copied();
    (0..compiled.threads()).map(|thread| stream(thread).collect()).collect()
}

#[test]
fn whatever_thread_runs_first_every_event_finds_the_event_before_it() {
    for (seed, threads) in [(1, 1), (2, 2), (3, 5)] {
        let Made { events, work, .. } = made(seed, threads, 5000);
        let compiled = compile(&work, &events).unwrap();
        let streams = streams(&compiled);
        // A thread's n-th event in the trace is the n-th of its stream.
        let mut own = vec![Vec::new(); threads as usize];
        for event in &events {
            own[event.thread as usize].push(*event);
        }
        let mut rng = Seed(seed).stream("schedule").rng();
        let mut next = vec![0_usize; threads as usize];
        let mut turns = BTreeMap::<u32, u16>::new();
        let mut holds = BTreeMap::<u32, u64>::new();
        let (mut waited, mut done) = (0_u64, 0);
        while done < events.len() {
            let thread = rng.below(u64::from(threads)) as usize;
            let Some(&event) = streams[thread].get(next[thread]) else { continue };
            let turn = turns.entry(event.place).or_default();
            if event.waits() && *turn != event.turn {
                waited += 1;
                continue;
            }
            assert_eq!(*turn, event.turn, "an event that does not wait is never early");
            *turn = turn.wrapping_add(1);
            let Allocation { object, kind, .. } = own[thread][next[thread]];
            match event.action() {
                Action::Allocate => assert_eq!(holds.insert(event.place, object), None),
                Action::Reallocate => assert_eq!(holds.get(&event.place), Some(&object)),
                Action::Free => assert_eq!(holds.remove(&event.place), Some(object)),
            }
            if let AllocationKind::Allocate { bytes, alignment } = kind {
                assert_eq!((event.bytes() as u64, event.alignment() as u32), (bytes, alignment));
            }
            next[thread] += 1;
            done += 1;
        }
        assert_eq!(waited > 0, threads > 1, "{waited} waits of {threads} threads");
        let places: BTreeSet<u32> = streams.iter().flatten().map(|event| event.place).collect();
        assert_eq!(places.len() as u64, work.live_objects_max, "every place is used again");
        assert_eq!(places.last().map(|&last| last as usize), Some(compiled.places.len() - 1));
    }
}

#[test]
fn positions_are_the_ends_of_equal_parts_and_the_peak() {
    let Made { events, work, curve } = made(4, 2, 5000);
    let compiled = compile(&work, &events).unwrap();
    let peak = curve.iter().position(|point| point.0 == work.live_bytes_max).unwrap() as u64 + 1;
    let mut wanted: Vec<u64> = (1..=10).map(|part| part * 500).collect();
    wanted.push(peak);
    wanted.sort_unstable();
    let found: Vec<u64> = compiled.positions.iter().map(|position| position.events).collect();
    assert_eq!(found, wanted);
    for position in &compiled.positions {
        let point = (position.live_bytes, position.live_objects);
        assert_eq!(point, curve[position.events as usize - 1]);
        assert_eq!(position.ends.len(), 2);
    }
    // With fewer events than parts, each event is a position.
    let few = Allocations { events: 3, samples: 10, ..work };
    let few = super::tests_replay::compile(&few, &events[..3]).unwrap();
    let found: Vec<u64> = few.positions.iter().map(|position| position.events).collect();
    assert_eq!(found, [1, 2, 3]);
}

#[test]
fn the_same_trace_is_compiled_the_same_way() {
    let Made { events, work, .. } = made(5, 3, 3000);
    let [first, second] = [(), ()].map(|()| compile(&work, &events).unwrap());
    assert_eq!(streams(&first), streams(&second));
    assert_eq!(first.positions, second.positions);
}

#[test]
fn traces_that_cannot_be_are_refused() {
    let Made { events, work, .. } = made(6, 2, 100);
    let told = |change: &dyn Fn(&mut Vec<Allocation>, &mut Allocations)| {
        let (mut events, mut work) = (events.clone(), work.clone());
        change(&mut events, &mut work);
        compile(&work, &events).map(|_| ()).unwrap_err()
    };
    let first = events[0];
    let free = Allocation { kind: AllocationKind::Free, ..first };
    let crooked = AllocationKind::Allocate { bytes: 1, alignment: 24 };
    for (found, wanted) in [
        (told(&|events, _| events[1] = first), "event 1: object 0 is allocated twice"),
        (told(&|events, _| events[0] = free), "event 0: object 0 is not live"),
        (told(&|events, _| events[0].kind = crooked), "event 0: alignment 24"),
        (told(&|events, _| events[0].thread = 2), "event 0: thread 2 of 2"),
        (told(&|events, _| events[0].object = 1 << 40), "event 0: object 1099511627776 of"),
        (told(&|_, work| work.live_objects_max -= 1), "objects are live"),
        (told(&|_, work| work.events += 1), "100 events, and the cell says 101"),
        (told(&|_, work| work.events -= 1), "event 99: there are more than the cell says"),
    ] {
        assert!(found.starts_with("trace `made-up` (nowhere): "), "{found}");
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
}

/// Replays a trace; returns the totals, and live bytes and objects at each position.
fn replayed(made: &Made, heap: &'static dyn Heap) -> (Sum, Vec<(u64, u64, u64)>) {
    let compiled = compile(&made.work, &made.events).unwrap();
    let mut curve = Vec::new();
    let sum = rehearse(&compiled, heap, |position, sum| {
        curve.push((position.events, sum.live_bytes, sum.live_objects));
    });
    (sum.unwrap_or_else(|stop| panic!("{stop:?}")), curve)
}

#[test]
fn live_bytes_are_those_of_the_trace_wherever_it_stands_still() {
    for (name, threads) in [("glibc", 1), ("glibc", 5), ("jemalloc", 3), ("null", 3)] {
        let made = made(7, threads, 40_000);
        let heap = registry::heap(name).unwrap();
        heap.open().unwrap();
        let (sum, curve) = replayed(&made, heap);
        assert_eq!((sum.operations, sum.refused_bytes), (40_000, None), "{name}");
        assert!(curve.len() >= 10 && curve.last().unwrap().0 == 40_000);
        for (events, live_bytes, live_objects) in curve {
            let wanted = made.curve[events as usize - 1];
            assert_eq!((live_bytes, live_objects), wanted, "{name} after {events}");
        }
        let Verification { checked, wrong, .. } = sum.verification;
        assert_eq!(wrong, 0, "{name}");
        assert_eq!(checked > 200, heap.traits().keeps_values, "{name}: {checked}");
        assert!(sum.elapsed_ns > 0);
    }
}

/// The null heap under a name that promises values, with a limit of objects.
#[derive(Debug)]
struct Broken {
    allocations_left: AtomicU64,
}

static BROKEN: HeapTraits = HeapTraits { name: "broken", ..HeapTraits::BASE };

impl Broken {
    fn below() -> &'static dyn Heap {
        registry::heap("null").unwrap()
    }

    fn may(&self) -> Option<()> {
        let left = self.allocations_left.fetch_sub(1, Ordering::Relaxed);
        (left.cast_signed() > 0).then_some(())
    }
}

impl Heap for Broken {
    fn traits(&self) -> &'static HeapTraits {
        &BROKEN
    }

    fn open(&self) -> Result<(), OpenError> {
        Self::below().open()
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        self.may().and_then(|()| Self::below().allocate(bytes))
    }

    unsafe fn free(&self, _: NonNull<u8>, _: usize) {}

    unsafe fn reallocate(&self, _: NonNull<u8>, _: usize, bytes: usize) -> Option<NonNull<u8>> {
        self.allocate(bytes)
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.may().and_then(|()| Self::below().allocate_aligned(bytes, alignment))
    }

    unsafe fn usable_bytes(&self, _: NonNull<u8>) -> Option<usize> {
        None
    }

    fn purge(&self) {}

    fn version(&self) -> String {
        String::new()
    }

    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }

    fn statistics(&self) -> HeapStatistics {
        HeapStatistics::default()
    }
}

fn broken(allocations_left: u64) -> &'static dyn Heap {
    let heap = Box::leak(Box::new(Broken { allocations_left: allocations_left.into() }));
    heap.open().unwrap();
    heap
}

#[test]
fn blocks_that_overlap_are_noticed() {
    let made = made(8, 2, 20_000);
    let (sum, _) = replayed(&made, broken(u64::MAX / 2));
    let Verification { checked, wrong, .. } = sum.verification;
    assert!(wrong > 10 && checked > 100, "{wrong} of {checked}");
}

#[test]
fn a_refusal_ends_the_replay_of_every_thread() {
    let made = made(9, 4, 20_000);
    let (sum, curve) = replayed(&made, broken(3000));
    assert!(sum.refused_bytes.is_some());
    assert!((3000..20_000).contains(&sum.operations), "{}", sum.operations);
    assert!(!curve.is_empty() && curve.len() < 10);
}
