//! A comparison on a terminal.

use super::aligned::aligned;
use super::colour::{UNSURE, painted, style_of};
use super::escape::line;
use super::numbers::NONE;
use super::rows::{HEADINGS, INSTRUCTION_HEADINGS, columns, instruction_columns, worst_first};
use super::words::{self, Fact, facts, how, only_cell, sentence, summary, tolerances};
use crate::{Comparison, Judged, Side};

/// Lines of a list that are shown; the JSON has all of them.
const LIST_LINES_MAX: usize = 10;
/// Lines of the table that are shown, likewise.
const TABLE_LINES_MAX: usize = 100;

/// `comparison` for a terminal, with colours: the answer in a sentence, what the sides are, how they
/// were measured, a table of all verdicts with the worst first. Ends in a newline.
#[must_use]
pub fn text(comparison: &Comparison) -> String {
    let style = style_of(comparison.overall()).bold();
    let mut text = format!("{}\n", painted(style, &line(&sentence(comparison))));
    text += &format!("{}\n\n", summary(comparison));
    text += &sides(comparison);
    text += &format!("{}\n", how(comparison));
    if !comparison.unlike.is_empty() {
        text += &format!("\n{}\n", painted(UNSURE, &format!("!!! {}:", words::UNLIKE)));
        text += &list(&comparison.unlike, |fact| painted(UNSURE, &format!("!!!   {fact}")));
    }
    if !comparison.judged.is_empty() {
        text += &verdicts(comparison);
    }
    if !comparison.instructions.is_empty() {
        let rows: Vec<_> = comparison.instructions.iter().map(instruction_columns).collect();
        text += &format!("\n{}:\n", words::INSTRUCTIONS);
        text += &aligned(&INSTRUCTION_HEADINGS, &rows, |column| column == 0);
    }
    text.push('\n');
    text += &list(&comparison.notes, |note| format!("note: {note}"));
    if !comparison.folder.is_empty() {
        text += &format!("rows: {}\n", line(&comparison.folder));
    }
    text + &format!("again: {}\n", line(&comparison.command))
}

/// The first of `items`, a line each, and how many more there are.
fn list(items: &[String], told: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for item in items.iter().take(LIST_LINES_MAX) {
        text += &format!("{}\n", told(&line(item)));
    }
    if let Some(more @ 1..) = items.len().checked_sub(LIST_LINES_MAX) {
        text += &format!("{}\n", told(&format!("and {more} more, which --json has")));
    }
    text
}

