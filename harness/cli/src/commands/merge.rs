//! `merge`: puts the runs of all shards of a plan together.

use record::archive::{self, Merge, MergeError};

use super::made::Made;
use super::{Failure, output};
use crate::cli::MergeArguments;

/// Merges, and prints a summary of the merged run.
pub(super) fn run(arguments: &MergeArguments) -> Result<(), Failure> {
    let MergeArguments { runs, output, allow_mismatch, json } = arguments;
    let asked = Merge { runs, output: output.as_deref(), allow_mismatch: *allow_mismatch };
    merge(&asked, *json).map(|_| ())
}

/// The same for whoever has measured the shards: how many cells there are, and how many steps ended in an
/// outcome the plan does not expect.
pub(super) fn merge(asked: &Merge<'_>, json: bool) -> Result<(usize, usize), Failure> {
    let merged = archive::merge(asked).map_err(|error| match error {
        MergeError::Write { .. } => Failure::internal(error.to_string()),
        _ => Failure::usage(error.to_string()),
    })?;
    let folder = &merged.folder;
    let (run, rows) = archive::load(folder).map_err(Failure::internal)?;
    if json {
        output::print_json(&Made::of(folder, &run, &rows));
    } else {
        let figures = report::figures::of_run(folder).map_err(Failure::internal)?;
        print!("{}", report::page::summary(&run, &rows, &figures));
        println!("{}", folder.display());
    }
    let nodes = merged.nodes.join(", ");
    match merged.is_new {
        true => eprintln!("merged: {} cells, measured on {nodes}", merged.cells),
        false => eprintln!("nothing changed: {} cells, measured on {nodes}", merged.cells),
    }
    if merged.is_new {
        super::history::remember(folder, &run, &rows)?;
    }
    Ok((merged.cells, rows.iter().filter(|row| !row.expected).count()))
}
