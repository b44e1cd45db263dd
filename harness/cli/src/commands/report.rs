//! `report`: draws the figures of a run again and rewrites its report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::made::Made;
use super::{Failure, claims, output};
use crate::cli::ReportArguments;
use crate::suites::Family;
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
    wanted(&known, names)?;
    figures::gnuplot_available().map_err(Failure::machine)?;
    let (mut run, rows) = archive::load(folder).map_err(Failure::usage)?;
    let wanted = if names.is_empty() { of_run(&known, &run) } else { wanted(&known, names)? };
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

/// The figures of a run's report: those that it was asked for, or else those of the families that it
/// measured something of.
pub(super) fn of_run<'a>(known: &'a [Figure], run: &RunRecord) -> Vec<&'a Figure> {
    if !run.figures.is_empty() {
        return known.iter().filter(|figure| run.figures.contains(&figure.name)).collect();
    }
    let mut measured: BTreeSet<Family> =
        run.suites.iter().map(|(name, _)| Family::of_suite(name)).collect();
    if measured.is_empty() {
        measured.insert(Family::default());
    }
    let of_measured = |figure: &&Figure| {
        let mut families = figure.suites.iter().map(|suite| Family::of_suite(suite));
        figure.suites.is_empty() || families.any(|family| measured.contains(&family))
    };
    known.iter().filter(of_measured).collect()
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

#[cfg(test)]
mod tests {
    use record::made_up;

    use super::*;

    #[test]
    fn a_report_shows_the_figures_of_what_was_measured() {
        let names = |suites: &[&str], figures: &[&str]| -> Vec<&str> {
            let run = RunRecord {
                suites: suites.iter().map(|name| ((*name).to_owned(), "?".to_owned())).collect(),
                figures: figures.iter().map(|name| (*name).to_owned()).collect(),
                ..made_up::run("smoke")
            };
            let shown = of_run(figures::all(), &run);
            shown.into_iter().map(|figure| figure.name.as_str()).collect()
        };
        let memory = names(&["store-bloat"], &[]);
        assert!(memory.contains(&"rivals") && !memory.contains(&"lsm-threads"), "{memory:?}");
        assert_eq!(names(&["my-own"], &[]), memory);
        let both = names(&["store-bloat", "lsm-threads"], &[]);
        let lsm = names(&["lsm-threads"], &[]);
        // Figures of traces belong to no one suite, so they are in either.
        let union: BTreeSet<&str> = memory.iter().chain(&lsm).copied().collect();
        assert_eq!(both.into_iter().collect::<BTreeSet<&str>>(), union);
        assert!(lsm.contains(&"lsm-threads") && !lsm.contains(&"rivals"), "{lsm:?}");
        assert_eq!(names(&["store-bloat"], &["silt-runs"]), ["silt-runs"]);
    }
}
