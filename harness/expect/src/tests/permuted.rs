//! Numbers at other systems' names.

use crate::{PermutationTally, Permuted, Summary, Verdict, evaluate_permuted, render};

use super::made_up::{SMALL, absent, expectation, expectations, near, question};

fn permuted(word: &str, rows: &[Summary]) -> Vec<Permuted> {
    evaluate_permuted(
        &expectations(&expectation("a-claim", &[&question("any", word)])),
        rows,
        &SMALL,
    )
}

const TWICE: &str = "ratio = { of = { system = \"nibble\" }, to = { system = [\"mica\", \"redis\"] }, at-least = 2 }";

#[test]
fn a_claim_about_a_system_turns() {
    let rows = [
        near("nibble", "threads=1", 6.0),
        near("mica", "threads=1", 1.0),
        near("redis", "threads=1", 2.0),
        near("btree", "threads=1", 100.0),
    ];
    let both = &permuted(TWICE, &rows)[0];
    assert_eq!(both.measured.verdict, Verdict::Holds);
    assert_eq!(both.permuted.verdict, Verdict::Fails);
    // mica has nibble's numbers, nibble those of redis, redis those of mica.
    let values: Vec<f64> =
        both.permuted.measured.iter().map(|measured| (measured.value * 100.0).round()).collect();
    assert_eq!(values, [33.0, 200.0]);
    assert_eq!(both.permuted.measured[0].compared, "nibble ÷ mica", "labels stay");
    assert_eq!(
        both.permuted.measured[0].cells[0], "redis/threads=1/0",
        "numbers bring their cells"
    );
    let tally = PermutationTally::of(&permuted(TWICE, &rows));
    assert_eq!(tally, PermutationTally { hold: 1, turned: 1, still: Vec::new() });
    assert!(
        render::permutation(&tally)
            .starts_with("permuted: of 1 comparison of systems that holds, 1 no longer does"),
        "{}",
        render::permutation(&tally)
    );
}

#[test]
fn a_claim_that_any_numbers_fulfil_still_holds() {
    let word = TWICE.replace("at-least = 2", "at-least = 0.01");
    let rows = [near("nibble", "", 6.0), near("mica", "", 1.0), near("redis", "", 2.0)];
    let tally = PermutationTally::of(&permuted(&word, &rows));
    assert_eq!((tally.hold, tally.turned), (1, 0));
    assert_eq!(tally.still, [("a-claim".to_owned(), 1)]);
    assert!(render::permutation(&tally).ends_with("; still holding: a-claim (1)"));
}

#[test]
fn numbers_stay_within_rows_that_are_otherwise_alike() {
    let rows = [
        near("nibble", "threads=1", 6.0),
        near("mica", "threads=1", 1.0),
        near("nibble", "threads=2", 60.0),
        near("mica", "threads=2", 10.0),
        absent("redis", "threads=2", "hung"),
    ];
    let both = &permuted(TWICE, &rows)[0];
    let values: Vec<f64> =
        both.permuted.measured.iter().map(|measured| (measured.value * 6.0).round()).collect();
    assert_eq!(values, [1.0, 1.0]);
}

#[test]
fn sides_that_differ_in_works_are_moved_too() {
    let word = "ratio = { of = { system = \"nibble\", threads = 1 }, \
                to = { system = \"mica\", threads = 2 }, at-least = 2 }";
    let rows = [near("nibble", "threads=1", 6.0), near("mica", "threads=2", 1.0)];
    assert_eq!(permuted(word, &rows)[0].permuted.verdict, Verdict::Fails);
}

#[test]
fn a_crossover_turns_too() {
    let word = "crossover = { of = { system = \"a\" }, to = { system = \"b\" }, \
                along = \"fill-percent\", between = [50, 80] }";
    let rows = [
        near("a", "fill-percent=50", 1.0),
        near("b", "fill-percent=50", 2.0),
        near("a", "fill-percent=80", 2.0),
        near("b", "fill-percent=80", 1.0),
    ];
    let both = &permuted(word, &rows)[0];
    assert_eq!((both.measured.verdict, both.permuted.verdict), (Verdict::Holds, Verdict::Fails));
}

#[test]
fn what_compares_no_systems_is_not_asked_again() {
    let rows = [
        near("nibble", "step=run fill-percent=50", 2.0),
        near("nibble", "step=load fill-percent=50", 1.0),
        near("nibble", "step=run fill-percent=90", 1.0),
    ];
    for word in [
        "select = { of = {}, at-least = 0.1 }",
        "ratio = { of = { step = \"run\" }, to = { step = \"load\" }, at-least = 1 }",
        "monotone = { of = { step = \"run\" }, along = \"fill-percent\", from = 50, to = 90, moves = \"falls\" }",
        // Nothing to judge.
        "ratio = { of = { system = \"nibble\" }, to = { system = \"mica\" }, at-least = 1 }",
    ] {
        assert!(permuted(word, &rows).is_empty(), "{word}");
    }
    let large = question("large", &format!("needs = {{ cores = 9 }}\n{TWICE}"));
    let expectations = expectations(&expectation("a-claim", &[&large]));
    let rows = [near("nibble", "", 6.0), near("mica", "", 1.0)];
    assert!(evaluate_permuted(&expectations, &rows, &SMALL).is_empty(), "not of this machine");
    let none = render::permutation(&PermutationTally::default());
    assert_eq!(none, "permuted: no comparison of systems holds, so there is none to turn");
}
