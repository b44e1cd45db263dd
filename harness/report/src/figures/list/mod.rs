//! The figures there are, in the order of the report.

use std::path::Path;
use std::sync::LazyLock;

use super::data::Data;
use super::fragmentation;
use record::Row;

/// The text of a script.
macro_rules! script {
    ($name:literal) => {
        include_str!(concat!("../../../../../plots/", $name, ".gp"))
    };
}

mod key_value;
mod memory;
mod model;
mod traces;

/// A figure: where its numbers come from and what it says.
#[derive(Debug)]
pub struct Figure {
    /// Name, as in `plots/NAME.gp`.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// What it answers.
    pub question: &'static str,
    /// The published figure it follows.
    pub source: &'static str,
    /// Built-in suites whose cells it needs; none where it draws the cells of other suites.
    pub suites: &'static [&'static str],
    /// What is drawn, with the base of every overhead.
    pub caption: &'static str,
    /// The gnuplot script.
    pub(super) script: &'static str,
    /// The column without which there is nothing to draw.
    pub(crate) value: &'static str,
    /// Makes the table; the folder is for curves and accounts of traces.
    pub(crate) build: fn(&Path, &[Row]) -> Data,
}

impl Figure {
    /// Why there is nothing to draw; `None` where there is something.
    pub(super) fn why_empty(&self, data: &Data) -> Option<String> {
        if fragmentation::is_drawable(&data.table, self.value) {
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

/// Every figure, in the order of the report.
#[must_use]
pub fn all() -> &'static [Figure] {
    &FIGURES
}

/// The figure called `name`.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.name == name)
}

static FIGURES: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    let measured = memory::FIGURES.into_iter().chain(key_value::FIGURES).chain(traces::FIGURES);
    measured.chain(model::FIGURES).collect()
});
