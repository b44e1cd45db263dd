//! `ratio`: which rows are paired.

use crate::Verdict;

use super::made_up::{absent, answer, compared, near};

const TWICE: &str = "ratio = { of = { system = \"nibble\" }, to = { engine = [\"mica\", \"redis\"] }, at-least = 2 }";

#[test]
fn rows_are_paired_with_all_that_are_alike_but_for_the_system() {
    let rows = [
        near("nibble", "threads=1 keys=uniform", 6.0),
        near("nibble", "threads=2 keys=uniform", 6.0),
        near("mica@preset=paper", "threads=1 keys=uniform", 2.0),
        near("redis", "threads=1 keys=uniform", 1.0),
        near("redis", "threads=2 keys=uniform", 5.0),
        near("redis", "threads=2 keys=zipfian:0.99", 1.0),
    ];
    let answer = answer(TWICE, &rows);
    assert_eq!(
        compared(&answer),
        [
            "nibble ÷ mica@preset=paper, 1 thread",
            "nibble ÷ redis, 1 thread",
            "nibble ÷ redis, 2 threads"
        ]
    );
    let values: Vec<f64> =
        answer.measured.iter().map(|measured| (measured.value * 10.0).round()).collect();
    assert_eq!(values, [30.0, 60.0, 12.0]);
    assert_eq!(answer.verdict, Verdict::Fails);
    assert_eq!(answer.measured[0].cells.len(), 6, "those of both sides");
}

#[test]
fn labels_that_a_side_names_may_differ() {
    let word = "ratio = { of = { step = \"run\" }, to = { step = \"load\" }, at-most = 0.6 }";
    let rows = [
        near("nibble", "step=run threads=1", 5.0),
        near("nibble", "step=load threads=1", 10.0),
        near("nibble", "step=load threads=2", 1.0),
    ];
    let answer = answer(word, &rows);
    assert_eq!(compared(&answer), ["nibble: run ÷ load"]);
    assert_eq!(answer.verdict, Verdict::Holds);
}

#[test]
fn no_row_is_compared_with_itself() {
    let word = "ratio = { of = { engine = \"nibble\" }, to = { engine = [\"nibble\", \"mica\"] }, at-least = 2 }";
    let both = answer(word, &[near("nibble", "", 6.0), near("mica", "", 2.0)]);
    assert_eq!(compared(&both), ["nibble ÷ mica"]);
    let alone = answer(word, &[near("nibble", "", 6.0)]);
    assert_eq!(alone.reason, "`of` and `to` select the same row alone");
}

#[test]
fn no_pair_says_in_what_the_nearest_rows_differ() {
    let rows = [
        near("nibble", "threads=1 keys=uniform step=run", 6.0),
        near("redis", "threads=2 keys=zipfian:0.99 step=run", 6.0),
        near("redis", "threads=2 keys=uniform step=run", 6.0),
    ];
    let answer = answer(TWICE, &rows);
    assert_eq!(answer.verdict, Verdict::NotTestable);
    assert_eq!(answer.reason, "no row of `of` is like one of `to`: the nearest differ in threads");
}

#[test]
fn a_missing_side_is_named() {
    let none = answer(TWICE, &[near("nibble", "", 6.0)]);
    assert_eq!(
        none.reason,
        "not measured in this run: no row of `where` has those of `to`: engine = mica or redis"
    );
    let died = answer(TWICE, &[near("nibble", "", 6.0), absent("redis", "", "refused: too large")]);
    assert_eq!(died.reason, "nothing of `to` has numbers: redis: refused: too large");
    let one = answer(
        TWICE,
        &[near("nibble", "", 6.0), near("mica", "", 2.0), absent("redis", "", "hung")],
    );
    assert_eq!(one.verdict, Verdict::Holds);
    assert!(one.reason.ends_with("; not judged: redis: hung"), "{}", one.reason);
}

#[test]
fn the_line_shows_the_worst_or_the_nearest() {
    let rows = |values: [f64; 3]| {
        let mut rows = vec![near("redis", "threads=1", 1.0), near("redis", "threads=2", 1.0)];
        rows.push(near("redis", "threads=3", 1.0));
        let nibble = values.iter().zip(1..);
        rows.extend(
            nibble.map(|(value, threads)| near("nibble", &format!("threads={threads}"), *value)),
        );
        rows
    };
    let fails = answer(TWICE, &rows([1.9, 1.2, 3.0]));
    assert_eq!(fails.telling().unwrap().compared, "nibble ÷ redis, 2 threads");
    assert!(fails.line().ends_with("expected ≥ 2.00×; 1 of 3 holds, 2 fail"), "{}", fails.line());
    let holds = answer(TWICE, &rows([2.9, 4.0, 2.2]));
    assert_eq!(holds.telling().unwrap().compared, "nibble ÷ redis, 3 threads");
    assert!(holds.line().starts_with("nibble ÷ redis, 3 threads: 2.20× (2."), "{}", holds.line());
}

#[test]
fn a_system_without_a_partner_is_named() {
    let rows = [
        near("nibble", "threads=1", 6.0),
        near("mica", "threads=1", 2.0),
        near("redis", "threads=2", 2.0),
    ];
    let answer = answer(TWICE, &rows);
    assert_eq!(answer.verdict, Verdict::Holds);
    let told = "not judged: redis: no row to compare it with";
    assert!(answer.reason.ends_with(told) && answer.line().ends_with(told), "{}", answer.line());
}
