//! `splice`: tables of a run into Markdown files, or whether those that stand there are the run's.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Failure, claims};
use crate::cli::SpliceArguments;
use record::archive::{load, write_whole};
use report::splice::{MarkerError, Material, block, splice};
use worker::exit;

/// Writes or checks each file.
pub(super) fn run(arguments: &SpliceArguments) -> Result<(), Failure> {
    let folder = &from_here(&arguments.run);
    let (run, rows) = load(folder).map_err(Failure::usage)?;
    let answers = claims::answers(folder, &run, &rows)?;
    let material = Material { folder, run: &run, rows: &rows, answers: &answers };
    let mut all = Vec::new();
    for file in &arguments.files {
        let (old, new) = spliced(file, &material)?;
        let tables = match (old == new, arguments.check) {
            (true, _) => Tables::Current,
            (false, true) => Tables::Stale,
            (false, false) => {
                write_whole(file, new.as_bytes())
                    .map_err(|error| Failure::machine(format!("{}: {error}", file.display())))?;
                Tables::Written
            }
        };
        all.push(Spliced { file, tables });
    }
    for Spliced { file, tables } in &all {
        let file = file.display();
        match tables {
            Tables::Current if !arguments.json => println!("{file}: as the run says"),
            Tables::Written if !arguments.json => println!("{file}: written"),
            Tables::Current | Tables::Written => {}
            Tables::Stale => eprintln!(
                "{file}: its tables are not those of {run}; `nibble-bench splice {file} --run {run}` \
                 writes them",
                run = folder.display()
            ),
        }
    }
    if arguments.json {
        super::output::print_json(&all);
    }
    match all.iter().any(|file| file.tables == Tables::Stale) {
        true => Err(Failure::silent(exit::UNEXPECTED)),
        false => Ok(()),
    }
}

/// What became of a file, as `--json` prints it.
#[derive(Serialize)]
struct Spliced<'a> {
    file: &'a Path,
    tables: Tables,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Tables {
    /// They are the run's.
    Current,
    /// They were not the run's, and now are.
    Written,
    /// They are not the run's.
    Stale,
}

/// The folder as seen from the one the program runs in, however it was named: links in files say it.
fn from_here(folder: &Path) -> PathBuf {
    let [whole, here] = [folder, Path::new(".")].map(Path::canonicalize);
    let inside = whole.ok().zip(here.ok());
    let inside = inside.and_then(|(whole, here)| Some(whole.strip_prefix(here).ok()?.to_owned()));
    inside.unwrap_or_else(|| folder.to_owned())
}

/// The present text of a file, and its updated text.
fn spliced(file: &Path, material: &Material<'_>) -> Result<(String, String), Failure> {
    let fail = |message: String| Failure::usage(format!("{}: {message}", file.display()));
    let old = fs::read_to_string(file).map_err(|error| fail(error.to_string()))?;
    let new = splice::<Wrong>(&old, |name| block(name, material).map_err(Wrong));
    Ok((old.clone(), new.map_err(|Wrong(message)| fail(message))?))
}

/// What is wrong with a file.
struct Wrong(String);

impl From<MarkerError> for Wrong {
    fn from(error: MarkerError) -> Self {
        Self(error.to_string())
    }
}
