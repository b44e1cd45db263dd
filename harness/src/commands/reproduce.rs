//! `reproduce`: measures what the figures need, draws them and writes the report.

use super::Failure;
use super::measure::{measure, record};
use crate::cli::ReproduceArguments;
use crate::figures::Drawings;
use crate::spec::{self, Suite};
use crate::{archive, exit, figures, report};

/// Measures, draws, writes; prints the report's path.
pub(super) fn run(arguments: &ReproduceArguments) -> Result<(), Failure> {
    let wanted = super::report::wanted(&arguments.figures)?;
    let scale = super::scale(&arguments.scale)?;
    let drawings = if arguments.without_drawings {
        Drawings::LeftOut
    } else {
        // Said before anything runs: whoever wants figures learns early that there are none.
        figures::gnuplot_available().map_err(Failure::machine)?;
        Drawings::ByGnuplot
    };
    let mut names: Vec<&str> = Vec::new();
    for figure in &wanted {
        for suite in figure.suites {
            if !names.contains(suite) {
                names.push(suite);
            }
        }
    }
    let suites: Vec<Suite> = names
        .iter()
        .map(|name| spec::built_in(name).expect("a figure's suites are built in"))
        .collect();
    let plan = super::plan::plan_here(&suites, &scale)?;
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    let name = format!("reproduce-{}", scale.name);
    let mut run = record(&name, Some(scale), &suites, &plan);
    run.figures.clone_from(&arguments.figures);
    if drawings == Drawings::LeftOut {
        run.notices.push("Left out: all drawings; gnuplot is missing on this machine".to_owned());
    }
    let measured = measure(&plan.cells, run, &arguments.output)?;
    if measured.interrupted {
        eprintln!("stopped; finished rows are in {}", measured.folder.display());
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    let (run, rows) = archive::load(&measured.folder).map_err(Failure::internal)?;
    let drawn =
        figures::draw(&measured.folder, &rows, &wanted, drawings).map_err(Failure::internal)?;
    let page = report::write(&measured.folder, &run, &rows, &drawn).map_err(Failure::internal)?;
    print!("{}", report::summary(&run, &rows));
    println!("{}", page.display());
    if measured.unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}
