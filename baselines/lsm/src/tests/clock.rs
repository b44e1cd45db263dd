//! The clock and the shared-exclusive lock, step by step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::clock::Clock;
use crate::exclusion::Exclusion;
use crate::printed::Printed;

fn clock(printed: Printed) -> Clock {
    let clock = Clock::new(0, 4, printed);
    (0..4).for_each(|slot| clock.use_slot(slot));
    clock
}

/// Fault D1: the write has drawn time 1 and is not in the set when the snapshot looks.
fn meets_a_write_of_its_own_time(printed: Printed) -> bool {
    let clock = clock(printed);
    let write = clock.take();
    let candidate = clock.candidate(false);
    assert!(clock.enlist(0, write), "nothing is forbidden yet");
    let bound = clock.forbid(candidate);
    assert_eq!((write, bound), (1, 1));
    clock.is_inserted(bound)
}

#[test]
fn a_snapshot_waits_for_the_write_of_its_own_time() {
    assert!(!meets_a_write_of_its_own_time(Printed::default()));
    let printed = Printed { waits_below: true, ..Printed::default() };
    assert!(meets_a_write_of_its_own_time(printed), "as printed, it does not wait");
}

/// Fault D2: another snapshot forbids a later time between the first one's wait and its answer.
fn answer_after_another_snapshot(printed: Printed) -> u64 {
    let clock = clock(printed);
    let first = clock.draw(0);
    clock.retire(0);
    let bound = clock.forbid(clock.candidate(false));
    assert!(clock.is_inserted(bound));
    let second = clock.draw(1);
    assert_eq!((first, second), (1, 2));
    clock.forbid(clock.candidate(true));
    clock.chosen(bound)
}

#[test]
fn a_snapshot_keeps_the_time_that_it_waited_for() {
    assert_eq!(answer_after_another_snapshot(Printed::default()), 1);
    let printed = Printed { reads_late: true, ..Printed::default() };
    assert_eq!(answer_after_another_snapshot(printed), 2, "as printed, write 2 is in progress");
}

#[test]
fn a_write_takes_no_time_that_a_snapshot_has() {
    let clock = clock(Printed::default());
    let write = clock.take();
    assert_eq!(clock.snapshot(false), 1, "the write is in no set yet");
    assert!(!clock.enlist(0, write), "time 1 belongs to the snapshot");
    assert_eq!(clock.draw(0), 2);
    assert_eq!(clock.snapshot(false), 1, "a time before the write in progress");
    clock.retire(0);
    assert_eq!(clock.snapshot(false), 2);
}

/// The default may read the past; the linearizable order may not.
#[test]
fn only_a_linearizable_snapshot_must_contain_what_was_complete() {
    let clock = clock(Printed::default());
    clock.draw(0);
    clock.draw(1);
    clock.retire(1);
    assert_eq!(clock.candidate(false), 0, "write 2 is complete, and not in it");
    assert_eq!(clock.candidate(true), 2);
}

#[test]
fn who_excludes_waits_for_those_who_share() {
    let lock = Exclusion::new(2);
    (0..2).for_each(|slot| lock.use_slot(slot));
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let shared = lock.share(0);
        scope.spawn(|| lock.exclude(|| is_done.store(true, Ordering::SeqCst)));
        while !lock.is_wanted() && !is_done.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        // Time for whoever does not wait to show it.
        thread::sleep(Duration::from_millis(50));
        assert!(!is_done.load(Ordering::SeqCst), "excluded while the lock was shared");
        scope.spawn(|| {
            drop(lock.share(1));
            assert!(is_done.load(Ordering::SeqCst), "who excludes goes first");
        });
        thread::sleep(Duration::from_millis(20));
        drop(shared);
    });
    assert!(is_done.load(Ordering::SeqCst));
}
