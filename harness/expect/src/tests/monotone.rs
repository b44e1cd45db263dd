//! `monotone`: lines along a label.

use crate::{Summary, Verdict};

use super::made_up::{
    SMALL, absent, answer, compared, exact, expectation, expectations, near, question, row,
};

/// Rows of `nibble` at these fills.
fn fills(values: &[(u32, f64)]) -> Vec<Summary> {
    values
        .iter()
        .map(|(fill, value)| near("nibble", &format!("fill-percent={fill}"), *value))
        .collect()
}

fn moves(moves: &str) -> String {
    format!(
        "monotone = {{ of = {{ engine = \"nibble\" }}, along = \"fill-percent\", from = 50, to = 90, \
         moves = {moves} }}"
    )
}

#[test]
fn rows_beyond_the_range_are_not_asked_for() {
    let text = expectation("a-claim", &[&question("any", &moves("\"falls\""))]);
    let claims = expectations(&text);
    let asked = |fill| claims[0].selects(&fills(&[(fill, 1.0)])[0].labels, &SMALL);
    assert_eq!([10, 50, 70, 90, 95].map(asked), [false, true, true, true, false]);
}

#[test]
fn falling_is_by_how_much_and_without_a_step_up() {
    let falls = moves("\"falls\", by = 1.25");
    let judged = |values: &[(u32, f64)]| answer(&falls, &fills(values));
    let steady = judged(&[(50, 10.0), (70, 9.0), (90, 7.0)]);
    assert_eq!(steady.verdict, Verdict::Holds);
    let steps = ["nibble: fill 70 % ÷ fill 50 %", "nibble: fill 90 % ÷ fill 70 %"];
    assert_eq!(compared(&steady), ["nibble: fill 50 % ÷ fill 90 %", steps[0], steps[1]]);
    let expected: Vec<&str> = steady.measured.iter().map(|one| one.expected.as_str()).collect();
    assert_eq!(expected, ["≥ 1.25×", "≤ 1.10×", "≤ 1.10×"]);
    assert_eq!(judged(&[(50, 10.0), (70, 9.0), (90, 8.5)]).verdict, Verdict::Fails);
    let bump = judged(&[(50, 10.0), (70, 11.5), (90, 7.0)]);
    assert_eq!(bump.verdict, Verdict::Fails);
    assert_eq!(bump.telling().unwrap().compared, steps[0]);
    let small = judged(&[(50, 10.0), (70, 10.5), (90, 7.0)]);
    assert_eq!(small.verdict, Verdict::Holds, "a rise within the tolerance");
}

#[test]
fn a_step_counts_as_falling_only_if_its_interval_excludes_a_rise() {
    let mut rows = fills(&[(50, 10.0), (90, 7.0)]);
    rows.push(row("nibble", "fill-percent=70", &[9.0, 12.0, 10.5]));
    let noisy = answer(&moves("\"falls\""), &rows);
    assert_eq!((noisy.verdict, noisy.share().unwrap().as_str()), (Verdict::Undecided, "2 of 3"));
    rows[2] = row("nibble", "fill-percent=70", &[10.5]);
    let single = answer(&moves("\"falls\""), &rows);
    assert_eq!(single.verdict, Verdict::Undecided, "one process may be anywhere");
    assert_eq!(single.counts().words(), "1 holds, 2 undecided");
}

#[test]
fn rising_is_the_mirror_of_falling() {
    let rises = moves("\"rises\", by = 1.25");
    let judged = |values: &[(u32, f64)]| answer(&rises, &fills(values)).verdict;
    assert_eq!(judged(&[(50, 7.0), (70, 9.0), (90, 10.0)]), Verdict::Holds);
    assert_eq!(judged(&[(50, 10.0), (70, 9.0), (90, 7.0)]), Verdict::Fails);
    assert_eq!(judged(&[(50, 7.0), (70, 12.0), (90, 10.0)]), Verdict::Fails, "a step down");
}

#[test]
fn without_by_the_direction_is_enough() {
    assert_eq!(
        answer(&moves("\"falls\""), &fills(&[(50, 10.0), (90, 9.9)])).verdict,
        Verdict::Holds
    );
    assert_eq!(
        answer(&moves("\"rises\""), &fills(&[(50, 10.0), (90, 9.9)])).verdict,
        Verdict::Fails
    );
    let equal = [exact("nibble", "fill-percent=50", 3.0), exact("nibble", "fill-percent=90", 3.0)];
    assert_eq!(answer(&moves("\"falls\""), &equal).verdict, Verdict::Holds);
}

