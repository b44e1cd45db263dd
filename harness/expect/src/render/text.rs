//! Answers on a terminal.

use compare::render::aligned;

use super::counted;
use crate::Answer;

/// A table with a line for each of `answers`, then how many there are of each verdict. Ends in a
/// newline.
#[must_use]
pub fn text(answers: &[Answer]) -> String {
    let rows: Vec<[String; 5]> = answers
        .iter()
        .map(|answer| {
            [
                format!("{} ({})", answer.id, answer.ask),
                answer.source.clone(),
                answer.on.name().to_owned(),
                answer.verdict.word().to_owned(),
                answer.line(),
            ]
        })
        .collect();
    let table = aligned(&["claim", "source", "on", "verdict", "measured"], &rows, |_| true);
    format!("{table}\n{}\n", counted(answers))
}
