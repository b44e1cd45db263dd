//! Merges the runs that measured the shards of one plan into one run.
//!
//! What is merged depends on what the runs hold and on nothing else: merged again, alone or with the merged
//! run among them, they give the same rows.

mod error;
mod part;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub use error::MergeError;
use part::Part;

use super::planned::{self, PlannedCell};
use super::run::RunRecord;
use super::write::{ROWS, write_whole};
use crate::{Shard, Split};

/// Folders of a run whose files belong to its cells, its traces or its suites.
const KEPT: [&str; 6] = ["curves", "histograms", "timelines", "flames", "traces", "suites"];

/// What is to be merged, and where to.
#[derive(Clone, Debug)]
pub struct Merge<'a> {
    /// Folders of runs of `--shard`, and of merged ones.
    pub runs: &'a [PathBuf],
    /// The folder of the merged run; without it, one beside the first run, named by start and suite.
    pub output: Option<&'a Path>,
    /// Merge even if suite, scale, plan, program or machine differ; the run then says so.
    pub allow_mismatch: bool,
}

/// A merged run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    pub folder: PathBuf,
    pub cells: usize,
    /// Names of the nodes that measured them.
    pub nodes: Vec<String>,
    /// Whether the folder was written; `false` where it held just that before.
    pub is_new: bool,
}

/// Merges runs. The folder appears complete or not at all.
///
/// # Errors
/// See [`MergeError`]; nothing is written then.
pub fn merge(asked: &Merge<'_>) -> Result<Merged, MergeError> {
    let mut parts: Vec<Part> =
        asked.runs.iter().map(|run| Part::read(run)).collect::<Result<_, _>>()?;
    // In the order of shards, in whatever order they are named.
    parts.sort_by(|a, b| (&a.split.shards, &a.folder).cmp(&(&b.split.shards, &b.folder)));
    let first = parts.first().ok_or(MergeError::NoRun)?;
    let mut unlike = BTreeSet::new();
    for other in &parts[1..] {
        let differences = first.differences(other);
        if !differences.is_empty() && !asked.allow_mismatch {
            return Err(MergeError::Unlike {
                runs: [first.folder.clone(), other.folder.clone()],
                differences,
            });
        }
        unlike.extend(differences);
    }
    let whole = Whole::of(&parts)?;
    let rows = whole.rows();
    let record = record(&parts, &whole, unlike);
    let folder = match asked.output {
        Some(folder) => folder.to_owned(),
        None => beside(first, &record),
    };
    let merged = |is_new| Merged {
        folder: folder.clone(),
        cells: whole.plan.len(),
        nodes: whole.nodes.iter().map(|node| (*node).to_owned()).collect(),
        is_new,
    };
    if folder.exists() {
        // A shard has another name, so it is never taken for what was merged of it.
        let known = Part::read(&folder).ok().filter(|known| known.record.name == record.name);
        let known = known.ok_or_else(|| MergeError::Taken(folder.clone()))?;
        if known.rows.text == rows && known.record == record {
            return Ok(merged(false));
        }
    }
    write(&folder, (&record, &whole.plan, &rows), &parts)
        .map_err(|reason| MergeError::Write { folder: folder.clone(), reason })?;
    Ok(merged(true))
}

/// All cells of all parts, each once.
struct Whole<'a> {
    plan: Vec<PlannedCell>,
    /// The lines of each cell that was measured, in the order of parts.
    lines: Vec<&'a [u8]>,
    nodes: BTreeSet<&'a str>,
}

impl<'a> Whole<'a> {
    fn of(parts: &'a [Part]) -> Result<Self, MergeError> {
        let mut plan: Vec<PlannedCell> = Vec::new();
        let mut known: BTreeMap<&str, (&Part, &[u8])> = BTreeMap::new();
        let (mut ids, mut lines, mut nodes) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
        for part in parts {
            let planned = part.plan.iter();
            plan.extend(planned.filter(|one| ids.insert(one.cell.id.as_str())).cloned());
            for (id, of_cell) in part.cells() {
                match known.get(id) {
                    Some((other, same)) if *same != of_cell => {
                        return Err(MergeError::Twice {
                            cell: id.to_owned(),
                            runs: [other.folder.clone(), part.folder.clone()],
                        });
                    }
                    Some(_) => {}
                    None => {
                        known.insert(id, (part, of_cell));
                        lines.push(of_cell);
                    }
                }
            }
            nodes.extend(part.rows.rows.iter().map(|row| row.node.as_str()));
        }
        missing(parts, &known)?;
        // The order of the whole plan: round by round, counted cells at the end.
        plan.sort_by_key(|planned| (planned.cell.counters, planned.cell.repetition));
        Ok(Self { plan, lines, nodes })
    }

    fn rows(&self) -> Vec<u8> {
        self.lines.concat()
    }
}

