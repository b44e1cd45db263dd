//! A run that is merged with others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::MergeError;
use crate::archive::planned::{self, PlannedCell};
use crate::archive::rows::{self, Kept};
use crate::archive::run::RunRecord;
use crate::archive::{read, write};
use crate::{Shard, Split};

/// The option that says which shard a run measures.
const OPTION: &str = "--shard";

/// A run's record, plan and rows.
pub(super) struct Part {
    pub(super) folder: PathBuf,
    pub(super) record: RunRecord,
    pub(super) split: Split,
    pub(super) plan: Vec<PlannedCell>,
    pub(super) rows: Kept,
}

impl Part {
    pub(super) fn read(folder: &Path) -> Result<Self, MergeError> {
        let record = read::record(folder).map_err(MergeError::Read)?;
        let split = record.split.clone().ok_or_else(|| MergeError::Whole(folder.to_owned()))?;
        let plan = planned::plan(folder).map_err(MergeError::Read)?;
        let rows = rows::read(&folder.join(write::ROWS)).map_err(MergeError::Read)?;
        Ok(Self { folder: folder.to_owned(), record, split, plan, rows })
    }

    /// Each whole cell with the lines of its rows, in order.
    pub(super) fn cells(&self) -> Vec<(&str, &[u8])> {
        let (mut cells, mut start) = (Vec::new(), 0);
        for (row, line) in self.rows.rows.iter().zip(&self.rows.lines) {
            if row.last {
                cells.push((row.cell.id.as_str(), &self.rows.text[start..line.end]));
                start = line.end;
            }
        }
        cells
    }

    /// What it does not share with `other`, though rows of one run must.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut beside = |what: &str, first: String, second: String| {
            if first != second {
                found.push(format!("{what}: `{first}` and `{second}`"));
            }
        };
        let names = |part: &Self| {
            let names = part.record.suites.iter().map(|(name, _)| name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        beside("suite", names(self), names(other));
        let scale = |part: &Self| {
            part.record.scale.as_ref().map(|scale| scale.name.clone()).unwrap_or_default()
        };
        beside("scale", scale(self), scale(other));
        beside("shards", self.split.of.to_string(), other.split.of.to_string());
        if found.is_empty() {
            if suites(&self.folder) != suites(&other.folder) {
                found.push("the text of the suite".to_owned());
            } else if (&self.record.scale, &self.split.plan)
                != (&other.record.scale, &other.split.plan)
            {
                let (first, second) = (&self.record.command, &other.record.command);
                found.push(format!("the cells that were planned, by `{first}` and `{second}`"));
            }
        }
        let provenance = self.record.provenance.differences(&other.record.provenance);
        found.extend(provenance.iter().map(ToString::to_string));
        found
    }
}

/// The texts of the suites in a run's folder, by file.
fn suites(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder.join("suites")).into_iter().flatten().flatten();
    let text = |file: fs::DirEntry| Some((file.file_name().into(), fs::read(file.path()).ok()?));
    files.filter_map(text).collect()
}

/// The command line of another shard of the same plan, or of all of them.
pub(super) fn command_of(command: &str, shard: Option<Shard>) -> String {
    let mut words = Vec::new();
    let mut is_value = false;
    for word in command.split(' ') {
        let is_option = word == OPTION;
        if !is_option && !is_value && !word.starts_with("--shard=") {
            words.push(word.to_owned());
        } else if let Some(shard) = shard.filter(|_| !is_value) {
            words.push(format!("{OPTION} {shard}"));
        }
        is_value = is_option;
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_another_shard_is_the_same_but_for_it() {
        let third = Some("3/4".parse().unwrap());
        for command in
            ["nibble-bench run s --shard 1/4 --quiet", "nibble-bench run s --shard=1/4 --quiet"]
        {
            assert_eq!(command_of(command, third), "nibble-bench run s --shard 3/4 --quiet");
            assert_eq!(command_of(command, None), "nibble-bench run s --quiet");
        }
    }
}
