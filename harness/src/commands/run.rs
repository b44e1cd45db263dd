//! `run`: measures a suite into a fresh folder.

use super::Failure;
use super::measure::{measure, record};
use crate::cli::RunArguments;
use crate::{archive, exit, report};

/// Measures and prints a summary.
pub(super) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let (suite, scale, plan) = super::plan::prepare(&arguments.plan)?;
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    let record = record(&suite.name.clone(), Some(scale), &[suite], &plan);
    let measured = measure(&plan.cells, record, &arguments.output)?;
    let (run, rows) = archive::load(&measured.folder).map_err(Failure::internal)?;
    print!("{}", report::summary(&run, &rows));
    println!("{}", measured.folder.display());
    if measured.interrupted {
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    if measured.unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}
