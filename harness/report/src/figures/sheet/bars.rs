//! Panels of bars: what stands where on the sheet. `plots/bars.gp` draws one panel.

use std::fmt::Write as _;

use super::legend::{self, Entry, Swatch};
use super::{Looks, list, quoted, series_of};
use crate::figures::fragmentation::is_beside;
use crate::figures::table::Table;
use crate::figures::text::{folded, width_px};

/// What a script draws as bars.
#[derive(Debug)]
pub(in crate::figures) struct Bars {
    /// Columns with their axis titles; the column `measure` says the title where it is empty.
    values: &'static [(&'static str, &'static str)],
    /// Ends of the columns of the error bars.
    ends: [&'static str; 2],
    /// Whether the columns after-idle and after-purge are marks on the bars.
    marks: bool,
    /// Panels side by side.
    columns: usize,
}

const RANGE: [&str; 2] = ["-min", "-max"];
const INTERVAL: [&str; 2] = ["-low", "-high"];
const BLOAT: Bars =
    Bars {
        values: &[("overhead", "resident ÷ live bytes")], ends: RANGE, marks: true, columns: 1
    };

/// Scripts that draw bars alone, and how.
pub(in crate::figures) const SCRIPTS: [(&str, Bars); 6] = [
    ("allocator-bloat", BLOAT),
    ("ramcloud-patterns", BLOAT),
    ("store-bloat", Bars { values: &[("overhead", "memory ÷ live value bytes")], ..BLOAT }),
    (
        "threads",
        Bars {
            values: &[
                ("overhead", "memory ÷ live bytes"),
                ("refill", "second filling, operations/s"),
            ],
            marks: false,
            columns: 2,
            ..BLOAT
        },
    ),
    (
        "throughput-memory",
        Bars {
            values: &[("mops", "throughput, Mops/s"), ("overhead", "resident ÷ live value bytes")],
            ends: INTERVAL,
            marks: false,
            columns: 1,
        },
    ),
    ("bar-panels", Bars { values: &[("value", "")], ends: INTERVAL, marks: false, columns: 1 }),
];

const WIDTH_PX: f64 = 1000.0;
/// Left of a panel's frame, for tics and the axis' title; right of it.
const LEFT_PX: f64 = 70.0;
const RIGHT_PX: f64 = 14.0;
const TITLE_PX: f64 = 20.0;
const GRAPH_PX: f64 = 215.0;
const LINE_PX: f64 = 15.0;
const GAP_PX: f64 = 14.0;
/// Letters of tics in SVG are smaller than in other formats, for which there is room.
const TIC_LETTERS: f64 = 11.0;

/// A panel: one value of the rows of one measure and one panel.
struct Panel {
    value: &'static str,
    axis: String,
    measure: String,
    name: String,
    series: Vec<String>,
    /// Below each group, or below each bar where there is one group, its lines.
    labels: Vec<Vec<String>>,
    /// What is below all where each bar has its label.
    below: String,
    /// Whether bars are named below them rather than by a legend.
    direct: bool,
}

/// The script that draws `table` as bars.
pub(super) fn script(name: &str, bars: &Bars, table: &Table, looks: &Looks) -> String {
    let panels = panels(bars, table);
    let across = bars.columns.min(panels.len()).max(1);
    let mut above: Vec<Vec<String>> = vec![Vec::new(); across];
    let (mut body, mut y) = (String::new(), 8.0);
    for row in panels.chunks(across) {
        let legends: Vec<Vec<Entry>> = row
            .iter()
            .zip(&above)
            .map(|(panel, above)| entries(panel, bars, looks, above))
            .collect();
        let width = WIDTH_PX / across as f64 - LEFT_PX - RIGHT_PX;
        let titled = row.iter().any(|panel| !panel.name.is_empty());
        let title = if titled { TITLE_PX } else { 4.0 };
        let tallest = |heights: &mut dyn Iterator<Item = f64>| heights.fold(0.0, f64::max);
        let legend = tallest(&mut legends.iter().map(|entries| legend::height_px(entries, width)));
        let top = y + title + legend + 6.0;
        let below = tallest(&mut row.iter().map(Panel::below_px));
        for (column, (panel, entries)) in row.iter().zip(&legends).enumerate() {
            let left = WIDTH_PX / across as f64 * column as f64 + LEFT_PX;
            let _ = writeln!(body, "\n# {}", panel.name);
            if !panel.name.is_empty() {
                let _ = writeln!(
                    body,
                    "set label 900 {} at screen {:.1}/width, screen 1 - {:.1}/height center front",
                    quoted(&panel.name),
                    left + width / 2.0,
                    y + 9.0
                );
            }
            if !panel.below.is_empty() {
                let _ = writeln!(
                    body,
                    "set label 901 {} at screen {:.1}/width, screen 1 - {:.1}/height center front",
                    quoted(&panel.below),
                    left + width / 2.0,
                    top + GRAPH_PX + panel.lines() * LINE_PX + 22.0
                );
            }
            for command in legend::commands(entries, left, width, y + title) {
                let _ = writeln!(body, "{command}");
            }
            body += &panel.settings();
            let _ = writeln!(
                body,
                "left = {left:.1}/width; right = {:.1}/width; top = 1 - {top:.1}/height; \
                 bottom = 1 - {:.1}/height\nload \"bars.gp\"",
                left + width,
                top + GRAPH_PX
            );
            if !panel.direct {
                above[column].clone_from(&panel.series);
            }
        }
        y = top + GRAPH_PX + below + GAP_PX;
    }
    let has = |column: &str| u8::from(table.place(column).is_some());
    format!(
        "# The figure {name}: panels of bars, each of which bars.gp draws.\n\nname = \"{name}\"\n\
         width = {WIDTH_PX}; height = {}\n{}load \"style.gp\"\n\
         has_panel = {}; has_measure = {}; marks = {}\nlower = \"{}\"; upper = \"{}\"\n\
         set multiplot\n{body}\nunset multiplot\n",
        y.ceil(),
        looks.settings(),
        has("panel"),
        has("measure"),
        u8::from(bars.marks),
        bars.ends[0],
        bars.ends[1]
    )
}

/// The panels in which something is drawn, in the order of the table.
fn panels(bars: &Bars, table: &Table) -> Vec<Panel> {
    let mut panels = Vec::new();
    for &(value, axis) in bars.values {
        let mut found: Vec<(&str, &str)> = Vec::new();
        for row in 0..table.rows.len() {
            let place = (table.text(row, "measure"), table.text(row, "panel"));
            let drawn = !is_beside(place.1) && table.number(row, value).is_finite();
            if drawn && !found.contains(&place) {
                found.push(place);
            }
        }
        let width = WIDTH_PX / bars.columns as f64 - LEFT_PX - RIGHT_PX;
        let made = found.into_iter().map(|place| panel(table, (value, axis), place, width));
        panels.extend(made);
    }
    panels
}

fn panel(
    table: &Table,
    (value, axis): (&'static str, &str),
    (measure, name): (&str, &str),
    width_px: f64,
) -> Panel {
    let here =
        |row: &usize| table.text(*row, "measure") == measure && table.text(*row, "panel") == name;
    let rows: Vec<usize> = (0..table.rows.len()).filter(here).collect();
    let series = series_of(table, &rows);
    let mut groups: Vec<(f64, [&str; 2])> = Vec::new();
    for &row in &rows {
        let place = table.number(row, "place");
        if !groups.iter().any(|(known, _)| *known == place) {
            groups.push((place, [table.text(row, "group"), table.text(row, "below")]));
        }
    }
    groups.sort_by(|a, b| a.0.total_cmp(&b.0));
    let direct = groups.len() == 1 && series.len() > 1;
    let room = |share: f64, count: usize| width_px * share / count.max(1) as f64 - 8.0;
    let labels = if direct {
        let room = room(0.86, series.len());
        series.iter().map(|name| folded(name, TIC_LETTERS, room)).collect()
    } else {
        let room = room(1.0, groups.len());
        let lines = |texts: &[&str; 2]| -> Vec<String> {
            texts.iter().flat_map(|text| folded(text, TIC_LETTERS, room)).collect()
        };
        groups.iter().map(|(_, texts)| lines(texts)).collect()
    };
    // What the panel's title says is not said again.
    let tells = |text: &&str| !text.is_empty() && *text != name;
    let told: Vec<&str> = groups[0].1.into_iter().filter(tells).collect();
    Panel {
        value,
        axis: if axis.is_empty() { measure.to_owned() } else { axis.to_owned() },
        measure: measure.to_owned(),
        name: name.to_owned(),
        series,
        labels,
        below: if direct { told.join(", ") } else { String::new() },
        direct,
    }
}

/// The legend of a panel; none where bars are named, or where the panel above has the same series.
fn entries(panel: &Panel, bars: &Bars, looks: &Looks, above: &[String]) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !panel.direct && panel.series != above {
        let of = |name: &String| Entry::new(name.as_str(), Swatch::Bar(looks.of(name)));
        entries.extend(panel.series.iter().map(of));
    }
    if bars.marks && above.is_empty() {
        let marks = [("after idle", 6), ("after purge", 8)];
        entries.extend(marks.map(|(text, point)| Entry::new(text, Swatch::Sign(point))));
    }
    entries
}

impl Panel {
    /// Pixels below the frame.
    fn below_px(&self) -> f64 {
        let title = if self.below.is_empty() { 0.0 } else { LINE_PX + 10.0 };
        self.lines() * LINE_PX + 12.0 + title
    }

    /// Lines of the longest label below the frame.
    fn lines(&self) -> f64 {
        self.labels.iter().map(Vec::len).max().unwrap_or(0) as f64
    }

    /// What `bars.gp` asks for.
    fn settings(&self) -> String {
        let labels = self.labels.iter().map(|lines| {
            // In tic labels a per cent sign begins a format.
            lines.join("\n").replace('%', "%%")
        });
        let axis = match width_px(&self.axis, TIC_LETTERS) > GRAPH_PX {
            true => folded(&self.axis, TIC_LETTERS, GRAPH_PX).join("\n"),
            false => self.axis.clone(),
        };
        format!(
            "panel = {}; measure = {}; value = \"{}\"\nseries = {}\nlabels = {}\n\
             y_title = {}; direct = {}\n",
            quoted(&self.name),
            quoted(&self.measure),
            self.value,
            list(self.series.iter().map(String::as_str)),
            list(labels.collect::<Vec<_>>().iter().map(String::as_str)),
            quoted(&axis),
            u8::from(self.direct)
        )
    }
}
