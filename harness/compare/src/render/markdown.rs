//! A comparison as a comment on a pull request.

use super::escape::{code, fenced, prose};
use super::numbers::NONE;
use super::rows::{HEADINGS, INSTRUCTION_HEADINGS, columns, instruction_columns, worst_first};
use super::words::{self, Tally, facts, headline, how, summary, tolerances};
use crate::{Comparison, Judged, Overall};

/// First line of every comment, so that a workflow finds its own and updates it.
pub const MARKER: &str = "<!-- nibble-bench gate -->";

/// No comment has more bytes, and so no more characters: GitHub refuses 65 536.
pub const MARKDOWN_BYTES_MAX: usize = 60_000;

/// Budget of all tables of verdicts; changes come first.
const VERDICT_BYTES: usize = 30_000;
/// Budget of each other part: the tables of instructions and of facts, the lists of notes, of facts
/// that differ and of tolerances.
const LIST_BYTES: usize = 4_000;
/// What of the command is shown.
const COMMAND_CHARS: usize = 800;
/// Budget of what is always there: sentences, and five shortened names.
const REST_BYTES: usize = 6_500;
// Five lists, and a command of characters of up to four bytes.
const _: () =
    assert!(VERDICT_BYTES + 5 * LIST_BYTES + 4 * COMMAND_CHARS + REST_BYTES < MARKDOWN_BYTES_MAX);

/// `comparison` as GitHub's Markdown: [`MARKER`], a headline, what changed or is unknown as an open
/// table, everything else folded. At most [`MARKDOWN_BYTES_MAX`] long; says what it leaves out.
/// Ends in a newline.
///
/// Names and sentences of the comparison are escaped: they cannot begin a table cell, markup or a
/// mention.
#[must_use]
pub fn markdown(comparison: &Comparison) -> String {
    let sign = match comparison.overall() {
        Overall::Unchanged | Overall::Better => "✅",
        Overall::Worse => "❌",
        Overall::Unknown => "❔",
    };
    let mut page = format!("{MARKER}\n### {sign} {}\n\n", headline(comparison, code));
    page += &format!("{}\n\n", summary(comparison));
    if !comparison.unlike.is_empty() {
        page += &format!("> [!WARNING]\n> **{}:**\n", words::UNLIKE);
        page += &list(&comparison.unlike, "> - ", "> ");
    }
    page += &format!(
        "**Baseline** {}, **candidate** {}, {}\n\n",
        code(&comparison.baseline.name),
        code(&comparison.candidate.name),
        how(comparison)
    );
    page += &verdicts(comparison);
    page += &list(&comparison.notes, "- ", "");
    if !comparison.instructions.is_empty() {
        let rows = comparison.instructions.iter().map(instruction_columns);
        let table = table(&INSTRUCTION_HEADINGS, 1, rows, LIST_BYTES).text;
        page += &folded(words::INSTRUCTIONS, &table);
    }
    page + &folded("Evidence, and how to repeat it", &evidence(comparison))
}

/// What is not [`Overall::Unchanged`] in the open, then the rest in a fold.
fn verdicts(comparison: &Comparison) -> String {
    let (same, open): (Vec<&Judged>, Vec<&Judged>) = worst_first(comparison)
        .into_iter()
        .partition(|judged| Overall::from(judged.finding) == Overall::Unchanged);
    let written = |judged: &[&Judged], bytes: usize| {
        table(&HEADINGS, 2, judged.iter().map(|judged| columns(judged)), bytes)
    };
    let mut text = String::new();
    let mut left = VERDICT_BYTES;
    if !open.is_empty() {
        let table = written(&open, left);
        left -= table.row_bytes;
        text += &table.text;
    }
    if comparison.judged.iter().any(|judged| judged.looked_twice) {
        text += &format!("{}\n\n", prose(words::TWICE));
    }
    if !same.is_empty() {
        let summary = format!("{} unchanged", Tally::of(same.iter().copied()).unchanged);
        text += &folded(&summary, &written(&same, left).text);
    }
    text
}

