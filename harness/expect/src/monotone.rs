//! `monotone`: how values move along a label.

use std::collections::BTreeMap;

use crate::bounds::Bounds;
use crate::judged::{Judged, Judging};
use crate::place::place;
use crate::select::{Row, Selected, labels_but, select, system};
use crate::share::FAR_BEYOND;
use crate::{Moves, Question, Selection, Summary};

/// The expected movement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Movement<'a> {
    pub(crate) along: &'a str,
    pub(crate) span: [f64; 2],
    pub(crate) moves: Moves,
    pub(crate) by: f64,
}

/// Judges the rows of `of`; rows that differ only in the label form a line of their own.
pub(crate) fn judge_monotone<'a>(
    question: &Question,
    of: &Selection,
    movement: Movement<'_>,
    rows: &'a [Summary],
) -> Result<Judging<'a>, String> {
    let Movement { along, span: [first, last], .. } = movement;
    let Selected { rows, absent } = select(question, "of", of, rows)?;
    let mut judging = Judging { skipped: absent, ..Judging::default() };
    let mut lines: BTreeMap<_, Vec<(f64, Row<'a>)>> = BTreeMap::new();
    let mut order = Vec::new();
    for row in rows {
        // A system without the setting has no place along it.
        let Some(text) = row.label(along) else { continue };
        let Some(at) = place(text) else {
            judging
                .skipped
                .push(format!("{}: {along} is {text}, which is no number", system(row.row)));
            continue;
        };
        if (first..=last).contains(&at) {
            let line = labels_but(row.row, is_not_of_line(along));
            let places = lines.entry(line.clone()).or_default();
            if places.is_empty() {
                order.push(line);
            }
            places.push((at, row));
        }
    }
    for line in order {
        let mut places = lines.remove(&line).unwrap_or_default();
        places.sort_by(|left, right| left.0.total_cmp(&right.0));
        let ends = places.first().zip(places.last()).map(|(low, high)| [low.0, high.0]);
        let rows: Vec<Row<'a>> = places.into_iter().map(|(_, row)| row).collect();
        match ends {
            // A shorter way says nothing of the whole one.
            Some([low, high]) if low < high && [low, high] != [first, last] => {
                judging.skipped.push(format!(
                    "{}: measured from {low} to {high} along {along}, not from {first} to {last}",
                    system(rows[0].row)
                ));
            }
            _ => judge_line(&rows, movement, &mut judging),
        }
    }
    if judging.judged.is_empty() && judging.skipped.is_empty() {
        judging.skipped.push(format!("no row of `of` has {along} from {first} to {last}"));
    }
    Ok(judging)
}

/// The labels in which rows of one line may differ: a setting that moves makes other systems.
pub(crate) fn is_not_of_line(along: &str) -> impl Fn(&str) -> bool + use<'_> {
    move |label| label == along || (label == "system" && along.starts_with("set."))
}

/// Judges one line, whose `rows` are in order.
fn judge_line<'a>(rows: &[Row<'a>], movement: Movement<'_>, judging: &mut Judging<'a>) {
    let Movement { along, span: [from, to], moves, by } = movement;
    let [first, .., last] = rows else {
        let name = rows.first().map_or("of", |row| system(row.row));
        let why = format!("{name}: only one place along {along} from {from} to {to}");
        judging.skipped.push(why);
        return;
    };
    let step = match moves {
        Moves::Flat => {
            let bounds = Bounds::within(1.0 / by, by);
            for row in &rows[1..] {
                judging.add(Judged::ratio(row, first, bounds));
            }
            return;
        }
        Moves::Falls => {
            judging.add(Judged::ratio(first, last, Bounds::at_least(by)));
            Bounds::at_most(1.0 + FAR_BEYOND)
        }
        Moves::Rises => {
            judging.add(Judged::ratio(last, first, Bounds::at_least(by)));
            Bounds::at_least(1.0 / (1.0 + FAR_BEYOND))
        }
    };
    if rows.len() == 2 {
        return;
    }
    for pair in rows.windows(2) {
        judging.add(Judged::ratio(&pair[1], &pair[0], step));
    }
}
