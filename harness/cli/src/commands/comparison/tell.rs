//! Tells what a comparison came to: on the terminal, in files, by the exit code.

use std::path::Path;

use compare::{Comparison, Line, Overall};

use crate::cli::{JudgingArguments, STANDARD_OUTPUT};
use crate::commands::{Failure, output};
use record::archive::write_whole;
use worker::exit;

/// Prints the comparison and writes the files that were asked for.
pub(super) fn tell(comparison: &Comparison, arguments: &JudgingArguments) -> Result<(), Failure> {
    if !prints_json(arguments) {
        output::print(&compare::render::text(comparison));
    }
    if let Some(path) = &arguments.json {
        write_json(path, &compare::render::json(comparison))?;
    }
    if let Some(path) = &arguments.markdown {
        write(path, &compare::render::markdown(comparison))?;
    }
    if let Some(path) = &arguments.junit {
        write(path, &compare::render::junit(comparison))?;
    }
    Ok(())
}

/// Prints a line beside the result: where that is JSON, to standard error.
pub(super) fn say(arguments: &JudgingArguments, line: &str) {
    if prints_json(arguments) { eprintln!("{line}") } else { println!("{line}") }
}

fn prints_json(arguments: &JudgingArguments) -> bool {
    arguments.json.as_deref().is_some_and(is_standard_output)
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new(STANDARD_OUTPUT)
}

/// Writes JSON to a file, or prints it.
pub(super) fn write_json(path: &Path, json: &str) -> Result<(), Failure> {
    if is_standard_output(path) {
        print!("{json}");
        return Ok(());
    }
    write(path, json)
}

/// Writes a file and creates missing folders.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| write_whole(path, text.as_bytes()))
        .map_err(|error| Failure::machine(format!("{}: {error}", path.display())))
}

/// The JUnit file of a comparison that did not come about.
pub(super) fn tell_failure(failure: &Failure, arguments: &JudgingArguments) {
    let message = failure.message.as_deref().unwrap_or("it was stopped, or a cell failed");
    if let Some(path) = &arguments.junit {
        let _ = write(path, &compare::render::junit_error(message));
    }
}

/// The exit code of a comparison.
pub(super) fn code(comparison: &Comparison) -> Result<(), Failure> {
    match comparison.overall() {
        Overall::Unchanged | Overall::Better => Ok(()),
        Overall::Unknown => Err(Failure::silent(exit::INCONCLUSIVE)),
        Overall::Worse => Err(Failure::silent(exit::REGRESSION)),
    }
}

/// Appends to the history, unless there is nothing to append.
pub(super) fn remember(
    lines: &[Line],
    arguments: &JudgingArguments,
    results: &Path,
) -> Result<(), Failure> {
    crate::commands::history::append(lines, arguments.history.as_deref(), results)
}
