//! Travellers: what they see in each space, and what a journey refuses.

use std::collections::BTreeSet;
use std::io;
use std::process::Command;

use spaces::journey::{Journey, JourneyError, host};
use spaces::pointer::Here;
use spaces::registry::{Registry, RegistryError, Rights, SegmentId};
use spaces::shared::InSegment;
use spaces::traveller::{Go, SpaceHandle, Traveller};

use super::script::{Do, Script};
use super::world::{
    PAGE, free_base, journey, new_segment, program, run, segment, space, words, world,
};

/// A segment in two spaces, and a journey that has attached both.
fn two_spaces(registry: &Registry) -> (SegmentId, Journey<Script>, [SpaceHandle; 2]) {
    let id = segment(registry, "common");
    let mut journey = journey(registry);
    let handles = ["one", "two"].map(|name| {
        let attached = space(registry, name, &[(id, Rights::ReadWrite)]);
        journey.attach(attached).unwrap()
    });
    (id, journey, handles)
}

/// Rules 2 and 5.
#[test]
fn bytes_are_the_same_in_every_space() {
    let (_keeper, registry) = world();
    let (id, mut journey, [one, two]) = two_spaces(&registry);
    let script = run(
        &mut journey,
        &[
            Do::To(one),
            Do::Store(id, 7, 70),
            Do::Address(id),
            Do::To(two),
            Do::Load(id, 7),
            Do::Address(id),
            Do::Store(id, 7, 71),
            Do::To(one),
            Do::Load(id, 7),
            Do::Primary,
            // No segment is attached in the process that began the journey.
            Do::Address(id),
        ],
    );
    assert_eq!([4, 8, 10].map(|at| script.saw(at)), [70, 71, 0]);
    let base = registry.describe_segment(id).unwrap().base as u64;
    assert_eq!([script.saw(2), script.saw(5)], [base, base]);
    assert_eq!(words(&registry, id)[7], 71, "and for who maps it without a journey");
}

/// Rule 4: what is not atomic as a whole counts right, and each space is one process.
#[test]
fn one_process_runs_at_a_time() {
    const ROUNDS: u64 = 500;
    let (_keeper, registry) = world();
    let (id, mut journey, [one, two]) = two_spaces(&registry);
    let rounds = [
        Do::To(one),
        Do::Count(id, 0),
        Do::Process,
        Do::To(two),
        Do::Count(id, 0),
        Do::Process,
        Do::Again(ROUNDS),
        Do::Primary,
        Do::Process,
    ];
    journey.begin_again(Script::new(&rounds)).unwrap();
    let trip = journey.run(u64::MAX).unwrap();
    assert_eq!(words(&registry, id)[0], 2 * ROUNDS);
    assert_eq!((trip.at, trip.switches, trip.refusals), (None, 2 * ROUNDS + 1, 0));
    let seen = [2, 5, 8].map(|at| journey.traveller_mut().saw(at) as u32);
    let processes: Vec<u32> = journey.processes().iter().map(|&(_, process)| process).collect();
    assert_eq!(seen[..2], processes[..]);
    assert_eq!(seen[2], std::process::id());
}

/// Rule 3.
#[test]
fn memory_outside_the_segments_is_in_no_other_space() {
    let (_keeper, registry) = world();
    let (common, mut first, [one, _]) = two_spaces(&registry);
    let mapping = platform::Mapping::anonymous(PAGE, platform::Pages::Small).unwrap();
    let here = mapping.start().addr().get();
    let behind = registry.describe_segment(common).unwrap().base + PAGE;
    // Here it can be read.
    assert_eq!(run(&mut first, &[Do::Peek(here)]).saw(0), 0);
    for outside in [here, behind] {
        let mut other = journey(&registry);
        let there = other.attach(registry.find_space("one").unwrap()).unwrap();
        other.begin_again(Script::new(&[Do::To(there), Do::Peek(outside)])).unwrap();
        let error = other.run(u64::MAX).unwrap_err();
        let JourneyError::Died { space, how } = &error else { panic!("{error}") };
        assert_eq!(*space, there);
        assert!(how.starts_with("signal: 11 (SIGSEGV)"), "{how}");
        // The journey is over, and says so again.
        assert_eq!(other.run(1), Err(error.clone()));
        assert_eq!(other.detach(there), Err(error));
        assert!(other.processes().is_empty());
    }
    // Another journey through the same space goes on.
    assert_eq!(run(&mut first, &[Do::To(one), Do::Load(common, 0)]).saw(1), 0);
}