#[test]
fn flat_is_near_the_first() {
    let flat = moves("\"flat\", by = 1.1");
    let judged = |values: &[(u32, f64)]| answer(&flat, &fills(values));
    let near = judged(&[(50, 10.0), (70, 10.5), (90, 9.5)]);
    assert_eq!(near.verdict, Verdict::Holds);
    assert_eq!(compared(&near), ["nibble: fill 70 % ÷ fill 50 %", "nibble: fill 90 % ÷ fill 50 %"]);
    assert_eq!(near.measured[0].expected, "0.909× … 1.10×");
    assert_eq!(judged(&[(50, 10.0), (70, 11.5), (90, 9.5)]).verdict, Verdict::Fails);
    assert_eq!(judged(&[(50, 10.0), (70, 11.0), (90, 9.5)]).verdict, Verdict::Undecided);
}

#[test]
fn only_places_of_the_span_count_and_in_the_order_of_numbers() {
    let mut rows = fills(&[(90, 7.0), (49, 1.0), (50, 10.0), (91, 30.0), (100, 40.0), (65, 8.0)]);
    rows.reverse();
    let all = answer(&moves("\"falls\""), &rows);
    let steps = ["nibble: fill 65 % ÷ fill 50 %", "nibble: fill 90 % ÷ fill 65 %"];
    assert_eq!(compared(&all), ["nibble: fill 50 % ÷ fill 90 %", steps[0], steps[1]]);
    let word = "monotone = { of = {}, along = \"value-bytes\", from = 64, to = \"4KiB\", moves = \"falls\" }";
    let sizes = [("4KiB", 1.0), ("64", 9.0), ("1KiB", 3.0), ("1000", 4.0)]
        .map(|(size, value)| near("nibble", &format!("value-bytes={size}"), value));
    let sized = answer(word, &sizes);
    assert_eq!(compared(&sized)[0], "nibble: values of 64 B ÷ values of 4KiB");
    assert_eq!(sized.verdict, Verdict::Holds, "1000 before 1KiB");
}

#[test]
fn each_line_is_judged_by_itself() {
    let mut rows = fills(&[(50, 10.0), (90, 7.0)]);
    rows.extend([(50, 1.0), (90, 2.0)].map(|(fill, value)| {
        near("nibble@update=in-place", &format!("fill-percent={fill}"), value)
    }));
    let two = answer(&moves("\"falls\""), &rows);
    assert_eq!(two.counts().words(), "1 holds, 1 fails");
    assert_eq!(two.telling().unwrap().compared, "nibble@update=in-place: fill 50 % ÷ fill 90 %");
}

#[test]
fn a_setting_moves_although_its_systems_have_other_names() {
    let word = "monotone = { of = { engine = \"nibble\" }, along = \"set.segment-bytes\", \
                from = \"64KiB\", to = \"1MiB\", moves = \"rises\" }";
    let rows = [
        near("nibble", "", 100.0),
        near("nibble@segment-bytes=65536@block-bytes=1", "", 1.0),
        near("nibble@segment-bytes=1048576@block-bytes=1", "", 2.0),
        near("nibble@segment-bytes=65536@block-bytes=2", "", 4.0),
        near("nibble@segment-bytes=1048576@block-bytes=2", "", 3.0),
    ];
    let answer = answer(word, &rows);
    assert_eq!(answer.counts().words(), "1 holds, 1 fails", "{:?}", compared(&answer));
    assert!(!answer.reason.contains("not judged"), "systems without the setting are no line");
}

#[test]
fn a_line_needs_two_places_that_are_numbers() {
    let one = answer(&moves("\"falls\""), &fills(&[(50, 10.0), (95, 1.0)]));
    assert_eq!(one.verdict, Verdict::NotTestable);
    assert_eq!(one.reason, "nibble: only one place along fill-percent from 50 to 90");
    let outside = answer(&moves("\"falls\""), &fills(&[(10, 10.0), (95, 1.0)]));
    assert_eq!(outside.reason, "no row of `of` has fill-percent from 50 to 90");
    let words = answer(&moves("\"falls\""), &[near("nibble", "fill-percent=half", 1.0)]);
    assert_eq!(words.reason, "nibble: fill-percent is half, which is no number");
    let mut rows = fills(&[(50, 10.0), (90, 7.0)]);
    rows.push(absent("nibble", "fill-percent=70", "full"));
    let missing = answer(&moves("\"falls\""), &rows);
    assert_eq!(missing.verdict, Verdict::Holds);
    assert!(missing.reason.ends_with("not judged: nibble: full"), "{}", missing.reason);
}

#[test]
fn a_shorter_way_says_nothing_of_the_whole_one() {
    let short = answer(&moves("\"falls\""), &fills(&[(50, 10.0), (70, 7.0)]));
    assert_eq!(short.verdict, Verdict::NotTestable);
    assert_eq!(
        short.reason,
        "nibble: measured from 50 to 70 along fill-percent, not from 50 to 90"
    );
}
