//! Answers on a terminal.

use compare::render::aligned;

use super::{counted, preset, verdict};
use crate::Answer;

/// A table with a line for each of `answers`, then how many there are of each verdict. Ends in a
/// newline.
#[must_use]
pub fn text(answers: &[Answer]) -> String {
    let rows: Vec<[String; 6]> = answers
        .iter()
        .map(|answer| {
            [
                format!("{} ({})", answer.id, answer.question),
                preset(answer).to_owned(),
                answer.source.clone(),
                answer.on.name().to_owned(),
                verdict(answer),
                answer.line(),
            ]
        })
        .collect();
    let table =
        aligned(&["claim", "preset", "source", "on", "verdict", "measured"], &rows, |_| true);
    format!("{table}\n{}\n", counted(answers))
}