/// Rule 7.
#[test]
fn who_may_read_is_stopped_when_it_writes() {
    let (_keeper, registry) = world();
    let origin = segment(&registry, "origin");
    let clone = registry.clone_segment(origin, "clone").unwrap();
    for (name, id) in [("of the origin", origin), ("of the clone", clone)] {
        let attached = space(&registry, name, &[(id, Rights::Read)]);
        let mut reads = journey(&registry);
        let handle = reads.attach(attached).unwrap();
        assert_eq!(run(&mut reads, &[Do::To(handle), Do::Load(id, 1)]).saw(1), 0);
        reads.begin_again(Script::new(&[Do::To(handle), Do::Store(id, 1, 1)])).unwrap();
        let error = reads.run(u64::MAX).unwrap_err().to_string();
        assert!(error.contains("ended (signal: 11 (SIGSEGV)"), "{error}");
        assert_eq!(words(&registry, id)[1], 0);
    }
}

/// Rule 11.
#[test]
fn what_a_journey_refuses_changes_nothing() {
    let (_keeper, registry) = world();
    let (id, mut journey, [one, two]) = two_spaces(&registry);
    journey.begin_again(Script::new(&[Do::To(one), Do::To(one), Do::Count(id, 0)])).unwrap();
    // It is in the first space after two steps.
    let trip = journey.run(2).unwrap();
    assert_eq!((trip.steps, trip.switches, trip.at), (2, 1, Some(one)));
    assert_eq!(journey.detach(one), Err(JourneyError::Inside(one)));
    assert_eq!(journey.map(one, id, Rights::Read), Err(JourneyError::Inside(one)));
    assert_eq!(journey.begin_again(Script::new(&[])), Err(JourneyError::Inside(one)));
    let told = JourneyError::Inside(one).to_string();
    assert_eq!(told, "the traveller is inside the space of handle 0x201: let it leave first");
    let in_use = registry.remove_space(registry.find_space("one").unwrap());
    let told = "space `one` is attached by 1 processes: detach it first";
    assert_eq!(in_use.unwrap_err().to_string(), told);
    journey.detach(two).unwrap();
    assert_eq!(journey.detach(two), Err(JourneyError::UnknownHandle(two)));
    assert_eq!(journey.run(u64::MAX).unwrap().at, None);
    assert_eq!(words(&registry, id)[0], 1);
    assert_eq!(journey.run(1), Err(JourneyError::AlreadyDone));
    // Who goes where no handle leads is in the primary space afterwards.
    journey.begin_again(Script::new(&[Do::To(one), Do::To(two), Do::Space])).unwrap();
    assert_eq!(journey.run(u64::MAX), Err(JourneyError::UnknownHandle(two)));
    assert_eq!(journey.run(u64::MAX).unwrap().at, None);
    assert_eq!(journey.traveller_mut().saw(2), SpaceHandle::PRIMARY.number());
    for number in [1 << 20, 511, u64::MAX] {
        let nowhere = SpaceHandle::from_number(number);
        assert_eq!(journey.detach(nowhere), Err(JourneyError::UnknownHandle(nowhere)));
    }
}

/// Rule 12.
#[test]
fn handles_are_never_reused() {
    let (_keeper, registry) = world();
    let (id, mut journey, [one, _]) = two_spaces(&registry);
    let space = registry.find_space("one").unwrap();
    let mut known = BTreeSet::from([one.number()]);
    journey.detach(one).unwrap();
    for _ in 0..3 {
        let again = journey.attach(space).unwrap();
        assert!(known.insert(again.number()), "{again} had been another");
        journey.begin_again(Script::new(&[Do::To(one), Do::Count(id, 0)])).unwrap();
        assert_eq!(journey.run(u64::MAX), Err(JourneyError::UnknownHandle(one)));
        journey.detach(again).unwrap();
    }
    assert_eq!(words(&registry, id)[0], 0);
}