/// Checks that every shard is there with every cell.
fn missing(parts: &[Part], known: &BTreeMap<&str, (&Part, &[u8])>) -> Result<(), MergeError> {
    let of = parts[0].split.of;
    let there: BTreeSet<u32> =
        parts.iter().flat_map(|part| part.split.shards.iter().copied()).collect();
    let shards: Vec<(Shard, String)> = Shard::all(of)
        .filter(|shard| !there.contains(&shard.place()))
        .map(|shard| (shard, part::command_of(&parts[0].record.command, Some(shard))))
        .collect();
    let unfinished: Vec<(PathBuf, Vec<String>)> = parts
        .iter()
        .filter_map(|part| {
            let ids = part.plan.iter().map(|planned| &planned.cell.id);
            let missing = ids.filter(|id| !known.contains_key(id.as_str())).cloned();
            let missing: Vec<String> = missing.collect();
            (!missing.is_empty()).then(|| (part.folder.clone(), missing))
        })
        .collect();
    match shards.is_empty() && unfinished.is_empty() {
        true => Ok(()),
        false => Err(MergeError::Missing { shards, unfinished }),
    }
}

fn record(parts: &[Part], whole: &Whole<'_>, unlike: BTreeSet<String>) -> RunRecord {
    let first = &parts[0];
    let records = || parts.iter().map(|part| &part.record);
    let mut notices: Vec<String> = Vec::new();
    let nodes: Vec<&str> = whole.nodes.iter().copied().collect();
    let own = [
        format!(
            "Merged from {} shards, each with whole rounds, measured on {} node(s): {}.",
            first.split.of,
            nodes.len(),
            nodes.join(", ")
        ),
        format!("The nodes or their runs are not alike: {}.", Vec::from_iter(unlike).join("; ")),
    ];
    let own = own.into_iter().filter(|notice| !notice.ends_with(": ."));
    for notice in records().flat_map(|record| record.notices.clone()).chain(own) {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    let resumed: BTreeSet<String> = records().flat_map(|record| record.resumed.clone()).collect();
    let names: Vec<&str> = first.record.suites.iter().map(|(name, _)| name.as_str()).collect();
    RunRecord {
        name: names.join("+"),
        command: part::command_of(&first.record.command, None),
        notices,
        cells_planned: whole.plan.len(),
        started: records().map(|record| record.started.clone()).min().unwrap_or_default(),
        resumed: resumed.into_iter().collect(),
        finished: records().filter_map(|record| record.finished.clone()).max(),
        interrupted: false,
        split: Some(Split { shards: (1..=first.split.of).collect(), ..first.split.clone() }),
        nodes: records().flat_map(|record| record.nodes.clone()).collect(),
        ..first.record.clone()
    }
}

/// The merged run's folder beside that of `first`: as a run would be named that began with the shards.
fn beside(first: &Part, record: &RunRecord) -> PathBuf {
    let stamp: String = record.started.chars().filter(|letter| !"-:".contains(*letter)).collect();
    first.folder.with_file_name(format!("{stamp}-{}", record.name))
}

fn write(
    folder: &Path,
    (record, plan, rows): (&RunRecord, &[PlannedCell], &[u8]),
    parts: &[Part],
) -> Result<(), String> {
    let mut name = folder.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    let fail = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    if part.exists() {
        // What an earlier merge left that was killed.
        fs::remove_dir_all(&part).map_err(|error| fail(&part, error))?;
    }
    for kept in KEPT {
        for from in parts.iter().map(|one| one.folder.join(kept)).filter(|from| from.is_dir()) {
            let to = part.join(kept);
            fs::create_dir_all(&to).map_err(|error| fail(&to, error))?;
            for entry in fs::read_dir(&from).map_err(|error| fail(&from, error))?.flatten() {
                let file = entry.path();
                if file.extension().is_none_or(|extension| extension != "part") {
                    fs::copy(&file, to.join(entry.file_name()))
                        .map_err(|error| fail(&file, error))?;
                }
            }
        }
    }
    fs::create_dir_all(&part).map_err(|error| fail(&part, error))?;
    let text = serde_json::to_string_pretty(record).expect("a record is plain data") + "\n";
    let texts = [
        (ROWS, rows),
        (planned::NAME, planned::text(plan).as_bytes()),
        ("run.json", text.as_bytes()),
    ]
    .map(|(name, text)| (part.join(name), text.to_owned()));
    for (path, text) in texts {
        write_whole(&path, &text).map_err(|error| fail(&path, error))?;
    }
    if folder.exists() {
        // Merged before, when a shard held something else.
        fs::remove_dir_all(folder).map_err(|error| fail(folder, error))?;
    }
    fs::rename(&part, folder).map_err(|error| fail(folder, error))
}

#[cfg(test)]
mod tests;
