//! Rules 9 and 10: whoever is killed, a run ends with an error that names the space, and nothing is
//! left.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use engine::WindowsError;
use platform::process::{ProcessMemory, bind_to_parent, kill};
use workloads::Seed;

use super::{SHAPE, limits, open, sets};

const KILLS: u64 = 50;
/// Tells this program, started again, to be a creator.
const CREATOR: &str = "NIBBLE_TEST_SPACES_CREATOR";

/// Waits until none of the processes has memory: init reaps adopted ones at its leisure.
pub(crate) fn await_end(processes: &[u32]) {
    for &pid in processes {
        while ProcessMemory::of(pid).is_ok_and(|memory| memory != ProcessMemory::default()) {
            std::thread::yield_now();
        }
    }
}

#[test]
fn an_executor_that_is_killed_ends_the_run_and_is_named() {
    let mut rng = Seed(7).rng();
    let sets = sets(SHAPE, 1000);
    for number in 0..KILLS {
        let label = ["space", "mp@wait=block", "mp@wait=yield", "remote"][number as usize % 4];
        let mut way = open(label, SHAPE, &sets).unwrap();
        let (ids, first) = (way.processes(), usize::from(label.starts_with("mp")));
        let victim = rng.below(ids.len() as u64) as usize;
        let (pid, sets_before) = (ids[victim], rng.below(1000));
        way.apply(limits(sets_before)).unwrap();
        let killer = std::thread::spawn(move || kill(pid));
        let error = loop {
            match way.apply(limits(u64::MAX >> 1)) {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        killer.join().unwrap();
        let WindowsError::Died { space, how } = error else { panic!("{label}: {error}") };
        assert_eq!((space, how.as_str()), (first + victim, "signal: 9 (SIGKILL)"), "{label}");
        drop(way);
        assert!(
            ids.iter().all(|&id| ProcessMemory::of(id).is_err()),
            "{label}: all are waited for"
        );
    }
}

/// Not a test by itself: opens a way, says which processes it has, and applies sets until it is killed.
#[test]
#[ignore = "started by another test"]
fn a_creator_of_another_test() {
    let Ok(label) = std::env::var(CREATOR) else { return };
    let sets = sets(SHAPE, 1000);
    let mut way = open(&label, SHAPE, &sets).unwrap();
    eprintln!("{}", way.processes().iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    way.apply(limits(u64::MAX >> 1)).unwrap();
}

fn creator(label: &str) -> (Child, Vec<u32>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "killed::a_creator_of_another_test", "--ignored", "--nocapture"]);
    command.env(CREATOR, label).stdout(Stdio::null()).stderr(Stdio::piped());
    bind_to_parent(&mut command);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let ids = line.split_whitespace().map(|id| id.parse().unwrap_or_else(|_| panic!("{line}")));
    (child, ids.collect())
}

#[test]
fn nothing_is_left_of_a_creator_that_is_killed() {
    let mut rng = Seed(8).rng();
    for number in 0..KILLS {
        let label = ["space", "mp@wait=block", "mp@wait=yield", "remote"][number as usize % 4];
        let (mut child, ids) = creator(label);
        assert!(!ids.is_empty() && ids.iter().all(|&id| ProcessMemory::of(id).is_ok()), "{label}");
        std::thread::sleep(std::time::Duration::from_micros(rng.below(20_000)));
        kill(child.id());
        child.wait().unwrap();
        await_end(&ids);
    }
}