/// Rule 1, of one attached space.
#[test]
fn a_segment_may_be_mapped_into_one_attached_space() {
    let (_keeper, registry) = world();
    let (common, mut journey, [one, two]) = two_spaces(&registry);
    let base = registry.describe_segment(common).unwrap().base;
    let own = segment(&registry, "own");
    let over = registry.make_segment(new_segment("over", base, 1)).unwrap();
    journey.map(one, own, Rights::ReadWrite).unwrap();
    let seen = run(&mut journey, &[Do::To(one), Do::Address(own), Do::To(two), Do::Address(own)]);
    assert!(seen.saw(1) > 0 && seen.saw(3) == 0);
    let refused = journey.map(one, over, Rights::Read).unwrap_err().to_string();
    assert!(refused.starts_with("segment `over` overlaps segment `common` of space"), "{refused}");
    let refused = journey.map(one, own, Rights::Read).unwrap_err().to_string();
    assert!(refused.starts_with("segment `own` is in space `the space of handle"), "{refused}");
    journey.unmap(one, common).unwrap();
    journey.map(one, over, Rights::Read).unwrap();
    journey.unmap(one, own).unwrap();
    let refused = journey.unmap(one, own).unwrap_err();
    assert!(matches!(refused, JourneyError::Registry(RegistryError::NotThere { .. })), "{refused}");
    // Nobody has it open any more.
    registry.remove_segment(own).unwrap();
    let seen = [Do::To(one), Do::Address(common), Do::Address(over)];
    let seen = run(&mut journey, &seen);
    assert_eq!((seen.saw(1), seen.saw(2)), (0, base as u64));
    // The named space never had it.
    assert_eq!(registry.list_space(registry.find_space("one").unwrap()).unwrap().len(), 1);
}

#[test]
fn a_space_that_cannot_be_attached() {
    let (_keeper, registry) = world();
    let mut nobody = journey(&registry);
    let removed = registry.make_space("removed").unwrap();
    registry.remove_space(removed).unwrap();
    let error = nobody.attach(removed).unwrap_err();
    assert_eq!(error, JourneyError::Registry(RegistryError::UnknownSpace(removed)));
    let empty = registry.make_space("empty").unwrap();
    let handle = nobody.attach(empty).unwrap();
    assert_eq!(run(&mut nobody, &[Do::To(handle), Do::Space]).saw(1), handle.number());
}

#[test]
fn programs_that_are_no_spaces() {
    /// A traveller that the program of the spaces does not know.
    #[repr(C)]
    struct Stranger(u64);
    // SAFETY: an integer.
    unsafe impl InSegment for Stranger {}
    impl Traveller for Stranger {
        const NAME: &'static str = "stranger";
        fn step<'space>(&mut self, _here: &Here<'space>) -> Go {
            Go::Done
        }
    }
    let (_keeper, registry) = world();
    let space = registry.make_space("any").unwrap();
    let core = platform::cpu::allowed_cores()[0];
    let mut journey = Journey::begin(&registry, program, core, Stranger(0)).unwrap();
    let error = journey.attach(space).unwrap_err();
    assert_eq!(error, JourneyError::UnknownTraveller("stranger"));
    assert!(error.to_string().contains("`stranger`"), "{error}");
    // It may still go where it is.
    assert_eq!(journey.run(1).unwrap().at, None);
    let no_space = || Ok(Command::new("false"));
    let mut journey = Journey::begin(&registry, no_space, core, Script::new(&[])).unwrap();
    let error = journey.attach(space).unwrap_err().to_string();
    assert!(error.contains("ended (exit status: 1)"), "{error}");
    let no_program: fn() -> io::Result<Command> = || Ok(Command::new("/nonexistent/program"));
    let mut journey = Journey::begin(&registry, no_program, core, Script::new(&[])).unwrap();
    let error = journey.attach(space).unwrap_err().to_string();
    assert!(error.starts_with("starting the process of a space: "), "{error}");
    let told = host::run(&[]).unwrap_err().to_string();
    assert!(told.ends_with("not by hand (NIBBLE_SPACE_HOST is not set)"), "{told}");
}

/// Page tables of an attached space are filled before the traveller comes.
#[test]
fn segments_of_an_attached_space_are_in_its_page_tables() {
    let (_keeper, registry) = world();
    let large = registry.make_segment(new_segment("large", free_base(), 512)).unwrap();
    let attached = space(&registry, "one", &[(large, Rights::ReadWrite)]);
    let mut journey = journey(&registry);
    let handle = journey.attach(attached).unwrap();
    let process = journey.processes()[0].1;
    // The code of the loop itself is found by the first run.
    run(&mut journey, &[Do::To(handle), Do::CountAll(large), Do::Whole(large)]);
    let before = platform::process::minor_faults_of(&[process]);
    run(&mut journey, &[Do::To(handle), Do::CountAll(large), Do::Whole(large)]);
    let faults = platform::process::minor_faults_of(&[process]) - before;
    assert!(faults < 16, "{faults} faults on 512 pages");
}
