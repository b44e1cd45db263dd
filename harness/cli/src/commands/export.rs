//! `export`: a run as one flat table.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::Failure;
use crate::cli::STANDARD_OUTPUT;
use record::archive;

/// Writes the steps of the run in `folder` as CSV: to `file`, or to standard output where that is `-`.
pub(super) fn run(folder: &Path, file: &Path) -> Result<(), Failure> {
    let (_, rows) = archive::load(folder).map_err(Failure::usage)?;
    let to_standard_output = file == Path::new(STANDARD_OUTPUT);
    let output: Box<dyn Write> = if to_standard_output {
        Box::new(std::io::stdout().lock())
    } else {
        let created = File::create(file);
        Box::new(created.map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?)
    };
    match report::export::csv(&rows, output) {
        // Whoever reads has seen enough: `| head`.
        Err(error) if to_standard_output && is_closed(&error) => return Ok(()),
        Err(error) => return Err(Failure::machine(format!("{}: {error}", file.display()))),
        Ok(()) => {}
    }
    if !to_standard_output {
        println!("{}: {} step(s)", file.display(), rows.len());
    }
    Ok(())
}

fn is_closed(error: &report::export::Error) -> bool {
    matches!(error.kind(), report::export::ErrorKind::Io(error) if error.kind() == ErrorKind::BrokenPipe)
}
