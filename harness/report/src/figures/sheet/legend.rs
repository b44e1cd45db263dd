//! A legend: swatches and names in as many rows as they need, each name as wide as it is.

use crate::figures::styles::Look;
use crate::figures::text::width_px;

/// Pixels of a name's letters. Other formats than SVG draw them a little larger.
const LETTERS: f64 = 11.5;
const ROW_PX: f64 = 16.0;
const SWATCH_PX: f64 = 26.0;
const GAP_PX: f64 = 18.0;
/// Tags of labels, objects and arrows that no script uses.
const FIRST_TAG: usize = 1000;

/// What stands before a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Swatch {
    /// A filled box.
    Bar(Look),
    /// A line, with a point where the second part says so.
    Line(Look, bool),
    /// A point alone.
    Point(Look),
    /// A plain line: its colour, width and dash type.
    Plain(&'static str, f64, u8),
    /// A sign that belongs to no series: its point type.
    Sign(u8),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) swatch: Swatch,
}

impl Entry {
    pub(super) fn new(text: impl Into<String>, swatch: Swatch) -> Self {
        Self { text: text.into(), swatch }
    }

    fn width_px(&self) -> f64 {
        SWATCH_PX + 4.0 + width_px(&self.text, LETTERS)
    }
}

/// The entries in rows that fit into `room_px`.
fn rows(entries: &[Entry], room_px: f64) -> Vec<Vec<&Entry>> {
    let mut rows: Vec<(f64, Vec<&Entry>)> = Vec::new();
    for entry in entries {
        let width = entry.width_px() + GAP_PX;
        match rows.last_mut().filter(|(taken, _)| taken + width <= room_px + GAP_PX) {
            Some((taken, row)) => {
                *taken += width;
                row.push(entry);
            }
            None => rows.push((width, vec![entry])),
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Pixels that a legend takes.
pub(super) fn height_px(entries: &[Entry], room_px: f64) -> f64 {
    let rows = rows(entries, room_px).len() as f64;
    if rows > 0.0 { rows * ROW_PX + 4.0 } else { 0.0 }
}

/// The commands that draw the legend, its rows centred between `left_px` and `left_px + room_px` and
/// the first one at `top_px` from above. The script knows `width` and `height`.
pub(super) fn commands(entries: &[Entry], left_px: f64, room_px: f64, top_px: f64) -> Vec<String> {
    let mut commands = Vec::new();
    let mut tag = FIRST_TAG;
    for (place, row) in rows(entries, room_px).iter().enumerate() {
        let taken: f64 = row.iter().map(|entry| entry.width_px() + GAP_PX).sum::<f64>() - GAP_PX;
        let mut x = left_px + ((room_px - taken) / 2.0).max(0.0);
        let y = top_px + ROW_PX * (place as f64 + 0.5);
        for entry in row {
            commands.extend(drawn(entry, tag, x, y));
            x += entry.width_px() + GAP_PX;
            tag += 1;
        }
    }
    commands
}

fn drawn(entry: &Entry, tag: usize, x: f64, y: f64) -> Vec<String> {
    let at = |x: f64, y: f64| format!("screen {x:.1}/width, screen 1 - {y:.1}/height");
    let line = |colour: &str, wide: f64, dash: u8| {
        let (from, to) = (at(x, y), at(x + SWATCH_PX, y));
        format!(
            "set arrow {tag} from {from} to {to} nohead lw {wide} dt {dash} lc rgb '{colour}' front"
        )
    };
    let point = |colour: &str, kind: u8| {
        let middle = at(x + SWATCH_PX / 2.0, y);
        let tag = tag + 500;
        format!("set label {tag} '' at {middle} point pt {kind} ps 1 lc rgb '{colour}' front")
    };
    let mut commands = match entry.swatch {
        Swatch::Bar(Look { colour, pattern, .. }) => {
            let (from, to) = (at(x, y + 5.0), at(x + SWATCH_PX, y - 5.0));
            vec![format!(
                "set object {tag} rectangle from {from} to {to} front fc rgb '{colour}' \
                 fs pattern {pattern} border lc rgb '#222222'"
            )]
        }
        Swatch::Line(look, marked) => {
            let mut both = vec![line(look.colour, 1.6, look.dash)];
            both.extend(marked.then(|| point(look.colour, look.point)));
            both
        }
        Swatch::Point(look) => vec![point(look.colour, look.point)],
        Swatch::Plain(colour, wide, dash) => vec![line(colour, wide, dash)],
        Swatch::Sign(kind) => vec![point("#222222", kind)],
    };
    // Commands may stand in a text in double quotes.
    let name = entry.text.replace('\'', "''");
    let place = at(x + SWATCH_PX + 4.0, y);
    commands.push(format!("set label {tag} '{name}' at {place} left front"));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize) -> Vec<Entry> {
        (0..count).map(|place| Entry::new(format!("store {place}"), Swatch::Sign(2))).collect()
    }

    #[test]
    fn rows_are_as_many_as_the_names_need() {
        let all = entries(12);
        let narrow = rows(&all, 300.0);
        assert!(narrow.len() > 2 && narrow.iter().map(Vec::len).sum::<usize>() == 12);
        assert_eq!(rows(&all[..3], 1000.0).len(), 1);
        assert!(height_px(&all, 300.0) > height_px(&all, 1000.0));
        assert_eq!(height_px(&[], 300.0), 0.0);
    }

    #[test]
    fn a_name_wider_than_the_room_has_a_row_of_its_own() {
        let long = Entry::new("x".repeat(200), Swatch::Sign(2));
        let all = [long.clone(), long];
        assert_eq!(rows(&all, 300.0).len(), 2);
    }
}
