//! `interval = "rounds"`: both sides of a round are compared, and medians of rounds are judged.

use crate::{Answer, Measured, Summary, Verdict, evaluate};

use super::made_up::{SMALL, absent, expectation, expectations, question, row};

/// A row whose values are of those rounds.
fn measured(system: &str, rounds: &[&str], values: &[f64]) -> Summary {
    let rounds = rounds.iter().map(|round| (*round).to_owned()).collect();
    Summary { rounds, ..row(system, "", values) }
}

fn judged(word: &str, rows: &[Summary]) -> Answer {
    let question = question("any", &format!("interval = \"rounds\"\n{word}"));
    evaluate(&expectations(&expectation("a-target", &[&question])), rows, &SMALL).remove(0)
}

fn ratio(bounds: &str, rows: &[Summary]) -> Answer {
    let word =
        format!("ratio = {{ of = {{ system = \"b\" }}, to = {{ system = \"a\" }}, {bounds} }}");
    judged(&word, rows)
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found}, expected {expected}");
}

const ABBA: [&str; 6] = ["0", "0", "1", "1", "2", "2"];

/// The machine slows down steadily, in the order A B B A; B is as fast as A.
#[test]
fn a_drift_over_a_round_meets_both_sides() {
    let speed = |place: u32| 100.0 - 5.0 * f64::from(place);
    let values = |places: [u32; 6]| places.map(speed);
    let rows = [
        measured("a", &ABBA, &values([0, 3, 4, 7, 8, 11])),
        measured("b", &ABBA, &values([1, 2, 5, 6, 9, 10])),
    ];
    let one = ratio("at-least = 0.99, at-most = 1.01", &rows);
    assert_eq!(one.verdict, Verdict::Holds, "{one:?}");
    let Measured { rounds, sides, .. } = &one.measured[0];
    assert_eq!(rounds.len(), 3);
    close(rounds[0], (95.0_f64 * 90.0 / (100.0 * 85.0)).sqrt());
    let [of, to] = sides.expect("both sides");
    assert_eq!((of, to), (72.5, 72.5), "the median of all values of a side");
    let welch = "ratio = { of = { system = \"b\" }, to = { system = \"a\" }, at-least = 0.99 }";
    let apart =
        evaluate(&expectations(&expectation("a-claim", &[&question("any", welch)])), &rows, &SMALL);
    assert_eq!(apart[0].verdict, Verdict::Undecided, "apart, the drift hides everything");
}

/// The interval of three rounds is their range.
#[test]
fn the_median_ratio_is_judged_with_the_range_of_few_rounds() {
    let rows = [
        measured("a", &["x", "y", "z"], &[1.0, 2.0, 4.0]),
        measured("b", &["z", "y", "x"], &[6.0, 2.4, 1.3]),
    ];
    let one = ratio("at-least = 1.15", &rows).measured.remove(0);
    close(one.value, 1.3);
    close(one.low.unwrap(), 1.2);
    close(one.high.unwrap(), 1.5);
    for (bounds, verdict) in [
        ("at-least = 1.19", Verdict::Holds),
        ("at-least = 1.21", Verdict::Undecided),
        ("at-least = 1.51", Verdict::Fails),
        ("at-most = 1.51", Verdict::Holds),
        ("at-most = 1.49", Verdict::Undecided),
        ("at-most = 1.19", Verdict::Fails),
        ("at-least = 1.0, margin = 0.15", Verdict::Holds),
        ("at-least = 1.14, margin = 0.15", Verdict::Undecided),
        ("at-least = 1.52, margin = 0.14", Verdict::Fails),
        ("at-least = 1.52, margin = 0.15", Verdict::Undecided),
    ] {
        assert_eq!(ratio(bounds, &rows).verdict, verdict, "{bounds}");
    }
}

#[test]
fn strict_bounds_fail_where_an_interval_touches_them() {
    let of = |values: [f64; 3]| {
        [measured("a", &["x", "y", "z"], &[1.0; 3]), measured("b", &["x", "y", "z"], &values)]
    };
    for (values, bounds, verdict) in [
        ([1.0, 1.1, 1.2], "above = 1", Verdict::Undecided),
        ([1.01, 1.1, 1.2], "above = 1", Verdict::Holds),
        ([0.9, 0.95, 1.0], "above = 1", Verdict::Fails),
        ([0.9, 0.95, 1.0], "at-least = 1", Verdict::Undecided),
        ([4.0, 5.0, 9.0], "below = 4", Verdict::Fails),
        ([4.0, 5.0, 9.0], "at-most = 4", Verdict::Undecided),
        ([3.0, 3.5, 4.0], "at-most = 4", Verdict::Holds),
    ] {
        let answer = ratio(bounds, &of(values));
        assert_eq!(answer.verdict, verdict, "{bounds}");
    }
    assert_eq!(ratio("above = 1", &of([2.0; 3])).measured[0].expected, "> 1.00×");
}

