//! The page: everything of a run in one file.

use std::fs;
use std::path::{Path, PathBuf};

use askama::Template;

use super::cells::Cells;
use super::claims::{ClaimLine, Claims};
use super::figure::FigureSection;
use super::links::{Link, Links};
use super::opening::{self, Opening};
use super::outcomes::Outcomes;
use super::systems::systems;
use super::table::Table;
use crate::figures::{Drawn, UNITED};
use record::{Row, archive::RunRecord};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("sort.js");

/// Tables of at most this many lines are open at first.
const LINES_FEW: usize = 12;

/// The data of `page.html` and of the templates that it includes.
#[derive(Debug, Template)]
#[template(path = "page.html")]
struct Page<'a> {
    opening: Opening,
    claims: Claims<'a>,
    figures: Vec<FigureSection<'a>>,
    /// All figures in one file, where there is one.
    united: Option<Links>,
    run: Table,
    systems: Table,
    outcomes: Outcomes,
    machine: Table,
    /// The name of the scale.
    scale: Option<&'a str>,
    /// How many there are.
    cells: usize,
    steps: Table,
}

/// Writes `report.html` into `folder`, the folder of the run; it is complete or not there. `rows`
/// are in the order of `rows.jsonl`.
///
/// # Errors
/// The file and what the system said.
pub fn write(
    folder: &Path,
    run: &RunRecord,
    rows: &[Row],
    drawn: &[Drawn],
    claims: &[ClaimLine],
) -> Result<PathBuf, String> {
    let html = page(folder, run, rows, drawn, claims)?;
    let path = folder.join("report.html");
    let part = folder.join("report.html.part");
    fs::write(&part, html)
        .and_then(|()| fs::rename(&part, &path))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn page(
    folder: &Path,
    run: &RunRecord,
    rows: &[Row],
    drawn: &[Drawn],
    claims: &[ClaimLine],
) -> Result<String, String> {
    let cells = Cells::of(folder, rows);
    let figures = drawn.iter().map(|drawn| FigureSection::of(run, drawn, &cells));
    let facts = run.machine.facts.iter().map(|(name, value)| vec![name.clone(), value.clone()]);
    let page = Page {
        opening: Opening::of(run, rows, cells.count()),
        claims: Claims::of(claims, drawn, &cells),
        figures: figures.collect::<Result<_, _>>()?,
        united: folder.join(UNITED).is_file().then(|| Link::file(UNITED, UNITED).into()),
        run: opening::what_was_run(run),
        systems: systems(rows),
        outcomes: Outcomes::of(rows, &cells),
        machine: Table::plain(&["fact", "value"], facts),
        scale: run.scale.as_ref().map(|scale| scale.name.as_str()),
        cells: cells.count(),
        steps: cells.steps(),
    };
    page.render().map_err(|error| error.to_string())
}
