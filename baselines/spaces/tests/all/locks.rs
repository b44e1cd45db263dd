//! Rule 6, and what happens to locks when their holders die.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use platform::process::kill;
use spaces::journey::{Journey, JourneyError};
use spaces::registry::{Registry, RegistryError, Rights, SegmentId};
use spaces::traveller::SpaceHandle;

use super::script::{Do, Script};
use super::world::{journey, journey_on, locked_segment, run, segment, space, words, world};

/// A journey that is inside a space of that name.
fn inside(registry: &Registry, name: &str) -> Journey<Script> {
    let mut journey = journey(registry);
    let handle = journey.attach(registry.find_space(name).unwrap()).unwrap();
    journey.begin_again(Script::new(&[Do::To(handle)])).unwrap();
    assert_eq!(journey.run(1).unwrap().at, Some(handle));
    journey
}

/// Whether a journey could enter a space at once.
fn enters(registry: &Registry, name: &str) -> bool {
    let mut journey = journey(registry);
    let handle = journey.attach(registry.find_space(name).unwrap()).unwrap();
    let script = run(&mut journey, &[Do::TryTo(handle), Do::Space, Do::Arrival]);
    let entered = script.saw(1) == handle.number();
    let arrival = if entered { 1 } else { handle.number() };
    assert_eq!(script.saw(2), arrival, "it is told how it came");
    entered
}

#[test]
fn readers_share_and_writers_are_alone() {
    let (_keeper, registry) = world();
    let id = locked_segment(&registry, "common");
    space(&registry, "reads", &[(id, Rights::Read)]);
    space(&registry, "writes", &[(id, Rights::ReadWrite)]);
    let reader = inside(&registry, "reads");
    assert!(enters(&registry, "reads"));
    assert!(!enters(&registry, "writes"));
    drop(reader);
    let writer = inside(&registry, "writes");
    assert!(!enters(&registry, "reads") && !enters(&registry, "writes"));
    drop(writer);
}

#[test]
fn a_visit_takes_its_locks_once_and_gives_them_back() {
    let (_keeper, registry) = world();
    let id = locked_segment(&registry, "common");
    space(&registry, "writes", &[(id, Rights::ReadWrite)]);
    let mut first = inside(&registry, "writes");
    assert!(!enters(&registry, "writes"));
    // To its own space is no switch, and takes no lock.
    assert_eq!(first.run(u64::MAX).unwrap().at, None);
    assert!(enters(&registry, "writes"), "who is done has left");
    let handle = first.processes()[0].0;
    let steps = [Do::To(handle), Do::To(handle), Do::TryTo(handle), Do::Primary, Do::Space];
    assert_eq!(run(&mut first, &steps).saw(4), SpaceHandle::PRIMARY.number());
    assert!(enters(&registry, "writes"));
}

#[test]
fn an_entry_that_fails_holds_none() {
    let (_keeper, registry) = world();
    let [low, high] = ["low", "high"].map(|name| locked_segment(&registry, name));
    assert!(low < high, "locks are taken in this order");
    space(&registry, "both", &[(high, Rights::ReadWrite), (low, Rights::ReadWrite)]);
    space(&registry, "low", &[(low, Rights::ReadWrite)]);
    space(&registry, "high", &[(high, Rights::Read)]);
    let holder = inside(&registry, "high");
    let mut refused = journey(&registry);
    let both = refused.attach(registry.find_space("both").unwrap()).unwrap();
    refused.begin_again(Script::new(&[Do::TryTo(both), Do::Space, Do::Arrival])).unwrap();
    let trip = refused.run(u64::MAX).unwrap();
    assert_eq!((trip.switches, trip.refusals), (0, 1));
    let script = *refused.traveller_mut();
    assert_eq!((script.saw(1), script.saw(2)), (SpaceHandle::PRIMARY.number(), both.number()));
    // The process that was refused lives, and holds nothing.
    assert!(enters(&registry, "low"));
    drop(holder);
    assert!(enters(&registry, "both"));
}

/// Refused from a space with locks, it is in that space again, with them.
#[test]
fn who_is_refused_is_where_it_was() {
    let (_keeper, registry) = world();
    let [own, other] = ["own", "other"].map(|name| locked_segment(&registry, name));
    space(&registry, "own", &[(own, Rights::ReadWrite)]);
    space(&registry, "other", &[(other, Rights::ReadWrite)]);
    let _holder = inside(&registry, "other");
    let mut refused = journey(&registry);
    let [here, there] =
        ["own", "other"].map(|name| refused.attach(registry.find_space(name).unwrap()).unwrap());
    let steps = [Do::To(here), Do::TryTo(there), Do::Space, Do::Arrival, Do::To(here)];
    refused.begin_again(Script::new(&steps)).unwrap();
    // In the primary space, in its own, and in its own again.
    let trip = refused.run(3).unwrap();
    assert_eq!((trip.at, trip.switches, trip.refusals), (Some(here), 1, 1));
    let script = *refused.traveller_mut();
    assert_eq!((script.saw(2), script.saw(3)), (here.number(), there.number()));
    assert!(!enters(&registry, "own"));
    refused.run(u64::MAX).unwrap();
    assert!(enters(&registry, "own"));
}

