//! All ways leave the same memory, word by word, and count the same.

use std::process::Command;

use engine::{Limits, WindowsShape};
use workloads::Seed;
use workloads::updates::{Order, Sets};

use super::{SHAPE, limits, open, sets, wrong};

/// Runs `label` in two calls, so that the second begins where the first ended, and beyond the stream.
fn conforms(label: &str, shape: WindowsShape, count: usize) {
    let sets = sets(shape, count);
    let mut way = match open(label, shape, &sets) {
        Ok(way) => way,
        // Huge pages of shared memory may be switched off.
        Err(error) if shape.page_bytes > 4096 => {
            eprintln!("{label}: not tested on pages of 2 MiB: {error}");
            return;
        }
        Err(error) => panic!("{label}: {error}"),
    };
    let (one, two) = (count as u64 / 3, count as u64);
    let first = way.apply(limits(one)).unwrap();
    assert_eq!(first.sets, one, "{label}");
    assert_eq!(wrong(&*way, &sets, one), 0, "{label}: after {one} sets");
    // A check applies the sets once more, so another one puts them back.
    assert!(one == 0 || wrong(&*way, &sets, one) > 0, "{label}");
    let second = way.apply(limits(two)).unwrap();
    assert_eq!(second.sets, two, "{label}");
    assert_eq!(wrong(&*way, &sets, one + two), 0, "{label}: after {} sets", one + two);
    if label == "plain-c" {
        return;
    }
    assert_eq!(first.updates_by_window, sets.updates_by_window(one), "{label}");
    assert_eq!(first.switches + second.switches, sets.switches(one + two), "{label}");
    assert_eq!(first.set_ns.len() as u64, one, "{label}");
    assert!(first.set_ns.iter().sum::<u64>() <= first.elapsed_ns + one, "{label}");
}

/// One window, two, and as many as the table has.
fn conforms_everywhere(label: &str, count: usize) {
    for windows in [1, 2, 8] {
        conforms(label, WindowsShape { windows, ..SHAPE }, count);
    }
    conforms(label, WindowsShape { windows: 2, page_bytes: 2 << 20, ..SHAPE }, count);
    conforms(label, WindowsShape { windows: 3, updates_per_set: 4096, ..SHAPE }, 12);
}

macro_rules! each {
    ($($test:ident: $label:literal, $count:literal;)*) => {
        $(#[test] fn $test() { conforms_everywhere($label, $count); })*
    };
}

each! {
    flat: "flat", 600;
    plain_c: "plain-c", 3000;
    map: "map", 300;
    map_unmap: "map-unmap", 300;
    map_populate: "map-populate", 60;
    move_: "move", 600;
    remote: "remote", 300;
    hand_over_by_futex: "hand-over", 600;
    hand_over_by_pipe: "hand-over@by=pipe", 300;
    hand_over_by_eventfd: "hand-over@by=eventfd", 300;
    hand_over_by_yield: "hand-over@by=yield", 120;
    space: "space", 600;
    mp_that_blocks: "mp@wait=block", 300;
    mp_that_yields: "mp@wait=yield", 120;
    mp_that_blocks_on_one_core: "mp@wait=block@cores=1", 300;
}

/// More spinning processes than cores wait for their time slices.
#[test]
fn mp_that_spins() {
    for windows in [1, 2] {
        conforms("mp", WindowsShape { windows, ..SHAPE }, 60);
    }
    conforms("mp@wait=spin", WindowsShape { windows: 4, ..SHAPE }, 9);
}

/// Rule 13: page tables of `flat` and `space` are filled before the clock, those of `map` are not.
///
/// Faults are counted for the process, so this test has one of its own.
#[test]
fn no_page_is_found_while_the_clock_runs_where_tables_are_filled() {
    const ALONE: &str = "NIBBLE_TEST_SPACES_ALONE";
    const NAME: &str = "conformance::no_page_is_found_while_the_clock_runs_where_tables_are_filled";
    if std::env::var_os(ALONE).is_none() {
        let mut other = Command::new(std::env::current_exe().unwrap());
        let output = other.args(["--exact", NAME]).env(ALONE, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let sets = sets(SHAPE, 3000);
    for label in ["flat", "space", "hand-over", "move", "mp@wait=block"] {
        let mut way = open(label, SHAPE, &sets).unwrap();
        // The code of the loop itself is found by the first run.
        way.apply(limits(1000)).unwrap();
        assert_eq!(way.apply(limits(3000)).unwrap().minor_faults, 0, "{label}");
    }
    let mut way = open("map", SHAPE, &sets).unwrap();
    assert!(way.apply(limits(100)).unwrap().minor_faults > 100);
}

#[test]
fn a_run_ends_when_its_time_is_over() {
    let sets = sets(SHAPE, 100);
    for label in ["flat", "space", "hand-over", "mp@wait=block", "plain-c"] {
        let mut way = open(label, SHAPE, &sets).unwrap();
        let applied = way.apply(Limits { sets: u64::MAX >> 1, within_ns: 1_000_000 }).unwrap();
        assert!(applied.sets > 0 && applied.sets < u64::MAX >> 1, "{label}");
        assert_eq!(wrong(&*way, &sets, applied.sets), 0, "{label}");
    }
}

/// Switches alone: windows in turn, and no update.
#[test]
fn sets_without_updates_are_switches() {
    let shape = WindowsShape { windows: 4, updates_per_set: 0, ..SHAPE };
    let sets = Sets::new(Seed(1), 4, 0, 1000, Order::InTurn);
    for label in ["space", "hand-over", "hand-over@by=pipe", "move", "map-populate", "syscall"] {
        let mut way = open(label, shape, &sets).unwrap();
        let applied = way.apply(limits(500)).unwrap();
        assert_eq!((applied.sets, applied.switches), (500, 499), "{label}");
        assert_eq!(wrong(&*way, &sets, 500), 0, "{label}");
    }
    let mut way = open("plain-c", shape, &sets).unwrap();
    assert_eq!(way.apply(limits(500)).unwrap().switches, 500);
}

/// Rule 2: what one space wrote is at the same address in all that map the window, at once.
#[test]
fn what_a_process_wrote_is_seen_here_between_two_runs() {
    let sets = sets(SHAPE, 100);
    let mut way = open("space", SHAPE, &sets).unwrap();
    for done in [10, 20, 30] {
        way.apply(limits(10)).unwrap();
        // A check undoes what it finds, so it is undone again.
        assert_eq!(wrong(&*way, &sets, done), 0);
        let _ = wrong(&*way, &sets, done);
    }
}