/// What a reader needs in order to trust it: columns, tolerances, facts of both sides, the command.
fn evidence(comparison: &Comparison) -> String {
    let mut text = format!("{}\n\n", prose(words::COLUMNS));
    if !comparison.judged.is_empty() {
        text += "Asked about:\n";
        text += &list(&tolerances(comparison), "- ", "");
    }
    let facts = facts(comparison);
    if !facts.is_empty() {
        let side = |fact: Option<&str>| fact.unwrap_or(NONE).to_owned();
        let rows = facts
            .iter()
            .map(|fact| [fact.name.to_owned(), side(fact.baseline), side(fact.candidate)]);
        text += &table(&["fact", "baseline", "candidate"], 3, rows, LIST_BYTES).text;
    }
    if !comparison.folder.is_empty() {
        text += &format!("Rows: {}\n\n", code(&comparison.folder));
    }
    text + &fenced(&comparison.command, COMMAND_CHARS)
}

/// Content that shows when its summary is clicked.
fn folded(summary: &str, content: &str) -> String {
    format!("<details><summary>{}</summary>\n\n{content}\n</details>\n\n", prose(summary))
}

/// A table as far as it fits.
struct Table {
    text: String,
    /// Length of the rows that are in it.
    row_bytes: usize,
}

/// The first `names` columns are names and stand as code.
fn table<const N: usize>(
    headings: &[&str; N],
    names: usize,
    rows: impl Iterator<Item = [String; N]>,
    bytes_max: usize,
) -> Table {
    let mut text = format!("| {} |\n|{}\n", headings.join(" | "), "---|".repeat(N));
    let lines = rows.map(|row| {
        let mut fields = Vec::with_capacity(N);
        for (column, field) in row.iter().enumerate() {
            fields.push(if column < names { code(field) } else { prose(field) });
        }
        format!("| {} |\n", fields.join(" | "))
    });
    let (rows, left_out) = fitting(lines, bytes_max);
    text += &format!("{rows}\n");
    if left_out > 0 {
        text += &format!("{}\n\n", missing(left_out));
    }
    Table { text, row_bytes: rows.len() }
}