#[test]
fn a_writer_that_dies_poisons_until_repaired() {
    let (_keeper, registry) = world();
    let id = locked_segment(&registry, "common");
    space(&registry, "reads", &[(id, Rights::Read)]);
    space(&registry, "writes", &[(id, Rights::ReadWrite)]);
    // A reader that dies has changed nothing.
    let reader = inside(&registry, "reads");
    kill(reader.processes()[0].1);
    drop(reader);
    while !enters(&registry, "writes") {}
    let mut writer = inside(&registry, "writes");
    let (handle, dead) = writer.processes()[0];
    // Somebody waits while the holder dies.
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut waits = journey(&registry);
            let handle = waits.attach(registry.find_space("reads").unwrap()).unwrap();
            waits.begin_again(Script::new(&[Do::To(handle)])).unwrap();
            let error = waits.run(u64::MAX).unwrap_err();
            // It is in the primary space, and may go on.
            assert_eq!(waits.run(u64::MAX).unwrap().at, None);
            error
        });
        std::thread::sleep(Duration::from_millis(20));
        kill(dead);
        let poisoned = RegistryError::Poisoned { name: "common".to_owned(), holder: dead };
        assert_eq!(waits.join().unwrap(), JourneyError::Registry(poisoned.clone()));
        assert_eq!(registry.clone_segment(id, "clone"), Err(poisoned.clone()));
        let told = format!("segment `common` is poisoned: process {dead} died while it had");
        assert!(poisoned.to_string().starts_with(&told));
    });
    let error = writer.run(1).unwrap_err();
    assert!(matches!(error, JourneyError::Died { space, .. } if space == handle), "{error}");
    assert_eq!(registry.describe_segment(id).unwrap().poisoned_by, Some(dead));
    registry.repair(id).unwrap();
    assert_eq!(registry.describe_segment(id).unwrap().poisoned_by, None);
    assert!(enters(&registry, "writes"));
    registry.clone_segment(id, "clone").unwrap();
}

#[test]
fn a_segment_without_a_lock_keeps_nobody_out() {
    let (_keeper, registry) = world();
    let id = segment(&registry, "common");
    space(&registry, "writes", &[(id, Rights::ReadWrite)]);
    let _inside = inside(&registry, "writes");
    assert!(enters(&registry, "writes"));
}

/// Four travellers, three segments, all pairs of them in one space each.
#[test]
fn counters_under_locks_are_exact() {
    const ROUNDS: u64 = 150;
    let (_keeper, registry) = world();
    let all = ["one", "two", "three"].map(|name| locked_segment(&registry, name));
    let pairs: [[SegmentId; 2]; 3] = [[all[0], all[1]], [all[2], all[1]], [all[2], all[0]]];
    for (name, pair) in pairs.iter().enumerate() {
        let list = pair.map(|id| (id, Rights::ReadWrite));
        space(&registry, &name.to_string(), &list);
    }
    space(&registry, "reads", &all.map(|id| (id, Rights::Read)));
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (registry, pairs) = (&registry, &pairs);
            scope.spawn(move || {
                let mut journey = journey_on(registry, number);
                let mut steps = Vec::new();
                for turn in 0..3 {
                    let name = (number + turn) % 3;
                    let space = registry.find_space(&name.to_string()).unwrap();
                    let handle = journey.attach(space).unwrap();
                    let [one, two] = pairs[name];
                    // Another process may run between the two; it must not count then.
                    steps.extend([Do::To(handle), Do::CountAll(one), Do::CountAll(two)]);
                }
                let reads = journey.attach(registry.find_space("reads").unwrap()).unwrap();
                steps.extend([Do::To(reads), Do::Whole(all[number % 3]), Do::Again(ROUNDS)]);
                let script = run(&mut journey, &steps);
                assert_ne!(script.saw(10), u64::MAX, "a reader saw half a visit");
            });
        }
    });
    for id in all {
        // Two spaces have each segment; each traveller is once in each of them in a round.
        let counted = words(&registry, id);
        assert!(counted.iter().all(|&word| word == 4 * 2 * ROUNDS), "{:?}", counted[0]);
    }
}

/// Readers that overlap all the time do not keep a writer out.
#[test]
fn a_writer_enters_between_readers_that_never_end() {
    const VISITS_MOST: u64 = 2_000_000;
    let (_keeper, registry) = world();
    let id = locked_segment(&registry, "common");
    space(&registry, "reads", &[(id, Rights::Read)]);
    space(&registry, "writes", &[(id, Rights::ReadWrite)]);
    let (wrote, reading) = (AtomicBool::new(false), [const { AtomicBool::new(false) }; 2]);
    std::thread::scope(|scope| {
        for (number, reads) in reading.iter().enumerate() {
            let (registry, wrote) = (&registry, &wrote);
            scope.spawn(move || {
                let mut journey = journey_on(registry, number);
                let handle = journey.attach(registry.find_space("reads").unwrap()).unwrap();
                let steps = [Do::To(handle), Do::Whole(id), Do::Primary, Do::Again(u64::MAX)];
                journey.begin_again(Script::new(&steps)).unwrap();
                let mut visits = 0;
                // Relaxed: flags by themselves.
                while !wrote.load(Ordering::Relaxed) {
                    visits += journey.run(64).unwrap().switches;
                    reads.store(true, Ordering::Relaxed);
                    assert!(visits < VISITS_MOST, "the writer waits still");
                }
            });
        }
        while !reading.iter().all(|reads| reads.load(Ordering::Relaxed)) {
            std::thread::yield_now();
        }
        let mut writer = journey_on(&registry, 1);
        let handle = writer.attach(registry.find_space("writes").unwrap()).unwrap();
        run(&mut writer, &[Do::To(handle), Do::CountAll(id)]);
        wrote.store(true, Ordering::Relaxed);
    });
    assert_eq!(words(&registry, id)[0], 1);
}
