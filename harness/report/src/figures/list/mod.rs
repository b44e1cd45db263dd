//! The figures there are. The file of a suite declares its own (`harness/suites/NAME.toml`), and
//! `figures.toml` beside them those that belong to no one suite. A run keeps the declarations that it
//! was made with.

mod builders;
mod declaration;
mod run;
mod scripts;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::LazyLock;

use super::data::Data;
use super::fragmentation;
use super::sheet::{self, Sheet};
use super::table::Table;
use crate::suites::BUILT_IN;
use builders::{Asked, Make};
use record::Row;
use scripts::Settings;

pub use declaration::parse;
pub use run::of_run;

/// A figure: where its numbers come from and what it says.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name, which its files bear as well.
    pub name: String,
    /// Heading.
    pub title: String,
    /// What it answers.
    pub question: String,
    /// The published figure it follows.
    pub source: String,
    /// Suites whose cells it needs, its own first; none where it draws the cells of any.
    pub suites: Vec<String>,
    /// What is drawn, with the base of every overhead.
    pub caption: String,
    /// What the declaration says of the gnuplot script.
    script: String,
    /// The script that draws it, by its name.
    drawn_by: String,
    /// The settings of that script.
    settings: Settings,
    /// The column without which there is nothing to draw.
    pub(crate) value: String,
    /// What it shows, from above, where its builder leaves a choice.
    show: Vec<String>,
    /// The label on its horizontal axis, where its builder takes any.
    x: String,
    make: Make,
}

impl Figure {
    /// Makes the table; the folder is for curves and accounts of traces.
    pub(crate) fn build(&self, folder: &Path, rows: &[Row]) -> Data {
        let suite = self.suites.first().map_or("", String::as_str);
        (self.make)(&Asked { folder, rows, suite, show: &self.show, x: &self.x })
    }

    /// The gnuplot script that draws `table`.
    pub(super) fn script(&self, table: &Table) -> String {
        let sheet = Sheet {
            name: &self.name,
            script: &self.drawn_by,
            text: &self.script,
            settings: self.settings.settings,
            lines: self.settings.lines(),
        };
        sheet::script(&sheet, table)
    }

    /// Colours and marks of its series.
    #[cfg(test)]
    pub(super) fn looks(&self, table: &Table) -> Vec<(String, super::styles::Look)> {
        sheet::looks_of(table, self.settings.settings)
    }

    /// Why there is nothing to draw; `None` where there is something.
    pub(super) fn why_empty(&self, data: &Data) -> Option<String> {
        if fragmentation::is_drawable(&data.table, &self.value) {
            return None;
        }
        if let Some(reason) = &data.nothing {
            return Some(reason.clone());
        }
        let own = self.suites.is_empty();
        let suites = if own { "of your own".to_owned() } else { self.suites.join(", ") };
        Some(match data.missing().as_slice() {
            [] => format!("This run has no rows for it; they come from the suite {suites}."),
            [first, ..] => format!(
                "None of its cells (suite {suites}) was measured to the end. The first: {first}."
            ),
        })
    }
}

/// The figures that one file declares.
#[derive(Clone, Debug)]
struct Group {
    /// The suite; empty where the figures belong to no one suite.
    suite: String,
    figures: Vec<Figure>,
}

/// Every figure that comes with the program, in the order of the report.
#[must_use]
pub fn all() -> &'static [Figure] {
    static FIGURES: LazyLock<Vec<Figure>> =
        LazyLock::new(|| GROUPS.iter().flat_map(|group| group.figures.clone()).collect());
    &FIGURES
}

/// The figure called `name` that comes with the program.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Figure> {
    all().iter().find(|figure| figure.name == name)
}

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| {
    let group = |suite: &str, text: &str| {
        let figures = parse(suite, text);
        let figures = figures.unwrap_or_else(|error| panic!("suites/{suite}.toml: {error}"));
        Group { suite: suite.to_owned(), figures }
    };
    let mut groups: Vec<Group> = BUILT_IN.iter().map(|(suite, text)| group(suite, text)).collect();
    groups.push(group("", include_str!("../../../../suites/figures.toml")));
    groups
});
