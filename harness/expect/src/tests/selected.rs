//! `select`: which rows are judged, and why none may be.

use crate::Verdict;

use super::made_up::{absent, answer, compared, exact, near, row};

const NIBBLE: &str = "select = { of = { system = \"nibble\" }, at-least = 10 }";

#[test]
fn every_row_with_the_labels_is_judged() {
    let rows = [
        near("nibble", "threads=1", 11.0),
        near("nibble", "threads=2", 9.0),
        near("mica", "threads=1", 1.0),
    ];
    let answer = answer(NIBBLE, &rows);
    assert_eq!(compared(&answer), ["nibble, 1 thread", "nibble, 2 threads"]);
    assert_eq!(answer.verdict, Verdict::Fails);
    assert_eq!(answer.counts().words(), "1 holds, 1 fails");
    assert_eq!(answer.reason, "1 of 2 holds, 1 fails");
    assert_eq!(answer.measured[0].cells.len(), 3);
    assert_eq!(answer.measured[0].expected, "≥ 10.0 ops/s");
}

#[test]
fn a_list_is_any_of_its_values_and_a_row_without_the_label_is_none() {
    let rows = [
        near("nibble", "threads=1", 11.0),
        near("nibble", "threads=2", 12.0),
        near("nibble", "threads=4", 13.0),
        near("nibble", "", 14.0),
    ];
    let answer = answer("select = { of = { threads = [2, 4] }, at-least = 10 }", &rows);
    assert_eq!(compared(&answer), ["nibble, 2 threads", "nibble, 4 threads"]);
    assert_eq!(answer.verdict, Verdict::Holds);
}

#[test]
fn together_one_failure_fails_and_one_doubt_is_doubt() {
    let verdict = |values: &[f64]| {
        let rows: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(at, value)| {
                let labels = format!("threads={at}");
                if *value == 10.0 {
                    row("nibble", &labels, &[10.0])
                } else {
                    near("nibble", &labels, *value)
                }
            })
            .collect();
        answer(NIBBLE, &rows).verdict
    };
    assert_eq!(verdict(&[11.0, 12.0]), Verdict::Holds);
    assert_eq!(verdict(&[11.0, 10.0, 12.0]), Verdict::Undecided);
    assert_eq!(verdict(&[11.0, 10.0, 9.0]), Verdict::Fails);
}

#[test]
fn nothing_selected_is_not_testable_and_says_what_found_nothing() {
    let other = answer(NIBBLE, &[near("mica", "", 11.0)]);
    assert_eq!(other.verdict, Verdict::NotTestable);
    assert_eq!(
        other.reason,
        "not measured in this run: no row of `where` has those of `of`: system = nibble"
    );
    let none = answer(NIBBLE, &[]);
    assert_eq!(
        none.reason,
        "not measured in this run: no row has the labels of `where`: family = key-value"
    );
    assert_eq!((none.line(), none.measured.len()), (none.reason.clone(), 0));
}

#[test]
fn rows_without_values_say_why() {
    let died = answer(NIBBLE, &[absent("nibble", "", "crashed: signal 11")]);
    assert_eq!(died.verdict, Verdict::NotTestable);
    assert_eq!(died.reason, "nothing of `of` has numbers: nibble: crashed: signal 11");
    let mut other = near("nibble", "", 1.0);
    let values = other.metrics.remove("throughput").expect("values");
    other.metrics.insert("p99-ns".to_owned(), values);
    assert_eq!(
        answer(NIBBLE, &[other]).reason,
        "nothing of `of` has numbers: nibble: no values of throughput"
    );
    let some =
        answer(NIBBLE, &[absent("nibble", "threads=1", "hung"), near("nibble", "threads=2", 11.0)]);
    assert_eq!(some.verdict, Verdict::Holds);
    assert_eq!(some.reason, "the whole interval lies within its bounds; not judged: nibble: hung");
}

#[test]
fn exact_rows_need_one_value_and_may_be_zero() {
    let word = "select = { of = {}, at-most = 0 }";
    assert_eq!(answer(word, &[exact("nibble", "", 0.0)]).verdict, Verdict::Holds);
    assert_eq!(answer(word, &[exact("nibble", "", 0.5)]).verdict, Verdict::Fails);
}

#[test]
fn the_order_is_that_of_labels_whatever_the_order_of_rows() {
    let mut rows = vec![
        near("nibble", "fill-percent=100", 11.0),
        near("nibble", "fill-percent=9", 12.0),
        near("nibble", "fill-percent=50", 13.0),
    ];
    let forwards = answer(NIBBLE, &rows);
    rows.reverse();
    assert_eq!(forwards, answer(NIBBLE, &rows));
    assert_eq!(
        compared(&forwards),
        ["nibble, fill 9 %", "nibble, fill 50 %", "nibble, fill 100 %"]
    );
}
