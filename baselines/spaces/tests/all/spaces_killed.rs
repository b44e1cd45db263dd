//! Rules 9 and 10: whichever process is killed, at whatever moment, the others end or go on, and
//! nothing is left of it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use platform::process::{bind_to_parent, kill};
use spaces::journey::{Journey, JourneyError};
use spaces::registry::{Keeper, Registry, RegistryError, Rights};
use workloads::{Rng, Seed};

use super::killed::await_end;
use super::script::{Do, Script};
use super::world::{free_base, journey, lockable, new_segment, program, space, words, world};

/// Tells this program, started again, the keeper's name, or nothing if it is to start one.
const CREATOR: &str = "NIBBLE_TEST_SPACES_CREATOR_OF_JOURNEYS";

/// Who is killed.
#[derive(Clone, Copy, Debug)]
enum Victim {
    /// The process of a space, while the traveller goes round.
    Executor,
    /// The process that made segments and spaces, and goes round.
    Creator,
    /// The keeper, while a traveller goes round.
    Keeper,
    /// The process that started the keeper, and goes round.
    Owner,
}

const VICTIMS: [Victim; 4] = [Victim::Executor, Victim::Creator, Victim::Keeper, Victim::Owner];

/// A traveller that goes round three spaces for ever: one without a segment, one that reads, and one
/// that writes under a lock.
fn going_round(registry: &Registry, name: &str) -> Journey<Script> {
    let make = |new| registry.make_segment(new).unwrap();
    let common = make(lockable(&format!("{name} common"), free_base(), 4));
    let own = make(new_segment(&format!("{name} own"), free_base(), 1));
    let lists = [
        vec![],
        vec![(common, Rights::Read), (own, Rights::ReadWrite)],
        vec![(common, Rights::ReadWrite)],
    ];
    let mut journey = journey(registry);
    let mut steps = Vec::new();
    for (number, list) in lists.iter().enumerate() {
        let attached = space(registry, &format!("{name} {number}"), list);
        steps.push(Do::To(journey.attach(attached).unwrap()));
        steps.extend(list.iter().map(|&(id, rights)| match rights {
            Rights::Read => Do::Whole(id),
            Rights::ReadWrite => Do::CountAll(id),
        }));
    }
    steps.push(Do::Again(u64::MAX));
    journey.begin_again(Script::new(&steps)).unwrap();
    journey
}

/// Not a test by itself: makes what a journey needs, says which processes there are, and goes round
/// until it is killed.
#[test]
#[ignore = "started by other tests"]
fn a_creator_of_another_test() {
    let Ok(name) = std::env::var(CREATOR) else { return };
    let own = name.is_empty().then(|| Keeper::start(program).unwrap());
    let name = own.as_ref().map_or(name.as_str(), Keeper::name);
    let registry = Registry::connect(name).unwrap();
    let mut journey = going_round(&registry, "creator's");
    let processes = journey.processes().into_iter().map(|(_, process)| process);
    let all: Vec<String> =
        processes.chain(own.as_ref().map(Keeper::process)).map(|one| one.to_string()).collect();
    eprintln!("{name} {}", all.join(" "));
    let _ = journey.run(u64::MAX);
}

/// A creator, the name of its keeper, and the processes that are to end with it.
fn creator(keeper: &str) -> (Child, String, Vec<u32>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "spaces_killed::a_creator_of_another_test"]);
    command.args(["--ignored", "--nocapture"]).env(CREATOR, keeper);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    bind_to_parent(&mut command);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let (name, ids) = line.trim().split_once(' ').unwrap_or_else(|| panic!("{line}"));
    let ids = ids.split(' ').map(|id| id.parse().unwrap()).collect();
    (child, name.to_owned(), ids)
}

/// The sockets of this machine whose abstract names `is_meant` accepts.
fn sockets(is_meant: impl Fn(&str) -> bool) -> usize {
    let all = std::fs::read_to_string("/proc/net/unix").unwrap();
    let names = all.lines().filter_map(|line| line.split_once(" @"));
    names.filter(|(_, name)| is_meant(name)).count()
}

/// Kills one, waits until the others have ended or go on, and returns how long that took.
fn kill_one(victim: Victim, rng: &mut Rng) -> Duration {
    let after = Duration::from_micros(rng.below(20_000));
    match victim {
        Victim::Executor => kill_executor(rng.below(3) as usize, after),
        Victim::Keeper => kill_keeper(after),
        Victim::Creator => kill_creator(after),
        Victim::Owner => kill_owner(after),
    }
}

fn kill_executor(number: usize, after: Duration) -> Duration {
    let (_keeper, registry) = world();
    let mut journey = going_round(&registry, "this");
    let processes = journey.processes();
    let (handle, pid) = processes[number];
    let (error, took) = while_running(&mut journey, after, pid);
    let JourneyError::Died { space, how } = error else { panic!("{error}") };
    assert_eq!((space, how.as_str()), (handle, "signal: 9 (SIGKILL)"));
    await_end(&processes.iter().map(|&(_, pid)| pid).collect::<Vec<_>>());
    // The segments are there, and if it died while it wrote, that is known.
    let common = registry.find_segment("this common").unwrap();
    if let Some(dead) = registry.describe_segment(common).unwrap().poisoned_by {
        assert!(processes.iter().any(|&(_, pid)| pid == dead));
        registry.repair(common).unwrap();
    }
    let mut next = going_round(&registry, "next");
    assert_eq!(next.run(100).unwrap().steps, 100);
    took
}

