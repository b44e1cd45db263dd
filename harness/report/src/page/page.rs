//! The page: everything of a run in one file.

use std::fs;
use std::path::{Path, PathBuf};

use super::cells::Cells;
use super::claims::{self, ClaimLine};
use super::html::{element, escape, file_link, table};
use super::{figure, opening, outcomes, reference, systems};
use crate::figures::{Drawn, UNITED};
use record::Row;
use record::archive::RunRecord;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("sort.js");

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
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escape(&opening::title(run))
    );
    html += &opening::section(run, rows, cells.count());
    html += &section("claims", &claims::section(claims, drawn, &cells));
    html += &contents(folder, drawn);
    for drawn in drawn {
        html += &figure::section(run, drawn, claims, &cells)?;
    }
    html += &section("run", &opening::what_was_run(run));
    html += &section("how", &reference::how_measured());
    html += &section("systems", &systems::section(rows));
    html += &section("outcomes", &outcomes::section(rows, &cells));
    html += &section("machine", &machine(run));
    html += &section("definitions", &reference::definitions());
    html += &section("cells", &cells.section(run.scale.as_ref().map(|scale| scale.name.as_str())));
    Ok(html + &format!("</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"))
}

fn section(id: &str, html: &str) -> String {
    format!("<section id=\"{id}\">\n{html}</section>\n")
}

fn contents(folder: &Path, drawn: &[Drawn]) -> String {
    let entry = |id: &str, text: &str| {
        format!("<li><a href=\"#{}\">{}</a></li>\n", escape(id), escape(text))
    };
    let mut html = "<nav aria-label=\"contents\">\n<h2>Contents</h2>\n<ol>\n".to_owned();
    for drawn in drawn {
        html += &entry(&drawn.figure.name, &drawn.figure.title);
    }
    for (id, text) in [
        ("run", "What was run"),
        ("how", "How it is measured"),
        ("systems", "Systems"),
        ("outcomes", "Outcomes"),
        ("machine", "Machine"),
        ("definitions", "Definitions"),
        ("cells", "Cells"),
    ] {
        html += &entry(id, text);
    }
    html += "</ol>\n</nav>\n";
    html += &element(
        "p",
        "In every figure: of throughput and of hits more is better; of memory, overhead, latency \
         and CPU time less. In every table the last column leads to the cells of that line, those \
         that failed included; n says how many of them the numbers come from.",
    );
    if folder.join(UNITED).is_file() {
        html += &format!("<p>All figures in one file: {}.</p>\n", file_link(UNITED, UNITED));
    }
    html
}

fn machine(run: &RunRecord) -> String {
    let facts = run.machine.facts.iter();
    let rows: Vec<Vec<String>> =
        facts.map(|(name, value)| vec![name.clone(), value.clone()]).collect();
    element("h2", "Machine") + &table(&["fact", "value"], &rows)
}