/// What the sides are: names, the facts in which they differ, and those they share.
fn sides(comparison: &Comparison) -> String {
    let (shared, differing): (Vec<Fact<'_>>, Vec<Fact<'_>>) =
        facts(comparison).into_iter().partition(|fact| fact.baseline == fact.candidate);
    let told = |facts: &[Fact<'_>], of: fn(&Fact<'_>) -> Option<String>| {
        let facts: Vec<String> = facts
            .iter()
            .map(|fact| format!("{} {}", fact.name, of(fact).unwrap_or(NONE.to_owned())))
            .collect();
        line(&facts.join(", "))
    };
    let of_baseline: fn(&Fact<'_>) -> Option<String> = |fact| fact.baseline.map(str::to_owned);
    let of_candidate: fn(&Fact<'_>) -> Option<String> = |fact| fact.candidate.map(str::to_owned);
    let side = |role: &str, side: &Side, facts: String| {
        let facts = if facts.is_empty() { facts } else { format!("  ({facts})") };
        format!("{role} {}{facts}\n", line(&side.name))
    };
    let mut text = side("baseline: ", &comparison.baseline, told(&differing, of_baseline));
    text += &side("candidate:", &comparison.candidate, told(&differing, of_candidate));
    if !shared.is_empty() {
        text += &format!("both:       {}\n", told(&shared, of_baseline));
    }
    text
}

/// The table with its legend. A cell that all lines are about stands above them.
fn verdicts(comparison: &Comparison) -> String {
    let judged = worst_first(comparison);
    let mut text = "\n".to_owned();
    if let Some(cell) = only_cell(comparison) {
        text += &format!("{}\n", line(cell));
    }
    text += &table(&judged, only_cell(comparison).is_some());
    text += &format!("\n{}\n", words::COLUMNS);
    text += &format!("Asked about: {}.\n", line(&tolerances(comparison).join(", ")));
    if judged.iter().any(|judged| judged.looked_twice) {
        text += &format!("{}\n", words::TWICE);
    }
    text
}

fn table(judged: &[&Judged], alone: bool) -> String {
    const COLUMNS: usize = HEADINGS.len();
    let shown = &judged[..judged.len().min(TABLE_LINES_MAX)];
    let rows: Vec<_> = shown.iter().map(|judged| columns(judged)).collect();
    let table = if alone {
        let rows: Vec<_> = rows.iter().map(without_cell).collect();
        aligned(&without_cell(&HEADINGS), &rows, |column| column == 0 || column == COLUMNS - 2)
    } else {
        aligned(&HEADINGS, &rows, |column| column < 2 || column == COLUMNS - 1)
    };
    // A style would count as letters: lines get theirs when their columns stand.
    let mut lines = table.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (row, judged) in lines.zip(shown) {
        text += &format!("{}\n", painted(style_of(judged.finding.into()), row));
    }
    if let Some(more @ 1..) = judged.len().checked_sub(TABLE_LINES_MAX) {
        text += &format!("and {more} more, which --json has\n");
    }
    text
}

/// Columns without the first.
fn without_cell<T: Clone>(columns: &[T; HEADINGS.len()]) -> [T; HEADINGS.len() - 1] {
    std::array::from_fn(|place| columns[place + 1].clone())
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::Instructions;

    /// As it is printed where there are no colours.
    fn text(comparison: &Comparison) -> String {
        anstream::adapter::strip_str(&super::text(comparison)).to_string()
    }

    #[test]
    fn every_verdict_has_an_aligned_line_with_the_worst_first() {
        let mut comparison = fixture::every_kind();
        comparison.notes = vec!["one processor".to_owned()];
        comparison.folder = "results/2026-01-03".to_owned();
        let text = text(&comparison);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1..7],
            [
                summary(&comparison).as_str(),
                "",
                "baseline:  main  (revision 2a82516, run 2026-01-02)",
                "candidate: HEAD  (revision b1946ac, run –)",
                "both:       cpu one & only",
                "measured in one session of 7 min 5 s, in 12 interleaved blocks of fresh processes \
                 (suspicious cells have more)"
            ]
        );
        let top = lines.iter().position(|line| line.starts_with("cell")).expect("a heading");
        let table = &lines[top..top + 9];
        let column = |line: &str, word: &str| {
            line.find(word).map(|at| line[..at].chars().count()).expect("a word")
        };
        let verdict = column(table[0], "verdict");
        let found: Vec<&str> = table[1..]
            .iter()
            .map(|line| line.char_indices().nth(verdict).map(|(at, _)| &line[at..]).unwrap())
            .collect();
        assert_eq!(
            found,
            [
                "changed: worse *",
                "changed: worse *",
                "unknown: the floor is above the asked effect",
                "unknown: the interval is too wide",
                "unknown: not confirmed by fresh blocks *",
                "unknown: fewer than three values",
                "changed: better",
                "unchanged"
            ]
        );
        assert!(table[1].contains("−20.0 % (−21.3 … −18.6)  ±2.1 %   +0.3 %"), "{}", table[1]);
        assert!(text.contains("* looked twice"));
        assert!(
            text.contains(
                "Asked about: memory 5 % (lower is better), p99 10 % (lower is better), \
                 throughput 5 % (higher is better)."
            ),
            "{text}"
        );
        assert!(
            text.contains("note: one processor\nrows: results/2026-01-03\nagain: nibble-bench")
        );
        assert_eq!(lines[0], sentence(&comparison), "the answer stands first");
        assert!(!text.contains("!!!") && !text.contains("nstructions"));
    }

    #[test]
    fn facts_that_differ_are_loud_and_the_star_has_a_legend_only_where_there_is_one() {
        let mut comparison = fixture::of(vec![fixture::unchanged()]);
        comparison.unlike = vec!["kernel: 6.1 and 6.6".to_owned()];
        let text = text(&comparison);
        assert!(
            text.contains("!!! NOT LIKE FOR LIKE: ")
                && text.contains("\n!!!   kernel: 6.1 and 6.6\n")
        );
        assert!(!text.contains("looked twice"));
    }

    #[test]
    fn a_cell_that_all_is_about_stands_above_the_table() {
        let text = text(&fixture::of(vec![fixture::unchanged()]));
        assert!(text.contains("\n\nycsb-c\nmetric  baseline"), "{text}");
    }

    #[test]
    fn of_thousands_of_verdicts_the_gravest_are_shown() {
        let mut judged = vec![fixture::unchanged(); 2000];
        judged.push(fixture::worse(0.8));
        let text = text(&fixture::of(judged));
        assert_eq!(text.matches(" unchanged\n").count(), TABLE_LINES_MAX - 1);
        assert!(
            text.contains("changed: worse") && text.contains("\nand 1901 more, which --json has\n")
        );
    }

    #[test]
    fn thousands_of_notes_are_a_few_lines() {
        let mut comparison = fixture::of(vec![fixture::unchanged()]);
        comparison.notes =
            (0..2000).map(|cell| format!("cell {cell}: only one side has it")).collect();
        let text = text(&comparison);
        assert_eq!(text.matches("only one side has it").count(), LIST_LINES_MAX);
        assert!(text.contains("\nnote: and 1990 more, which --json has\n"), "{text}");
    }

    #[test]
    fn the_answer_and_every_line_have_the_colour_of_their_verdict() {
        let text = super::text(&fixture::every_kind());
        assert!(text.starts_with("\u{1b}[1m\u{1b}[31mHEAD is worse"), "{text}");
        for colour in ["31", "33", "32"] {
            assert!(text.contains(&format!("\n\u{1b}[{colour}mycsb-")), "{colour}: {text}");
        }
    }

    #[test]
    fn instructions_have_a_table_of_their_own() {
        let mut comparison = fixture::of(vec![fixture::unchanged()]);
        comparison.instructions = vec![Instructions {
            cell: "ycsb-c".to_owned(),
            baseline_per_operation: 312.4,
            candidate_per_operation: 300.0,
        }];
        let text = text(&comparison);
        let (_, table) = text.split_once("beside time, never instead of it:\n").expect("a table");
        assert!(
            table.starts_with(
                "cell    baseline  candidate  change\nycsb-c       312        300  −4.0 %\n"
            ),
            "{table}"
        );
    }

    #[test]
    fn nothing_judged_is_said_and_names_cannot_move_the_cursor() {
        let empty = text(&fixture::of(Vec::new()));
        assert!(empty.contains("\nnothing was judged: no cell was measured on both sides\n"));
        assert!(!empty.contains("verdict"));
        let mut hostile = super::text(&fixture::hostile());
        assert!(hostile.contains("@someone  [31m #12"), "{hostile}");
        for own in ["\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[0m"] {
            hostile = hostile.replace(own, "");
        }
        assert!(hostile.chars().all(|char| char == '\n' || !char.is_control()));
    }
}
