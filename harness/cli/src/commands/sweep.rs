//! What all have in common that have shards of a plan measured elsewhere: the arguments of each `run`, the
//! folders of their runs, and the merge at the end.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use record::archive::{self, Merge, Standing};
use worker::exit;

use super::{Failure, merge};
use crate::cli::RunArguments;
use crate::suites;

/// The suite as another process takes it, whatever folder it works in.
pub(super) fn path_of(suite: &str) -> String {
    let path = if suites::built_in(suite).is_some() { None } else { fs::canonicalize(suite).ok() };
    path.map_or(suite.to_owned(), |path| path.display().to_string())
}

/// What `run` is asked for each shard of `suite`, without what says which part is measured.
pub(super) fn arguments_of(suite: &str, arguments: &RunArguments) -> Vec<String> {
    let choice = &arguments.choice;
    let mut words = vec![suite.to_owned(), "--scale".to_owned(), choice.scale.clone()];
    let values = [
        ("--live-bytes", choice.live_bytes.clone()),
        ("--repetitions", choice.repetitions.map(|count| count.to_string())),
        ("--files", choice.files.as_ref().map(|folder| folder.display().to_string())),
        ("--operations", choice.operations.map(|count| count.to_string())),
        ("--filter", choice.filter.clone()),
    ];
    words.extend(values.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))));
    let flags = [("--counters", arguments.counters), ("--strict", arguments.strict)];
    words.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| (*name).to_owned()));
    words
}

/// The run of a shard below `folder`, as far as it is.
pub(super) fn run_of(folder: &Path, shard: u32, of: u32) -> Option<(PathBuf, Standing)> {
    let end = format!("-shard-{shard}-of-{of}");
    let entries = fs::read_dir(folder.join(shard.to_string())).ok()?.flatten();
    let mut runs = entries.map(|entry| entry.path());
    let run = runs.find(|path| path.as_os_str().to_string_lossy().ends_with(&end))?;
    let standing = archive::standing(&run).ok()?;
    Some((run, standing))
}

/// A plan of which all shards are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept<'a> {
    /// `RESULTS/EXECUTOR/NAME`; the merged run is `RESULTS/NAME`.
    pub(super) folder: &'a Path,
    /// The runs of all shards.
    pub(super) runs: &'a [PathBuf],
    pub(super) allow_mismatch: bool,
    /// What coordination took so far, and what that was.
    pub(super) coordination: (Duration, &'static str),
}

impl Swept<'_> {
    /// Merges the runs, and says what coordination took.
    pub(super) fn merge(&self, json: bool) -> Result<(), Failure> {
        let Self { folder, runs, allow_mismatch, coordination: (before, what) } = *self;
        let began = Instant::now();
        let name = folder.file_name().unwrap_or_default();
        let results = folder.parent().and_then(Path::parent).unwrap_or(Path::new("."));
        let output = results.join(name);
        let asked = Merge { runs, output: Some(&output), allow_mismatch };
        let (cells, unexpected) = merge::merge(&asked, json)?;
        let spent = before + began.elapsed();
        eprintln!(
            "coordination: {:.1} ms a cell ({what})",
            spent.as_secs_f64() * 1e3 / cells.max(1) as f64
        );
        match unexpected {
            0 => Ok(()),
            _ => Err(Failure::silent(exit::UNEXPECTED)),
        }
    }
}
