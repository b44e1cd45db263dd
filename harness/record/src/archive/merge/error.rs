//! Why runs cannot be merged.

use std::fmt;
use std::path::PathBuf;

use crate::Shard;

/// Cells that a message names of a run that lacks many.
const NAMED: usize = 3;

/// Why runs cannot be merged, with the remedy.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeError {
    /// None was named.
    NoRun,
    /// A run cannot be read.
    Read(String),
    /// A run holds no shard.
    Whole(PathBuf),
    /// Two runs belong to different questions, builds or machines.
    Unlike { runs: [PathBuf; 2], differences: Vec<String> },
    /// Two runs measured the same cell.
    Twice { cell: String, runs: [PathBuf; 2] },
    /// Shards that no run holds, with the commands that measure them, and cells that runs lack.
    Missing { shards: Vec<(Shard, String)>, unfinished: Vec<(PathBuf, Vec<String>)> },
    /// The merged run's folder holds something else.
    Taken(PathBuf),
    /// The merged run cannot be written.
    Write { folder: PathBuf, reason: String },
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRun => write!(f, "name the runs of all shards"),
            Self::Read(reason) => write!(f, "{reason}"),
            Self::Whole(run) => write!(
                f,
                "{}: a run of a whole plan: merge takes runs of `run --shard K/N`, and merged ones",
                run.display()
            ),
            Self::Unlike { runs: [first, second], differences } => write!(
                f,
                "{} and {} differ: {}; --allow-mismatch merges them anyway, and the run says so",
                first.display(),
                second.display(),
                differences.join("; ")
            ),
            Self::Twice { cell, runs: [first, second] } => write!(
                f,
                "cell {cell} was measured in {} and again in {}: leave one of them out",
                first.display(),
                second.display()
            ),
            Self::Missing { shards, unfinished } => missing(f, shards, unfinished),
            Self::Taken(folder) => write!(
                f,
                "{} is there, and holds something else: name another folder with --output",
                folder.display()
            ),
            Self::Write { folder, reason } => write!(f, "{}: {reason}", folder.display()),
        }
    }
}

impl std::error::Error for MergeError {}

/// A line for each shard and each run that lacks something, with the command that makes it.
fn missing(
    f: &mut fmt::Formatter<'_>,
    shards: &[(Shard, String)],
    unfinished: &[(PathBuf, Vec<String>)],
) -> fmt::Result {
    write!(f, "nothing was merged, something is missing:")?;
    for (shard, command) in shards {
        write!(f, "\n  shard {shard}: {command}")?;
    }
    for (run, cells) in unfinished {
        let named: Vec<&str> = cells.iter().take(NAMED).map(String::as_str).collect();
        let more = if cells.len() > NAMED { ", …" } else { "" };
        write!(
            f,
            "\n  {} cell(s) of {} ({}{more}): nibble-bench run --resume {}",
            cells.len(),
            run.display(),
            named.join(", "),
            run.display()
        )?;
    }
    Ok(())
}
