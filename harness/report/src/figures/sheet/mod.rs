//! The sheet a figure is drawn on: looks, legends and the places of panels, which are computed here, so
//! that the scripts in `plots/` only draw.

mod bars;
mod legend;
mod lines;

use super::fragmentation::is_beside;
use super::styles::{self, Look};
use super::table::Table;
use legend::{Entry, Swatch};

/// Signs of variants for speed and for memory, as the script `allocator-throughput` draws them: triangles.
const UP: u8 = 8;
const DOWN: u8 = 10;

pub(super) use bars::SCRIPTS as BAR_SCRIPTS;
pub(super) use lines::Lines;

/// The script of a figure: what is computed of its table, and what its declaration says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheet<'a> {
    /// The figure's name.
    pub(super) name: &'a str,
    /// The script that draws it.
    pub(super) script: &'a str,
    /// What the declaration adds.
    pub(super) text: &'a str,
    /// Whether series are settings, which have no look of their own.
    pub(super) settings: bool,
    /// What it says of lines.
    pub(super) lines: Lines<'a>,
}

/// Colours and marks of a figure's series, in their order.
#[derive(Debug)]
pub(super) struct Looks(Vec<(String, Look)>);

impl Looks {
    fn of_table(table: &Table, by_place: bool) -> Self {
        // Bounds have no look: they compete with nobody.
        let drawn = |row: &usize| {
            !is_beside(table.text(*row, "panel")) && table.text(*row, "role") != "reference"
        };
        let rows: Vec<usize> = (0..table.rows.len()).filter(drawn).collect();
        let mut names = series_of(table, &rows);
        // Tables of lines list measures and panels first.
        names.sort_by(|a, b| styles::rank(a).total_cmp(&styles::rank(b)));
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let looks = styles::looks(&known, by_place);
        Self(names.into_iter().zip(looks).collect())
    }

    fn of(&self, name: &str) -> Look {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or_else(|| styles::looks(&[name], false)[0], |(_, look)| *look)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The lists that `style.gp` reads.
    fn settings(&self) -> String {
        let texts = |of: fn(&Look) -> String| -> String {
            self.0.iter().map(|(_, look)| of(look)).collect::<Vec<_>>().join(" ")
        };
        format!(
            "styled = {}\ncolours = '{}'\npatterns = '{}'\npoint_types = '{}'\ndashes = '{}'\n",
            list(self.names()),
            texts(|look| look.colour.to_owned()),
            texts(|look| look.pattern.to_string()),
            texts(|look| look.point.to_string()),
            texts(|look| look.dash.to_string()),
        )
    }
}

/// Colours and marks of the series of `table`.
#[cfg(test)]
pub(super) fn looks_of(table: &Table, by_place: bool) -> Vec<(String, Look)> {
    Looks::of_table(table, by_place).0
}

/// The whole script of a figure with this table.
pub(super) fn script(sheet: &Sheet<'_>, table: &Table) -> String {
    let looks = Looks::of_table(table, sheet.settings);
    let drawing = (!table.rows.is_empty()).then(|| table.text(0, "drawing"));
    let script = match (sheet.script, drawing) {
        ("grid", Some("bars")) => "bar-panels",
        ("grid", Some("heat")) => "heat",
        ("grid", _) => "lines",
        (own, _) => own,
    };
    if let Some((_, bars)) = BAR_SCRIPTS.iter().find(|(name, _)| *name == script) {
        return bars::script(sheet.name, bars, table, &looks);
    }
    let more = match script {
        "lines" => lines::settings(&sheet.lines, table, &looks),
        "allocator-throughput" | "index-layouts" => {
            let swatch = |look| match script {
                "index-layouts" => Swatch::Bar(look),
                _ => Swatch::Point(look),
            };
            // Of the allocators only those as they come are drawn over speed.
            let drawn: Vec<usize> = (0..table.rows.len())
                .filter(|row| script == "index-layouts" || table.text(*row, "panel") == "default")
                .collect();
            let drawn = series_of(table, &drawn);
            let names = looks.names().filter(|name| drawn.iter().any(|known| known == name));
            let mut entries: Vec<Entry> =
                names.map(|name| Entry::new(name, swatch(looks.of(name)))).collect();
            for (variant, sign) in [("fast", UP), ("small", DOWN)] {
                let there = |row| table.text(row, "panel") == variant;
                if script == "allocator-throughput" && (0..table.rows.len()).any(there) {
                    entries.push(Entry::new(variant, Swatch::Sign(sign)));
                }
            }
            let commands = legend::commands(&entries, 70.0, 915.0, 6.0).join("; ");
            let height = 6.0 + legend::height_px(&entries, 915.0);
            format!("legend_px = {height:.1}\nlegend = {}\n", quoted(&commands))
        }
        _ => String::new(),
    };
    format!("{}{more}{}", looks.settings(), sheet.text)
}

/// The series of `rows`, each once, in their order.
fn series_of(table: &Table, rows: &[usize]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for &row in rows {
        let name = table.text(row, "series");
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// `text` as gnuplot reads it. Within double quotes it runs what stands in backquotes.
fn quoted(text: &str) -> String {
    let plain = text.replace(['"', '`'], "'").replace('\\', "\\\\").replace('\n', "\\n");
    format!("\"{plain}\"")
}

/// A list of texts, each in quotes, for gnuplot's `word`.
fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(|text| quoted(text).replace('"', "\\\"")).collect();
    format!("\"{}\"", texts.join(" "))
}
