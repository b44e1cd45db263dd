//! What criterion leaves in `target/criterion`: below a benchmark's folder one folder per baseline,
//! with `benchmark.json` (its names) and `sample.json` (iterations and time of each sample). Layout
//! and fields are those of criterion 0.8, which calls them private.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::document::{json, stem};
use super::field::Field;
use super::lines::{Imported, Lines, Quantity, push};
use super::{ImportError, ImportFault, Tool};

/// The baseline that criterion writes at every run.
pub const NEWEST: &str = "new";

/// The baseline `baseline` (as `--save-baseline` called it; [`NEWEST`]) of every benchmark in
/// `folder`: `target/criterion`, or any folder in it.
///
/// Times are taken to be nanoseconds, which is true of every benchmark without a custom
/// `Measurement`. Throughputs that a benchmark declares are left out.
///
/// # Errors
/// What cannot be read or is damaged, in which file; that there is no such baseline, and which there
/// are.
pub fn criterion(folder: &Path, baseline: &str) -> Result<Imported, ImportError> {
    let mut found = Vec::new();
    let mut others = BTreeSet::new();
    walk(folder, &mut |benchmark| {
        let name = benchmark.file_name().map_or_else(|| stem(benchmark), lossy);
        if name == baseline {
            found.push(benchmark.to_path_buf());
        } else {
            others.insert(name);
        }
    })?;
    if found.is_empty() {
        let tried = if others.is_empty() {
            "no folder in it has a benchmark.json".to_owned()
        } else {
            let others: Vec<String> = others.into_iter().collect();
            format!("it has no baseline \"{baseline}\", but {}", others.join(", "))
        };
        return Err(ImportError {
            path: folder.to_path_buf(),
            tool: None,
            fault: ImportFault::Unrecognised { tried: vec![(Tool::Criterion, tried)] },
        });
    }
    found.sort();
    let mut lines = Lines::new(Tool::Criterion, &format!("{}/{baseline}", stem(folder)));
    for benchmark in &found {
        import_one(benchmark, &mut lines)?;
    }
    lines.finish().map_err(|fault| fail(folder, fault))
}

/// Calls `visit` with every folder that holds a benchmark, `folder` included. Links are not
/// followed, so the walk ends.
fn walk(folder: &Path, visit: &mut impl FnMut(&Path)) -> Result<(), ImportError> {
    let unread = |error: io::Error| fail(folder, ImportFault::Read(error));
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        if entry.file_type().map_err(unread)?.is_dir() {
            folders.push(entry.path());
        } else if entry.file_name() == "benchmark.json" {
            visit(folder);
        }
    }
    folders.iter().try_for_each(|folder| walk(folder, visit))
}

fn import_one(folder: &Path, lines: &mut Lines) -> Result<(), ImportError> {
    let names_path = folder.join("benchmark.json");
    let sample_path = folder.join("sample.json");
    let load = |path: &Path| {
        let bytes = fs::read(path).map_err(ImportFault::Read);
        bytes.and_then(|bytes| json(&bytes)).map_err(|fault| fail(path, fault))
    };
    let (names, sample) = (load(&names_path)?, load(&sample_path)?);
    let names = Field::root(&names);
    let cell =
        names.need("full_id").and_then(|id| id.text()).map_err(|fault| fail(&names_path, fault))?;
    let values =
        times_per_iteration(&Field::root(&sample)).map_err(|fault| fail(&sample_path, fault))?;
    let line = lines.new_line(cell).map_err(|fault| fail(&names_path, fault))?;
    for value in values {
        push(line, "time-per-iteration", Quantity::Nanoseconds, value);
    }
    Ok(())
}

/// One value per sample, whether sampling is linear (more iterations in each) or flat.
fn times_per_iteration(sample: &Field<'_>) -> Result<Vec<f64>, ImportFault> {
    let (iterations, times) = (sample.need("iters")?, sample.need("times")?);
    let (counts, times_ns) = (iterations.numbers()?, times.numbers()?);
    if counts.is_empty() || counts.len() != times_ns.len() {
        return Err(times.unlike("one time for each of iters, and at least one"));
    }
    if let Some(at) = counts.iter().position(|&count| count < 1.0) {
        return Err(iterations.items()?[at].unlike("at least 1"));
    }
    Ok(times_ns.iter().zip(&counts).map(|(time_ns, count)| time_ns / count).collect())
}

fn lossy(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

fn fail(path: &Path, fault: ImportFault) -> ImportError {
    ImportError { path: path.to_path_buf(), tool: Some(Tool::Criterion), fault }
}
