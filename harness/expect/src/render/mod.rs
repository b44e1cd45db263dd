//! Answers and claims for readers: on a terminal, and as Markdown.

mod list;
mod markdown;
mod text;

pub use list::{Listed, list, listed};
pub use markdown::markdown;
pub use text::text;

use crate::{Answer, Counts, PermutationTally};

/// `12 answers: 8 hold, 1 fails, 3 not testable`.
fn counted(answers: &[Answer]) -> String {
    let s = if answers.len() == 1 { "" } else { "s" };
    let counts = Counts::of(answers.iter().map(|answer| answer.verdict));
    format!("{} answer{s}: {}", answers.len(), counts.words())
}

/// The preset that was asked, or a dash.
fn preset(answer: &Answer) -> &str {
    answer.preset.as_deref().unwrap_or("–")
}

/// `undecided (23 of 24), unlike conditions`: the verdict, how many of its comparisons hold, and whether
/// sides differ in something that may explain it.
fn verdict(answer: &Answer) -> String {
    let share = answer.share().map(|share| format!(" ({share})"));
    let unlike = if answer.is_of_unlike() { ", unlike conditions" } else { "" };
    format!("{}{}{unlike}", answer.verdict.word(), share.unwrap_or_default())
}

/// The result of the permutation in a sentence.
#[must_use]
pub fn permutation(tally: &PermutationTally) -> String {
    let PermutationTally { hold, turned, still } = tally;
    if *hold == 0 {
        return "permuted: no comparison of systems holds, so there is none to turn".to_owned();
    }
    let (s, they_hold, do_not) =
        if *hold == 1 { ("", "holds", "does") } else { ("s", "hold", "do") };
    let mut text = format!(
        "permuted: of {hold} comparison{s} of systems that {they_hold}, {turned} no longer {do_not} \
         when numbers stand at other systems"
    );
    if !still.is_empty() {
        let still: Vec<String> =
            still.iter().map(|(claim, question)| format!("{claim} ({question})")).collect();
        text += &format!("; still holding: {}", still.join(", "));
    }
    text
}
