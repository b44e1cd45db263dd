//! Histories with a known verdict: each violation the checker exists for, planted, and correct
//! histories that look suspicious.

use history::{Kind, Operation, Registers, check_key};

fn get(value: u64) -> Kind {
    Kind::Get(Some(value))
}

const ABSENT: Kind = Kind::Get(None);

fn inserted(value: u64) -> Kind {
    Kind::Put { value, updated: false }
}

fn updated(value: u64) -> Kind {
    Kind::Put { value, updated: true }
}

fn deleted(found: bool) -> Kind {
    Kind::Delete { found }
}

/// Operations of threads of their own, with the instants between which they ran.
fn history(operations: &[(u64, u64, Kind)]) -> Vec<Operation> {
    let operations = operations.iter().enumerate();
    let made = operations.map(|(thread, &(begin, end, kind))| {
        // Ticks are unique: the number of the operation breaks ties.
        let tick = |instant: u64| instant * 100 + thread as u64;
        let (invoked, returned) = (tick(begin), tick(end));
        Operation { key: 7, kind, invoked, returned, thread: thread as u8 }
    });
    made.collect()
}

#[track_caller]
fn refused(operations: &[(u64, u64, Kind)], culprit: usize) {
    let violation = check_key(&history(operations)).expect_err("a planted violation");
    assert_eq!(usize::from(violation.operation.thread), culprit, "{violation}");
}

#[track_caller]
fn accepted(operations: &[(u64, u64, Kind)]) {
    if let Err(violation) = check_key(&history(operations)) {
        panic!("a correct history was refused: {violation}");
    }
}

#[test]
fn a_stale_read_is_found() {
    refused(&[(0, 1, inserted(1)), (2, 3, updated(2)), (4, 5, get(1))], 2);
    // Also when the update overlaps the first of two reads that saw it.
    refused(&[(0, 1, inserted(1)), (2, 9, updated(2)), (3, 4, get(2)), (5, 6, get(1))], 3);
}

#[test]
fn a_lost_update_is_found() {
    let concurrent = [(0, 1, inserted(1)), (2, 5, updated(2)), (3, 4, updated(3))];
    refused(&[&concurrent[..], &[(6, 7, get(1))]].concat(), 3);
    refused(&[&concurrent[..], &[(6, 7, get(2)), (8, 9, get(3))]].concat(), 4);
}

#[test]
fn a_resurrected_key_is_found() {
    refused(&[(0, 1, inserted(1)), (2, 3, deleted(true)), (4, 5, get(1))], 2);
    refused(&[(0, 1, inserted(1)), (2, 9, deleted(true)), (3, 4, ABSENT), (5, 6, get(1))], 3);
    refused(&[(0, 1, inserted(1)), (2, 3, deleted(true)), (4, 5, deleted(true))], 2);
}

#[test]
fn a_lost_key_is_found() {
    refused(&[(0, 1, inserted(1)), (2, 3, ABSENT)], 1);
    refused(&[(0, 1, inserted(1)), (2, 3, inserted(2))], 1);
    refused(&[(0, 1, inserted(1)), (2, 3, deleted(false))], 1);
}

#[test]
fn a_value_from_the_future_or_from_nowhere_is_found() {
    refused(&[(0, 1, get(1)), (2, 3, inserted(1))], 0);
    refused(&[(0, 1, inserted(1)), (2, 3, get(9))], 1);
}

#[test]
fn an_overwritten_value_read_after_the_later_one_is_found() {
    let racing = [(0, 1, inserted(1)), (2, 20, updated(2)), (3, 19, updated(3))];
    refused(&[&racing[..], &[(4, 5, get(2)), (6, 7, get(3)), (8, 9, get(2))]].concat(), 5);
    // Two readers disagree about the order.
    let disagreement = [(4, 6, get(2)), (7, 8, get(3)), (5, 9, get(3)), (10, 11, get(2))];
    refused(&[&racing[..], &disagreement].concat(), 6);
}

