//! Tables of a terminal.

use super::escape::line;

/// Columns as wide as what stands in them, two spaces apart; `left` says which begin at the left.
#[must_use]
pub fn aligned<const N: usize>(
    headings: &[&str; N],
    rows: &[[String; N]],
    left: impl Fn(usize) -> bool,
) -> String {
    let headings = headings.map(str::to_owned);
    let lines: Vec<[String; N]> =
        std::iter::once(&headings).chain(rows).map(|row| row.clone().map(|it| line(&it))).collect();
    let width = |column: usize| {
        lines.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &lines {
        let mut printed = String::new();
        for (column, (field, width)) in row.iter().zip(widths).enumerate() {
            printed += &if left(column) {
                format!("{field:<width$}  ")
            } else {
                format!("{field:>width$}  ")
            };
        }
        text += printed.trim_end();
        text.push('\n');
    }
    text
}
