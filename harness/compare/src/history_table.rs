//! The table that `plots/history.gp` draws: tab-separated, with a header line.

use std::fmt::Write as _;

use crate::history::{CellHistory, step};

/// The columns: of each run its cell (`panel`), what the vertical axis is (`measure`), its index
/// from 1 (`x`), the label of its revision, its median with a 95 % interval, the centre of its level,
/// and, where that level begins with it, by how much it changed.
const COLUMNS: [&str; 9] =
    ["panel", "measure", "x", "label", "value", "value-low", "value-high", "centre", "change"];

/// A text that is not there.
const MISSING: &str = "-";

/// The histories as a table for gnuplot. Missing numbers are `NaN` and missing texts `-`, because
/// gnuplot takes the field of an earlier row for an empty one; cells of the same name with
/// different work are told apart by the first letters of their digests.
#[must_use]
pub fn history_table(histories: &[CellHistory]) -> String {
    let mut table = COLUMNS.join("\t") + "\n";
    for history in histories {
        let panel = plain(&panel(history, histories));
        let measure = plain(&format!("{}, {}", history.metric, history.unit));
        for (index, row) in history.rows.iter().enumerate() {
            let change = history.change_at(index).map(|change| step(change.ratio.estimate));
            let _ = writeln!(
                table,
                "{panel}\t{measure}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                index + 1,
                plain(row.run.label()),
                row.run.median,
                row.low,
                row.high,
                row.centre.unwrap_or(f64::NAN),
                plain(&change.unwrap_or_default()),
            );
        }
    }
    table
}

/// A unique name for a history's panel.
fn panel(history: &CellHistory, histories: &[CellHistory]) -> String {
    const DIGEST_LETTERS: usize = 8;
    let key = &history.key;
    let is_alone = histories.iter().filter(|other| other.key.cell == key.cell).count() == 1;
    if is_alone || key.asks.is_empty() {
        return key.cell.clone();
    }
    let digest: String = key.asks.chars().take(DIGEST_LETTERS).collect();
    format!("{} ({digest})", key.cell)
}

/// A non-empty text without characters that would end a field of the table or a string of the
/// script.
fn plain(text: &str) -> String {
    if text.is_empty() {
        return MISSING.to_owned();
    }
    let harmless = |letter: char| match letter {
        '"' => '\'',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    text.chars().map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use stats::ChangeSettings;

    use super::*;
    use crate::Line;
    use crate::history::history;
    use crate::history::tests::with_a_step;
    use crate::runs::tests::{line, lines};

    fn table(lines: &[Line]) -> Vec<Vec<String>> {
        let histories = history(lines, "throughput", None, &ChangeSettings::default());
        let fields = |line: &str| line.split('\t').map(str::to_owned).collect();
        history_table(&histories).lines().map(fields).collect()
    }

    #[test]
    fn every_run_is_a_row_and_a_change_is_said_where_it_begins() {
        let rows = table(&with_a_step());
        assert_eq!(rows.len(), 161);
        assert!(rows.iter().all(|row| row.len() == COLUMNS.len()));
        let first = [
            "a",
            "throughput, 1/s",
            "1",
            "1a2b3c0",
            "1000000",
            "1000000",
            "1000000",
            "1000500",
            "-",
        ];
        assert_eq!(rows[1], first);
        let changes: Vec<(&str, &str)> = rows[1..]
            .iter()
            .filter(|row| row[8] != MISSING)
            .map(|row| (row[2].as_str(), row[8].as_str()))
            .collect();
        assert_eq!(changes, [("81", "3.1 % lower")]);
    }

    #[test]
    fn panels_have_names_of_their_own_and_harmless_letters() {
        let other = Line { asks: "d2".into(), ..line(0, &[1.0]) };
        let quoted = Line { cell: "b\t\"c\"".into(), ..line(0, &[1.0]) };
        let panels: Vec<String> = table(&[line(0, &[1.0]), other, quoted])[1..]
            .iter()
            .map(|row| row[0].clone())
            .collect();
        assert_eq!(panels, ["a (d1)", "a (d2)", "b 'c'"]);
    }

    #[test]
    fn a_level_that_is_not_known_is_no_number() {
        assert_eq!(table(&lines(&[0.0]))[1][7], "NaN");
        assert_eq!(table(&[]).len(), 1, "the header stays");
    }
}
