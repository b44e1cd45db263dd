//! `report`: draws the figures of a run again and rewrites its report.

use std::path::{Path, PathBuf};

use super::made::Made;
use super::{Failure, claims, output};
use crate::cli::ReportArguments;
use record::{
    Row,
    archive::{self, RunRecord},
    unknown_name,
};
use report::figures::{self, Drawings, Drawn, Figure};

/// Rebuilds the report of a run.
pub(super) fn run(arguments: &ReportArguments) -> Result<(), Failure> {
    let ReportArguments { run: folder, figures: names, publish, json } = arguments;
    let known = figures::of_run(folder).map_err(Failure::usage)?;
    let mut wanted = wanted(&known, names)?;
    figures::gnuplot_available().map_err(Failure::machine)?;
    let (mut run, rows) = archive::load(folder).map_err(Failure::usage)?;
    if names.is_empty() && !run.figures.is_empty() {
        wanted.retain(|figure| run.figures.contains(&figure.name));
    }
    let drawn =
        figures::draw(folder, &rows, &wanted, Drawings::ByGnuplot).map_err(Failure::internal)?;
    run.notices.extend(figures::unite(folder, &drawn).err());
    if *publish {
        keep_svgs_only(&folder.join("figures")).map_err(Failure::internal)?;
    }
    let page = write_page(folder, &run, &rows, &drawn)?;
    page.tell(folder, &run, &rows, &known, *json);
    Ok(())
}

/// A page that was written.
pub(super) struct Page {
    path: PathBuf,
    /// How many claims hold, fail, and so on.
    claims: String,
}

impl Page {
    /// Prints what the run says, the counted claims and the page's path.
    pub(super) fn tell(
        &self,
        folder: &Path,
        run: &RunRecord,
        rows: &[Row],
        known: &[Figure],
        json: bool,
    ) {
        if json {
            let made = Made::of(folder, run, rows).with_report(self.path.clone());
            return output::print_json(&made);
        }
        print!("{}", report::page::summary(run, rows, known));
        println!("claims: {}", self.claims);
        println!("{}", self.path.display());
    }
}

/// Writes what is made of the drawings and the rows: the file of all figures, and the page. What is
/// left out becomes a notice of `run`.
pub(super) fn write(
    folder: &Path,
    run: &mut RunRecord,
    rows: &[Row],
    drawn: &[Drawn],
) -> Result<Page, Failure> {
    run.notices.extend(figures::unite(folder, drawn).err());
    write_page(folder, run, rows, drawn)
}

fn write_page(
    folder: &Path,
    run: &RunRecord,
    rows: &[Row],
    drawn: &[Drawn],
) -> Result<Page, Failure> {
    let answers = claims::keep(folder, run, rows)?;
    let lines = claims::lines(&answers);
    let path = report::page::write(folder, run, rows, drawn, &lines).map_err(Failure::internal)?;
    Ok(Page { path, claims: claims::counted(&answers) })
}

/// Removes single drawings in other forms from the folder of figures.
fn keep_svgs_only(folder: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.extension().is_some_and(|end| end == "pdf" || end == "png") {
            std::fs::remove_file(&path).map_err(told)?;
        }
    }
    Ok(())
}

/// The figures of those names among the `known` ones; all where none is named.
pub(super) fn wanted<'a>(
    known: &'a [Figure],
    names: &[String],
) -> Result<Vec<&'a Figure>, Failure> {
    if names.is_empty() {
        return Ok(known.iter().collect());
    }
    let there = || known.iter().map(|figure| figure.name.as_str());
    let found = names.iter().map(|name| {
        let figure = known.iter().find(|figure| figure.name == *name);
        figure.ok_or_else(|| Failure::usage(unknown_name("figure", name, there())))
    });
    found.collect()
}
