//! `reproduce`: measures what the figures need, draws them and writes the report.

use super::Failure;
use super::measure::{Measured, complete, disturbance, measure, record};
use crate::cli::ReproduceArguments;
use crate::suites::{self, Suite};
use crate::traces::Missing;
use record::archive;
use report::figures;
use report::figures::Drawings;
use worker::exit;

/// Measures what there is to measure, draws, writes; prints the report's path.
pub(super) fn run(arguments: &ReproduceArguments) -> Result<(), Failure> {
    if let Some(folder) = &arguments.check {
        return super::claims::check(folder);
    }
    let (folder, unexpected, measured_some) = match &arguments.resume {
        None => {
            let measured = fresh(arguments)?;
            (measured.folder.clone(), ended(&measured)?, true)
        }
        Some(folder) => {
            drawings(arguments)?;
            match complete(folder, arguments.retry, arguments.output.quiet)? {
                Some(measured) => (folder.clone(), ended(&measured)?, true),
                None => (folder.clone(), 0, false),
            }
        }
    };
    let (mut run, rows) = archive::load(&folder).map_err(Failure::internal)?;
    let known = figures::of_run(&folder).map_err(Failure::internal)?;
    let wanted = super::report::wanted(&known, &run.figures)?;
    let drawings = drawings(arguments)?;
    if drawings == Drawings::LeftOut {
        run.notices.push("Left out: all drawings; gnuplot is missing on this machine".to_owned());
    }
    let drawn = figures::draw(&folder, &rows, &wanted, drawings).map_err(Failure::internal)?;
    print!("{}", report::page::summary(&run, &rows, &known));
    let page = super::report::write(&folder, &mut run, &rows, &drawn)?;
    println!("{}", page.display());
    if measured_some {
        super::history::remember(&folder, &run, &rows)?;
    }
    if unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}

/// How figures are drawn. Asked before anything runs: whoever wants figures learns early that
/// there are none.
fn drawings(arguments: &ReproduceArguments) -> Result<Drawings, Failure> {
    if arguments.without_drawings {
        return Ok(Drawings::LeftOut);
    }
    figures::gnuplot_available().map_err(Failure::machine)?;
    Ok(Drawings::ByGnuplot)
}

/// Steps that ended in something unexpected, of a run that came to its end.
fn ended(measured: &Measured) -> Result<usize, Failure> {
    if measured.interrupted {
        eprintln!(
            "stopped; finished rows are in {0}; `nibble-bench reproduce --resume {0}` goes on",
            measured.folder.display()
        );
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    Ok(measured.unexpected)
}

/// Measures a new run.
fn fresh(arguments: &ReproduceArguments) -> Result<Measured, Failure> {
    let wanted = super::report::wanted(figures::all(), &arguments.figures)?;
    let scale = super::scale(&arguments.scale)?;
    drawings(arguments)?;
    let mut names: Vec<&str> = Vec::new();
    for figure in &wanted {
        for suite in &figure.suites {
            if !names.contains(&suite.as_str()) {
                names.push(suite);
            }
        }
    }
    if names.is_empty() {
        return Err(Failure::usage(format!(
            "{} is drawn from suites of your own: `nibble-bench run my.toml`, then `nibble-bench \
             report` on its folder",
            arguments.figures.join(", ")
        )));
    }
    let suites: Vec<Suite> = names
        .iter()
        .map(|name| suites::built_in(name).expect("a figure's suites are built in"))
        .filter(|suite| !suite.apart || !arguments.figures.is_empty())
        .collect();
    let traces_from = (arguments.output.results.as_path(), Missing::Captured);
    let (mut plan, traces) = super::plan::plan_here(&suites, &scale, traces_from)?;
    plan.notices.extend(disturbance(&scale, arguments.strict)?);
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    let name = format!("reproduce-{}", scale.name);
    let mut run = record(&name, Some(scale), &suites, &plan);
    run.figures.clone_from(&arguments.figures);
    measure(&plan, run, (&suites, &traces), &arguments.output)
}
