//! Statistics of allocation traces, compared with hand counts and with brute force.

use std::collections::BTreeMap;

use super::*;
use crate::seed::Seed;
use crate::trace::{Allocation, AllocationKind};

fn statistics(events: &[Allocation]) -> AllocationStatistics {
    let mut all = AllocationAccumulator::new(StatisticsOptions::default());
    for event in events {
        all.add(event);
    }
    all.finish()
}

fn event(thread: u32, object: u64, kind: AllocationKind) -> Allocation {
    Allocation { thread, object, kind }
}

fn allocate(bytes: u64) -> AllocationKind {
    AllocationKind::Allocate { bytes, alignment: 0 }
}

#[test]
fn a_trace_by_hand() {
    let whole = statistics(&[
        event(0, 0, allocate(100)),
        event(1, 1, AllocationKind::Allocate { bytes: 64, alignment: 64 }),
        event(0, 0, AllocationKind::Reallocate { bytes: 500 }),
        event(0, 1, AllocationKind::Free),
        event(2, 1, AllocationKind::Free),
        event(1, 0, allocate(8)),
        event(0, 7, AllocationKind::Reallocate { bytes: 8 }),
        event(0, 2, allocate(1)),
        event(0, 2, AllocationKind::Free),
    ]);
    let events = AllocationEvents { allocations: 3, reallocations: 1, frees: 2, unknown: 3 };
    assert_eq!((whole.events, whole.threads, whole.aligned), (events, 3, 1));
    assert_eq!((whole.bytes_asked, whole.sizes.count), (665, 4));
    let live = whole.live;
    assert_eq!((live.bytes_max, live.bytes_max_at, live.objects_max), (564, 3, 2));
    assert_eq!((live.bytes_end, live.objects_end), (500, 1));
    assert_eq!((whole.lifetimes.count, whole.lifetimes.min, whole.lifetimes.max), (2, 0, 1));
    assert_eq!((whole.freed_across_threads, whole.freed_across_share()), (1, Some(0.5)));
    assert_eq!(whole.timeline.points.iter().map(|one| one.counts.total()).sum::<u64>(), 9);
    assert_eq!(statistics(&[]).freed_across_share(), None);
}

#[test]
fn sizes_beyond_all_memory_do_not_wrap() {
    let whole = statistics(&[
        event(0, 0, allocate(u64::MAX)),
        event(0, 1, allocate(u64::MAX)),
        event(0, 0, AllocationKind::Free),
        event(0, 1, AllocationKind::Reallocate { bytes: 5 }),
    ]);
    assert_eq!((whole.live.bytes_max, whole.live.bytes_end), (u64::MAX, 5));
    assert_eq!(whole.bytes_asked, u64::MAX);
}

#[test]
fn random_events_agree_with_a_map() {
    for seed in 0..40 {
        let mut rng = Seed(seed).rng();
        let mut live: BTreeMap<u64, u64> = BTreeMap::new();
        let (mut events, mut highest, mut unknown) = (Vec::new(), 0, 0);
        for _ in 0..rng.below(3000) {
            let (thread, object, bytes) = (rng.below(4) as u32, rng.below(60), rng.below(1 << 20));
            let is_live = live.contains_key(&object);
            let (kind, is_known) = match rng.below(3) {
                0 => (allocate(bytes), !is_live),
                1 => (AllocationKind::Reallocate { bytes }, is_live),
                _ => (AllocationKind::Free, is_live),
            };
            match (kind, is_known) {
                (_, false) => unknown += 1,
                (AllocationKind::Free, true) => drop(live.remove(&object)),
                (_, true) => drop(live.insert(object, bytes)),
            }
            highest = highest.max(live.values().sum::<u64>());
            events.push(event(thread, object, kind));
        }
        let whole = statistics(&events);
        assert_eq!(whole.events.total(), events.len() as u64);
        assert_eq!((whole.events.unknown, whole.live.bytes_max), (unknown, highest));
        assert_eq!(whole.live.bytes_end, live.values().sum::<u64>());
        assert_eq!(whole.live.objects_end, live.len() as u64);
        assert_eq!(whole.lifetimes.count, whole.events.frees);
        assert!(whole.freed_across_threads <= whole.events.frees);
    }
}
