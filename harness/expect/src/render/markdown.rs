//! Answers as Markdown.

use compare::render::escape::{code, prose};

use super::{counted, preset, verdict};
use crate::Answer;

/// A table with a line for each of `answers`, then how many there are of each verdict. No field is
/// empty, and no text of an expectation is markup. Ends in a newline.
#[must_use]
pub fn markdown(answers: &[Answer]) -> String {
    let mut page = "| claim | preset | source | claimed | expected | on | verdict | measured |\n\
                    |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for answer in answers {
        let fields = [
            format!("{} ({})", code(&answer.id), answer.question),
            preset(answer).to_owned(),
            prose(&answer.source),
            prose(&answer.says),
            prose(&answer.expects),
            answer.on.name().to_owned(),
            format!("**{}**", verdict(answer)),
            prose(&answer.line()),
        ];
        page += &format!("| {} |\n", fields.join(" | "));
    }
    format!("{page}\n{}\n", counted(answers))
}
