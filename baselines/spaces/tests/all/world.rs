//! Keepers, spaces and journeys of tests. Their processes are this test program, started again.

use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use platform::segments::RANGE_START;
use spaces::journey::{Journey, host};
use spaces::registry::{
    Access, Keeper, NewSegment, Registry, RegistryError, Rights, SegmentId, SpaceId, keeper,
};
use spaces::touch::Toucher;
use spaces::traveller::Code;

use super::heaps::Lists;
use super::script::{Do, Script};

pub(crate) const PAGE: usize = 4096;

/// A program that is a keeper or a space, as it is told.
pub(crate) fn program() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", "world::a_process_of_another_test", "--ignored", "--nocapture"]);
    Ok(command)
}

/// Not a test by itself: a keeper, or the process of a space.
#[test]
#[ignore = "started by other tests"]
fn a_process_of_another_test() {
    if keeper::is_wanted() {
        let Err(error) = keeper::serve();
        panic!("{error}");
    }
    if host::is_wanted() {
        let known = [Code::of::<Script>(), Code::of::<Lists>(), Code::of::<Toucher>()];
        let Err(error) = host::run(&known);
        panic!("{error}");
    }
}

pub(crate) fn world() -> (Keeper, Registry) {
    let keeper = Keeper::start(program).unwrap();
    let registry = keeper.connect().unwrap();
    (keeper, registry)
}

/// A base that no other segment of these tests has.
pub(crate) fn free_base() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    // Relaxed: only the number matters.
    RANGE_START + (NEXT.fetch_add(1, Ordering::Relaxed) << 30)
}

pub(crate) fn new_segment(name: &str, base: usize, pages: usize) -> NewSegment {
    NewSegment {
        name: name.to_owned(),
        base,
        bytes: pages * PAGE,
        page_bytes: PAGE,
        access: Access::owner(),
        lockable: false,
    }
}

pub(crate) fn lockable(name: &str, base: usize, pages: usize) -> NewSegment {
    NewSegment { lockable: true, ..new_segment(name, base, pages) }
}

/// A segment at a base of its own.
pub(crate) fn segment(registry: &Registry, name: &str) -> SegmentId {
    registry.make_segment(new_segment(name, free_base(), 1)).unwrap()
}

/// The same with a lock.
pub(crate) fn locked_segment(registry: &Registry, name: &str) -> SegmentId {
    registry.make_segment(lockable(name, free_base(), 1)).unwrap()
}

/// A space with these segments.
pub(crate) fn space(registry: &Registry, name: &str, list: &[(SegmentId, Rights)]) -> SpaceId {
    let space = registry.make_space(name).unwrap();
    for &(segment, rights) in list {
        registry.attach_segment(space, segment, rights).unwrap();
    }
    space
}

/// A journey that does nothing yet.
pub(crate) fn journey(registry: &Registry) -> Journey<Script> {
    journey_on(registry, 0)
}

/// The same on the core of this number among those that there are.
pub(crate) fn journey_on(registry: &Registry, number: usize) -> Journey<Script> {
    let cores = platform::cpu::allowed_cores();
    let core = cores[number % cores.len()];
    Journey::begin(registry, program, core, Script::new(&[])).unwrap()
}

/// Runs a script to its end.
pub(crate) fn run(journey: &mut Journey<Script>, operations: &[Do]) -> Script {
    journey.begin_again(Script::new(operations)).unwrap();
    let trip = journey.run(u64::MAX).unwrap();
    assert_eq!(trip.at, None, "{trip:?}");
    *journey.traveller_mut()
}

/// The words of a segment, as this process sees them for a moment.
pub(crate) fn words(registry: &Registry, id: SegmentId) -> Vec<u64> {
    let mapped = registry.map(id, Rights::Read).unwrap();
    // Relaxed: the test's threads and turns order it.
    let words = mapped.words().iter().map(|word| word.load(Ordering::Relaxed)).collect();
    drop(mapped);
    registry.unmapped(id).unwrap();
    words
}

pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, RegistryError>) -> String {
    result.unwrap_err().to_string()
}