fn kill_keeper(after: Duration) -> Duration {
    let (keeper, registry) = world();
    let mut journey = going_round(&registry, "this");
    let processes: Vec<u32> = journey.processes().into_iter().map(|(_, pid)| pid).collect();
    let (error, took) = while_running(&mut journey, after, keeper.process());
    assert_eq!(error, JourneyError::Registry(RegistryError::Gone));
    await_end(&processes);
    assert_eq!(registry.make_space("late"), Err(RegistryError::Gone));
    let name = keeper.name().to_owned();
    drop((journey, registry, keeper));
    assert_eq!(sockets(|one| one == name), 0);
    took
}

/// Kills a process while the journey goes round; returns why that ended, and how long after.
fn while_running(
    journey: &mut Journey<Script>,
    after: Duration,
    pid: u32,
) -> (JourneyError, Duration) {
    std::thread::scope(|scope| {
        let killer = scope.spawn(move || {
            std::thread::sleep(after);
            let killed = Instant::now();
            kill(pid);
            killed
        });
        let error = journey.run(u64::MAX).unwrap_err();
        (error, killer.join().unwrap().elapsed())
    })
}

fn kill_creator(after: Duration) -> Duration {
    let (_keeper, registry) = world();
    let (mut child, _, ids) = creator(registry.name());
    std::thread::sleep(after);
    let killed = Instant::now();
    kill(child.id());
    child.wait().unwrap();
    await_end(&ids);
    let took = killed.elapsed();
    // Rule 9: what it made outlives it, with what its traveller wrote.
    let own = registry.find_segment("creator's own").unwrap();
    let counted = words(&registry, own);
    assert!(counted.iter().all(|&word| word <= counted[0]));
    let mut next = going_round(&registry, "next");
    assert_eq!(next.run(100).unwrap().steps, 100);
    // Nobody has attached its spaces any more.
    registry.remove_space(registry.find_space("creator's 1").unwrap()).unwrap();
    took
}

fn kill_owner(after: Duration) -> Duration {
    let (mut child, name, ids) = creator("");
    let registry = Registry::connect(&name).unwrap();
    std::thread::sleep(after);
    let killed = Instant::now();
    kill(child.id());
    child.wait().unwrap();
    await_end(&ids);
    let took = killed.elapsed();
    assert_eq!(registry.find_space("creator's 0"), Err(RegistryError::Gone));
    drop(registry);
    // The memory of a process goes first, and what it had open after that.
    while sockets(|one| one == name) > 0 {
        std::thread::yield_now();
    }
    took
}

fn kill_some(victim: Victim, seed: u64) {
    let mut rng = Seed(seed).rng();
    for _ in 0..6 {
        kill_one(victim, &mut rng);
    }
}

#[test]
fn executors_that_are_killed_are_named() {
    kill_some(Victim::Executor, 1);
}

#[test]
fn segments_outlive_creators_that_are_killed() {
    kill_some(Victim::Creator, 2);
}

#[test]
fn journeys_end_when_the_keeper_is_killed() {
    kill_some(Victim::Keeper, 3);
}

#[test]
fn nothing_outlives_who_started_the_keeper() {
    kill_some(Victim::Owner, 4);
}

/// Descriptors of anonymous files of ours, in all processes that can be looked at.
fn memory_files() -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let descriptors =
        processes.filter_map(|process| std::fs::read_dir(process.path().join("fd")).ok());
    let links =
        descriptors.flatten().flatten().filter_map(|one| std::fs::read_link(one.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("/memfd:nibble-bench")).count()
}

/// Entries of the folder for temporary files.
fn temporary_files() -> usize {
    std::fs::read_dir(std::env::temp_dir()).unwrap().count()
}

/// A hundred kills of each kind. It looks at the whole machine, so it runs alone, with a folder of its own
/// for temporary files (`docs/src/spaces.md`).
#[test]
#[ignore = "takes a minute, and looks at the whole machine"]
fn a_hundred_kills_leave_nothing() {
    let count =
        || (memory_files(), sockets(|name| name.starts_with("nibble-spaces.")), temporary_files());
    let before = count();
    for victim in VICTIMS {
        let mut rng = Seed(victim as u64).rng();
        let longest = (0..100).map(|_| kill_one(victim, &mut rng)).max().unwrap();
        println!("{victim:?}: 100 kills, others had ended {longest:?} later at most");
        // What adopted processes had open goes after their memory.
        let left = (0..1000).map(|_| count()).find(|left| *left == before);
        assert!(
            left.is_some(),
            "memory files, sockets, temporary files: {before:?}, {:?}",
            count()
        );
    }
    let children = platform::process::descendants(std::process::id());
    assert!(children.is_empty(), "{children:?}");
}