#[test]
fn a_wrong_answer_about_the_state_before_is_found() {
    refused(&[(0, 1, deleted(true))], 0);
    refused(&[(0, 1, updated(1))], 0);
    refused(&[(0, 5, inserted(1)), (1, 6, inserted(2))], 1);
    refused(&[(0, 1, inserted(1)), (2, 5, deleted(true)), (3, 6, deleted(true))], 2);
}

#[test]
fn a_refused_put_has_no_effect() {
    accepted(&[(0, 1, inserted(1)), (2, 3, Kind::Refused), (4, 5, get(1))]);
    refused(&[(0, 1, inserted(1)), (2, 3, Kind::Refused), (4, 5, ABSENT)], 2);
}

#[test]
fn overlapping_operations_may_take_effect_in_any_order() {
    accepted(&[(0, 9, inserted(1)), (1, 2, ABSENT), (3, 4, get(1)), (5, 6, get(1))]);
    accepted(&[(0, 9, updated(2)), (1, 8, inserted(1)), (2, 7, get(2)), (3, 6, get(1))]);
    accepted(&[(0, 9, deleted(true)), (1, 8, inserted(1)), (2, 7, deleted(false))]);
    accepted(&[(0, 3, inserted(1)), (1, 5, updated(2)), (4, 8, deleted(true)), (6, 9, get(2))]);
    // A read that began before the value was replaced, and ended long after.
    accepted(&[(0, 1, inserted(1)), (2, 9, get(1)), (3, 4, updated(2)), (5, 6, updated(3))]);
    // The delete goes between the two updates that surround it.
    accepted(&[
        (0, 1, inserted(1)),
        (2, 9, deleted(true)),
        (3, 8, inserted(2)),
        (4, 7, updated(3)),
    ]);
}

#[test]
fn what_a_part_leaves_open_is_decided_by_the_next() {
    let mut registers = Registers::default();
    let racing = history(&[(0, 1, inserted(1)), (2, 6, updated(2)), (3, 5, updated(3))]);
    registers.check(racing.into_iter()).expect("either update may be the last");
    assert_eq!(registers.present(), (1, 1));
    let mut one = registers.clone();
    one.check(history(&[(10, 11, get(2)), (12, 13, get(2))]).into_iter()).expect("2 was last");
    registers.check(history(&[(10, 11, get(3)), (12, 13, get(2))]).into_iter()).unwrap_err();
    let lost = history(&[(20, 21, ABSENT)]).into_iter();
    one.check(lost).expect_err("nobody has deleted it");
}

#[test]
fn a_long_history_of_many_threads_is_quick() {
    // Eight threads read one value throughout while one replaces it: the worst that happens.
    let mut operations = Vec::new();
    let mut tick = 0;
    let mut next = || {
        tick += 1;
        tick
    };
    for round in 0..2_000 {
        let kind = Kind::Put { value: round, updated: round > 0 };
        let invoked: Vec<u64> = (0..9).map(|_| next()).collect();
        for (thread, &invoked) in invoked.iter().enumerate() {
            let kind = if thread == 8 { kind } else { get(round) };
            let returned = next();
            operations.push(Operation { key: 7, kind, invoked, returned, thread: thread as u8 });
        }
    }
    check_key(&operations).expect("readers that overlap the update may see it");
}

#[test]
fn what_tells_nothing_still_takes_effect() {
    let (put, deleted) = (|value| Kind::BlindPut { value }, Kind::BlindDelete);
    accepted(&[(0, 1, put(1)), (2, 3, get(1)), (4, 5, deleted), (6, 7, ABSENT), (8, 9, put(2))]);
    refused(&[(0, 1, put(1)), (2, 3, put(2)), (4, 5, get(1))], 2);
    refused(&[(0, 1, put(1)), (2, 3, deleted), (4, 5, get(1))], 2);
}