/// A list of sentences as far as it fits, with an empty line behind; nothing of no sentences.
fn list(sentences: &[String], bullet: &str, margin: &str) -> String {
    let lines = sentences.iter().map(|sentence| format!("{bullet}{}\n", prose(sentence)));
    let (mut text, left_out) = fitting(lines, LIST_BYTES);
    if left_out > 0 {
        text += &format!("{margin}\n{margin}{}\n", missing(left_out));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The first lines that have at most `bytes_max` bytes together, and how many others there are.
fn fitting(lines: impl Iterator<Item = String>, bytes_max: usize) -> (String, usize) {
    let mut text = String::new();
    let mut left_out = 0;
    for line in lines {
        // Sorted content is cut at its end, never in the middle.
        if left_out > 0 || text.len() + line.len() > bytes_max {
            left_out += 1;
        } else {
            text += &line;
        }
    }
    (text, left_out)
}

fn missing(count: usize) -> String {
    format!("*{count} more left out: a comment may not be longer. The JSON has all of them.*")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::{Instructions, Unknown};

    /// The text between the headline's line and the first fold.
    fn open(page: &str) -> &str {
        page.split("<details>").next().expect("a beginning")
    }

    #[test]
    fn the_headline_says_what_it_comes_to() {
        for (judged, said) in [
            (vec![fixture::unchanged()], "### ✅ no change found"),
            (
                vec![fixture::better()],
                "### ✅ improved: <code>ycsb-b</code> <code>p99</code> −12.0 %",
            ),
            (vec![fixture::unknown(Unknown::Floor)], "### ❔ cannot be told: 1 of 1"),
            (Vec::new(), "### ❔ cannot be told: nothing was judged"),
            (
                vec![fixture::worse(0.8), fixture::worse(0.9)],
                "### ❌ worse: <code>ycsb-a</code> <code>throughput</code> −20.0 % and 1 more",
            ),
        ] {
            let page = markdown(&fixture::of(judged));
            let lines: Vec<&str> = page.lines().collect();
            assert_eq!(lines[..3], [MARKER, said, ""]);
        }
    }

    #[test]
    fn changed_and_unknown_cells_are_open_and_unchanged_ones_folded() {
        let page = markdown(&fixture::every_kind());
        let rows = open(&page).lines().filter(|line| line.starts_with("| <code>")).count();
        assert_eq!(rows, 7);
        assert!(open(&page).contains(
            "| <code>ycsb-a</code> | <code>throughput</code> | 1.25 Mops/s | 1.00 Mops/s | −20.0 % \
             (−21.3 … −18.6) | ±2.1 % | +0.3 % | 12 | changed: worse &#42; |\n"
        ));
        assert!(!open(&page).contains("ycsb-c"));
        let (_, fold) = page.split_once("<summary>1 unchanged</summary>\n\n").expect("a fold");
        assert!(fold.starts_with("| cell | metric |") && fold.contains("ycsb-c"), "{fold}");
        assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
        assert!(!markdown(&fixture::of(vec![fixture::better()])).contains("looked twice"));
    }

    #[test]
    fn the_evidence_has_facts_of_both_sides_and_the_command() {
        let page = markdown(&fixture::every_kind());
        let (_, evidence) = page.split_once("<summary>Evidence").expect("evidence");
        for part in [
            "| <code>revision</code> | <code>2a82516</code> | <code>b1946ac</code> |",
            "| <code>run</code> | <code>2026-01-02</code> | <code>–</code> |",
            "- p99 10 % (lower is better)\n",
            "```sh\nnibble-bench gate --baseline main\n```\n",
        ] {
            assert!(evidence.contains(part), "{part} in {evidence}");
        }
    }

    #[test]
    fn names_of_others_have_no_meaning() {
        let page = markdown(&fixture::hostile());
        let (before, _) = page.split_once("````sh\n").expect("a command in a longer fence");
        for raw in ["<script", "`c`", "@someone", "*x*", "_y_", "[z]", " #12", "\u{1b}"] {
            assert!(!before.contains(raw), "{raw:?} in {before}");
        }
        for line in before.lines().filter(|line| line.starts_with("| <code>ycsb")) {
            assert_eq!(line.matches('|').count(), HEADINGS.len() + 1, "{line}");
        }
        assert!(
            before.contains("> [!WARNING]\n> **NOT LIKE FOR LIKE: ")
                && before.contains("\n> - kernel: 6.1")
        );
        assert!(before.contains("measured apart") && before.contains("beside time, never instead"));
        assert!(before.contains("&#64;\u{200b}someone"), "no mention in a note");
    }

    #[test]
    fn a_long_comparison_is_cut_and_says_so() {
        let mut comparison = fixture::hostile();
        let long = "|".repeat(5_000);
        comparison.command = "é".repeat(50_000);
        comparison.baseline.name = long.clone();
        comparison.candidate.name = long.clone();
        comparison.folder = long.clone();
        comparison.unlike = vec![long.clone(); 100];
        comparison.notes = vec![long.clone(); 100];
        comparison.instructions = (0..2_000)
            .map(|at| Instructions {
                cell: format!("cell-{at}"),
                baseline_per_operation: 1.0,
                candidate_per_operation: 1.0,
            })
            .collect();
        comparison.baseline.facts =
            (0..500).map(|at| (format!("fact-{at}"), long.clone())).collect();
        let one = comparison.judged.clone();
        for at in 0..400 {
            comparison.judged.extend(one.iter().map(|judged| crate::Judged {
                metric: format!("{}-{at}{long}", judged.metric),
                ..judged.clone()
            }));
        }
        let page = markdown(&comparison);
        assert!(page.len() <= MARKDOWN_BYTES_MAX, "{} bytes", page.len());
        assert!(page.len() > VERDICT_BYTES, "what fits is shown");
        let shown = open(&page).lines().filter(|line| line.starts_with("| <code>ycsb")).count();
        let (before, _) = page.split_once(" more left out").expect("what is left out");
        let (_, count) = before.rsplit_once('*').expect("a number");
        assert_eq!(count, "99", "of the facts that differ");
        assert!(shown > 0 && page.contains(&format!("*{} more left out", 7 * 401 - shown)));
        assert!(page.contains("\n> \n> *99 more"), "within the warning");
        assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
    }
}
