//! A comparison on a terminal.

use super::aligned::aligned;
use super::escape::line;
use super::numbers::NONE;
use super::rows::{HEADINGS, INSTRUCTION_HEADINGS, columns, instruction_columns, worst_first};
use super::words::{self, Fact, facts, how, summary, tolerances};
use crate::{Comparison, Side};

/// `comparison` for a terminal: what the sides are, how they were measured, a table of all
/// verdicts with the worst first, one line that sums them up. Ends in a newline.
#[must_use]
pub fn text(comparison: &Comparison) -> String {
    let mut text = sides(comparison);
    text += &format!("{}\n", how(comparison));
    if !comparison.unlike.is_empty() {
        text += &format!("\n!!! {}:\n", words::NOT_COMPARABLE);
        for fact in &comparison.unlike {
            text += &format!("!!!   {}\n", line(fact));
        }
    }
    if !comparison.judged.is_empty() {
        text += &verdicts(comparison);
    }
    if !comparison.instructions.is_empty() {
        let rows: Vec<_> = comparison.instructions.iter().map(instruction_columns).collect();
        text += &format!("\n{}:\n", words::INSTRUCTIONS);
        text += &aligned(&INSTRUCTION_HEADINGS, &rows, |column| column == 0);
    }
    if !comparison.notes.is_empty() {
        text.push('\n');
    }
    for note in &comparison.notes {
        text += &format!("note: {}\n", line(note));
    }
    if !comparison.folder.is_empty() {
        text += &format!("rows: {}\n", line(&comparison.folder));
    }
    text += &format!("again: {}\n\n{}\n", line(&comparison.command), summary(comparison));
    text
}

/// What A and B are: names, the facts in which they differ, and those they share.
fn sides(comparison: &Comparison) -> String {
    let (shared, differing): (Vec<Fact<'_>>, Vec<Fact<'_>>) =
        facts(comparison).into_iter().partition(|fact| fact.a == fact.b);
    let told = |facts: &[Fact<'_>], of: fn(&Fact<'_>) -> Option<String>| {
        let facts: Vec<String> = facts
            .iter()
            .map(|fact| format!("{} {}", fact.name, of(fact).unwrap_or(NONE.to_owned())))
            .collect();
        line(&facts.join(", "))
    };
    let of_a: fn(&Fact<'_>) -> Option<String> = |fact| fact.a.map(str::to_owned);
    let of_b: fn(&Fact<'_>) -> Option<String> = |fact| fact.b.map(str::to_owned);
    let side = |letter: &str, side: &Side, facts: String| {
        let facts = if facts.is_empty() { facts } else { format!("  ({facts})") };
        format!("{letter}: {}{facts}\n", line(&side.name))
    };
    let mut text = side("A", &comparison.a, told(&differing, of_a));
    text += &side("B", &comparison.b, told(&differing, of_b));
    if !shared.is_empty() {
        text += &format!("both: {}\n", told(&shared, of_a));
    }
    text
}

/// The table with its legend.
fn verdicts(comparison: &Comparison) -> String {
    let judged = worst_first(comparison);
    let rows: Vec<_> = judged.iter().map(|judged| columns(judged)).collect();
    let last = HEADINGS.len() - 1;
    let table = aligned(&HEADINGS, &rows, |column| column < 2 || column == last);
    let mut text = format!("\n{table}\n{}\n", words::COLUMNS);
    text += &format!("Asked about: {}.\n", line(&tolerances(comparison).join(", ")));
    if judged.iter().any(|judged| judged.looked_twice) {
        text += &format!("{}\n", words::TWICE);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::Instructions;

    #[test]
    fn every_verdict_has_an_aligned_line_with_the_worst_first() {
        let mut comparison = fixture::every_kind();
        comparison.notes = vec!["one processor".to_owned()];
        comparison.folder = "results/2026-01-03".to_owned();
        let text = text(&comparison);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..4],
            [
                "A: main  (revision 2a82516, run 2026-01-02)",
                "B: HEAD  (revision b1946ac, run –)",
                "both: cpu one & only",
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
                "unknown: too few complete blocks",
                "changed: better",
                "unchanged"
            ]
        );
        assert!(table[1].contains("−20.0 % (−21.3 … −18.6)  ±2.1 %  A/A +0.3 %"), "{}", table[1]);
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
        assert_eq!(*lines.last().unwrap(), summary(&comparison));
        assert!(!text.contains("!!!") && !text.contains("nstructions"));
    }

    #[test]
    fn facts_that_differ_are_loud_and_the_star_has_a_legend_only_where_there_is_one() {
        let mut comparison = fixture::of(vec![fixture::unchanged()]);
        comparison.unlike = vec!["kernel: 6.1 and 6.6".to_owned()];
        let text = text(&comparison);
        assert!(
            text.contains("!!! NOT COMPARABLE: ") && text.contains("\n!!!   kernel: 6.1 and 6.6\n")
        );
        assert!(!text.contains("looked twice"));
    }

    #[test]
    fn instructions_have_a_table_of_their_own() {
        let mut comparison = fixture::of(vec![fixture::unchanged()]);
        comparison.instructions = vec![Instructions {
            cell: "ycsb-c".to_owned(),
            a_per_operation: 312.4,
            b_per_operation: 300.0,
        }];
        let text = text(&comparison);
        let (_, table) = text.split_once("beside time, never instead of it:\n").expect("a table");
        assert!(
            table.starts_with("cell      A    B     B/A\nycsb-c  312  300  −4.0 %\n"),
            "{table}"
        );
    }

    #[test]
    fn nothing_judged_is_said_and_names_cannot_move_the_cursor() {
        let empty = text(&fixture::of(Vec::new()));
        assert!(empty.ends_with("nothing was judged: no cell was measured on both sides\n"));
        assert!(!empty.contains("verdict"));
        let hostile = text(&fixture::hostile());
        assert!(hostile.chars().all(|char| char == '\n' || !char.is_control()));
    }
}
