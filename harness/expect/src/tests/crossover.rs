//! `crossover`: below 1 up to one place, above 1 from another on.

use crate::{Answer, Summary, Verdict};

use super::made_up::{answer, compared, near, row};

/// `a` with these values at fills 30, 50, 65, 80 and 90, `b` with 10 everywhere.
fn fills(values: [f64; 5]) -> Vec<Summary> {
    let places = [30, 50, 65, 80, 90].map(|fill| format!("fill-percent={fill}"));
    let a = places.iter().zip(values).map(|(labels, value)| near("a", labels, value));
    a.chain(places.iter().map(|labels| near("b", labels, 10.0))).collect()
}

fn judged(rows: &[Summary]) -> Answer {
    answer(
        "crossover = { of = { system = \"a\" }, to = { system = \"b\" }, along = \"fill-percent\", \
         between = [50, 80] }",
        rows,
    )
}

#[test]
fn a_crossing_is_between_its_places() {
    let crosses = judged(&fills([8.0, 9.0, 1.0, 11.0, 12.0]));
    assert_eq!(crosses.verdict, Verdict::Holds, "what is between them is free");
    assert_eq!(
        compared(&crosses),
        ["a ÷ b, fill 30 %", "a ÷ b, fill 50 %", "a ÷ b, fill 80 %", "a ÷ b, fill 90 %"]
    );
    let expected: Vec<&str> =
        crosses.measured.iter().map(|measured| measured.expected.as_str()).collect();
    assert_eq!(expected, ["< 1.00×", "< 1.00×", "> 1.00×", "> 1.00×"]);
}

#[test]
fn a_crossing_elsewhere_fails() {
    assert_eq!(judged(&fills([8.0, 11.0, 11.0, 11.0, 12.0])).verdict, Verdict::Fails, "too early");
    assert_eq!(judged(&fills([8.0, 9.0, 9.0, 9.0, 12.0])).verdict, Verdict::Fails, "too late");
    assert_eq!(judged(&fills([12.0, 11.0, 10.0, 9.0, 8.0])).verdict, Verdict::Fails, "reversed");
    assert_eq!(judged(&fills([8.0, 9.0, 11.0, 12.0, 9.0])).verdict, Verdict::Fails, "back again");
}

#[test]
fn an_interval_around_1_is_undecided_and_so_is_1_itself() {
    let near = judged(&fills([8.0, 10.0, 10.0, 11.0, 12.0]));
    assert_eq!(near.verdict, Verdict::Undecided);
    let mut rows = fills([8.0, 9.0, 10.0, 11.0, 12.0]);
    for row in rows.iter_mut().filter(|row| row.labels["fill-percent"] == "50") {
        row.metrics.insert("throughput".to_owned(), vec![10.0; 3]);
    }
    assert_eq!(judged(&rows).counts().words(), "3 hold, 1 undecided", "a point at 1");
    rows[3] = row("a", "fill-percent=80", &[11.0]);
    assert_eq!(judged(&rows).counts().words(), "2 hold, 2 undecided", "one process");
}

#[test]
fn a_line_measured_on_one_side_alone_says_nothing() {
    let low: Vec<Summary> = fills([8.0, 9.0, 9.0, 9.0, 9.0])
        .into_iter()
        .filter(|row| ["30", "50", "65"].contains(&row.labels["fill-percent"].as_str()))
        .collect();
    let half = judged(&low);
    assert_eq!(half.verdict, Verdict::NotTestable);
    assert_eq!(half.reason, "a ÷ b: not measured both up to fill-percent 50 and from 80 on");
    let words: Vec<Summary> = ["a", "b"].map(|system| near(system, "threads=1", 1.0)).into();
    assert_eq!(judged(&words).reason, "no row of `of` has a number in fill-percent");
}

#[test]
fn other_labels_make_other_lines() {
    let with = |rows: Vec<Summary>, threads: &'static str| {
        rows.into_iter().map(move |mut row| {
            row.labels.insert("threads".to_owned(), threads.to_owned());
            row
        })
    };
    let crosses = with(fills([8.0, 9.0, 1.0, 11.0, 12.0]), "1");
    let rows: Vec<Summary> = crosses.chain(with(fills([8.0, 8.0, 8.0, 8.0, 8.0]), "2")).collect();
    let both = judged(&rows);
    assert_eq!(both.counts().words(), "6 hold, 2 fail");
    assert_eq!(both.telling().unwrap().compared, "a ÷ b, fill 80 %, 2 threads");
}

#[test]
fn systems_meet_at_the_same_setting() {
    let word = "crossover = { of = { engine = \"a\" }, to = { engine = \"b\" }, \
                along = \"set.heads\", between = [1, 4] }";
    let rows = [("a", 1, 8.0), ("b", 1, 10.0), ("a", 4, 11.0), ("b", 4, 10.0)]
        .map(|(system, heads, value)| near(&format!("{system}@heads={heads}"), "", value));
    let crosses = answer(word, &rows);
    assert_eq!(compared(&crosses), ["a@heads=1 ÷ b@heads=1", "a@heads=4 ÷ b@heads=4"]);
    assert_eq!(crosses.verdict, Verdict::Holds);
}
