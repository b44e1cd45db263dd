//! Lines: what the legend says of them, or whether they bear their names themselves. `plots/lines.gp`
//! draws the panels.

use std::collections::{BTreeMap, BTreeSet};

use super::legend::{self, Entry, Swatch};
use super::{Looks, list, quoted};
use crate::figures::table::Table;
use crate::figures::text::width_px;

/// Lines in a panel that bear their names themselves, at most.
const DIRECT_MOST: usize = 3;
/// The same where each panel has its own lines.
const DIRECT_MOST_OWN: usize = 4;
/// The share of a panel that names may take.
const NAMES_SHARE: f64 = 0.42;
const LETTERS: f64 = 10.5;
const LEFT_PX: f64 = 80.0;
const ROOM_PX: f64 = 905.0;
const TOP_PX: f64 = 6.0;

/// What the declaration says of the script.
#[derive(Clone, Copy, Debug)]
pub(in crate::figures) struct Lines<'a> {
    pub(in crate::figures) own_axes: bool,
    pub(in crate::figures) marked: bool,
    pub(in crate::figures) predicted: bool,
    pub(in crate::figures) columns: usize,
    pub(in crate::figures) reference: &'a str,
    pub(in crate::figures) thin: &'a str,
}

/// What stands before the script's own settings: the legend, and whether names stand at the lines.
pub(super) fn settings(lines: &Lines<'_>, table: &Table, looks: &Looks) -> String {
    let rows = 0..table.rows.len();
    let has = |column: &str, word: &str| rows.clone().any(|row| table.text(row, column) == word);
    let named = named(table);
    let direct = is_direct(lines, table, &named);
    let is_marked = lines.marked || rows.clone().any(|row| !table.text(row, "group").is_empty());
    let mut entries = Vec::new();
    if !direct {
        let all: Vec<&str> = looks.names().filter(|name| is_named(&named, name)).collect();
        entries.extend(all.into_iter().map(|name| {
            Entry::new(name, Swatch::Line(looks.of(name), is_marked && !lines.predicted))
        }));
    }
    let mut also = |here: bool, text: &str, swatch: Swatch| {
        entries.extend(here.then(|| Entry::new(text, swatch)));
    };
    also(lines.predicted, "measured here", Swatch::Sign(6));
    also(has("role", "thin"), lines.thin, Swatch::Plain("#444444", 1.4, 3));
    also(has("role", "reference"), lines.reference, Swatch::Plain("#555555", 1.0, 1));
    also(has("mark", "full"), "refuses", Swatch::Sign(2));
    also(has("mark", "overloaded"), "overloaded", Swatch::Sign(6));
    let names = named.values().flatten().copied();
    let names_px = names.map(|name| width_px(name, LETTERS)).fold(0.0, f64::max);
    format!(
        "legend_px = {:.1}\nlegend = {}\ndirect = {}; names_px = {names_px:.1}\nall_names = {}\n",
        TOP_PX + legend::height_px(&entries, ROOM_PX),
        quoted(&legend::commands(&entries, LEFT_PX, ROOM_PX, TOP_PX).join("; ")),
        u8::from(direct),
        list(looks.names().filter(|name| is_named(&named, name))),
    )
}

/// The lines of each panel that need a name.
fn named(table: &Table) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in 0..table.rows.len() {
        let role = table.text(row, "role");
        if ["main", "level"].contains(&role) {
            let panel = named.entry(table.text(row, "panel")).or_default();
            panel.insert(table.text(row, "series"));
        }
    }
    named
}

fn is_named(named: &BTreeMap<&str, BTreeSet<&str>>, name: &str) -> bool {
    named.values().any(|names| names.contains(name))
}

fn is_direct(lines: &Lines<'_>, table: &Table, named: &BTreeMap<&str, BTreeSet<&str>>) -> bool {
    let panels: BTreeSet<&str> =
        (0..table.rows.len()).map(|row| table.text(row, "panel")).collect();
    let across = panels.len().clamp(1, lines.columns.max(1)) as f64;
    let panel_px = (ROOM_PX - 60.0 * (across - 1.0)) / across;
    let longest = named.values().flatten().map(|name| width_px(name, LETTERS)).fold(0.0, f64::max);
    let most = named.values().map(BTreeSet::len).max().unwrap_or(0);
    let all: BTreeSet<&&str> = named.values().flatten().collect();
    let few = if lines.own_axes { most <= DIRECT_MOST_OWN } else { all.len() <= DIRECT_MOST };
    few && longest <= NAMES_SHARE * panel_px
}
