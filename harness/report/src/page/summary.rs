//! The summary on standard output.

use std::path::Path;

use super::{distinct, opening, outcomes};
use crate::figures::table::prefixed;
use crate::figures::{Figure, Table};
use record::{Row, archive::RunRecord};

/// The columns that represent figures in small tables, and what they show.
const SHOWN: [(&str, &str, &str); 13] = [
    ("allocator-bloat", "overhead", "resident ÷ live bytes after the second filling"),
    ("allocator-bloat", "refill", "operations/s of the second filling"),
    ("ramcloud-patterns", "overhead", "resident ÷ live bytes after the last filling"),
    ("threads", "overhead", "overhead (allocators: resident, bounded stores: all-in)"),
    ("store-bloat", "overhead", "memory ÷ live value bytes after the second filling"),
    ("refill", "value", "memory after each filling ÷ that after the first"),
    ("throughput-memory", "mops", "Mops/s"),
    ("throughput-memory", "overhead", "resident ÷ live value bytes"),
    ("index-layouts", "mops", "Mops/s"),
    ("engine-knobs", "ratio", "throughput ÷ that of preset `best` that appends"),
    ("ycsb-threads", "value", "Mops/s by threads"),
    ("utilisation", "value", "Mops/s by fill in percent"),
    ("grid", "value", "Mops/s"),
];

/// Medians of one figure: systems down, groups across.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// The figure, what the numbers are, and which of its panels.
    pub(crate) title: String,
    /// The heading, then a line for each series; all equally long.
    pub(crate) lines: Vec<Vec<String>>,
}

/// The small tables of a figure; none if it has no numbers.
pub fn matrices_of(figure: &Figure, folder: &Path, rows: &[Row]) -> Vec<Matrix> {
    told_of(figure, folder, rows, false)
}

/// The same, on request with intervals.
fn told_of(figure: &Figure, folder: &Path, rows: &[Row], intervals: bool) -> Vec<Matrix> {
    let shown = SHOWN.iter().filter(|(name, ..)| *name == figure.name);
    let mut all = Vec::new();
    for (_, value, what) in shown {
        let table = figure.build(folder, rows).whole();
        all.extend(matrices(&table, value, &format!("{}: {what}", figure.title), intervals));
    }
    all
}

/// Key numbers for the terminal: one small table for each of `figures` that has numbers, then counts
/// of outcomes, then everything that the plan does not allow for, with its reason.
#[must_use]
pub fn summary(run: &RunRecord, rows: &[Row], figures: &[Figure]) -> String {
    let mut text = format!("{}: {}\n", run.name, opening::scale(run));
    for figure in figures {
        // Only curves need the folder.
        for matrix in told_of(figure, Path::new(""), rows, true) {
            let bracketed = matrix.lines.iter().flatten().any(|field| field.contains(" … "));
            let what = if bracketed { "medians (and what they vary within)" } else { "medians" };
            text += &format!("\n{}; {what}\n{}", matrix.title, aligned(&matrix.lines));
        }
    }
    text += &format!("\nsteps: {}\n", outcomes::sentence(rows));
    for notice in opening::all_notices(run, rows) {
        text += &format!("note: {notice}\n");
    }
    for row in rows.iter().filter(|row| !row.expected) {
        let reason = row.reason.as_deref().unwrap_or("no reason given");
        text += &format!(
            "unexpected: {} {}: {}: {reason}\n",
            row.cell.id,
            row.step,
            row.outcome.word()
        );
    }
    text
}

/// One matrix per panel: systems down, groups across, medians within.
fn matrices(table: &Table, value: &str, title: &str, intervals: bool) -> Vec<Matrix> {
    let mut all = Vec::new();
    let rows = 0..table.rows.len();
    let panels = distinct(rows.clone().map(|row| table.text(row, "panel").to_owned()));
    for panel in &panels {
        let within = || rows.clone().filter(|&row| table.text(row, "panel") == panel);
        if within().all(|row| table.number(row, value).is_nan()) {
            continue;
        }
        let group = |row: usize| {
            let below = table.text(row, "below");
            let plain = table.text(row, "group");
            // Sizes of patterns are known; shares and threads are what tells groups apart.
            if below.contains('→') || below.ends_with('B') || below.is_empty() {
                plain.to_owned()
            } else {
                format!("{plain}, {below}")
            }
        };
        let mut groups = distinct(within().map(group));
        // Stores may have been asked at different fills, or threads: columns stand in order all the same.
        let number = |text: &String| text.parse::<f64>().ok();
        if groups.iter().all(|group| number(group).is_some()) {
            groups.sort_by(|one, other| number(one).partial_cmp(&number(other)).expect("numbers"));
        }
        let series = distinct(within().map(|row| table.text(row, "series").to_owned()));
        let panel = if panels.len() > 1 { format!(" ({panel})") } else { String::new() };
        let mut lines = vec![std::iter::once(String::new()).chain(groups.clone()).collect()];
        for name in &series {
            let mut line = vec![name.clone()];
            for wanted in &groups {
                let row = within()
                    .find(|&row| table.text(row, "series") == name && group(row) == *wanted);
                let shown = |number: f64| match value {
                    _ if number.is_nan() => "–".to_owned(),
                    "refill" => prefixed(number),
                    _ => format!("{number:.2}"),
                };
                let mut field = shown(row.map_or(f64::NAN, |row| table.number(row, value)));
                let ends = row.filter(|_| intervals).and_then(|row| ends(table, row, value));
                if let Some([low, high]) = ends {
                    field += &format!(" ({} … {})", shown(low), shown(high));
                }
                line.push(field);
            }
            lines.push(line);
        }
        all.push(Matrix { title: format!("{title}{panel}"), lines });
    }
    all
}

/// What a median varies within, where its table says so and it varies.
fn ends(table: &Table, row: usize, value: &str) -> Option<[f64; 2]> {
    let ends = [["low", "high"], ["min", "max"]];
    let mut ends =
        ends.map(|ends| ends.map(|end| table.number(row, &format!("{value}-{end}")))).into_iter();
    ends.find(|[low, high]| low < high)
}

/// Lines with columns of equal width: the first to the left, the others to the right.
pub fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |place: usize| {
        lines.iter().filter_map(|line| line.get(place)).map(|text| text.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|place| width(place).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        for (place, (field, &width)) in line.iter().zip(&widths).enumerate() {
            text += &if place == 0 {
                format!("  {field:<width$}")
            } else {
                format!("  {field:>width$}")
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
