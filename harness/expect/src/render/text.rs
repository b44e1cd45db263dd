//! Answers on a terminal.

use compare::render::{aligned, colour};
use stats::Verdict;

use super::{counted, preset, verdict};
use crate::Answer;

/// How many answers there are of each verdict, then a line for each of `answers`, with colours. Ends in
/// a newline.
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
    let mut lines = table.lines();
    let mut text = format!("{}\n\n{}\n", counted(answers), lines.next().unwrap_or_default());
    for (line, answer) in lines.zip(answers) {
        text += &format!("{}\n", colour::painted(style_of(answer.verdict), line));
    }
    text
}

fn style_of(verdict: Verdict) -> colour::Style {
    match verdict {
        Verdict::Holds => colour::GOOD,
        Verdict::Fails => colour::BAD,
        Verdict::Undecided => colour::UNSURE,
        Verdict::NotTestable => colour::PLAIN,
    }
}