#[test]
fn only_rounds_that_measured_both_sides_count() {
    let rows = [
        measured("a", &["0", "1", "2", "3"], &[1.0, 1.0, 1.0, 100.0]),
        measured("b", &["1", "2", "0", "4"], &[2.0, 2.0, 2.0, 100.0]),
    ];
    let both = ratio("at-least = 2", &rows);
    assert_eq!((both.verdict, both.measured[0].rounds.len()), (Verdict::Holds, 3));
    let two = ratio("at-least = 2", &[rows[0].clone(), measured("b", &["1", "2"], &[2.0, 2.0])]);
    assert_eq!(two.reason, "2 rounds measured both sides; at least 3 are needed");
    let none = ratio("at-least = 2", &[rows[0].clone(), measured("b", &["7"; 3], &[2.0; 3])]);
    assert_eq!(none.verdict, Verdict::NotTestable);
    assert_eq!(none.reason, "no round measured both `of` and `to`");
    let apart = ratio("at-least = 2", &[row("a", "", &[1.0; 3]), row("b", "", &[2.0; 3])]);
    assert_eq!(apart.reason, none.reason, "rows that were not measured in rounds");
}

#[test]
fn values_have_a_median_and_few_of_them_their_range() {
    let select = |bounds: &str, values: &[f64]| {
        let word = format!("select = {{ of = {{}}, {bounds} }}");
        judged(&word, &[row("a", "", values)])
    };
    let five = select("at-most = 5", &[5.0, 1.0, 2.0, 3.0, 2.5]).measured.remove(0);
    assert_eq!((five.value, five.low, five.high), (2.5, Some(1.0), Some(5.0)));
    assert_eq!(five.verdict, Verdict::Holds);
    let two = select("at-most = 2", &[1.0, 3.0]);
    assert_eq!((two.verdict, two.measured[0].value), (Verdict::Undecided, 2.0));
    assert_eq!(select("at-most = 2", &[2.1]).verdict, Verdict::Fails, "one value is its range");
    assert_eq!(select("at-most = 2", &[0.0; 3]).verdict, Verdict::Holds, "a count may be 0");
}

#[test]
fn a_quotient_divides_counters_process_by_process() {
    let counted = |above: [f64; 3], below: [f64; 3]| {
        let mut row = row("a", "", &[]);
        row.metrics = [("copied_bytes", above), ("appended_bytes", below)]
            .map(|(name, values)| (name.to_owned(), values.to_vec()))
            .into();
        let word = "select = { of = {}, at-most = 3 }";
        let question = question("any", &format!("interval = \"rounds\"\n{word}"))
            .replace("\"throughput\"", "\"copied_bytes / appended_bytes\"");
        let asked = expectations(&expectation("a-target", &[&question]));
        evaluate(&asked, &[row], &SMALL).remove(0)
    };
    let some = counted([6.0, 0.0, 9.0], [3.0, 5.0, 0.0]);
    assert_eq!(some.measured[0].rounds, [2.0, 0.0], "what did not grow below the line is left out");
    assert_eq!(some.verdict, Verdict::Holds);
    let none = counted([6.0; 3], [0.0; 3]);
    assert_eq!(none.reason, "nothing of `of` has numbers: a: `appended_bytes` did not grow");
}

#[test]
fn the_worst_stands_for_all() {
    let word = "select = { of = {}, worst = true, at-most = 1.1 }";
    let at = |threads: u32, values: &[f64]| row("a", &format!("threads={threads}"), values);
    let wide = at(1, &[0.5, 1.0, 1.2]);
    let holds = judged(word, &[wide.clone(), at(2, &[1.05; 3]), at(3, &[0.9; 3])]);
    assert_eq!(holds.verdict, Verdict::Holds, "its median is the worst, not its interval");
    assert_eq!(holds.measured[0].compared, "a, 2 threads");
    assert_eq!(holds.better.len(), 2);
    let every = judged("select = { of = {}, at-most = 1.1 }", &[wide, at(2, &[1.05; 3])]);
    assert_eq!((every.verdict, every.better.len()), (Verdict::Undecided, 0));
    let least = "select = { of = {}, worst = true, at-least = 1 }";
    assert_eq!(judged(least, &[at(1, &[1.2; 3]), at(2, &[0.9; 3])]).verdict, Verdict::Fails);
    let gone = judged(word, &[at(1, &[1.05; 3]), absent("a", "threads=2", "crashed")]);
    assert_eq!(gone.verdict, Verdict::Holds, "of rows that were measured for something else");
}
