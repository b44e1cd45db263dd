//! The page: everything of a run in one file.

use std::fs;
use std::path::{Path, PathBuf};

use askama::Template;

use super::cells::Cells;
use super::claims::{ClaimLine, Claims};
use super::data::{charts_json, drawings_json};
use super::figure::{FigureSection, came_to_nothing, is_of_run};
use super::findings::{Finding, HEADLINE, findings};
use super::links::{Link, Links};
use super::opening::{self, Opening};
use super::outcomes::Outcomes;
use super::systems::systems;
use super::table::Table;
use crate::figures::{Drawn, UNITED};
use crate::flames;
use record::{Row, archive::RunRecord};

const STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 3] =
    [include_str!("sort.js"), include_str!("filter.js"), include_str!("charts.js")];
/// The chart library; `vendor/README.md` says which.
const LIBRARY: &str = include_str!("../../vendor/uplot/uPlot.iife.min.js");
const LIBRARY_STYLE: &str = include_str!("../../vendor/uplot/uPlot.min.css");

/// Files beside the page that it links to, as far as a run keeps them.
const RAW: [&str; 4] = ["rows.jsonl.gz", "rows.jsonl", "claims.md", UNITED];

/// What `targets --only invisible` printed on the machine of the run, where it was published with it.
pub(super) const HARNESS: &str = "harness.txt";

/// Choices of so few values need no filter.
const CHOICES_MIN: usize = 2;

/// The data of `page.html` and of the templates that it includes.
#[derive(Debug, Template)]
#[template(path = "page.html")]
struct Page<'a> {
    opening: Opening,
    findings: Vec<Finding>,
    /// The figure of the first screen.
    headline: Option<&'a FigureSection<'a>>,
    figures: Vec<&'a FigureSection<'a>>,
    claims: Claims<'a>,
    /// Figures whose cells were planned and gave no number, with the reason.
    nothing: Vec<(&'a str, &'a str)>,
    /// What the page is filtered by: a name and its values.
    filters: Vec<(&'static str, &'a [String])>,
    raw: Links,
    flames: Links,
    /// How the closed loop compares with a bare one, as printed.
    harness: Option<String>,
    run: Table,
    systems: Table,
    outcomes: Outcomes,
    machine: Table,
    /// The name of the scale.
    scale: Option<&'a str>,
    charts: String,
    drawings: String,
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
    let cells = Cells::of(rows);
    let shown: Vec<&Drawn> = drawn.iter().filter(|drawn| is_of_run(drawn)).collect();
    let sections = shown.iter().map(|drawn| FigureSection::of(run, drawn, &cells));
    let sections = sections.collect::<Result<Vec<_>, _>>()?;
    let (headline, figures) = in_order(&sections);
    let all: Vec<&FigureSection<'_>> =
        headline.into_iter().chain(figures.iter().copied()).collect();
    let asked = if opening::asks_what_claims_ask(run) { claims } else { &[] };
    let claims = Claims::of(asked, &shown, &cells);
    let question = headline.map(|figure| figure.drawn.figure.question.as_str());
    let page = Page {
        opening: Opening::of(run, rows, cells.count, question),
        findings: findings(&all, &claims),
        nothing: drawn.iter().filter(|drawn| came_to_nothing(drawn)).map(reason).collect(),
        filters: filters(&cells),
        raw: raw(folder),
        flames: flame_links(folder, rows),
        harness: fs::read_to_string(folder.join(HARNESS)).ok(),
        run: opening::what_was_run(run),
        systems: systems(rows),
        outcomes: Outcomes::of(rows),
        machine: machine(run),
        scale: run.scale.as_ref().map(|scale| scale.name.as_str()),
        charts: charts_json(&all, &cells)?,
        drawings: drawings_json(&all)?,
        headline,
        figures,
        claims,
    };
    page.render().map_err(|error| error.to_string())
}

/// The figure of the first screen, and the others: the headline, or else the first with an answer.
fn in_order<'a>(
    sections: &'a [FigureSection<'a>],
) -> (Option<&'a FigureSection<'a>>, Vec<&'a FigureSection<'a>>) {
    let named = sections.iter().find(|section| section.name() == HEADLINE);
    let answering = || sections.iter().find(|section| !section.answer.is_empty());
    let headline = named.or_else(answering).or(sections.first());
    let is_other = |section: &&FigureSection<'_>| {
        headline.is_none_or(|headline| headline.name() != section.name())
    };
    (headline, sections.iter().filter(is_other).collect())
}

fn reason(drawn: &Drawn) -> (&str, &str) {
    (drawn.figure.title.as_str(), drawn.empty.as_deref().unwrap_or_default())
}

fn filters(cells: &Cells) -> Vec<(&'static str, &[String])> {
    let all = [("store", &cells.stores), ("workload", &cells.workloads), ("fill", &cells.fills)];
    let choices = all.into_iter().filter(|(_, values)| values.len() >= CHOICES_MIN);
    choices.map(|(name, values)| (name, values.as_slice())).collect()
}

/// The flamegraphs that were drawn, each by the name of its cell.
fn flame_links(folder: &Path, rows: &[Row]) -> Links {
    let drawn = flames::of_run(folder, rows).into_iter();
    Links::joined(drawn.map(|(id, path)| Link::file(path, id)), ", ")
}

fn raw(folder: &Path) -> Links {
    let kept = RAW.into_iter().filter(|name| folder.join(name).is_file());
    Links::joined(kept.map(|name| Link::file(name, name)), ", ")
}

fn machine(run: &RunRecord) -> Table {
    let facts = run.machine.facts.iter().map(|(name, value)| vec![name.clone(), value.clone()]);
    Table::plain(&["fact", "value"], facts)
}
